//! `cargo xtask shared`: guards that share a store. Tests one rate, pin and quarantine for all,
//! malformed values in the store, and its loss and return under load.
//!
//! Nothing depends on timing: where guards learn of each other in the background, the steps wait
//! until they have.

mod pins;
mod rates;
pub(crate) mod server;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use toolgate_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{self, Served};
use crate::replicas::guards::Replica;
use crate::replicas::http::request;
use server::{PASSWORD, Server};

/// The programs and addresses that every step needs.
struct Scene {
    toolgate: PathBuf,
    folder: PathBuf,
    /// The fixture server.
    upstream: String,
    store: Server,
}

/// Runs the test and returns how many of its claims failed.
///
/// # Errors
///
/// One line if something cannot be built or started.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let calls = arguments.number("calls")?.unwrap_or(CALLS);
    let fixture = build::binary("everything-server")?;
    let toolgate = build::binary("toolgate")?;
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
        toolgate,
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

impl Scene {
    /// A guard on the store, in front of the fixture server.
    fn guard(&self, settings: &[&str]) -> Result<Replica, String> {
        self.guard_of(&["--upstream", &self.upstream], settings)
    }

    /// A guard on the store, in front of a server of these arguments.
    fn guard_of(&self, server: &[&str], settings: &[&str]) -> Result<Replica, String> {
        let at = |name: &str, file: &str| format!("{name}={}", self.folder.join(file).display());
        let mut all = vec![
            format!("shared.store={}", self.store.url()),
            at("shared.password_file", "password"),
            at("shared.key_file", "key"),
            "shared.every=10ms".to_owned(),
        ];
        all.extend(settings.iter().map(|setting| (*setting).to_owned()));
        let keys = self.folder.join("sessions");
        Replica::start_with(&self.toolgate, server, &keys, &all)
    }
}

/// Every key of the guards expires, and none contains a caller's token.
fn nothing_is_kept_for_ever(store: &Server, tally: &mut Tally) -> Result<(), String> {
    let keys = store.ask(&["KEYS", "*"])?;
    claim(tally, !keys.is_empty(), || "nothing is kept".to_owned());
    for key in keys {
        let left = store.ask(&["PTTL", &key])?;
        let ends = left.first().and_then(|left| left.parse::<i64>().ok());
        // -2: it has expired meanwhile.
        let ends = ends.is_some_and(|left| left > 0 || left == -2);
        claim(tally, ends && key.starts_with("toolgate:1:"), || {
            format!("`{key}` has no end, or no version: {left:?}")
        });
        claim(tally, !key.contains(rates::TOKEN), || {
            format!("a token is in `{key}`")
        });
    }
    Ok(())
}

/// A metric of a guard, summed over all its series.
fn metric(guard: &Replica, name: &str) -> u64 {
    let page = request(guard.admin, "GET", "/metrics", &[], "").unwrap_or_default();
    let own = page.body.lines().filter(|line| line.starts_with(name));
    own.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

/// The body of a page at a guard's admin address, if the status is 200.
fn page(guard: &Replica, path: &str) -> Option<String> {
    let page = request(guard.admin, "GET", path, &[], "").ok()?;
    (page.status == 200).then_some(page.body)
}

/// Waits until a condition holds. The error names the condition if it never does.
fn until(what: &str, mut so: impl FnMut() -> bool) -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if so() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(format!("{what}: not within {PATIENCE:?}"))
}

/// Waits until a guard has written an update to the store since `before`.
fn exchanged(guard: &Replica, what: &str, before: u64) -> Result<(), String> {
    let name = updates_metric(what);
    until("the store was not updated", || {
        metric(guard, &name) > before
    })
}

fn updates_metric(what: &str) -> String {
    format!("toolgate_guard_store_written_total{{what=\"{what}\"}}")
}

fn claim(tally: &mut Tally, holds: bool, otherwise: impl FnOnce() -> String) {
    tally.record(if holds { Ok(()) } else { Err(otherwise()) });
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Calls under load, for each of three guards.
const CALLS: u64 = 1_200;
const KEY: &str = "a key that callers are hashed with, of 32 bytes or more";
/// Far longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(60);
