//! Servers of all versions of the SDKs: `toolsure check` must open each, without the guard and through
//! it.
//!
//! `interop/minors.txt` and `interop/minors.json` have the versions. The older ones of Python do not
//! survive a `server/discover`.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::Value;
use toolsure_testkit::tally::Tally;

use super::client::words;
use super::harness::Harness;
use crate::peers::{self, Javascript, Python};

/// Checks a server of each version.
///
/// # Errors
///
/// One line if a version cannot be installed.
pub(super) fn run(harness: &Harness) -> Result<Tally, String> {
    let python = Python::minors()?;
    let javascript = Javascript::minors()?;
    let script = javascript.copied("minor.mjs")?;
    let mut servers = Vec::new();
    for package in lines("minors.txt")? {
        servers.push(Server::Python(package));
    }
    for package in packages("minors.json")? {
        let mut node = harness.javascript.node(&script);
        node.arg(&package);
        servers.push(Server::Ready(package, words(&node)));
    }
    let waiting = Mutex::new(servers.into_iter());
    let tally = Mutex::new(Tally::default());
    let failed = Mutex::new(None);
    let next = || waiting.lock().ok()?.next();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(server) = next() {
                    match server.words(&python) {
                        Ok((name, words)) => {
                            for outcome in check(harness, &name, &words) {
                                if let Ok(mut tally) = tally.lock() {
                                    tally.record(outcome);
                                }
                            }
                        }
                        Err(why) => {
                            if let Ok(mut failed) = failed.lock() {
                                *failed = Some(why);
                            }
                        }
                    }
                }
            });
        }
    });
    match failed.into_inner() {
        Ok(None) => {}
        Ok(Some(why)) => return Err(why),
        Err(_) => return Err("a check has panicked".to_owned()),
    }
    tally.into_inner().map_err(|e| e.to_string())
}

enum Server {
    /// A version of the Python SDK, still to be installed.
    Python(String),
    /// A name and a command line.
    Ready(String, Vec<String>),
}

impl Server {
    /// The name of the version and the command line that starts its server.
    fn words(self, python: &Python) -> Result<(String, Vec<String>), String> {
        let package = match self {
            Self::Ready(name, words) => return Ok((name, words)),
            Self::Python(package) => package,
        };
        let folder = peers::shipped(&format!("python-minors-{package}"), &package)?;
        let path = format!("PYTHONPATH={}", folder.display());
        let mut all = vec!["env".to_owned(), path];
        all.extend(words(&python.script("minor.py")));
        Ok((package, all))
    }
}

/// Lists the server's tools, without the guard and through it.
fn check(harness: &Harness, name: &str, server: &[String]) -> [Result<(), String>; 2] {
    let toolsure = harness.toolsure.display().to_string();
    let guard = [toolsure, "guard".to_owned(), "--".to_owned()];
    let through = [&guard[..], server].concat();
    [
        listed(&harness.toolsure, server).map_err(|why| format!("{name}: {why}")),
        listed(&harness.toolsure, &through)
            .map_err(|why| format!("{name} through the guard: {why}")),
    ]
}

/// Checks that `toolsure check` accepts the one tool.
fn listed(toolsure: &Path, server: &[String]) -> Result<(), String> {
    let output = Command::new(toolsure)
        .args(["check", "--no-config", "--format", "json", "--"])
        .args(server)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let document: Value = serde_json::from_str(&text).map_err(|e| format!("{e}: {text}"))?;
    let tool = document.pointer("/reports/0/tools/0");
    let member = |name| tool.and_then(|tool| tool.get(name)).and_then(Value::as_str);
    match (output.status.code(), member("name"), member("verdict")) {
        (Some(0), Some("echo"), Some("ok")) => Ok(()),
        _ => Err(format!("{}: {text}", output.status)),
    }
}

fn lines(name: &str) -> Result<Vec<String>, String> {
    let lines = read(name)?;
    let lines = lines.lines().filter(|line| !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

fn packages(name: &str) -> Result<Vec<String>, String> {
    let pins: Value = serde_json::from_str(&read(name)?).map_err(|e| format!("{name}: {e}"))?;
    let packages = pins.get("dependencies").and_then(Value::as_object);
    let packages = packages.ok_or_else(|| format!("{name} has no dependencies"))?;
    Ok(packages.keys().cloned().collect())
}

fn read(name: &str) -> Result<String, String> {
    let path = peers::scripts().join(name);
    std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))
}

/// How many versions are tried at once. Most of the time they wait.
const AT_ONCE: usize = 4;
