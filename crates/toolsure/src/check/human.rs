//! The report for people: one line for each tool, and its findings if it has any.

use std::fmt::Write as _;

use toolsure_analysis::lint::{Finding, Severity};
use toolsure_json::quote;

use super::verdict::{Tally, Verdict, Verdicts};
use crate::findings::Page;
use crate::findings::draw::{Sources, draw};
use crate::listing::{ListedTool, Listing};
use crate::render::{count, hang, wrap};
use crate::term::{BOLD, Canvas, DIM, ERROR, GOOD, HELP, WARNING};

/// Renders one listing for the canvas. Unless `all` is set, only the first of very many tools of each
/// verdict are shown.
///
/// Lines have the terminal's width, within bounds.
pub(super) fn render(
    page: &Page,
    verdicts: &Verdicts<'_>,
    all: bool,
    quiet: bool,
    canvas: Canvas,
) -> String {
    let listing = &page.listing;
    let columns = canvas.columns;
    let columns = columns.map(|columns| columns.saturating_sub(1).max(NARROWEST));
    let mut out = Sheet {
        text: String::new(),
        width: columns.unwrap_or(LINE_CHARS).min(WIDEST),
        columns,
    };
    let refused = page.worst == Some(Severity::Error);
    if !quiet || listing.fault.is_some() || refused {
        head(&mut out, listing);
    }
    let sources = Sources::of(page);
    let tools = listing.tools.iter();
    let width = tools.map(|tool| label(tool, 0).chars().count());
    let width = width.max().unwrap_or(0).min(NAME_CHARS);
    let mut shown = Tally::default();
    let mut hidden = Tally::default();
    let tools = listing.tools.iter().zip(&verdicts.tools);
    for (index, (tool, judged)) in tools.enumerate() {
        let verdict = judged.verdict;
        if quiet && verdict == Verdict::Ok {
            continue;
        }
        let most = match verdict {
            Verdict::Ok => MOST_OK,
            Verdict::Warned | Verdict::Refused => MOST_DESCRIBED,
        };
        if !all && shown.of(verdict) >= most {
            hidden.add(verdict);
            continue;
        }
        shown.add(verdict);
        line(&mut out, &verdict_line(index, tool, verdict, width));
        describe(&mut out, page, &judged.findings, &sources, all, canvas);
    }
    let others: Vec<&Finding> = (verdicts.others.iter().copied())
        .filter(|finding| !quiet || finding.severity > Severity::Note)
        .collect();
    if !others.is_empty() && !verdicts.tools.is_empty() {
        out.text.push('\n');
    }
    describe(&mut out, page, &others, &sources, all, canvas);
    if hidden != Tally::default() {
        let parts = counts(hidden).join(", ");
        line(
            &mut out,
            &format!("… and more: {parts}; `--all` shows them"),
        );
    }
    if !quiet {
        for note in &listing.notes {
            entry(
                &mut out,
                "",
                &format!("{WARNING}note{WARNING:#}: "),
                6,
                note,
            );
        }
    }
    match &listing.fault {
        Some(_) => fault(&mut out, listing),
        None if quiet && !refused => {}
        None => summary(&mut out, page, verdicts),
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

fn head(out: &mut Sheet, listing: &Listing) {
    line(
        out,
        &format!("{BOLD}{}{BOLD:#}", quote(&listing.target, out.width)),
    );
    if let Some(server) = &listing.server {
        let name = quote(&server.name, 40).to_string();
        let version = quote(&server.version, 20).to_string();
        let protocol = quote(&server.protocol, 20).to_string();
        // 2026-07-28 lets a server leave out what it is.
        let shown = match server.name.is_empty() {
            true => "a server without a name".to_owned(),
            false => format!("{name} {version}"),
        };
        let era = server.era();
        line(
            out,
            &format!("{DIM}{shown}, protocol {protocol} ({era}){DIM:#}"),
        );
    }
    out.text.push('\n');
}

fn verdict_line(index: usize, tool: &ListedTool, verdict: Verdict, width: usize) -> String {
    let (style, word) = match verdict {
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
    format!("{style}{word}{style:#} {BOLD}{label}{BOLD:#}{beside}")
}

/// Findings, indented; the first ones unless `all` is set.
fn describe(
    out: &mut Sheet,
    page: &Page,
    findings: &[&Finding],
    sources: &Sources<'_>,
    all: bool,
    canvas: Canvas,
) {
    let beside = INDENT.len();
    let canvas = Canvas {
        columns: canvas.columns.map(|columns| columns.saturating_sub(beside)),
        ..canvas
    };
    let most = if all { usize::MAX } else { MOST_FINDINGS };
    for finding in findings.iter().take(most) {
        for text in draw(page, finding, sources, finding.page.is_some(), canvas).lines() {
            whole(out, &format!("{INDENT}{text}"));
        }
    }
    if let Some(more) = findings.len().checked_sub(most).filter(|more| *more > 0) {
        let more = count(u64::try_from(more).unwrap_or(u64::MAX), "more finding");
        line(out, &format!("{INDENT}… and {more}; `--all` shows them"));
    }
}

fn fault(out: &mut Sheet, listing: &Listing) {
    let Some(fault) = &listing.fault else { return };
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

fn summary(out: &mut Sheet, page: &Page, verdicts: &Verdicts<'_>) {
    let tally = verdicts.tally;
    let total = tally
        .ok
        .saturating_add(tally.warned)
        .saturating_add(tally.refused);
    let total = u64::try_from(total).unwrap_or(u64::MAX);
    let mut parts = match total {
        0 => vec![format!("{WARNING}the listing is empty{WARNING:#}")],
        _ => counts(tally),
    };
    let errors = (verdicts.others.iter()).filter(|one| one.severity == Severity::Error);
    let mut lists: Vec<&str> = errors.filter_map(|one| page.list(one)).collect();
    lists.dedup();
    parts.extend(
        lists
            .iter()
            .map(|list| format!("{ERROR}`{list}` refused{ERROR:#}")),
    );
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

fn label(tool: &ListedTool, index: usize) -> String {
    match tool.name.as_deref() {
        Some(name) if !name.is_empty() => quote(name, NAME_CHARS).to_string(),
        _ => format!("(tool {})", index.saturating_add(1)),
    }
}

fn sizes(tool: &ListedTool) -> String {
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

/// Maximum tools shown in one line each.
const MOST_OK: usize = 1_000;
/// Maximum refused tools shown with their reasons; the same for tools with warnings.
const MOST_DESCRIBED: usize = 50;
/// Maximum findings of a tool that are drawn.
const MOST_FINDINGS: usize = 10;
/// Characters of a line without a terminal; with one, from `NARROWEST` to `WIDEST`.
const LINE_CHARS: usize = 79;
const NARROWEST: usize = 30;
/// Columns that a few words need.
const WORDS: usize = 30;
const WIDEST: usize = 140;
const NAME_CHARS: usize = 44;
const INDENT: &str = "     ";
