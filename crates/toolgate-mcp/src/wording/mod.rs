//! What a model is told about a call that cannot go on: short, the most useful
//! first, never more than [`MOST`] bytes whatever the size of the mistake.

use std::fmt::Write as _;

use toolgate_json::{Kind, quote};
use toolgate_schema::{Finding, FindingKind, Report};

/// The longest text, in bytes.
pub const MOST: usize = 2_048;

/// Arguments that do not match: one line per finding, each with place,
/// expectation and finding, and what to do where that is plain.
pub(crate) fn invalid_arguments(tool: &str, report: &Report) -> String {
    let head = format!("invalid arguments for tool `{}`:", quote(tool, NAME));
    list(head, "arguments", report)
}

/// A result that does not match.
pub(crate) fn invalid_result(tool: &str, report: &Report) -> String {
    let head = format!(
        "invalid result of tool `{}`: `structuredContent` does not match its output schema:",
        quote(tool, NAME)
    );
    list(head, "structuredContent", report)
}

/// One sentence about a tool.
pub(crate) fn about(tool: &str, what: std::fmt::Arguments<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "tool `{}` {what}", quote(tool, NAME));
    cut(text)
}

/// A text at most [`MOST`] bytes long.
pub(crate) fn cut(mut text: String) -> String {
    if text.len() <= MOST {
        return text;
    }
    let mut end = MOST - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push('…');
    text
}

fn list(head: String, root: &str, report: &Report) -> String {
    let summary = report.summary();
    let mut text = head;
    let mut more = summary.more();
    let mut left_out = false;
    for line in summary.lines() {
        let mut paragraph = String::from("\n- ");
        if !line.starts_with('/') {
            let _ = write!(paragraph, "{root}: ");
        }
        paragraph.push_str(line);
        if let Some(hint) = hint_for(line, report) {
            let _ = write!(paragraph, "; {hint}");
        }
        if left_out || text.len() + paragraph.len() > MOST - TAIL {
            left_out = true;
            more += 1;
            continue;
        }
        text.push_str(&paragraph);
    }
    let _ = match (more, report.complete) {
        (0, true) => Ok(()),
        (0, false) => text.write_str("\n… and possibly more"),
        (more, true) => write!(text, "\n… and {more} more"),
        (more, false) => write!(text, "\n… and at least {more} more"),
    };
    cut(text)
}

/// What to do about the finding that a line is about, where the line alone does
/// not make it plain.
fn hint_for(line: &str, report: &Report) -> Option<&'static str> {
    report.findings.iter().find_map(|finding| {
        let hint = hint(finding)?;
        let place = quote(&finding.instance_location, PLACE).to_string();
        let rest = line.strip_prefix(place.as_str())?;
        let said = rest
            .strip_prefix(": ")
            .or((place.is_empty()).then_some(rest))?;
        said.starts_with("expected ").then_some(hint)
    })
}

fn hint(finding: &Finding) -> Option<&'static str> {
    let FindingKind::Type { expected, found } = &finding.kind else {
        return None;
    };
    let wants = |names: &[&str]| expected.iter().any(|name| names.contains(name));
    let inside = found
        .text
        .strip_prefix('"')
        .unwrap_or_default()
        .trim_start();
    match found.kind {
        Kind::String if wants(&["array"]) && inside.starts_with('[') => {
            Some("send the array itself, not a string that holds JSON")
        }
        Kind::String if wants(&["object"]) && inside.starts_with('{') => {
            Some("send the object itself, not a string that holds JSON")
        }
        Kind::String if wants(&["integer", "number"]) && looks_numeric(inside) => {
            Some("send the number without quotes")
        }
        Kind::String if wants(&["boolean"]) && matches!(inside, "true\"" | "false\"") => {
            Some("send true or false without quotes")
        }
        Kind::Null => Some("leave the member out if there is nothing to say"),
        Kind::Object | Kind::String | Kind::Number | Kind::Boolean if expected == &["array"] => {
            Some("put it into an array")
        }
        _ => None,
    }
}

fn looks_numeric(text: &str) -> bool {
    let digits = text.trim_end_matches('"').trim();
    !digits.is_empty() && digits.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Characters of a tool's name that a text repeats.
const NAME: usize = 64;
/// Characters of a place, as the summary cuts it.
const PLACE: usize = 200;
/// Bytes kept for the line that says how much is left out.
const TAIL: usize = 64;
