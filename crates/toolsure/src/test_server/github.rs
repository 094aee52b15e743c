//! The report as workflow commands for GitHub Actions.

use toolsure_mcp::testing::Severity;

use super::found::Report;
use crate::render::github::command;
use crate::render::{self, count_of};

/// Renders all reports: a command for each finding, and a line for each server.
pub(super) fn render(reports: &[Report]) -> String {
    let mut out = String::new();
    for report in reports {
        if let Some(fault) = &report.fault {
            let title = &report.target;
            out.push_str(&command(
                render::Severity::Error,
                None,
                title,
                &fault.to_string(),
            ));
            continue;
        }
        for (tool, found) in report.all() {
            let severity = match found.finding.code.severity() {
                Severity::Warning => render::Severity::Warning,
                _ => render::Severity::Error,
            };
            let tool = tool.unwrap_or(&report.target);
            let title = format!("{tool}: {}", found.finding.code.name());
            let message = match &found.arguments {
                Some(arguments) => format!("{}\n{arguments}", found.finding.message),
                None => found.finding.message.clone(),
            };
            out.push_str(&command(severity, None, &title, &message));
        }
        out.push_str(&format!(
            "{}: {}, {}, {}\n",
            report.target,
            count_of(report.tools.len(), "tool"),
            count_of(report.calls, "call"),
            count_of(report.count(Severity::Error), "error")
        ));
    }
    out
}
