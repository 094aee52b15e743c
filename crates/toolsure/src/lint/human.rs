//! Findings for people, by rule: the first with its source line, the others on one line each.

use std::collections::HashSet;
use std::fmt::Write as _;

use toolsure_analysis::lint::{Finding, Severity};
use toolsure_json::quote;

use super::page::{NO_NAME, Page};
use crate::check::report::SourceFile;
use crate::render::{self, Diagnostic, Mark, Source, count_of, hang};
use crate::term::{BOLD, Canvas, DIM, GOOD, WARNING};

/// Renders one page for the canvas.
pub(crate) fn render(page: &Page, all: bool, quiet: bool, canvas: Canvas) -> String {
    let mut out = String::new();
    let mut rest = page.findings.as_slice();
    let whole = page.report.file.as_ref().map(SourceFile::source);
    let texts = page.report.tools.iter().map(|tool| {
        let name = tool.name.as_deref().unwrap_or(NO_NAME);
        Source::new(&format!("tools/{name}"), tool.text.as_bytes())
    });
    let sources = Sources {
        whole,
        tools: texts.collect(),
    };
    while let Some(first) = rest.first() {
        let same = |finding: &&Finding| finding.rule.code == first.rule.code;
        let length = rest.iter().take_while(same).count();
        let (group, others) = rest.split_at(length);
        rest = others;
        draw_group(&mut out, page, group, &sources, all, canvas);
    }
    if let Some(fault) = &page.report.fault {
        line(&mut out, &format!("{}: {fault}", page.report.target));
    } else if !quiet || !page.findings.is_empty() {
        summary(&mut out, page, canvas);
    }
    out
}

/// The texts in which findings are located.
struct Sources<'p> {
    /// The file, if the listing comes from one.
    whole: Option<Source<'p>>,
    /// The tools, each as the server sent it.
    tools: Vec<Source<'p>>,
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
            draw(out, page, finding, sources, canvas);
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

fn draw(out: &mut String, page: &Page, finding: &Finding, sources: &Sources<'_>, canvas: Canvas) {
    let severity = match finding.severity {
        Severity::Error => render::Severity::Error,
        Severity::Warning => render::Severity::Warning,
        Severity::Note => render::Severity::Note,
    };
    let name = page.tool(finding).unwrap_or_default();
    let own = finding.tool.and_then(|tool| sources.tools.get(tool));
    let mut diagnostic = Diagnostic::new(severity, finding.rule.code, finding.message.as_str());
    if let (Some(span), Some(own)) = (&finding.span, own) {
        let (source, start, end) = match &sources.whole {
            Some(whole) => (
                whole,
                page.byte(finding, span.start).unwrap_or(0),
                page.byte(finding, span.end).unwrap_or(0),
            ),
            None => (own, span.start, span.end),
        };
        diagnostic = diagnostic
            .mark(Mark {
                source,
                span: start..end,
                label: String::new(),
            })
            .note(format!("tool `{}`, at {}", quote(name, 64), place(finding)));
    }
    if let Some(help) = &finding.help {
        diagnostic = diagnostic.help(help.as_str());
    }
    out.push_str(&diagnostic.draw(canvas));
}

fn one_line(
    out: &mut String,
    page: &Page,
    finding: &Finding,
    whole: Option<&Source<'_>>,
    message: Option<&str>,
    canvas: Canvas,
) {
    let name = quote(page.tool(finding).unwrap_or_default(), 64).to_string();
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
    let tools = count_of(page.report.tools.len(), "tool");
    let tokens = format!("about {}", count_of(page.tokens, "token"));
    if page.report.tools.is_empty() {
        let target = &page.report.target;
        let text = format!("{BOLD}{target}{BOLD:#}: {WARNING}the listing is empty{WARNING:#}");
        return line(
            out,
            &hang(&format!("{text}: it has no tools"), canvas.columns),
        );
    }
    if errors == 0 && warnings == 0 && notes == 0 {
        let text = format!(
            "{BOLD}{}{BOLD:#}: {GOOD}nothing to say{GOOD:#} about {tools}, {tokens}",
            page.report.target
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
        more => format!(", {more} more not kept"),
    };
    let text = hang(
        &format!(
            "{BOLD}{}{BOLD:#}: {}, {}, {}{more} in {tools}, {tokens}{aside}",
            page.report.target,
            count_of(errors, "error"),
            count_of(warnings, "warning"),
            count_of(notes, "note"),
        ),
        canvas.columns,
    );
    line(out, &text);
}

fn place(finding: &Finding) -> String {
    match finding.pointer.as_str() {
        "" => "the tool itself".to_owned(),
        pointer => quote(pointer, PLACE_CHARS).to_string(),
    }
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
const PLACE_CHARS: usize = 120;
