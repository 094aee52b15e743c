//! The results for machines: one JSON object on each line.
//!
//! ```text
//! {
//!   "version": 1,
//!   "kind": "instance",
//!   "instance": "orders.jsonl",         // as it was given; "<stdin>" for standard input
//!   "line": 3, "byte": 118,             // with --jsonl: the line, and where it begins
//!   "verdict": "invalid",               // "valid" | "invalid" | "undecided" | "unreadable"
//!   "findings": [{                      // if invalid
//!     "keyword": "type",
//!     "message": "expected string, found number `5`",
//!     "instanceLocation": "/name",
//!     "propertyName": "x",              // if the keyword looked at a member's name
//!     "keywordLocation": "/properties/name/type",
//!     "absoluteKeywordLocation": "#/properties/name/type",
//!     "line": 3, "column": 11, "byte": 128,
//!     "schema": {                       // the keyword where it is written
//!       "file": "order.schema.json",    // null in a bundled metaschema
//!       "document": "",                 // the URI of a registered document
//!       "pointer": "/properties/name/type",
//!       "line": 4, "column": 17, "byte": 61     // absent with the file
//!     }
//!   }],
//!   "complete": false,                  // if there may be more findings than these
//!   "error": {                          // if undecided or unreadable
//!     "code": "json",                   // "json" | "limit" | "io" | "undecided"
//!     "message": "…", "help": "…",      // help may be absent
//!     "line": 3, "column": 1, "byte": 118,      // absent where there is no place
//!     "other": {"line": 3, "column": 1, "byte": 118}  // the first of two equal keys
//!   }
//! }
//! {
//!   "version": 1,
//!   "kind": "schema",                   // first, if it was refused, has warnings, or stands alone
//!   "schema": "order.schema.json",
//!   "verdict": "refused",               // "ok" | "refused"
//!   "error": {                          // if refused
//!     "code": "unresolved-ref", "message": "…", "help": "…",
//!     "document": "", "pointer": "/properties/a/$ref",
//!     "line": 4, "column": 17, "byte": 61, "other": {…}
//!   },
//!   "warnings": [{…}]                   // of the same form; what --lenient left out
//! }
//! ```
//!
//! A version may get new members. Lines, columns and bytes are positions in the file; lines and
//! columns count from 1, columns in characters. Messages are escaped for people; in names,
//! characters that act on a terminal are written as `\u` escapes.

use serde::Serialize;
use toolsure_schema::{CompileError, Finding, Warning};

use super::contract::Sources;
use super::judge::Outcome;
use super::problem::{self, Problem};
use crate::render::Source;
use crate::render::json::harmless;

#[derive(Serialize)]
struct Instance<'a> {
    version: u32,
    kind: &'static str,
    instance: &'a str,
    #[serde(flatten)]
    begin: Option<Begin>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Found<'a>>,
    #[serde(skip_serializing_if = "is_true")]
    complete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Fault<'a>>,
}

#[derive(Serialize)]
struct Begin {
    line: usize,
    byte: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Found<'a> {
    keyword: &'a str,
    message: &'a str,
    instance_location: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    property_name: Option<&'a str>,
    keyword_location: &'a str,
    absolute_keyword_location: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
    schema: Keyword<'a>,
}

#[derive(Serialize)]
struct Keyword<'a> {
    file: Option<&'a str>,
    document: &'a str,
    pointer: &'a str,
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Serialize)]
struct Fault<'a> {
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    #[serde(flatten)]
    place: Option<Place>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<Place>,
}

#[derive(Serialize)]
struct Place {
    line: usize,
    column: usize,
    byte: u64,
}

#[derive(Serialize)]
struct Schema<'a> {
    version: u32,
    kind: &'static str,
    schema: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<serde_json::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<serde_json::Value>,
}

/// The object for an instance. `name` is its file as given; `lines` is set for JSON Lines.
pub(super) fn instance(
    outcome: &Outcome,
    name: &str,
    source: &Source<'_>,
    sources: &Sources<'_>,
    lines: bool,
) -> String {
    let problems = problem::problems(outcome, source);
    let error = problems.first().filter(|problem| problem.finding.is_none());
    line(&Instance {
        version: VERSION,
        kind: "instance",
        instance: name,
        begin: lines.then(|| Begin {
            line: source.first_line(),
            byte: source.byte(0),
        }),
        verdict: outcome.word(),
        findings: problems
            .iter()
            .filter_map(|problem| Some(found(problem, problem.finding?, source, sources)))
            .collect(),
        complete: problem::is_complete(outcome),
        error: error.map(|problem| fault(problem, Some(source))),
    })
}

/// The object for a schema that was refused.
pub(super) fn refusal(error: &CompileError, sources: &Sources<'_>) -> String {
    schema("refused", Some(error), &[], sources)
}

/// The object for a schema that compiled.
pub(super) fn compiled(warnings: &[Warning], sources: &Sources<'_>) -> String {
    schema("ok", None, warnings, sources)
}

fn schema(
    verdict: &'static str,
    error: Option<&CompileError>,
    warnings: &[Warning],
    sources: &Sources<'_>,
) -> String {
    line(&Schema {
        version: VERSION,
        kind: "schema",
        schema: sources.schema_name(),
        verdict,
        error: error.map(|error| of_schema(error, sources)),
        warnings: warnings
            .iter()
            .map(|warning| of_schema(warning.error(), sources))
            .collect(),
    })
}

fn of_schema(error: &CompileError, sources: &Sources<'_>) -> serde_json::Value {
    let (problem, source) = Problem::of_schema(error, sources);
    let fault = Fault {
        document: Some(error.document()),
        pointer: Some(error.pointer()),
        ..fault(&problem, source)
    };
    // Strings and numbers under string keys can always be converted.
    serde_json::to_value(fault).unwrap_or_default()
}

fn found<'a>(
    problem: &'a Problem<'a>,
    finding: &'a Finding,
    source: &Source<'_>,
    sources: &'a Sources<'a>,
) -> Found<'a> {
    let schema = sources.of(finding.source().document);
    Found {
        keyword: finding.keyword(),
        message: &problem.message,
        instance_location: finding.instance_location(),
        property_name: finding.property_name(),
        keyword_location: finding.keyword_location(),
        absolute_keyword_location: finding.absolute_keyword_location(),
        place: problem.span.as_ref().map(|span| place(source, span.start)),
        schema: Keyword {
            file: schema.map(|schema| schema.name.as_str()),
            document: finding.source().document,
            pointer: finding.source().pointer,
            place: schema.map(|schema| place(schema, finding.source().span.start)),
        },
    }
}

fn fault<'a>(problem: &'a Problem<'a>, source: Option<&Source<'_>>) -> Fault<'a> {
    let span = problem.span.as_ref();
    let other = problem.other.as_ref().map(|(span, _)| span);
    Fault {
        code: problem.code,
        message: &problem.message,
        help: problem.help.as_deref(),
        document: None,
        pointer: None,
        place: span.and_then(|span| Some(place(source?, span.start))),
        other: other.and_then(|span| Some(place(source?, span.start))),
    }
}

fn place(source: &Source<'_>, at: usize) -> Place {
    let place = source.line_column(at);
    Place {
        line: place.line,
        column: place.column,
        byte: source.byte(at),
    }
}

fn line(object: &impl Serialize) -> String {
    // Strings and numbers under string keys can always be written as JSON.
    let mut text = harmless(&serde_json::to_string(object).unwrap_or_default());
    text.push('\n');
    text
}

fn is_true(value: &bool) -> bool {
    *value
}

/// The version of the objects' format.
const VERSION: u32 = 1;
