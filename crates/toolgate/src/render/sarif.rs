//! Results as SARIF 2.1.0, for code scanning.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolgate_json::LineColumn;

use super::Severity;
use super::json::harmless;

/// What one server or file came to.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) results: Vec<Outcome>,
    /// Why nothing, or not all, was looked at.
    pub(crate) faults: Vec<String>,
}

/// One result. Texts are escaped for people already.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// A stable code.
    pub(crate) rule: String,
    /// What the rule is about, in one line.
    pub(crate) about: String,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    /// The file, the first place, and the place behind the last.
    pub(crate) place: Option<(String, Option<(LineColumn, LineColumn)>)>,
    /// The place by names, such as a tool's name and a pointer into it.
    pub(crate) logical: String,
}

/// What documents say that they follow.
pub(crate) const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The runs as one document.
pub(crate) fn render(runs: &[Run]) -> String {
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": runs.iter().map(run).collect::<Vec<_>>(),
    });
    let mut text = harmless(&format!("{document:#}"));
    text.push('\n');
    text
}

/// One run.
pub(crate) fn run(run: &Run) -> Value {
    let rules: BTreeMap<&str, &str> = run
        .results
        .iter()
        .map(|result| (result.rule.as_str(), result.about.as_str()))
        .collect();
    let index: BTreeMap<&str, usize> = rules.keys().copied().zip(0..).collect();
    let rules: Vec<Value> = rules
        .iter()
        .map(|(rule, about)| json!({"id": rule, "shortDescription": {"text": about}}))
        .collect();
    json!({
        "tool": {"driver": {
            "name": "toolgate",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        }},
        "columnKind": "unicodeCodePoints",
        "invocations": [{
            "executionSuccessful": run.faults.is_empty(),
            "toolExecutionNotifications": run.faults.iter().map(|fault| json!({
                "level": "error", "message": {"text": fault},
            })).collect::<Vec<_>>(),
        }],
        "results": run.results.iter().map(|one| outcome(one, &index)).collect::<Vec<_>>(),
    })
}

fn outcome(one: &Outcome, index: &BTreeMap<&str, usize>) -> Value {
    let mut value = result(one);
    if let (Some(index), Some(members)) = (index.get(one.rule.as_str()), value.as_object_mut()) {
        members.insert("ruleIndex".to_owned(), json!(index));
    }
    value
}

/// One result, which knows its rule by the code alone.
pub(crate) fn result(result: &Outcome) -> Value {
    let logical = [(!result.logical.is_empty())
        .then(|| json!({"fullyQualifiedName": result.logical, "kind": "member"}))];
    let mut location = json!({"logicalLocations": logical.iter().flatten().collect::<Vec<_>>()});
    let physical = result.place.as_ref().map(|(file, lines)| match lines {
        Some((start, end)) => json!({
            "artifactLocation": {"uri": uri(file)},
            "region": region(*start, *end),
        }),
        None => json!({"artifactLocation": {"uri": uri(file)}}),
    });
    if let (Some(physical), Some(members)) = (physical, location.as_object_mut()) {
        members.insert("physicalLocation".to_owned(), physical);
    }
    json!({
        "ruleId": result.rule,
        "level": match result.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        "message": {"text": result.message},
        "locations": [location],
    })
}

/// A region of a file.
pub(crate) fn region(start: LineColumn, end: LineColumn) -> Value {
    json!({
        "startLine": start.line, "startColumn": start.column,
        "endLine": end.line, "endColumn": end.column,
    })
}

/// A path as a URI reference.
pub(crate) fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    if path.starts_with('/') {
        uri.insert_str(0, "file://");
    }
    uri
}
