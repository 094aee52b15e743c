//! `--save`: the listing as it was received, for `toolgate check FILE`.

use std::path::Path;

use toolgate_json::quote;

use super::report::Report;
use crate::exit::Failure;

/// Writes the listing; the tools' texts are written as the server sent them. A server that gave
/// none leaves an older file alone.
pub(crate) fn write(path: &Path, report: &Report) -> Result<(), Failure> {
    if report.fault.is_some() {
        return Ok(());
    }
    std::fs::write(path, text(report)).map_err(|error| {
        Failure::usage(format!(
            "cannot write `{}`: {error}",
            quote(&path.to_string_lossy(), 200)
        ))
    })
}

fn text(report: &Report) -> String {
    let mut text = String::from("{\n  \"version\": 1,\n");
    if let Some(server) = &report.server {
        let protocol = serde_json::Value::from(server.protocol.as_str());
        text.push_str(&format!("  \"protocolVersion\": {protocol},\n"));
        if let Some(raw) = &server.raw {
            text.push_str(&format!("  \"serverInfo\": {raw},\n"));
        }
    }
    let tools: Vec<String> = report
        .tools
        .iter()
        .map(|tool| format!("    {}", tool.text))
        .collect();
    text.push_str(&format!("  \"tools\": [\n{}\n  ]\n}}\n", tools.join(",\n")));
    text
}
