//! `--save`: writes the listing as received, for `toolsure check FILE`.

use std::path::Path;

use toolsure_json::{json_string, quote};

use super::report::Report;
use crate::exit::Failure;
use crate::term::Term;

/// Writes the listing, or the listings of several servers by name; the tools' texts are written as
/// the servers sent them. Writes nothing if a server returned none. `-` is standard output.
pub(crate) fn write(path: &Path, reports: &[Report], term: &Term) -> Result<(), Failure> {
    if reports.iter().any(|report| report.fault.is_some()) {
        return Ok(());
    }
    let text = match reports {
        [report] if report.key.is_none() => listing(report, ""),
        several => {
            let listings: Vec<String> = several
                .iter()
                .map(|report| {
                    let key = report.key.as_deref().unwrap_or(&report.target);
                    format!("    {}: {}", json_string(key), listing(report, "    "))
                })
                .collect();
            let listings = listings.join(",\n");
            format!("{{\n  \"version\": 1,\n  \"listings\": {{\n{listings}\n  }}\n}}")
        }
    };
    if path == Path::new("-") {
        return term.write_bytes(format!("{text}\n").as_bytes());
    }
    std::fs::write(path, format!("{text}\n")).map_err(|error| {
        Failure::usage(format!(
            "cannot write `{}`: {error}",
            quote(&path.to_string_lossy(), 200)
        ))
    })
}

fn listing(report: &Report, indent: &str) -> String {
    let mut text = format!("{{\n{indent}  \"version\": 1,\n");
    if let Some(server) = &report.server {
        let protocol = json_string(&server.protocol);
        text.push_str(&format!("{indent}  \"protocolVersion\": {protocol},\n"));
        if let Some(raw) = &server.raw {
            text.push_str(&format!("{indent}  \"serverInfo\": {raw},\n"));
        }
    }
    let tools: Vec<String> = report
        .tools
        .iter()
        .map(|tool| format!("{indent}    {}", tool.text))
        .collect();
    let tools = tools.join(",\n");
    text.push_str(&format!(
        "{indent}  \"tools\": [\n{tools}\n{indent}  ]\n{indent}}}"
    ));
    text
}
