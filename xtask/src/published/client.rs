//! The published clients, and the requests that they make.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::harness::{Harness, Target};

/// A published client.
#[derive(Clone, Copy)]
pub(super) enum Client {
    TypescriptV1,
    TypescriptV2,
    Python,
    /// It starts a process for each request.
    Inspector,
}

impl Client {
    pub(super) const ALL: [Self; 4] = [
        Self::TypescriptV1,
        Self::TypescriptV2,
        Self::Python,
        Self::Inspector,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::TypescriptV1 => "TypeScript SDK 1",
            Self::TypescriptV2 => "TypeScript SDK 2",
            Self::Python => "Python SDK",
            Self::Inspector => "Inspector",
        }
    }

    /// Whether it supports this protocol version.
    pub(super) fn speaks(self, era: &str) -> bool {
        match self {
            Self::TypescriptV2 | Self::Python => true,
            Self::TypescriptV1 | Self::Inspector => era == "2025-11-25",
        }
    }

    /// How many of a server's requests it makes.
    pub(super) fn most(self) -> usize {
        match self {
            // It starts a new process for each.
            Self::Inspector => 3,
            _ => usize::MAX,
        }
    }

    /// The answers that it gets, one per request: `{"result": …}` or `{"error": …}`.
    pub(super) fn ask(
        self,
        harness: &Harness,
        era: &str,
        target: &Target,
        requests: &[Value],
    ) -> Result<Vec<Value>, String> {
        let mut command = match self {
            Self::TypescriptV1 => harness.javascript.script("client-v1.mjs")?,
            Self::TypescriptV2 => harness.javascript.script("client-v2.mjs")?,
            Self::Python => harness.python.script("client.py"),
            Self::Inspector => {
                let asked = requests.iter();
                return asked
                    .map(|request| inspect(harness, target, request))
                    .collect();
            }
        };
        match target {
            Target::Command(words) => command.args([era, "stdio"]).args(words),
            Target::Url(url) => command.args([era, "http", url]),
        };
        command.env("PUBLISHED_REQUESTS", Value::from(requests).to_string());
        let report = output(&mut command).map_err(|why| format!("{}: {why}", self.name()))?;
        let last = report.lines().last().unwrap_or_default();
        serde_json::from_str(last)
            .map_err(|e| format!("{}: no report ({e}): {report}", self.name()))
    }
}

/// Makes one request with the Inspector in its CLI mode.
fn inspect(harness: &Harness, target: &Target, request: &Value) -> Result<Value, String> {
    let script = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    let mut command = harness
        .javascript
        .node(&harness.javascript.modules().join(script));
    let text = |place: &str| request.pointer(place).and_then(Value::as_str);
    // why: it keeps settings in the home folder.
    command.env("HOME", &harness.folder).arg("--cli");
    command.args(["--method", text("/method").unwrap_or_default()]);
    if let Some(name) = text("/params/name") {
        command.args(["--tool-name", name]);
    }
    let given = request.pointer("/params/arguments");
    for (name, value) in given.and_then(Value::as_object).into_iter().flatten() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        command.args(["--tool-arg", &format!("{name}={value}")]);
    }
    match target {
        Target::Command(words) => command.arg("--").args(words),
        Target::Url(url) => command.args(["--transport", "http", "--", url]),
    };
    Ok(match output(&mut command) {
        Ok(report) => match serde_json::from_str::<Value>(&report) {
            Ok(result) => json!({ "result": result }),
            Err(_) => json!({ "error": report }),
        },
        Err(why) => json!({ "error": why }),
    })
}

/// The output of a command, or the reason for its failure.
fn output(command: &mut Command) -> Result<String, String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|e| e.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let tail: Vec<&str> = errors.lines().rev().take(8).collect();
    Err(format!("{}: {}", output.status, tail.join(" | ")))
}

/// The program and the arguments of a command.
pub(super) fn words(command: &Command) -> Vec<String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}
