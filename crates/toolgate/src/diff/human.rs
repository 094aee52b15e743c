//! Changes for people: tool by tool, the worst first, with the value that proves it.

use std::fmt::Write as _;

use toolgate_analysis::diff::{Aspect, Change, Class, Side, ToolChange};
use toolgate_json::quote;

use super::Sides;
use crate::check::report::count;
use crate::term::{BOLD, DIM, ERROR, GOOD, WARNING};

/// Renders the report; `quiet` leaves out what is compatible.
pub(crate) fn render(sides: &Sides, quiet: bool) -> String {
    let mut out = String::new();
    for tool in &sides.report.tools {
        if !(quiet && tool.class() == Class::Compatible) {
            draw(&mut out, tool, quiet);
        }
    }
    let with = |class| {
        let number = sides
            .report
            .tools
            .iter()
            .filter(|tool| tool.class() == class)
            .count();
        u64::try_from(number).unwrap_or(u64::MAX)
    };
    let same = u64::try_from(sides.report.same).unwrap_or(u64::MAX);
    let text = match sides.report.class() {
        None => format!("{GOOD}no change{GOOD:#} in {}", count(same, "tool")),
        Some(_) => format!(
            "{} breaking, {} unknown, {} compatible, {same} unchanged",
            count(with(Class::Breaking), "tool"),
            with(Class::Unknown),
            with(Class::Compatible),
        ),
    };
    if !quiet || sides.report.class() > Some(Class::Compatible) {
        line(
            &mut out,
            &format!("{BOLD}{} -> {}{BOLD:#}: {text}", sides.old, sides.new),
        );
    }
    out
}

fn draw(out: &mut String, tool: &ToolChange, quiet: bool) {
    line(out, &format!("{BOLD}{}{BOLD:#}", quote(&tool.name, 80)));
    let shown = tool
        .changes
        .iter()
        .filter(|change| !(quiet && change.class == Class::Compatible));
    for change in shown {
        one(out, change);
    }
    line(out, "");
}

fn one(out: &mut String, change: &Change) {
    let (style, word) = match (change.class, change.aspect) {
        (Class::Breaking, _) => (ERROR, "breaking"),
        (Class::Unknown, _) => (WARNING, "unknown"),
        (Class::Compatible, Aspect::Words) => (DIM, "words"),
        (Class::Compatible, _) => (GOOD, "compatible"),
    };
    let place = match (change.side, change.place.as_str()) {
        (Side::Tool, _) => String::new(),
        (side, "") => format!("{side}: "),
        (side, place) => format!("{side} {}: ", quote(place, PLACE_CHARS)),
    };
    let pad = " ".repeat(10_usize.saturating_sub(word.len()));
    line(
        out,
        &format!(
            "  {style}{word}{style:#}{pad}  {place}{}",
            quote(&change.message, MESSAGE_CHARS)
        ),
    );
    if let Some(witness) = &change.witness {
        let says = match change.side {
            Side::Output => "not promised before",
            _ => "worked before",
        };
        line(
            out,
            &format!(
                "              {DIM}{says}: {}{DIM:#}",
                quote(witness, WITNESS_CHARS)
            ),
        );
    }
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out, "{text}");
}

const PLACE_CHARS: usize = 120;
const MESSAGE_CHARS: usize = 300;
const WITNESS_CHARS: usize = 200;
