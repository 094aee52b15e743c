//! The report for machines: one JSON document.
//!
//! ```text
//! {
//!   "version": 1,
//!   "exit": 1,                        // the process's exit code
//!   "reports": [{                     // one per server
//!     "target": "node server.mjs",
//!     "server": {"name": "orders", "version": "1.2.0", "protocol": "2025-11-25"},   // or null
//!     "fault": null,                  // why no session was opened, in words
//!     "seed": 1, "calls": 120,
//!     "errors": 1, "warnings": 0,
//!     "notes": ["…"],                 // what was not done, and why
//!     "tools": [{
//!       "name": "get_order",
//!       "skipped": null,              // why it was not called
//!       "calls": 40, "results": 30, "answeredErrors": 10,
//!       "findings": [{
//!         "code": "result-schema", "severity": "error",
//!         "message": "…",
//!         "pointer": "/items/0",      // into the structured content; "" for the whole
//!         "arguments": {"id": "A-7"}, // of the call that shows it; null if it is about no call
//!         "purpose": "…"              // what the call was for
//!       }]
//!     }],
//!     "findings": []                  // about the server as a whole
//!   }]
//! }
//! ```
//!
//! A version may get new members, but its names and codes do not change.

use serde_json::{Value, json};
use toolsure_mcp::testing::Severity;

use super::found::{Found, Report, Tested};
use crate::exit::Exit;
use crate::render::json::harmless;

/// Renders all reports as one document.
pub(super) fn render(reports: &[Report], exit: Exit) -> String {
    let document = json!({
        "version": 1,
        "exit": exit.code(),
        "reports": reports.iter().map(report).collect::<Vec<_>>(),
    });
    let mut text = harmless(&format!("{document:#}"));
    text.push('\n');
    text
}

fn report(report: &Report) -> Value {
    let server = report.server.as_ref().map(|server| {
        json!({
            "name": server.name,
            "version": server.version,
            "protocol": server.protocol,
        })
    });
    json!({
        "target": report.target,
        "server": server,
        "fault": report.fault.as_ref().map(ToString::to_string),
        "seed": report.seed,
        "calls": report.calls,
        "errors": report.count(Severity::Error),
        "warnings": report.count(Severity::Warning),
        "notes": report.notes,
        "tools": report.tools.iter().map(tool).collect::<Vec<_>>(),
        "findings": report.server_findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn tool(tool: &Tested) -> Value {
    json!({
        "name": tool.name,
        "skipped": tool.skipped,
        "calls": tool.calls.made,
        "results": tool.calls.results,
        "answeredErrors": tool.calls.errors,
        "findings": tool.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(found: &Found) -> Value {
    let arguments = found.arguments.as_deref();
    // What no JSON value of ours can hold is given as text.
    let arguments = arguments
        .map(|text| serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned())));
    json!({
        "code": found.finding.code.name(),
        "severity": severity(found),
        "message": found.finding.message,
        "pointer": found.finding.pointer,
        "arguments": arguments,
        "purpose": found.purpose,
    })
}

/// The severity as a word.
pub(super) fn severity(found: &Found) -> &'static str {
    match found.finding.code.severity() {
        Severity::Warning => "warning",
        _ => "error",
    }
}
