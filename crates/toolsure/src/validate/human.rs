//! Problems for people: an excerpt of the instance, and one of the schema.

use toolsure_schema::{CompileError, Warning};

use super::contract::Sources;
use super::judge::Outcome;
use super::problem::{self, Problem};
use crate::render::{Diagnostic, Mark, Severity, Source};
use crate::term::Canvas;

/// How problems are shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) canvas: Canvas,
    /// Maximum findings shown for one instance.
    pub(super) most: usize,
    /// Whether each instance is a line of its file, so that its byte offset is noted.
    pub(super) lines: bool,
}

/// The problems of an instance; empty if there are none.
pub(super) fn instance(
    outcome: &Outcome,
    source: &Source<'_>,
    sources: &Sources<'_>,
    look: Look,
) -> String {
    let mut text = String::new();
    let problems = problem::of_outcome(outcome, source);
    for problem in problems.iter().take(look.most) {
        let mut diagnostic = diagnose(problem, Severity::Error, Some(source));
        if let Some((schema, finding)) = problem
            .finding
            .and_then(|finding| Some((sources.of(finding.source().document)?, finding)))
        {
            diagnostic = diagnostic.mark(Mark {
                source: schema,
                span: finding.source().span,
                label: problem::place(finding.source().pointer),
            });
        } else if let Some(finding) = problem.finding {
            diagnostic = diagnostic.note(format!("by {}", finding.absolute_keyword_location()));
        }
        if let Some(note) = problem.finding.and_then(problem::closest_branches) {
            diagnostic = diagnostic.note(note);
        }
        if look.lines {
            let at = source.byte(problem.span.as_ref().map_or(0, |span| span.start));
            diagnostic = diagnostic.note(format!("at byte {at} of {}", source.name));
        }
        text.push_str(&diagnostic.draw(look.canvas));
        text.push('\n');
    }
    let more = problems.len().saturating_sub(look.most);
    let complete = problem::is_complete(outcome);
    if more > 0 || !complete {
        let line = if look.lines {
            format!(":{}", source.first_line())
        } else {
            String::new()
        };
        text.push_str(&format!(
            "… and {} in {}{line}\n\n",
            rest(more, complete),
            source.name
        ));
    }
    text
}

/// Why the schema was refused.
pub(super) fn refusal(error: &CompileError, sources: &Sources<'_>, canvas: Canvas) -> String {
    let mut text = of_schema(error, Severity::Error, sources).draw(canvas);
    text.push('\n');
    text
}

/// The keywords of the schema that were ignored.
pub(super) fn warnings(warnings: &[Warning], sources: &Sources<'_>, look: Look) -> String {
    let mut text = String::new();
    for warning in warnings.iter().take(look.most) {
        let diagnostic = of_schema(warning.error(), Severity::Warning, sources);
        text.push_str(&diagnostic.note("the keyword is ignored").draw(look.canvas));
        text.push('\n');
    }
    if let more @ 1.. = warnings.len().saturating_sub(look.most) {
        let name = sources.schema_name();
        text.push_str(&format!("… and {} in {name}\n\n", rest(more, true)));
    }
    text
}

fn of_schema<'s>(
    error: &CompileError,
    severity: Severity,
    sources: &'s Sources<'s>,
) -> Diagnostic<'s> {
    let (problem, source) = Problem::of_schema(error, sources);
    let diagnostic = diagnose(&problem, severity, source);
    match source {
        Some(_) => diagnostic,
        None => diagnostic.note(format!("in {}, {}", error.document(), problem.label)),
    }
}

fn diagnose<'s>(
    problem: &Problem<'_>,
    severity: Severity,
    source: Option<&'s Source<'s>>,
) -> Diagnostic<'s> {
    let mut diagnostic = Diagnostic::new(severity, problem.code, &problem.message);
    if let (Some(source), Some(span)) = (source, &problem.span) {
        diagnostic = diagnostic.mark(Mark {
            source,
            span: span.clone(),
            label: problem.label.clone(),
        });
        if let Some((other, label)) = &problem.other {
            diagnostic = diagnostic.mark(Mark {
                source,
                span: other.clone(),
                label: (*label).to_owned(),
            });
        }
    }
    match &problem.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// `3 more`, `at least 3 more`, `perhaps more`.
fn rest(more: usize, complete: bool) -> String {
    match (more, complete) {
        (0, _) => "perhaps more".to_owned(),
        (more, true) => format!("{more} more"),
        (more, false) => format!("at least {more} more"),
    }
}
