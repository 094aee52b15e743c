//! The report as SARIF. A finding is located in the listing's file or, for a running server, where
//! a configuration names the server.

use toolsure_json::{LineColumn, quote};

use super::report::Report;
use super::tool::Finding;
use crate::policy::{self, Remarks};
use crate::render::Severity;
use crate::render::sarif::{self, Outcome, Run};

/// Renders all reports as one log.
pub(crate) fn render(reports: &[Report], remarks: &Remarks) -> String {
    let own = policy::sarif(remarks);
    sarif::render(reports.iter().map(run).chain(own))
}

fn run(report: &Report) -> Run {
    let tools = report.tools.iter().enumerate();
    let findings = tools.flat_map(|(index, tool)| {
        let name = quote(tool.name.as_deref().unwrap_or("tool without a name"), 64).to_string();
        let findings = tool.findings.iter();
        findings.map(move |finding| (index, name.clone(), finding))
    });
    Run {
        results: findings
            .map(|(index, name, finding)| outcome(report, index, &name, finding))
            .collect(),
        faults: report.fault.iter().map(ToString::to_string).collect(),
    }
}

fn outcome(report: &Report, index: usize, name: &str, finding: &Finding) -> Outcome {
    let pointer = quote(&finding.pointer_in_tool(), 400).to_string();
    let mut message = format!("{name}: {}: {}", finding.part.word(), finding.message);
    if let Some(help) = &finding.help {
        message.push_str("; ");
        message.push_str(help);
    }
    Outcome {
        rule: finding.code.to_owned(),
        about: finding.code.replace('-', " "),
        page: sarif::page_of(finding.code),
        severity: if finding.fatal {
            Severity::Error
        } else {
            Severity::Warning
        },
        message,
        place: place(report, index, finding),
        logical: format!("{name}{pointer}"),
    }
}

fn place(
    report: &Report,
    index: usize,
    finding: &Finding,
) -> Option<(String, Option<(LineColumn, LineColumn)>)> {
    if let Some(file) = &report.file {
        let start = file.starts.get(index).copied();
        let span = finding.span.clone().unwrap_or(0..0);
        let lines = start.map(|start| {
            let place = |at: usize| file.line_column(start.saturating_add(at));
            (place(span.start), place(span.end))
        });
        return Some((file.name.clone(), lines));
    }
    let (file, line) = report.named_at.as_ref()?;
    let at = LineColumn {
        line: *line,
        column: 1,
    };
    Some((file.clone(), Some((at, at))))
}
