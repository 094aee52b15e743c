//! Problems as workflow commands for GitHub Actions.

use toolsure_schema::CompileError;

use super::contract::Sources;
use super::judge::Outcome;
use super::problem::{self, Problem};
use crate::render::github::{Place, command};
use crate::render::{Severity, Source};

/// The commands for an instance; none if it has no problem.
pub(super) fn instance(
    outcome: &Outcome,
    source: &Source<'_>,
    sources: &Sources<'_>,
    most: usize,
) -> String {
    let problems = problem::of_outcome(outcome, source);
    let commands = problems.iter().take(most).map(|problem| {
        let mut message = message(problem);
        if let Some(finding) = problem.finding {
            message.push('\n');
            message.push_str(&problem::keyword_place(finding, sources));
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

/// The command for an error or a warning of the compiler.
pub(super) fn of_schema(error: &CompileError, severity: Severity, sources: &Sources<'_>) -> String {
    let (problem, source) = Problem::of_schema(error, sources);
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
