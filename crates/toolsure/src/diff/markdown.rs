//! Changes as Markdown, for a comment on a pull request: the worst first, so that those are kept if the
//! comment is cut.
//!
//! Texts of tools are untrusted: they are put in `<code>`, with all characters that Markdown or
//! HTML interprets written as entities, so that they neither format anything nor mention anybody.

use std::fmt::Write as _;

use toolsure_analysis::diff::{Change, Class, Piece, Report, Side, word_diff};
use toolsure_json::quote;

use super::shared::{SharedChange, shared, word};
use super::sides::{Sides, tally};

/// Renders the pairs of listings. Changes that exceed a comment's size are only counted.
pub(crate) fn render(all: &[Sides]) -> String {
    let mut out = String::new();
    for sides in all {
        let (old, new) = (code(&sides.old_name()), code(&sides.new_name()));
        line(
            &mut out,
            &format!("**Toolsure**: {old} → {new}: {}\n", tally(&sides.report)),
        );
        if sides.report.tools.is_empty() {
            continue;
        }
        line(&mut out, "| class | tool | change |");
        line(&mut out, "|---|---|---|");
        let mut hidden = 0_usize;
        for shared in shared(&sides.report, |_| true) {
            let row = format!(
                "| {} | {} | {} |",
                class(shared.change),
                code(&shared.title(&sides.report)),
                sentence(&shared, &sides.report)
            );
            if out.len().saturating_add(row.len()) < MOST_BYTES {
                line(&mut out, &row);
            } else {
                hidden = hidden.saturating_add(1);
            }
        }
        line(&mut out, "");
        if hidden > 0 {
            line(&mut out, &format!("… and {hidden} more changes\n"));
        }
    }
    out
}

fn class(change: &Change) -> String {
    match change.class {
        Class::Compatible => word(change).to_owned(),
        class => format!("**{class}**"),
    }
}

fn sentence(shared: &SharedChange<'_>, report: &Report) -> String {
    let change = shared.change;
    let place = match (change.side, change.place.as_str()) {
        (Side::Tool, _) => String::new(),
        (side, "") => format!("{side}: "),
        (side, place) => format!("{side} {}: ", quote(place, 120)),
    };
    let mut text = code(&format!("{place}{}", quote(&change.message, 300)));
    if let Some(witness) = &change.witness {
        let _infallible = write!(
            text,
            "<br>{}: {}",
            escape(&shared.witness_says(report)),
            code(&quote(witness, 300).to_string())
        );
    }
    if let (Some(before), Some(after)) = (&change.before, &change.after) {
        let _infallible = write!(text, "<br><code>{}</code>", words(before, after));
    }
    text
}

/// Compares two texts word by word.
fn words(before: &str, after: &str) -> String {
    let mut out = String::new();
    for piece in word_diff(before, after) {
        let (text, name) = match &piece {
            Piece::Same(text) => (text, None),
            Piece::Removed(text) => (text, Some("del")),
            Piece::Added(text) => (text, Some("ins")),
        };
        let escaped = escape(&quote(text, WORDS).to_string());
        match name {
            Some(name) => out.push_str(&format!("<{name}>{escaped}</{name}>")),
            None => out.push_str(&escaped),
        }
    }
    out
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_alphanumeric()
            || matches!(
                c,
                ' ' | '.' | ',' | ';' | ':' | '/' | '-' | '(' | ')' | '?' | '='
            )
        {
            out.push(c);
        } else {
            out.push_str(&format!("&#{};", u32::from(c)));
        }
    }
    out
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out, "{text}");
}

/// GitHub accepts 65,536 characters.
const MOST_BYTES: usize = 60_000;
const WORDS: usize = 2_000;
