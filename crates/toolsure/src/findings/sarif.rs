//! Findings as SARIF 2.1.0.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolsure_analysis::lint::{Finding, Rule, Severity};
use toolsure_json::LineColumn;

use super::Page;
use crate::policy::{self, Remarks};
use crate::render::sarif::{self, Rules, region, uri};

/// Renders all pages as one log.
pub(crate) fn render(pages: &[Page], remarks: &Remarks) -> String {
    let own = policy::sarif(remarks).unwrap_or_default();
    let mut rules = Rules::default();
    for finding in pages.iter().flat_map(|page| &page.findings) {
        rules.add(finding.rule.code, || descriptor(finding.rule));
    }
    for one in &own.results {
        rules.add(&one.rule, || sarif::descriptor(one));
    }
    let index = rules.index();
    let mut results = Vec::new();
    for page in pages {
        results.extend(page.findings.iter().map(|one| result(page, one, &index)));
    }
    results.extend(own.results.iter().map(|one| sarif::outcome(one, &index)));
    let faults = pages.iter().filter_map(|page| page.listing.fault.as_ref());
    let faults: Vec<String> = faults.map(ToString::to_string).chain(own.faults).collect();
    sarif::document(rules, &faults, results)
}

fn descriptor(rule: &Rule) -> Value {
    let descriptor = json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary()},
        "help": {"text": rule.page, "markdown": rule.page},
        "defaultConfiguration": {"level": rule.severity.to_string()},
    });
    sarif::with_help_uri(descriptor, sarif::page_of(rule.code).as_deref())
}

fn result(page: &Page, finding: &Finding, index: &BTreeMap<&str, usize>) -> Value {
    let text = match &finding.help {
        Some(help) => format!("{}: {help}", finding.message),
        None => finding.message.clone(),
    };
    let name = page.subject(finding);
    let logical = name.map(|name| format!("{name}{}", finding.pointer));
    let fingerprints = sarif::fingerprints(
        finding.rule.code,
        logical.as_deref().unwrap_or(&finding.pointer),
        &finding.message,
    );
    let logical = logical.map(|name| json!({"fullyQualifiedName": name, "kind": "member"}));
    let mut location = json!({
        "logicalLocations": logical.into_iter().collect::<Vec<_>>(),
    });
    if let Some(physical) = physical(page, finding) {
        insert(&mut location, "physicalLocation", physical);
    }
    let mut result = json!({
        "ruleId": finding.rule.code,
        "ruleIndex": index.get(finding.rule.code),
        "level": match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        "message": {"text": text},
        "locations": [location],
        "partialFingerprints": fingerprints,
    });
    if let Some(fixes) = fixes(page, finding) {
        insert(&mut result, "fixes", fixes);
    }
    result
}

/// Where a finding is in the listing's file or, for a running server, where a configuration names the
/// server.
fn physical(page: &Page, finding: &Finding) -> Option<Value> {
    if let Some((file, line)) = &page.listing.named_at {
        let at = LineColumn {
            line: *line,
            column: 1,
        };
        return Some(json!({"artifactLocation": {"uri": uri(file)}, "region": region(at, at)}));
    }
    let (start, end) = page.lines(finding)?;
    Some(json!({"artifactLocation": artifact(page)?, "region": region(start, end)}))
}

fn fixes(page: &Page, finding: &Finding) -> Option<Value> {
    let fix = finding.fix.as_ref()?;
    let file = page
        .listing
        .file
        .as_ref()
        .filter(|file| file.takes_edits())?;
    let mut replacements = Vec::new();
    for edit in &fix.edits {
        let start = file.line_column(page.byte(finding, edit.span.start)?);
        let end = file.line_column(page.byte(finding, edit.span.end)?);
        replacements.push(json!({
            "deletedRegion": region(start, end),
            "insertedContent": {"text": edit.text},
        }));
    }
    Some(json!([{
        "description": {"text": finding.help.as_deref().unwrap_or("leave it out")},
        "artifactChanges": [{"artifactLocation": artifact(page)?, "replacements": replacements}],
    }]))
}

/// The file as a URI reference.
fn artifact(page: &Page) -> Option<Value> {
    let name = &page.listing.file.as_ref()?.name;
    Some(json!({"uri": uri(name)}))
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
