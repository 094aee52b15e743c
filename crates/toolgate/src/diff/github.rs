//! Changes as workflow commands, which GitHub Actions shows beside the code.

use toolgate_analysis::diff::{Aspect, Class};
use toolgate_json::quote;

use super::Sides;
use crate::render::Severity;
use crate::render::github::{Commands, Place, command};

/// One command for each change of a contract. Of very many changes only the first are printed,
/// unless `all` are asked for.
pub(crate) fn render(sides: &Sides, all: bool) -> String {
    let mut out = Commands::new(all);
    for tool in &sides.report.tools {
        for change in tool
            .changes
            .iter()
            .filter(|change| change.aspect == Aspect::Contract || change.class > Class::Compatible)
        {
            let severity = match change.class {
                Class::Breaking => Severity::Error,
                Class::Unknown | Class::Warning => Severity::Warning,
                Class::Compatible => Severity::Note,
            };
            if !out.admits(severity) {
                continue;
            }
            let place = Place {
                file: &sides.new,
                at: None,
            };
            let title = format!("{} {}", change.class, quote(&tool.name, 64));
            let mut message = format!("{} {}: {}", change.side, change.place, change.message);
            if let Some(witness) = &change.witness {
                message.push_str("\nfor instance ");
                message.push_str(&quote(witness, 400).to_string());
            }
            out.push(&command(severity, Some(place), &title, &message));
        }
    }
    out.finish()
}
