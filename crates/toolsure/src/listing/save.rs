//! `--save`: writes the listing as received, for `toolsure check FILE`.

use std::path::Path;

use toolsure_json::{json_string, quote};

use super::listed::Listing;
use crate::exit::Failure;
use crate::term::{Term, WARNING};

/// What `--save` has written.
#[derive(Debug)]
pub(crate) struct Written {
    /// The file, escaped; `None` if no server returned a listing, so that nothing was written.
    pub(crate) file: Option<String>,
    /// The servers that returned none, as messages name them.
    pub(crate) missing: Vec<String>,
}

/// Writes the listing, or the listings of several servers by name; the tools' texts are written as
/// the servers sent them. Servers that returned no listing are left out, with a note. `-` is standard
/// output.
pub(crate) fn write(path: &Path, listings: &[&Listing], term: &Term) -> Result<Written, Failure> {
    let shown = match path == Path::new("-") {
        true => "standard output".to_owned(),
        false => quote(&path.to_string_lossy(), 200).to_string(),
    };
    let (listed, failed): (Vec<&Listing>, Vec<&Listing>) = listings
        .iter()
        .copied()
        .partition(|listing| listing.fault.is_none());
    let missing: Vec<String> = failed
        .iter()
        .map(|listing| listing.target.clone())
        .collect();
    let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    let text = match (listed.as_slice(), listings) {
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
        ([one], [_]) if one.key.is_none() => text_of(one, ""),
        (several, _) => {
            let listings: Vec<String> = several
                .iter()
                .map(|one| {
                    let key = one.key.as_deref().unwrap_or(&one.target);
                    format!("    {}: {}", json_string(key), text_of(one, "    "))
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

fn text_of(listing: &Listing, indent: &str) -> String {
    let mut text = format!("{{\n{indent}  \"version\": 1,\n");
    if let Some(server) = &listing.server {
        let protocol = json_string(&server.protocol);
        text.push_str(&format!("{indent}  \"protocolVersion\": {protocol},\n"));
        if let Some(raw) = &server.raw {
            text.push_str(&format!("{indent}  \"serverInfo\": {raw},\n"));
        }
    }
    let tools: Vec<String> = listing
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
