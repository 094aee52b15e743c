//! What is wrong, as workflow commands for GitHub Actions.

use toolgate_schema::{CompileError, Warning};

use super::contract::Sources;
use super::judge::Outcome;
use super::problem::{self, Problem};
use crate::render::github::{Place, command};
use crate::render::{Severity, Source};

/// The commands for an instance; none if nothing is wrong.
pub(super) fn instance(
    outcome: &Outcome,
    source: &Source<'_>,
    sources: &Sources<'_>,
    most: usize,
) -> String {
    let problems = problem::telling(outcome, source);
    let commands = problems.iter().take(most).map(|problem| {
        let mut message = message(problem);
        if let Some(finding) = problem.finding {
            let pointer = &finding.source.pointer;
            message.push('\n');
            message.push_str(&match sources.of(&finding.source.document) {
                Some(schema) => {
                    let place = schema.line_column(finding.source.span.start);
                    format!("{}:{}:{} {pointer}", schema.name, place.line, place.column)
                }
                None => finding.absolute_keyword_location.clone(),
            });
        }
        render(problem, Severity::Error, Some(source), &message)
    });
    let mut text: String = commands.collect();
    if let more @ 1.. = problems.len().saturating_sub(most) {
        let place = Place {
            file: &source.name,
            at: Some((source.first_line(), 1)),
        };
        let message = format!("and {more} more");
        text.push_str(&command(Severity::Error, Some(place), "more", &message));
    }
    text
}

/// The command for a refused schema.
pub(super) fn refusal(error: &CompileError, sources: &Sources<'_>) -> String {
    of_schema(error, Severity::Error, sources)
}

/// The commands for what was left out of the schema.
pub(super) fn warnings(warnings: &[Warning], sources: &Sources<'_>, most: usize) -> String {
    let warnings = warnings.iter().take(most);
    warnings
        .map(|warning| of_schema(warning.error(), Severity::Warning, sources))
        .collect()
}

fn of_schema(error: &CompileError, severity: Severity, sources: &Sources<'_>) -> String {
    let source = sources.of(error.document());
    let problem = Problem::of_schema(error, source.map(|source| source.bytes));
    render(&problem, severity, source, &message(&problem))
}

fn message(problem: &Problem<'_>) -> String {
    let mut message = problem.message.clone();
    if !problem.label.is_empty() {
        message = format!("{message} ({})", problem.label);
    }
    if let Some(help) = &problem.help {
        message = format!("{message}\nhelp: {help}");
    }
    message
}

fn render(
    problem: &Problem<'_>,
    severity: Severity,
    source: Option<&Source<'_>>,
    message: &str,
) -> String {
    let place = source.map(|source| {
        let start = problem.span.as_ref().map(|span| span.start);
        let place = start.map(|start| source.line_column(start));
        Place {
            file: &source.name,
            at: place.map(|place| (place.line, place.column)),
        }
    });
    command(severity, place, problem.code, message)
}
