//! The report for people: one line for each tool, and its findings if it has any.

use std::fmt::Write as _;

use toolsure_json::quote;

use super::excerpt::{self, Excerpt};
use super::report::{Report, Tally};
use super::tool::{Finding, Part, ToolReport, Verdict};
use crate::render::{count, hang, wrap};
use crate::term::{BOLD, DIM, ERROR, GOOD, HELP, WARNING};

/// Renders one report, styled; the caller removes the styles where they are not wanted.
///
/// Unless `all` is set, only the first of very many tools of each verdict are shown.
///
/// Lines have the terminal's width, within bounds.
pub(crate) fn render(report: &Report, all: bool, quiet: bool, columns: Option<usize>) -> String {
    let columns = columns.map(|columns| columns.saturating_sub(1).max(NARROWEST));
    let mut out = Sheet {
        text: String::new(),
        width: columns.unwrap_or(LINE_CHARS).min(WIDEST),
        columns,
    };
    head(&mut out, report, quiet);
    let width = report
        .tools
        .iter()
        .map(|tool| label(tool, 0).chars().count())
        .max()
        .unwrap_or(0)
        .min(NAME_CHARS);
    let mut shown = Tally::default();
    let mut hidden = Tally::default();
    for (index, tool) in report.tools.iter().enumerate() {
        let verdict = tool.verdict();
        if quiet && verdict == Verdict::Ok {
            continue;
        }
        let most = match verdict {
            Verdict::Ok => MOST_OK,
            Verdict::Warned | Verdict::Refused => MOST_DESCRIBED,
        };
        if all || shown.of(verdict) < most {
            shown.add(verdict);
            draw(&mut out, report, index, tool, width);
        } else {
            hidden.add(verdict);
        }
    }
    if hidden != Tally::default() {
        let parts = counts(hidden).join(", ");
        line(
            &mut out,
            &format!("… and more: {parts}; `--all` shows them"),
        );
    }
    if !quiet {
        for note in &report.notes {
            entry(
                &mut out,
                "",
                &format!("{WARNING}note{WARNING:#}: "),
                6,
                note,
            );
        }
    }
    match &report.fault {
        Some(_) => fault(&mut out, report),
        None if quiet && report.tally().refused == 0 => {}
        None => summary(&mut out, report),
    }
    out.text
}

/// The output, and the maximum characters of a line.
struct Sheet {
    text: String,
    width: usize,
    /// Columns of the terminal, if it is one, in which every line is wrapped.
    columns: Option<usize>,
}

fn head(out: &mut Sheet, report: &Report, quiet: bool) {
    if quiet && report.fault.is_none() && report.tally().refused == 0 {
        return;
    }
    line(
        out,
        &format!("{BOLD}{}{BOLD:#}", quote(&report.target, out.width)),
    );
    if let Some(server) = &report.server {
        let name = quote(&server.name, 40).to_string();
        let version = quote(&server.version, 20).to_string();
        let protocol = quote(&server.protocol, 20).to_string();
        line(
            out,
            &format!(
                "{DIM}{name} {version}, protocol {protocol} ({}){DIM:#}",
                server.era()
            ),
        );
    }
    out.text.push('\n');
}

fn draw(out: &mut Sheet, report: &Report, index: usize, tool: &ToolReport, width: usize) {
    let (style, word) = match tool.verdict() {
        Verdict::Ok => (GOOD, " ok "),
        Verdict::Warned => (WARNING, "warn"),
        Verdict::Refused => (ERROR, "bad "),
    };
    let label = label(tool, index);
    let sizes = sizes(tool);
    let beside = if sizes.is_empty() {
        String::new()
    } else {
        let pad = " ".repeat(width.saturating_sub(label.chars().count()));
        format!("{pad}  {DIM}{sizes}{DIM:#}")
    };
    line(
        out,
        &format!("{style}{word}{style:#} {BOLD}{label}{BOLD:#}{beside}"),
    );
    for finding in &tool.findings {
        describe(out, report, index, tool, finding);
    }
}

fn describe(out: &mut Sheet, report: &Report, index: usize, tool: &ToolReport, finding: &Finding) {
    let (style, word) = if finding.fatal {
        (ERROR, "error")
    } else {
        (WARNING, "warning")
    };
    let part = if finding.part == Part::Tool {
        String::new()
    } else {
        format!("{}: ", finding.part.word())
    };
    let message = format!("{part}{}", finding.message);
    let lead = format!("{style}{word}[{}]{style:#}: ", finding.code);
    let lead_width = word
        .len()
        .saturating_add(finding.code.len())
        .saturating_add(4);
    entry(out, INDENT, &lead, lead_width, &message);

    let excerpt = excerpt_of(report, index, tool, finding);
    let last = excerpt
        .as_ref()
        .and_then(|excerpt| Some(excerpt.first?.saturating_add(excerpt.lines.len())));
    let gutter = last.map_or(1, digits);
    let space = " ".repeat(gutter);
    line(
        out,
        &format!(
            "{INDENT}{space}{HELP}-->{HELP:#} {}",
            place(report, index, finding)
        ),
    );
    if let Some(excerpt) = &excerpt {
        snippet(
            out,
            excerpt,
            gutter,
            if finding.fatal { ERROR } else { WARNING },
        );
    }
    if let Some(help) = &finding.help {
        entry(
            out,
            &format!("{INDENT}{space} "),
            &format!("{DIM}={DIM:#} {HELP}help{HELP:#}: "),
            8,
            help,
        );
    }
}

fn snippet(out: &mut Sheet, excerpt: &Excerpt, gutter: usize, style: anstyle::Style) {
    let space = " ".repeat(gutter);
    // Two columns for the bar and a space, and two for signs of a cut.
    let beside = INDENT.len().saturating_add(gutter).saturating_add(5);
    let room = match out.columns {
        Some(_) => out.width.saturating_sub(beside),
        None => usize::MAX,
    };
    // A mark that is too far to the right is moved into view.
    let end = excerpt.column.saturating_add(excerpt.width.min(room));
    let skipped = end.saturating_sub(room);
    whole(out, &format!("{INDENT}{space} {HELP}|{HELP:#}"));
    for (index, text) in excerpt.lines.iter().enumerate() {
        let number = excerpt
            .first
            .map_or_else(String::new, |first| first.saturating_add(index).to_string());
        let part: String = text.chars().skip(skipped).take(room).collect();
        let before = match skipped > 0 {
            true => "…",
            false => "",
        };
        let after = match text.chars().count() > skipped.saturating_add(room) {
            true => "…",
            false => "",
        };
        whole(
            out,
            &format!("{INDENT}{HELP}{number:>gutter$} |{HELP:#} {before}{part}{after}"),
        );
        if index == excerpt.marked {
            let column = excerpt.column.saturating_sub(skipped);
            let before = " ".repeat(column.saturating_add(before.chars().count()));
            let mark = "^".repeat(excerpt.width.min(room));
            whole(
                out,
                &format!("{INDENT}{space} {HELP}|{HELP:#} {before}{style}{mark}{style:#}"),
            );
        }
    }
}

/// The lines around a finding: from the file, or else from the part of the tool that it is in.
fn excerpt_of(
    report: &Report,
    index: usize,
    tool: &ToolReport,
    finding: &Finding,
) -> Option<Excerpt> {
    let span = finding.span.clone()?;
    if let Some(excerpt) = report.excerpt(index, &span) {
        return Some(excerpt);
    }
    let whole = finding.whole.clone().unwrap_or(0..tool.text.len());
    let text = tool.text.get(whole.clone())?;
    excerpt::around(
        text,
        &(span.start.checked_sub(whole.start)?..span.end.checked_sub(whole.start)?),
    )
}

/// `listing.json:12:7, at /inputSchema/type`; without the file for a live server.
fn place(report: &Report, index: usize, finding: &Finding) -> String {
    let pointer = finding.pointer_in_tool();
    let pointer = if pointer.is_empty() {
        "the tool itself".to_owned()
    } else {
        quote(&pointer, PLACE_CHARS).to_string()
    };
    match (&report.file, report.line_column(index, finding)) {
        (Some(file), Some((line, column))) => {
            format!("{}:{line}:{column}, at {pointer}", file.name)
        }
        _ => format!("at {pointer}"),
    }
}

fn fault(out: &mut Sheet, report: &Report) {
    let Some(fault) = &report.fault else { return };
    entry(
        out,
        "",
        &format!("{ERROR}error{ERROR:#}: "),
        7,
        &fault.to_string(),
    );
    for text in fault.stderr() {
        line(out, &format!("  {DIM}|{DIM:#} {text}"));
    }
    if let Some(help) = fault.help() {
        entry(
            out,
            "  ",
            &format!("{DIM}={DIM:#} {HELP}help{HELP:#}: "),
            8,
            help,
        );
    }
}

fn summary(out: &mut Sheet, report: &Report) {
    let total = u64::try_from(report.tools.len()).unwrap_or(u64::MAX);
    let parts = match total {
        0 => vec![format!("{WARNING}the listing is empty{WARNING:#}")],
        _ => counts(report.tally()),
    };
    out.text.push('\n');
    line(
        out,
        &format!("{}: {}", count(total, "tool"), parts.join(", ")),
    );
}

/// The number of tools of each verdict that occurs.
fn counts(tally: Tally) -> Vec<String> {
    let mut parts = Vec::new();
    if tally.ok > 0 {
        parts.push(format!("{GOOD}{} ok{GOOD:#}", tally.ok));
    }
    if tally.warned > 0 {
        parts.push(format!(
            "{WARNING}{} ok with warnings{WARNING:#}",
            tally.warned
        ));
    }
    if tally.refused > 0 {
        parts.push(format!("{ERROR}{} refused{ERROR:#}", tally.refused));
    }
    parts
}

fn label(tool: &ToolReport, index: usize) -> String {
    match tool.name.as_deref() {
        Some(name) if !name.is_empty() => quote(name, NAME_CHARS).to_string(),
        _ => format!("(tool {})", index.saturating_add(1)),
    }
}

fn sizes(tool: &ToolReport) -> String {
    let side =
        |what: &str, bytes: Option<usize>| bytes.map(|bytes| format!("{what} {}", size(bytes)));
    let sides: Vec<String> = [side("input", tool.input), side("output", tool.output)]
        .into_iter()
        .flatten()
        .collect();
    sides.join(", ")
}

fn size(bytes: usize) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} B"),
        10_000..=9_999_999 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// Writes a text after a styled lead, wrapped at spaces and indented by the lead's width, if that
/// leaves room for words.
fn entry(out: &mut Sheet, indent: &str, lead: &str, lead_width: usize, text: &str) {
    let hang = indent.chars().count().saturating_add(lead_width);
    let room = out.width.saturating_sub(hang);
    if room < WORDS {
        return line(out, &format!("{indent}{lead}{text}"));
    }
    let mut lines = wrap(text, room).into_iter();
    let first = lines.next().unwrap_or_default();
    whole(out, &format!("{indent}{lead}{first}"));
    for rest in lines {
        whole(out, &format!("{}{rest}", " ".repeat(hang)));
    }
}

/// Writes a line, wrapped at spaces in a terminal.
fn line(out: &mut Sheet, text: &str) {
    let text = hang(text, out.columns);
    whole(out, &text);
}

/// Writes a line as it is.
fn whole(out: &mut Sheet, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out.text, "{}", text.trim_end());
}

fn digits(number: usize) -> usize {
    number.to_string().len()
}

/// Maximum tools shown in one line each.
const MOST_OK: usize = 1_000;
/// Maximum refused tools shown with their reasons; the same for tools with warnings.
const MOST_DESCRIBED: usize = 50;
/// Characters of a line without a terminal; with one, from `NARROWEST` to `WIDEST`.
const LINE_CHARS: usize = 79;
const NARROWEST: usize = 30;
/// Columns that a few words need.
const WORDS: usize = 30;
const WIDEST: usize = 140;
const NAME_CHARS: usize = 44;
const PLACE_CHARS: usize = 60;
const INDENT: &str = "     ";
