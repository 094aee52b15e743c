//! `--save`: writes the listing as received, for `toolsure check FILE`.

use std::path::Path;

use toolsure_json::{json_string, quote};

use super::report::Report;
use crate::exit::Failure;
use crate::term::{Term, WARNING};

/// What `--save` has written.
#[derive(Debug)]
pub(crate) struct Written {
    /// The file, escaped; `None` if no server returned a listing, so that nothing was written.
    pub(crate) file: Option<String>,
    /// The servers that returned none, as their reports name them.
    pub(crate) missing: Vec<String>,
}

/// Writes the listing, or the listings of several servers by name; the tools' texts are written as
/// the servers sent them. Servers that returned no listing are left out, with a note. `-` is standard
/// output.
pub(crate) fn write(path: &Path, reports: &[Report], term: &Term) -> Result<Written, Failure> {
    let shown = match path == Path::new("-") {
        true => "standard output".to_owned(),
        false => quote(&path.to_string_lossy(), 200).to_string(),
    };
    let (listed, failed): (Vec<&Report>, Vec<&Report>) =
        reports.iter().partition(|report| report.fault.is_none());
    let missing: Vec<String> = failed.iter().map(|report| report.target.clone()).collect();
    let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    let text = match (listed.as_slice(), reports) {
        ([], _) => {
            note(
                term,
                &format!("nothing is saved in `{shown}`: no listing of {names}"),
            );
            return Ok(Written {
                file: None,
                missing,
            });
        }
        ([report], [_]) if report.key.is_none() => listing(report, ""),
        (several, _) => {
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
    let text = format!("{text}\n");
    if path == Path::new("-") {
        term.write_bytes(text.as_bytes())?;
    } else {
        std::fs::write(path, text)
            .map_err(|error| Failure::usage(format!("cannot write `{shown}`: {error}")))?;
    }
    if !missing.is_empty() {
        note(term, &format!("`{shown}` has no listing of {names}"));
    }
    Ok(Written {
        file: Some(shown),
        missing,
    })
}

fn note(term: &Term, message: &str) {
    term.aside(&format!("{WARNING}note{WARNING:#}: {message}\n"));
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
