//! Problems as one SARIF document that is written as a stream: a head, results, a tail.

use serde_json::json;
use toolsure_json::quote;
use toolsure_schema::CompileError;

use super::contract::Sources;
use super::judge::Outcome;
use super::problem::{self, POINTER_CHARS, Problem};
use crate::render::json::harmless;
use crate::render::{Severity, Source, sarif};

/// The text before the results.
pub(super) fn head() -> String {
    let driver = json!({
        "name": "toolsure",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
    });
    format!(
        "{{\"$schema\":{},\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\
         \"columnKind\":\"unicodeCodePoints\",\"results\":[",
        json!(sarif::SCHEMA)
    )
}

/// The text after the results; `hidden` instances that are not valid are not among them.
pub(super) fn tail(hidden: u64) -> String {
    let notes = (hidden > 0).then(|| {
        let more = crate::render::count(hidden, "instance");
        json!({"level": "note", "message": {
            "text": format!("{more} more are not valid; `--all` shows them"),
        }})
    });
    let invocations = json!([{
        "executionSuccessful": true,
        "toolExecutionNotifications": notes.iter().collect::<Vec<_>>(),
    }]);
    format!("],\"invocations\":{invocations}}}]}}\n")
}

/// The results of an instance, each with a comma before it.
pub(super) fn instance(
    outcome: &Outcome,
    source: &Source<'_>,
    sources: &Sources<'_>,
    most: usize,
) -> String {
    let problems = problem::of_outcome(outcome, source);
    let results = problems.iter().take(most).map(|problem| {
        let place = problem.finding;
        let place = place.map(|finding| problem::keyword_place(finding, sources));
        result(problem, Severity::Error, Some(source), place.as_deref())
    });
    results.collect()
}

/// The result for an error or a warning of the compiler.
pub(super) fn of_schema(error: &CompileError, severity: Severity, sources: &Sources<'_>) -> String {
    let (problem, source) = Problem::of_schema(error, sources);
    result(&problem, severity, source, None)
}

fn result(
    problem: &Problem<'_>,
    severity: Severity,
    source: Option<&Source<'_>>,
    keyword: Option<&str>,
) -> String {
    let mut message = problem.message.clone();
    if let Some(keyword) = keyword {
        message.push_str("; ");
        message.push_str(keyword);
    }
    if let Some(help) = &problem.help {
        message.push_str("; ");
        message.push_str(help);
    }
    let place = source.map(|source| {
        let lines = problem.span.as_ref().map(|span| {
            let end = span.end.max(span.start);
            (source.line_column(span.start), source.line_column(end))
        });
        (source.name.clone(), lines)
    });
    let outcome = sarif::Outcome {
        rule: quote(problem.code, POINTER_CHARS).to_string(),
        about: String::new(),
        page: None,
        severity,
        message,
        place,
        logical: quote(&problem.label, POINTER_CHARS).to_string(),
    };
    format!(",\n{}", harmless(&sarif::result(&outcome).to_string()))
}
