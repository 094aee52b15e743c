//! Changes as SARIF, each at its place in the newer listing, or at its tool in the older one if it is gone.

use toolsure_analysis::diff::{Class, Kind};
use toolsure_json::quote;

use super::sides::Sides;
use crate::policy::{self, Remarks};
use crate::render::Severity;
use crate::render::sarif::{self, Outcome, Run};

/// Renders all pairs of listings as one log, without changes of wording.
pub(crate) fn render(all: &[Sides], faults: &[String], remarks: &Remarks) -> String {
    let mut runs: Vec<Run> = all.iter().map(run).collect();
    runs.extend(policy::sarif(remarks));
    if !faults.is_empty() {
        runs.push(Run {
            faults: faults.to_vec(),
            ..Run::default()
        });
    }
    sarif::render(runs)
}

fn run(sides: &Sides) -> Run {
    let mut run = Run::default();
    for tool in &sides.report.tools {
        for change in &tool.changes {
            if change.kind == Kind::Wording {
                continue;
            }
            let mut message = format!(
                "{}: {}: {}",
                quote(&tool.name, 64),
                change.location(),
                change.message
            );
            if let Some(witness) = &change.witness {
                message.push_str("; for instance ");
                message.push_str(&quote(witness, 400).to_string());
            }
            run.results.push(Outcome {
                rule: change.kind.name().to_owned(),
                about: change.kind.summary().to_owned(),
                page: Some("docs/diff.md".to_owned()),
                severity: match change.class {
                    Class::Breaking => Severity::Error,
                    Class::Unknown | Class::Warning => Severity::Warning,
                    Class::Compatible => Severity::Note,
                },
                message,
                place: sides
                    .place(tool, change)
                    .map(|(file, at)| (file.to_owned(), at.map(|at| (at, at)))),
                logical: format!("{}{}", quote(&tool.name, 64), change.place),
            });
        }
    }
    run
}
