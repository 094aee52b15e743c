//! Clients of other SDKs log in to a protected server (OAuth), directly and through the guard.

use std::process::Command;

use serde_json::{Value, json};
use toolsure_testkit::tally::Tally;

use super::run::output;
use crate::build;
use crate::peers::{Javascript, Python, Served};

/// Has each client log in, and compares what it sees with what it must.
pub(super) fn check(
    javascript: &Javascript,
    python: &Python,
    tally: &mut Tally,
) -> Result<(), String> {
    let protected = Served::start(&mut javascript.script("protected.mjs")?)?;
    let toolsure = build::toolsure()?;
    let guard = |arguments: &[&str]| {
        let to = ["--upstream", &protected.url];
        let arguments = to.iter().chain(arguments);
        Served::guard(&mut Command::new(&toolsure), arguments)
    };
    let plain = guard(&[])?;
    let translating = guard(&["--translate", "modern-clients"])?;
    for (between, url) in [
        ("directly", &protected.url),
        ("through the guard", &plain.url),
        ("through the guard, translated", &translating.url),
    ] {
        for name in ["v1", "v2", "python"] {
            let mut client = match name {
                "python" => python.script("login.py"),
                version => {
                    let mut script = javascript.script("login.mjs")?;
                    script.arg(version);
                    script
                }
            };
            let seen: Value = output(client.arg(url), name)?;
            let expected = json!({"tools": ["resource"], "resource": url});
            tally.claim(seen == expected, || {
                format!("{name} {between}: {seen} instead of {expected}")
            });
        }
    }
    Ok(())
}
