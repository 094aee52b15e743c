//! Changes for people, by tool: the worst first, with a value that proves each.

use std::fmt::Write as _;

use anstyle::Style;
use toolsure_analysis::diff::{Aspect, Change, Class, Piece, Side, ToolChange, word_diff};
use toolsure_json::quote;

use super::sides::{Sides, tally};
use crate::render::{count, hang};
use crate::term::{BOLD, DIM, ERROR, GOOD, WARNING};

/// Renders the report; `quiet` omits compatible changes.
///
/// Unless `all` is set, only the first of very many tools and changes are shown.
pub(crate) fn render(sides: &Sides, all: bool, quiet: bool, columns: Option<usize>) -> String {
    let mut out = String::new();
    let tools = sides.report.tools.iter();
    let tools = tools.filter(|tool| !(quiet && tool.class() == Class::Compatible));
    let mut hidden = 0_u64;
    for (index, tool) in tools.enumerate() {
        if all || index < MOST_TOOLS {
            draw(&mut out, tool, all, quiet, columns);
        } else {
            hidden = hidden.saturating_add(1);
        }
    }
    if hidden > 0 {
        let tools = count(hidden, "tool");
        let text = format!("… and {tools} more; `--all` shows them");
        line(&mut out, &format!("{}\n", hang(&text, columns)));
    }
    let same = u64::try_from(sides.report.same).unwrap_or(u64::MAX);
    let text = match sides.report.class() {
        None => format!("{GOOD}no change{GOOD:#} in {}", count(same, "tool")),
        Some(_) => tally(&sides.report),
    };
    if !quiet || sides.report.class() > Some(Class::Compatible) {
        let names = format!("{BOLD}{} -> {}{BOLD:#}", sides.old_name(), sides.new_name());
        line(&mut out, &hang(&format!("{names}: {text}"), columns));
    }
    out
}

fn draw(out: &mut String, tool: &ToolChange, all: bool, quiet: bool, columns: Option<usize>) {
    line(out, &format!("{BOLD}{}{BOLD:#}", quote(&tool.name, 80)));
    let shown = tool
        .changes
        .iter()
        .filter(|change| !(quiet && change.class == Class::Compatible));
    let mut hidden = 0_u64;
    for (index, change) in shown.enumerate() {
        if all || index < MOST_CHANGES {
            one(out, change, columns);
        } else {
            hidden = hidden.saturating_add(1);
        }
    }
    if hidden > 0 {
        let changes = count(hidden, "change");
        let text = format!("  … and {changes} more; `--all` shows them");
        line(out, &hang(&text, columns));
    }
    line(out, "");
}

fn one(out: &mut String, change: &Change, columns: Option<usize>) {
    let mut line = |text: &str| line(out, &hang(text, columns));
    let (style, word) = match (change.class, change.aspect) {
        (Class::Breaking, _) => (ERROR, "breaking"),
        (Class::Unknown, _) => (WARNING, "unknown"),
        (Class::Warning, _) => (WARNING, "warning"),
        (Class::Compatible, Aspect::Words) => (DIM, "words"),
        (Class::Compatible, _) => (GOOD, "compatible"),
    };
    let place = match (change.side, change.place.as_str()) {
        (Side::Tool, _) => String::new(),
        (side, "") => format!("{side}: "),
        (side, place) => format!("{side} {}: ", quote(place, PLACE_CHARS)),
    };
    let pad = " ".repeat(10_usize.saturating_sub(word.len()));
    line(&format!(
        "  {style}{word}{style:#}{pad}  {place}{}",
        quote(&change.message, MESSAGE_CHARS)
    ));
    if let (Some(before), Some(after)) = (&change.before, &change.after)
        && change.message.ends_with(" changed")
    {
        line(&format!("              {}", pieces(before, after)));
    }
    if let Some(witness) = &change.witness {
        let says = match change.side {
            Side::Output => "not promised before",
            _ => "worked before",
        };
        line(&format!(
            "              {DIM}{says}: {}{DIM:#}",
            quote(witness, WITNESS_CHARS)
        ));
    }
}

/// Compares two texts word by word; long unchanged runs are shortened to their ends.
fn pieces(before: &str, after: &str) -> String {
    let pieces = word_diff(before, after);
    let last = pieces.len().saturating_sub(1);
    let mut out = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        out.push_str(&match piece {
            Piece::Same(text) => shorten(text, index == 0, index == last),
            Piece::Removed(text) => marked(text, ERROR, "[-", "-]"),
            Piece::Added(text) => marked(text, GOOD, "{+", "+}"),
        });
    }
    out
}

/// Words between marks, which are readable without colours too.
fn marked(text: &str, style: Style, start: &str, end: &str) -> String {
    let words = text.trim_end();
    let blank = if words.len() < text.len() { " " } else { "" };
    format!(
        "{style}{start}{}{end}{style:#}{blank}",
        quote(words, PIECE_CHARS)
    )
}

fn shorten(text: &str, first: bool, last: bool) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (head, tail) = match (first, last) {
        (true, _) => (0, CONTEXT),
        (_, true) => (CONTEXT, 0),
        _ => (CONTEXT, CONTEXT),
    };
    let short = if words.len() > head.saturating_add(tail).saturating_add(1) {
        let end = words.len().saturating_sub(tail);
        let ends = [words.get(..head), Some(&["…"][..]), words.get(end..)];
        ends.into_iter().flatten().flatten().copied().collect()
    } else {
        words
    };
    let blank = if text.ends_with(char::is_whitespace) {
        " "
    } else {
        ""
    };
    format!("{}{blank}", quote(&short.join(" "), PIECE_CHARS))
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out, "{text}");
}

/// Maximum tools shown.
const MOST_TOOLS: usize = 100;
/// Maximum changes shown for each tool.
const MOST_CHANGES: usize = 50;
/// Unchanged words shown beside a change.
const CONTEXT: usize = 6;
const PIECE_CHARS: usize = 2_000;
const PLACE_CHARS: usize = 120;
const MESSAGE_CHARS: usize = 300;
const WITNESS_CHARS: usize = 200;
