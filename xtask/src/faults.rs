//! `cargo xtask faults`: `toolsure test-server` on servers with planted faults, of three SDKs.
//!
//! `interop/faults.json` has the faults. Each must be found: one of its codes is reported. The servers without a fault must
//! get no report.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{self, Javascript, Python};

/// A fault that a server has if it is started with its name.
#[derive(Deserialize)]
struct Planted {
    id: String,
    server: Sdk,
    fault: String,
    /// The findings of which one must be reported.
    codes: Vec<String>,
    why: String,
}

/// The SDK of a server.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Sdk {
    /// The Python SDK 1.x.
    Python,
    Typescript,
    Fastmcp,
}

struct Harness {
    toolsure: PathBuf,
    javascript: Javascript,
    python: Python,
    older: Python,
}

/// Tests each server and each fault; with `--every N` each Nth fault, with `--only WORD` those whose id contains it. Returns
/// how many were missed or wrongly reported.
///
/// # Errors
///
/// One line if a peer cannot be installed, or the command gives no report.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let harness = Harness {
        toolsure: build::toolsure()?,
        javascript: Javascript::install()?,
        python: Python::install()?,
        older: Python::faults()?,
    };
    let file = peers::scripts().join("faults.json");
    let text = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let all: Vec<Planted> =
        serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", file.display()))?;
    let every = arguments.number("every")?.unwrap_or(1).max(1);
    let every = usize::try_from(every).unwrap_or(1);
    let only = arguments.option("only").unwrap_or_default();
    let mut tally = Tally::default();
    for server in [Sdk::Python, Sdk::Typescript, Sdk::Fastmcp] {
        let found = harness.found(server, None)?;
        tally.claim(found.is_empty(), || {
            format!("{server:?} without a fault: reported {found:?}")
        });
    }
    let chosen = all
        .iter()
        .filter(|one| one.id.contains(only))
        .step_by(every);
    for one in chosen {
        let found = harness.found(one.server, Some(&one.fault))?;
        tally.claim(one.codes.iter().any(|code| found.contains(code)), || {
            format!("{}: {}; reported {found:?}", one.id, one.why)
        });
    }
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

impl Harness {
    /// The codes that are reported about a server.
    fn found(&self, server: Sdk, fault: Option<&str>) -> Result<BTreeSet<String>, String> {
        let command = match server {
            Sdk::Python => self.older.script("faulty-sdk.py"),
            Sdk::Fastmcp => self.python.script("faulty-fastmcp.py"),
            Sdk::Typescript => self.javascript.script("faulty-server.mjs")?,
        };
        let mut words: Vec<OsString> = vec![command.get_program().to_owned()];
        words.extend(command.get_args().map(ToOwned::to_owned));
        words.extend(fault.map(OsString::from));
        let mut test = Command::new(&self.toolsure);
        test.args(["test-server", "--format", "json", "--rate", "1000"]);
        test.args(["--call-timeout", "5", "--"]).args(words);
        let output = test.output().map_err(|e| format!("toolsure: {e}"))?;
        let report: Value = serde_json::from_slice(&output.stdout).map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr);
            format!("{server:?} {fault:?}: no report: {said}")
        })?;
        let none = Value::Null;
        let report = report.pointer("/reports/0").unwrap_or(&none);
        let of = |value: &Value| -> Vec<String> {
            let findings = value.get("findings").and_then(Value::as_array);
            let findings = findings.into_iter().flatten();
            findings
                .filter_map(|one| one.get("code")?.as_str().map(str::to_owned))
                .collect()
        };
        let tools = report.get("tools").and_then(Value::as_array);
        let tools = tools.into_iter().flatten();
        let mut codes: BTreeSet<String> = tools.flat_map(of).collect();
        codes.extend(of(report));
        // A fault at the limits of strings ends in one of these, as the server happens to fail.
        if ["crash", "hang", "internal-error", "refuses-valid"]
            .iter()
            .any(|code| codes.contains(*code))
        {
            codes.insert("limits".to_owned());
        }
        Ok(codes)
    }
}
