//! The report as workflow commands, which GitHub Actions shows beside the code.

use toolsure_json::quote;

use super::report::Report;
use crate::render::github::{Commands, Place, command};
use crate::render::{Severity, count};

/// Renders one command for each finding, and for each report its fault or a summary. Unless `all`
/// is set, only the first of very many findings are printed.
pub(crate) fn render(reports: &[Report], all: bool) -> String {
    let mut out = Commands::new(all);
    for report in reports {
        findings(&mut out, report);
        out.push(&match &report.fault {
            Some(fault) => command(Severity::Error, None, &report.target, &fault.to_string()),
            None => {
                let tools = u64::try_from(report.tools.len()).unwrap_or(u64::MAX);
                format!(
                    "{}: {}, {} refused\n",
                    report.target,
                    count(tools, "tool"),
                    report.tally().refused
                )
            }
        });
    }
    out.finish()
}

fn findings(out: &mut Commands, report: &Report) {
    for (index, tool) in report.tools.iter().enumerate() {
        let name = quote(tool.name.as_deref().unwrap_or("tool without a name"), 64).to_string();
        for finding in &tool.findings {
            let severity = if finding.fatal {
                Severity::Error
            } else {
                Severity::Warning
            };
            if !out.admits(severity) {
                continue;
            }
            let place = report.line_column(index, finding).and_then(|at| {
                let file = report.file.as_ref()?;
                Some(Place {
                    file: &file.name,
                    at: Some(at),
                })
            });
            let title = format!("{name}: {}", finding.code);
            let at = quote(&finding.pointer_in_tool(), 200).to_string();
            let text = format!("{}: {} (at {at})", finding.part.word(), finding.message);
            out.push(&command(severity, place, &title, &text));
        }
    }
}
