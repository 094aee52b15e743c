//! Changes for people: the worst first, each once with the tools that have it, and a value that proves it.

use std::fmt::Write as _;

use anstyle::Style;
use toolsure_analysis::diff::{Change, Class, Piece, Report, Side, word_diff};
use toolsure_json::quote;

use super::shared::{Section, SharedChange, approval_word, sections, word};
use super::sides::{Sides, tally};
use crate::render::{count, hang};
use crate::term::{BOLD, DIM, ERROR, GOOD, WARNING};

/// Renders the report; `quiet` omits compatible changes.
///
/// Unless `all` is set, only the first of very many tools and changes are shown.
pub(crate) fn render(sides: &Sides, all: bool, quiet: bool, columns: Option<usize>) -> String {
    let mut out = String::new();
    let report = &sides.report;
    let is_shown = |change: &Change| !(quiet && change.class == Class::Compatible);
    let mut hidden = 0_usize;
    for (index, section) in sections(report, is_shown).iter().enumerate() {
        if all || index < MOST_SECTIONS {
            draw(&mut out, (section, report), (all, word), columns);
        } else {
            hidden = hidden.saturating_add(section.changes.len());
        }
    }
    if hidden > 0 {
        let changes = count(u64::try_from(hidden).unwrap_or(u64::MAX), "change");
        let text = format!("… and {changes} more of other tools; `--all` shows them");
        line(&mut out, &format!("{}\n", hang(&text, columns)));
    }
    if !quiet || sides.report.class() > Some(Class::Compatible) {
        out.push_str(&summary(sides, columns));
    }
    out
}

/// The line that ends a report.
fn summary(sides: &Sides, columns: Option<usize>) -> String {
    let same = u64::try_from(sides.report.same).unwrap_or(u64::MAX);
    let text = match sides.report.class() {
        None => format!("{GOOD}no change{GOOD:#} in {}", count(same, "tool")),
        Some(_) => tally(&sides.report),
    };
    of_both(sides, &text, columns)
}

/// A line about both listings.
fn of_both(sides: &Sides, text: &str, columns: Option<usize>) -> String {
    let names = format!("{BOLD}{} -> {}{BOLD:#}", sides.old_name(), sides.new_name());
    let mut out = String::new();
    line(&mut out, &hang(&format!("{names}: {text}"), columns));
    out
}

/// Renders all of the report for those who approve it, with a number before each group of changes, as [`groups`] counts
/// them.
pub(crate) fn numbered(sides: &Sides, number: &mut usize, columns: Option<usize>) -> String {
    let groups = groups(sides, number, columns).into_iter();
    let mut out: String = groups.map(|group| group.text).collect();
    let report = &sides.report;
    let same = u64::try_from(report.same).unwrap_or(u64::MAX);
    let changed = u64::try_from(report.tools.len()).unwrap_or(u64::MAX);
    let text = match changed {
        0 => format!("{GOOD}no change{GOOD:#} in {}", count(same, "tool")),
        changed => format!("{} changed, {same} unchanged", count(changed, "tool")),
    };
    out.push_str(&of_both(sides, &text, columns));
    out
}

/// A group of changes that the same tools have.
pub(crate) struct Group<'r> {
    pub(crate) number: usize,
    pub(crate) text: String,
    section: Section<'r>,
}

impl Group<'_> {
    /// Whether it has this change of the tool with this index in the report.
    pub(crate) fn has(&self, tool: usize, change: &Change) -> bool {
        self.section.has(tool, change)
    }
}

/// How many groups of changes a report has.
pub(crate) fn groups_in(report: &Report) -> usize {
    sections(report, |_| true).len()
}

/// The groups of changes, numbered after `number`, which becomes the last one.
pub(crate) fn groups<'r>(
    sides: &'r Sides,
    number: &mut usize,
    columns: Option<usize>,
) -> Vec<Group<'r>> {
    let sections = sections(&sides.report, |_| true);
    let groups = sections.into_iter().map(|section| {
        *number = number.saturating_add(1);
        let mut text = format!("{DIM}[{number}]{DIM:#} ");
        let both = (&section, &sides.report);
        draw(&mut text, both, (true, approval_word), columns);
        Group {
            number: *number,
            text,
            section,
        }
    });
    groups.collect()
}

fn draw(
    out: &mut String,
    (section, report): (&Section<'_>, &Report),
    (all, word): (bool, fn(&Change) -> &'static str),
    columns: Option<usize>,
) {
    line(
        out,
        &hang(&format!("{BOLD}{}{BOLD:#}", section.title(all)), columns),
    );
    let mut hidden = 0_u64;
    for (index, change) in section.changes.iter().enumerate() {
        if all || index < MOST_CHANGES {
            one(out, (change, report), word(change.change), columns);
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

fn one(
    out: &mut String,
    (shared, report): (&SharedChange<'_>, &Report),
    word: &str,
    columns: Option<usize>,
) {
    let change = shared.change;
    let mut line = |text: &str| line(out, &hang(text, columns));
    let style = match (change.class, word) {
        (Class::Breaking, _) => ERROR,
        (Class::Unknown | Class::Warning, _) | (_, "consent") => WARNING,
        (Class::Compatible, "compatible" | "wider") => GOOD,
        (Class::Compatible, _) => DIM,
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
        line(&format!(
            "              {DIM}{}: {}{DIM:#}",
            shared.witness_says(report),
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

/// Maximum tools, or groups of tools, shown.
const MOST_SECTIONS: usize = 100;
/// Maximum changes shown for each of them.
const MOST_CHANGES: usize = 50;
/// Unchanged words shown beside a change.
const CONTEXT: usize = 6;
const PIECE_CHARS: usize = 2_000;
const PLACE_CHARS: usize = 120;
const MESSAGE_CHARS: usize = 300;
const WITNESS_CHARS: usize = 200;
