//! The report for people: one line for each tool, and its findings.

use toolsure_json::quote;
use toolsure_mcp::testing::{Code, Severity};

use super::found::{Found, Report, Tested};
use crate::render::{count_of, hang};
use crate::term::{BOLD, Canvas, DIM, ERROR, GOOD, HELP, WARNING};

/// Renders the report on one server.
pub(super) fn render(report: &Report, quiet: bool, canvas: Canvas) -> String {
    let mut out = Sheet {
        text: String::new(),
        columns: canvas.columns,
        text_blocks: 0,
    };
    out.line(&format!("{BOLD}{}{BOLD:#}", quote(&report.target, 200)));
    if let Some(server) = &report.server {
        let name = quote(&server.name, 40);
        let version = quote(&server.version, 20);
        let protocol = quote(&server.protocol, 20);
        out.line(&format!(
            "{DIM}{name} {version}, protocol {protocol}{DIM:#}"
        ));
    }
    if let Some(fault) = &report.fault {
        out.line(&format!("{ERROR}error{ERROR:#}: {fault}"));
        if let Some(help) = fault.help() {
            out.line(&format!("  {DIM}={DIM:#} {HELP}help{HELP:#}: {help}"));
        }
        for line in fault.stderr() {
            out.line(&format!("  {DIM}| {line}{DIM:#}"));
        }
        return out.text;
    }
    out.text.push('\n');
    let width = report.tools.iter().map(|tool| label(tool).chars().count());
    let width = width.max().unwrap_or(0).min(NAME_CHARS);
    for tool in &report.tools {
        if quiet && tool.findings.is_empty() {
            continue;
        }
        out.line(&verdict(tool, width));
        out.findings(Some(&tool.name), &tool.findings);
    }
    if !report.server_findings.is_empty() {
        out.line(&format!("{ERROR}bad {ERROR:#} {BOLD}the server{BOLD:#}"));
        out.findings(None, &report.server_findings);
    }
    if out.text_blocks > 1 {
        let others = count_of(out.text_blocks.saturating_sub(1), "more tool");
        out.line(&format!(
            "{WARNING}note{WARNING:#}: `text-block` is true of {others}"
        ));
    }
    let without: Vec<String> = report
        .tools
        .iter()
        .filter(|tool| tool.calls.made > 0 && tool.calls.results == 0)
        .map(|tool| format!("`{}`", quote(&tool.name, NAME_CHARS)))
        .collect();
    if !without.is_empty() && !quiet {
        out.line(&format!(
            "{WARNING}note{WARNING:#}: no call got a result, so results were not tested: {}; values that exist help (`--value`)",
            without.join(", ")
        ));
    }
    if !quiet {
        for note in &report.notes {
            out.line(&format!("{WARNING}note{WARNING:#}: {note}"));
        }
    }
    let called = report.tools.iter().filter(|tool| tool.skipped.is_none());
    let (errors, warnings) = (
        report.count(Severity::Error),
        report.count(Severity::Warning),
    );
    let (style, found) = match (errors, warnings) {
        _ if !report.has_called() => (
            WARNING,
            "no tool was called; name some with `--tool`, or give `--allow-writes`".to_owned(),
        ),
        (0, 0) => (GOOD, "no fault was found".to_owned()),
        (0, warnings) => (WARNING, count_of(warnings, "warning")),
        (errors, 0) => (ERROR, count_of(errors, "error")),
        (errors, warnings) => (
            ERROR,
            format!(
                "{}, {}",
                count_of(errors, "error"),
                count_of(warnings, "warning")
            ),
        ),
    };
    out.text.push('\n');
    out.line(&format!(
        "{style}{found}{style:#}: {} of {} called, {}, seed {}",
        called.count(),
        count_of(report.tools.len(), "tool"),
        count_of(report.calls, "call"),
        report.seed
    ));
    out.text
}

struct Sheet {
    text: String,
    columns: Option<usize>,
    /// Findings that structured content has no text block: of most servers, all tools have them or none.
    text_blocks: usize,
}

impl Sheet {
    fn line(&mut self, line: &str) {
        self.text.push_str(&hang(line, self.columns));
        self.text.push('\n');
    }

    fn findings(&mut self, tool: Option<&str>, findings: &[Found]) {
        for found in findings.iter().take(MOST_FINDINGS) {
            let code = found.finding.code;
            if code == Code::TextBlock {
                self.text_blocks = self.text_blocks.saturating_add(1);
                if self.text_blocks > 1 {
                    continue;
                }
            }
            let (style, word) = match code.severity() {
                Severity::Warning => (WARNING, "warning"),
                _ => (ERROR, "error"),
            };
            let at = match found.finding.pointer.as_str() {
                "" => String::new(),
                pointer => format!(" at `{}`", quote(pointer, 120)),
            };
            self.line(&format!(
                "  {style}{word}{style:#}[{}]{at}: {}",
                code.name(),
                quote(&found.finding.message, 1_000)
            ));
            if let Some(arguments) = &found.arguments {
                let name = quote(tool.unwrap_or_default(), NAME_CHARS);
                let shown = quote(arguments, 400);
                self.line(&format!("    {HELP}-->{HELP:#} {name} {shown}"));
                let purpose = quote(&found.purpose, 200);
                self.line(&format!("    {DIM}= {purpose}{DIM:#}"));
            }
            if let Some(repeat) = found.repeat(tool) {
                self.line(&format!(
                    "    {DIM}= repeat: {}{DIM:#}",
                    quote(&repeat, 1_200)
                ));
            }
        }
        let more = findings.len().saturating_sub(MOST_FINDINGS);
        if more > 0 {
            self.line(&format!(
                "  … and {}; `--format json` has all",
                count_of(more, "more finding")
            ));
        }
    }
}

fn label(tool: &Tested) -> String {
    quote(&tool.name, NAME_CHARS).to_string()
}

fn verdict(tool: &Tested, width: usize) -> String {
    let label = label(tool);
    let pad = " ".repeat(width.saturating_sub(label.chars().count()));
    let beside = match &tool.skipped {
        Some(why) => why.clone(),
        None => format!(
            "{}: {}, {}",
            count_of(tool.calls.made, "call"),
            count_of(tool.calls.results, "result"),
            count_of(tool.calls.errors, "error")
        ),
    };
    let (style, word) = match (&tool.skipped, tool.worst()) {
        (Some(_), _) => (DIM, "skip"),
        (None, None) => (GOOD, " ok "),
        (None, Some(Severity::Warning)) => (WARNING, "warn"),
        (None, Some(_)) => (ERROR, "bad "),
    };
    format!("{style}{word}{style:#} {BOLD}{label}{BOLD:#}{pad}  {DIM}{beside}{DIM:#}")
}

/// Findings of one tool that are shown.
const MOST_FINDINGS: usize = 8;
const NAME_CHARS: usize = 48;
