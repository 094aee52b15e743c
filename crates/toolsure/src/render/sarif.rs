//! Results as SARIF 2.1.0, for code scanning.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolsure_analysis::lint::rule;
use toolsure_fetch::Digest;
use toolsure_json::LineColumn;

use super::Severity;
use super::json::harmless;

/// The results for one server or file.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) results: Vec<Outcome>,
    /// Why nothing, or not everything, was checked.
    pub(crate) faults: Vec<String>,
}

/// One result. Its texts are already escaped for people.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// A stable code.
    pub(crate) rule: String,
    /// What the rule is about, in one line.
    pub(crate) about: String,
    /// The page of our repository that explains the rule.
    pub(crate) page: Option<String>,
    pub(crate) severity: Severity,
    pub(crate) message: String,
    /// The file and, if known, where in it the result starts and ends.
    pub(crate) place: Option<(String, Option<(LineColumn, LineColumn)>)>,
    /// The location by names, such as a tool's name and a pointer into the tool.
    pub(crate) logical: String,
}

/// The schema that documents declare.
pub(crate) const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Renders all runs as one, because code scanning refuses several runs with the same tool.
pub(crate) fn render(runs: impl IntoIterator<Item = Run>) -> String {
    let mut all = Run::default();
    for run in runs {
        all.results.extend(run.results);
        all.faults.extend(run.faults);
    }
    let mut rules = Rules::default();
    for one in &all.results {
        rules.add(&one.rule, || descriptor(one));
    }
    let index = rules.index();
    let results = all.results.iter().map(|one| outcome(one, &index));
    document(rules, &all.faults, results.collect())
}

/// A document with one run; `rules` gave the results their rule indexes.
pub(crate) fn document(rules: Rules<'_>, faults: &[String], mut results: Vec<Value>) -> String {
    number_equal_fingerprints(&mut results);
    let document = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "toolsure",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.0.into_values().collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": faults.is_empty(),
                "toolExecutionNotifications": faults.iter().map(|fault| json!({
                    "level": "error", "message": {"text": fault},
                })).collect::<Vec<_>>(),
            }],
            "results": results,
        }],
    });
    let mut text = harmless(&format!("{document:#}"));
    text.push('\n');
    text
}

/// The descriptors of a document's rules, by code.
#[derive(Debug, Default)]
pub(crate) struct Rules<'r>(BTreeMap<&'r str, Value>);

impl<'r> Rules<'r> {
    /// Adds a rule, unless it is already there.
    pub(crate) fn add(&mut self, code: &'r str, describe: impl FnOnce() -> Value) {
        self.0.entry(code).or_insert_with(describe);
    }

    /// The index of each rule.
    pub(crate) fn index(&self) -> BTreeMap<&'r str, usize> {
        self.0.keys().copied().zip(0..).collect()
    }
}

/// The descriptor of a result's rule.
pub(crate) fn descriptor(one: &Outcome) -> Value {
    let about = json!({"id": one.rule, "shortDescription": {"text": one.about}});
    with_help_uri(about, one.page.as_deref())
}

/// The descriptor with the address of the page that explains the rule, if the build knows where the
/// repository is published.
pub(crate) fn with_help_uri(mut descriptor: Value, page: Option<&str>) -> Value {
    let repository = option_env!("TOOLSURE_REPOSITORY");
    if let (Some(page), Some(members)) = (page, descriptor.as_object_mut())
        && let Some(address) = address(repository, page)
    {
        members.insert("helpUri".to_owned(), Value::from(address));
    }
    descriptor
}

/// The page of our repository that explains a lint rule, given by its code or name.
pub(crate) fn page_of(code: &str) -> Option<String> {
    let code = rule(code)?.code;
    Some(format!("crates/toolsure-analysis/rules/{code}.md"))
}

/// The address of a page of this version in a repository.
fn address(repository: Option<&str>, page: &str) -> Option<String> {
    let repository = repository.filter(|address| address.starts_with("https://"))?;
    let version = env!("CARGO_PKG_VERSION");
    let repository = repository.trim_end_matches('/');
    Some(format!("{repository}/blob/v{version}/{page}"))
}

/// What identifies a result from run to run: its rule, the location by names and the message, as in
/// a baseline. Lines are not in it, so they may move; readers add the file themselves.
pub(crate) fn fingerprints(rule: &str, logical: &str, message: &str) -> Value {
    let digest = Digest::of(json!([rule, logical, message]).to_string().as_bytes()).to_string();
    let short = digest.get(..16).unwrap_or(&digest);
    let fingerprint = format!("{short}:1");
    // Code scanning reads the first name only. It makes its own value of the line where there is
    // none, which is the same for all results of a listing that is written in one line.
    json!({"primaryLocationLineHash": fingerprint, "toolsureFinding/v1": fingerprint})
}

/// Results that nothing distinguishes are numbered.
fn number_equal_fingerprints(results: &mut [Value]) {
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for result in results {
        let all = result.get_mut("partialFingerprints");
        for fingerprint in all.and_then(Value::as_object_mut).into_iter().flatten() {
            let (name, value) = fingerprint;
            let text = value.as_str().unwrap_or_default();
            let count = seen.entry(format!("{name} {text}")).or_default();
            *count = count.saturating_add(1);
            *value = json!(format!("{}:{count}", text.trim_end_matches(":1")));
        }
    }
}

/// A result with the index of its rule.
pub(crate) fn outcome(one: &Outcome, index: &BTreeMap<&str, usize>) -> Value {
    let mut value = result(one);
    if let (Some(index), Some(members)) = (index.get(one.rule.as_str()), value.as_object_mut()) {
        members.insert("ruleIndex".to_owned(), json!(index));
    }
    value
}

/// One result, without the index of its rule.
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
        "partialFingerprints": fingerprints(&result.rule, &result.logical, &result.message),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_an_address_where_the_repository_has_one() {
        let page = "docs/diff.md";
        let expected = format!(
            "https://example.com/a/b/blob/v{}/{page}",
            env!("CARGO_PKG_VERSION")
        );
        for repository in ["https://example.com/a/b", "https://example.com/a/b/"] {
            assert_eq!(address(Some(repository), page), Some(expected.clone()));
        }
        for repository in [None, Some(""), Some("git@example.com:a/b")] {
            assert_eq!(address(repository, page), None);
        }
    }
}
