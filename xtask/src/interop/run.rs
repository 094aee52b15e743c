//! One client with one server, and the report that a program prints.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::peer::{LEGACY, MODERN, Role};

/// What is between client and server.
#[derive(Clone, Copy)]
pub(super) enum Between {
    Nothing,
    /// The guard, in front of the server on this transport.
    Guard(&'static str),
    /// The same with `--translate`: the server is called in the other era.
    Translator(&'static str),
}

/// One client with one server.
pub(super) struct Run<'a> {
    pub(super) peer: &'a str,
    pub(super) era: &'a str,
    pub(super) transport: &'a str,
    pub(super) role: Role,
    pub(super) between: Between,
}

impl Run<'_> {
    /// The protocol version that the server is called with.
    pub(super) fn behind(&self) -> &str {
        match self.between {
            Between::Translator(_) if self.era == MODERN => LEGACY,
            Between::Translator(_) => MODERN,
            Between::Nothing | Between::Guard(_) => self.era,
        }
    }

    /// The protocol version that the peer speaks.
    pub(super) fn spoken(&self) -> &str {
        match self.role {
            Role::Client => self.era,
            Role::Server | Role::WrappingServer => self.behind(),
        }
    }
}

/// Runs a program and parses its report, the last line that it prints.
pub(super) fn output(program: &mut Command, name: &str) -> Result<Value, String> {
    let output = program
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(|e| format!("{name}: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let report = text.lines().last().unwrap_or_default();
    serde_json::from_str(report).map_err(|e| {
        let errors = String::from_utf8_lossy(&output.stderr);
        let tail: Vec<&str> = errors.lines().rev().take(8).collect();
        format!("{name}: no report ({e}): {}", tail.join(" | "))
    })
}
