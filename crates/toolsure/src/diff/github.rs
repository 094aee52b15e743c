//! Changes as workflow commands, which GitHub Actions shows beside the code.

use toolsure_analysis::diff::{Aspect, Class, Kind};
use toolsure_json::quote;

use super::sides::Sides;
use crate::render::Severity;
use crate::render::github::{Commands, Place, command};

/// Renders one command for each change of a contract, of what users consent to, and each change that is not
/// compatible. Unless `all` is set, only the first of very many changes are printed.
pub(crate) fn render(pairs: &[Sides], all: bool) -> String {
    let mut out = Commands::new(all);
    for sides in pairs {
        commands(&mut out, sides);
    }
    out.finish()
}

fn commands(out: &mut Commands, sides: &Sides) {
    for tool in &sides.report.tools {
        for change in tool.changes.iter().filter(|change| {
            change.aspect == Aspect::Contract
                || change.class > Class::Compatible
                || change.kind == Kind::Consent
        }) {
            let severity = match change.class {
                Class::Breaking => Severity::Error,
                Class::Unknown | Class::Warning => Severity::Warning,
                Class::Compatible => Severity::Note,
            };
            if !out.admits(severity) {
                continue;
            }
            let place = sides.place(tool, change).map(|(file, at)| Place {
                file,
                at: at.map(|at| (at.line, at.column)),
            });
            let title = format!("{} {}", change.class, quote(&tool.name, 64));
            let mut message = format!("{}: {}", change.location(), change.message);
            if let Some(witness) = &change.witness {
                message.push_str("\nfor instance ");
                message.push_str(&quote(witness, 400).to_string());
            }
            out.push(&command(severity, place, &title, &message));
        }
    }
}
