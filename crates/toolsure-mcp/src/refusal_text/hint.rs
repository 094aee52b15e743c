//! Hints on how to fix a finding, if expected and found values do not make it obvious.

use toolsure_json::{Kind, Node as _, View, pointer, quote};
use toolsure_schema::{Finding, FindingKind, FoundValue, Report, Schema};

/// The hints for the lines of a report's summary.
#[derive(Clone, Copy)]
pub(super) struct Hints<'r> {
    pub(super) schema: &'r Schema,
    pub(super) report: &'r Report,
}

impl Hints<'_> {
    /// The hint for a line about some findings of the report, if there is one.
    pub(super) fn of_line(self, findings: &[usize]) -> Option<String> {
        let findings = findings.iter();
        let mut about = findings.filter_map(|index| self.report.findings.get(*index));
        about.find_map(|finding| self.of_finding(finding))
    }

    fn of_finding(self, finding: &Finding) -> Option<String> {
        match &finding.kind {
            // No hint is about a name.
            _ if finding.property_name().is_some() => None,
            FindingKind::Type { expected, found } => {
                let hint = of_type(expected, found, || is_optional(self.schema, finding));
                hint.map(str::to_owned)
            }
            FindingKind::Required { missing, .. } => or_instead(missing, finding, self.report),
            FindingKind::OneOfMany { matched } => not_both(self.schema, finding, *matched),
            _ => None,
        }
    }
}

fn of_type(
    expected: &[&'static str],
    found: &FoundValue,
    is_optional: impl Fn() -> bool,
) -> Option<&'static str> {
    let wants = |names: &[&str]| expected.iter().any(|name| names.contains(name));
    let inside = found
        .text
        .strip_prefix('"')
        .unwrap_or_default()
        .trim_start();
    match found.kind {
        Kind::String if wants(&["array"]) && inside.starts_with('[') => {
            Some("send the array itself, not a string that holds JSON")
        }
        Kind::String if wants(&["object"]) && inside.starts_with('{') => {
            Some("send the object itself, not a string that holds JSON")
        }
        Kind::String if wants(&["integer", "number"]) && is_numeric(inside) => {
            Some("send the number without quotes")
        }
        Kind::String if wants(&["boolean"]) && matches!(inside, "true\"" | "false\"") => {
            Some("send true or false without quotes")
        }
        Kind::Null if is_optional() => Some("it may be left out"),
        Kind::Object | Kind::String | Kind::Number | Kind::Boolean if expected == ["array"] => {
            Some("put it into an array")
        }
        _ => None,
    }
}

fn is_numeric(text: &str) -> bool {
    let digits = text.trim_end_matches('"').trim();
    !digits.is_empty() && digits.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether the value belongs to a declared property that its object does not require.
fn is_optional(schema: &Schema, finding: &Finding) -> bool {
    if !finding.source().document.is_empty() {
        return false;
    }
    let tokens: Vec<_> = pointer::tokens(finding.source().pointer).collect();
    let [above @ .., properties, name, _keyword] = tokens.as_slice() else {
        return false;
    };
    let mut holder = Some(schema.text().document().root());
    for token in above {
        holder = holder.and_then(|view| child(view, token));
    }
    let required = holder.and_then(|holder| holder.member("required"));
    let names = |list: View<'_>| list.items().any(|item| item.string() == name);
    properties == "properties" && holder.is_some() && !required.is_some_and(names)
}

fn child<'s>(view: View<'s>, token: &str) -> Option<View<'s>> {
    match view.kind() {
        Kind::Array => view.item(pointer::index(token)?),
        _ => view.member(token),
    }
}

/// The properties that other branches of the same union require, if each branch requires its own.
fn or_instead(missing: &[String], finding: &Finding, report: &Report) -> Option<String> {
    let union = union_of(finding.keyword_location())?;
    let mut others: Vec<&str> = Vec::new();
    for other in &report.findings {
        let FindingKind::Required { missing: names, .. } = &other.kind else {
            continue;
        };
        let same = other.instance_location() == finding.instance_location()
            && union_of(other.keyword_location()) == Some(union);
        // A branch that also fails for another reason was not meant.
        let branch = branch_of(other.keyword_location(), union);
        let only = report.findings.iter().all(|finding| {
            matches!(finding.kind, FindingKind::Required { .. })
                || branch_of(finding.keyword_location(), union) != branch
        });
        if same && only && names.iter().all(|name| !missing.contains(name)) {
            others.extend(
                names
                    .iter()
                    .map(String::as_str)
                    .filter(|name| !others.contains(name))
                    .collect::<Vec<_>>(),
            );
        }
    }
    if others.is_empty() {
        return None;
    }
    let shown = others
        .iter()
        .take(NAMES)
        .map(|name| format!("`{}`", quote(name, NAME)));
    Some(format!(
        "or {} instead",
        shown.collect::<Vec<_>>().join(", or ")
    ))
}

/// The innermost union on the path to a keyword.
fn union_of(location: &str) -> Option<&str> {
    let ends = ["/oneOf/", "/anyOf/"];
    let at = ends
        .into_iter()
        .filter_map(|end| location.rfind(end))
        .max()?;
    location.get(..at + ends.first().map_or(0, |end| end.len()))
}

/// The index of the branch that contains a keyword.
fn branch_of<'l>(location: &'l str, union: &str) -> Option<&'l str> {
    location.strip_prefix(union)?.split('/').next()
}

/// How two branches that both match differ, if each requires something that the other does not.
fn not_both(schema: &Schema, finding: &Finding, matched: [usize; 2]) -> Option<String> {
    if !finding.source().document.is_empty() {
        return None;
    }
    let union = schema
        .text()
        .document()
        .at_pointer(finding.source().pointer)?;
    let [first, second] = matched.map(|branch| required(union, branch));
    let (first, second) = (first?, second?);
    let own = |of: &[&str], other: &[&str]| {
        let name = of.iter().find(|name| !other.contains(name))?;
        Some(format!("`{}`", quote(name, NAME)))
    };
    let (a, b) = (own(&first, &second)?, own(&second, &first)?);
    Some(format!("give {a} or {b}, not both"))
}

fn required(union: View<'_>, branch: usize) -> Option<Vec<&str>> {
    let required = union.item(branch)?.member("required")?;
    Some(required.items().map(toolsure_json::Node::string).collect())
}

/// The maximum number of characters of a name in a hint.
const NAME: usize = 64;
/// The maximum number of names in a hint.
const NAMES: usize = 4;
