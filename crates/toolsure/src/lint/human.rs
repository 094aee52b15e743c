//! Findings for people, by rule: the first with its source line, the others on one line each.

use std::collections::HashSet;
use std::fmt::Write as _;

use toolsure_analysis::lint::{Finding, Severity};
use toolsure_json::quote;

use crate::findings::Page;
use crate::findings::draw::{Sources, draw, place};
use crate::render::{Source, count_of, hang};
use crate::term::{BOLD, Canvas, DIM, GOOD, WARNING};

/// Renders one page for the canvas.
pub(crate) fn render(page: &Page, all: bool, quiet: bool, canvas: Canvas) -> String {
    let mut out = String::new();
    let mut rest = page.findings.as_slice();
    let sources = Sources::of(page);
    while let Some(first) = rest.first() {
        let same = |finding: &&Finding| finding.rule.code == first.rule.code;
        let length = rest.iter().take_while(same).count();
        let (group, others) = rest.split_at(length);
        rest = others;
        draw_group(&mut out, page, group, &sources, all, canvas);
    }
    if let Some(fault) = &page.listing.fault {
        line(&mut out, &format!("{}: {fault}", page.listing.target));
    } else if !quiet || !page.findings.is_empty() {
        summary(&mut out, page, canvas);
    }
    out
}

fn draw_group(
    out: &mut String,
    page: &Page,
    group: &[Finding],
    sources: &Sources<'_>,
    all: bool,
    canvas: Canvas,
) {
    let mut printed = HashSet::new();
    let mut lines = 0_usize;
    let mut drawn = 0_usize;
    let mut hidden = 0_usize;
    let first = group.first().map(|finding| finding.message.as_str());
    for finding in group {
        let new = printed.insert(&finding.message);
        let full = drawn == 0 || (new && drawn < DRAWN && finding.severity == Severity::Error);
        if all || full {
            out.push_str(&draw(page, finding, sources, true, canvas));
            drawn = drawn.saturating_add(1);
        } else if lines < LINES {
            lines = lines.saturating_add(1);
            let message = (first != Some(finding.message.as_str())).then_some(&finding.message);
            one_line(
                out,
                page,
                finding,
                sources.whole.as_ref(),
                message.map(String::as_str),
                canvas,
            );
        } else {
            hidden = hidden.saturating_add(1);
        }
    }
    if hidden > 0 {
        let places = count_of(hidden, "more place");
        let text = format!("    {DIM}… and at {places}; `--all` shows them{DIM:#}");
        line(out, &hang(&text, canvas.columns));
    }
    line(out, "");
}

fn one_line(
    out: &mut String,
    page: &Page,
    finding: &Finding,
    whole: Option<&Source<'_>>,
    message: Option<&str>,
    canvas: Canvas,
) {
    let name = quote(page.subject(finding).unwrap_or_default(), 64).to_string();
    let at = match (
        whole,
        finding
            .span
            .as_ref()
            .and_then(|span| page.byte(finding, span.start)),
    ) {
        (Some(whole), Some(byte)) => {
            let at = whole.line_column(byte);
            format!("{}:{}:{}", whole.name, at.line, at.column)
        }
        _ => format!("tools/{name}"),
    };
    let message = message.map_or_else(String::new, |message| {
        format!(": {DIM}{}{DIM:#}", quote(message, MESSAGE_CHARS))
    });
    let text = format!("    {at}: `{name}` {}{message}", place(finding));
    line(out, &hang(&text, canvas.columns));
}

fn summary(out: &mut String, page: &Page, canvas: Canvas) {
    let [errors, warnings, notes] = page.counts;
    let tools = count_of(page.listing.tools.len(), "tool");
    let tokens = format!("about {}", count_of(page.tokens, "token"));
    if page.listing.tools.is_empty() {
        let target = &page.listing.target;
        let text = format!("{BOLD}{target}{BOLD:#}: {WARNING}the listing is empty{WARNING:#}");
        return line(
            out,
            &hang(&format!("{text}: it has no tools"), canvas.columns),
        );
    }
    if errors == 0 && warnings == 0 && notes == 0 && page.more == 0 {
        let text = format!(
            "{BOLD}{}{BOLD:#}: {GOOD}nothing to say{GOOD:#} about {tools}, {tokens}",
            page.listing.target
        );
        return line(out, &hang(&text, canvas.columns));
    }
    let shown: usize = page.findings.len();
    let hidden = errors
        .saturating_add(warnings)
        .saturating_add(notes)
        .saturating_sub(shown);
    let aside = match (hidden, notes) {
        (0, _) => String::new(),
        (hidden, notes) if hidden == notes => "; `--level note` shows the notes".to_owned(),
        _ => "; `--level note` shows all".to_owned(),
    };
    let more = match page.more {
        0 => String::new(),
        more => format!(", {more} more not listed"),
    };
    let text = hang(
        &format!(
            "{BOLD}{}{BOLD:#}: {}, {}, {}{more} in {tools}, {tokens}{aside}",
            page.listing.target,
            count_of(errors, "error"),
            count_of(warnings, "warning"),
            count_of(notes, "note"),
        ),
        canvas.columns,
    );
    line(out, &text);
}

fn line(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _infallible = writeln!(out, "{text}");
}

/// Maximum findings of a rule that are drawn in full: the first, and errors with other messages.
const DRAWN: usize = 5;
/// Maximum further places that are listed, for each rule.
const LINES: usize = 4;
const MESSAGE_CHARS: usize = 100;
