//! `cargo xtask shared`: guards that share a store. Tests one rate, pin and quarantine for all,
//! malformed values in the store, and its loss and return under load.
//!
//! Nothing depends on timing: where guards learn of each other in the background, the steps wait
//! until they have.

mod pins;
mod rates;
mod scene;
pub(crate) mod server;
pub(crate) mod watch;

use std::process::Command;

use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{self, Served};
use scene::Scene;
use server::{PASSWORD, Server};

/// Runs the test and returns how many of its claims failed.
///
/// # Errors
///
/// One line if something cannot be built or started.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let calls = arguments.number("calls")?.unwrap_or(CALLS);
    let fixture = build::binary("everything-server")?;
    let toolsure = build::binary("toolsure")?;
    let program = match server::program() {
        Ok(program) => program,
        Err(why) => {
            println!("skipped: {why}");
            return Ok(0);
        }
    };
    println!("the store: {}", program.display());
    let folder = build::target()?.join("shared");
    peers::fresh(&folder)?;
    for (name, text) in [("password", PASSWORD), ("key", KEY), ("sessions", KEY)] {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let fixture = Served::start(Command::new(&fixture).arg("--http"))?;
    let mut scene = Scene {
        store: Server::start(&program, &folder)?,
        upstream: fixture.url.clone(),
        toolsure,
        folder,
    };
    let mut tally = Tally::default();
    rates::one_rate(&scene, &mut tally)?;
    rates::garbled(&scene, &mut tally)?;
    rates::told_later(&mut scene, &mut tally)?;
    rates::under_load(&mut scene, calls, &mut tally)?;
    pins::one_pin(&scene, &mut tally)?;
    nothing_is_kept_for_ever(&scene.store, &mut tally)?;
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// Every key of the guards expires, and none contains a caller's token.
fn nothing_is_kept_for_ever(store: &Server, tally: &mut Tally) -> Result<(), String> {
    let keys = store.ask(&["KEYS", "*"])?;
    tally.claim(!keys.is_empty(), || "nothing is kept".to_owned());
    for key in keys {
        let left = store.ask(&["PTTL", &key])?;
        let ends = left.first().and_then(|left| left.parse::<i64>().ok());
        // -2: it has expired meanwhile.
        let ends = ends.is_some_and(|left| left > 0 || left == -2);
        tally.claim(ends && key.starts_with("toolsure:1:"), || {
            format!("`{key}` has no end, or no version: {left:?}")
        });
        tally.claim(!key.contains(rates::TOKEN), || {
            format!("a token is in `{key}`")
        });
    }
    Ok(())
}

/// Calls under load, for each of three guards.
const CALLS: u64 = 1_200;
const KEY: &str = "a key that callers are hashed with, of 32 bytes or more";
