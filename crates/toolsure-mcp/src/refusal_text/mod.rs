//! The text that a model gets about a refused call: short, the most useful part first, never more
//! than [`MAX_BYTES`] bytes whatever the size of the mistake.

mod hint;

use std::fmt::Write as _;

use toolsure_json::quote;
use toolsure_schema::{Report, Schema};

use crate::contract::SchemaPart;
use hint::Hints;

/// The maximum length of a text, in bytes.
pub const MAX_BYTES: usize = 2_048;

/// Arguments or a result that do not match: one line per finding, each with location, expected and
/// found value, and a fix if it is obvious.
pub(crate) fn invalid(tool: &str, part: SchemaPart, schema: &Schema, report: &Report) -> String {
    let summary = report.summary();
    let mut text = head(tool, part);
    let root = match part {
        SchemaPart::Input => "arguments",
        SchemaPart::Output => "structuredContent",
    };
    let mut more = summary.more();
    let mut left_out = false;
    let hints = Hints { schema, report };
    for (line, findings) in summary.lines_with_findings() {
        let mut paragraph = String::from("\n- ");
        if !line.starts_with('/') {
            let _ = write!(paragraph, "{root}: ");
        }
        paragraph.push_str(line);
        if let Some(hint) = hints.of_line(findings) {
            let _ = write!(paragraph, "; {hint}");
        }
        if left_out || text.len() + paragraph.len() > MAX_BYTES - TAIL {
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

/// One sentence about a tool.
pub(crate) fn about(tool: &str, what: std::fmt::Arguments<'_>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "tool `{}` {what}", quote(tool, NAME));
    cut(text)
}

/// Cuts a text to at most [`MAX_BYTES`] bytes.
pub(crate) fn cut(mut text: String) -> String {
    if text.len() <= MAX_BYTES {
        return text;
    }
    let mut end = MAX_BYTES - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text.push('…');
    text
}

/// A host engine's reasons against arguments or a result.
pub(crate) fn invalid_for_host(tool: &str, part: SchemaPart, reasons: &[String]) -> String {
    let mut text = head(tool, part);
    for reason in reasons {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- {}", quote(reason, REASON));
        if text.len() > MAX_BYTES {
            break;
        }
    }
    cut(text)
}

fn head(tool: &str, part: SchemaPart) -> String {
    let tool = quote(tool, NAME);
    match part {
        SchemaPart::Input => format!("invalid arguments for tool `{tool}`:"),
        SchemaPart::Output => format!(
            "invalid result of tool `{tool}`: `structuredContent` does not match its output schema:"
        ),
    }
}

/// The maximum number of characters of a tool's name in a text.
const NAME: usize = 64;
/// The maximum number of characters of one host engine's reason in a text.
const REASON: usize = 500;
/// Bytes reserved for the line that says how much is left out.
const TAIL: usize = 64;
