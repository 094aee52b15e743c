//! The part of a line in the configuration file that a problem may show.
//!
//! Any line may hold a secret, even if the problem is elsewhere in it. So a line is never shown
//! whole: only what the problem is about and, before it, what cannot be a value.

use std::ops::Range;

use super::keys;
use super::place::Shows;

/// A part of a line, and the part of it that is marked.
pub(super) struct Excerpt {
    pub(super) text: String,
    pub(super) mark: Range<usize>,
}

impl Excerpt {
    /// The part that may be shown of the line in which `span` begins.
    pub(super) fn of(file: &[u8], span: &Range<usize>, shows: Shows) -> Self {
        let start = span.start.min(file.len());
        let (before, after) = file.split_at(start);
        let line_start = before.iter().rposition(|byte| *byte == b'\n');
        let line_start = line_start.map_or(0, |at| at.saturating_add(1));
        let until = after.iter().position(|byte| *byte == b'\n');
        let (rest, _) = after.split_at(until.unwrap_or(after.len()));
        let lead = before.get(line_start..).unwrap_or_default();
        let length = span.end.saturating_sub(start).min(rest.len());
        let (Ok(lead), Some((Ok(marked), Ok(rest)))) = (
            std::str::from_utf8(lead),
            rest.split_at_checked(length)
                .map(|(marked, rest)| (std::str::from_utf8(marked), std::str::from_utf8(rest))),
        ) else {
            return Self::cut("");
        };
        let is_safe = match shows {
            Shows::Key => lead.chars().all(|c| is_bare(c) || " \t[".contains(c)),
            Shows::Value => lead
                .split_once('=')
                .is_some_and(|(key, space)| is_known(key) && space.trim().is_empty()),
            Shows::NoValue => false,
        };
        if !is_safe {
            let line = format!("{lead}{marked}{rest}");
            return match line.split_once('=') {
                Some((key, value)) if is_known(key) => {
                    let space = value.len().saturating_sub(value.trim_start().len());
                    Self::cut(&format!("{key}={}", value.get(..space).unwrap_or_default()))
                }
                _ => Self::cut(""),
            };
        }
        let behind = match rest.trim_start() {
            rest if rest.starts_with("]]") => "]]",
            rest if rest.starts_with(']') => "]",
            rest if rest.starts_with('=') => " = \u{2026}",
            _ => "",
        };
        let marks_from = lead.len();
        Self {
            mark: marks_from..marks_from.saturating_add(marked.len()),
            text: format!("{lead}{marked}{behind}"),
        }
    }

    /// A line that is cut where its value would begin.
    fn cut(lead: &str) -> Self {
        let text = format!("{lead}\u{2026}");
        Self {
            mark: lead.len()..text.len(),
            text,
        }
    }
}

/// Whether a text is the name of a known key or section, with or without the names of tables before
/// it. Any other text, such as a line of a multi-line string, may be a secret.
fn is_known(key: &str) -> bool {
    let key = key.trim();
    let last = key.rsplit('.').next().unwrap_or_default();
    key.chars().all(is_bare) && keys::is_name(last)
}

/// Whether a character may occur in a key without quotation marks.
fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}
