//! The report as SARIF 2.1.0.

use toolsure_mcp::testing::Severity;

use super::found::Report;
use crate::render;
use crate::render::sarif::{self, Outcome};

/// Renders all reports as one log.
pub(super) fn render(reports: &[Report]) -> String {
    sarif::render(reports.iter().map(|report| {
        sarif::Run {
            results: report
                .all()
                .map(|(tool, found)| Outcome {
                    rule: found.finding.code.name().to_owned(),
                    about: found.finding.code.about().to_owned(),
                    page: Some(PAGE.to_owned()),
                    severity: match found.finding.code.severity() {
                        Severity::Warning => render::Severity::Warning,
                        _ => render::Severity::Error,
                    },
                    message: match &found.arguments {
                        Some(arguments) => {
                            format!("{}; arguments: {arguments}", found.finding.message)
                        }
                        None => found.finding.message.clone(),
                    },
                    place: None,
                    logical: format!(
                        "{}{}",
                        tool.unwrap_or(&report.target),
                        found.finding.pointer
                    ),
                })
                .collect(),
            faults: report.fault.iter().map(ToString::to_string).collect(),
        }
    }))
}

/// The page that explains the codes.
const PAGE: &str = "docs/test-server.md";
