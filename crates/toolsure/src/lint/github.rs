//! Findings as workflow commands, which GitHub Actions shows beside the code.

use toolsure_analysis::lint::Severity;
use toolsure_json::quote;

use super::page::Page;
use crate::render;
use crate::render::github::{Commands, Place, command};

/// Renders one command for each finding and for each fault. Unless `all` is set, only the first of
/// very many findings are printed.
pub(crate) fn render(pages: &[Page], all: bool) -> String {
    let mut out = Commands::new(all);
    for page in pages {
        if let Some(fault) = &page.report.fault {
            let message = fault.to_string();
            out.push(&command(
                render::Severity::Error,
                None,
                &page.report.target,
                &message,
            ));
        }
        for finding in &page.findings {
            let severity = match finding.severity {
                Severity::Error => render::Severity::Error,
                Severity::Warning => render::Severity::Warning,
                Severity::Note => render::Severity::Note,
            };
            if !out.admits(severity) {
                continue;
            }
            let place = page.report.file.as_ref().map(|file| Place {
                file: &file.name,
                at: page
                    .lines(finding)
                    .map(|(start, _)| (start.line, start.column)),
            });
            let name = quote(page.tool(finding).unwrap_or("listing"), 64).to_string();
            let title = format!("{} {name}", finding.rule.code);
            let mut message = format!("{} (at {})", finding.message, finding.pointer);
            if let Some(help) = &finding.help {
                message.push_str("\nhelp: ");
                message.push_str(help);
            }
            out.push(&command(severity, place, &title, &message));
        }
    }
    out.finish()
}
