//! Findings as workflow commands, which GitHub Actions shows beside the code.

use toolsure_json::quote;

use super::{Page, shown};
use crate::render::Severity;
use crate::render::github::{Commands, Place, command};

/// Renders one command for each finding and for each fault. Unless `all` is set, only the first of
/// very many findings are printed.
pub(crate) fn render(pages: &[Page], all: bool) -> String {
    let mut out = Commands::new(all);
    for page in pages {
        if let Some(fault) = &page.listing.fault {
            let message = fault.to_string();
            out.push(&command(
                Severity::Error,
                None,
                &page.listing.target,
                &message,
            ));
        }
        for finding in &page.findings {
            let severity = shown(finding.severity);
            if !out.admits(severity) {
                continue;
            }
            let place = page.listing.file.as_ref().map(|file| Place {
                file: &file.name,
                at: page
                    .lines(finding)
                    .map(|(start, _)| (start.line, start.column)),
            });
            let name = quote(page.subject(finding).unwrap_or("listing"), 64).to_string();
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
