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
        Kind::String if is_number(inside, wants(&["number"]), wants(&["integer"])) => {
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

/// Whether a string in its quotes holds a number that one of the two types allows.
fn is_number(text: &str, number: bool, integer: bool) -> bool {
    let number_text = text.trim_end_matches('"').trim();
    let value = number_text.parse::<f64>().ok().filter(|it| it.is_finite());
    value.is_some_and(|value| number || integer && value.fract() == 0.0)
}

/// Whether the value belongs to a declared property that nothing requires. Where a schema on the path applies others
/// to the same object, they could require it, and the answer is no.
fn is_optional(schema: &Schema, finding: &Finding) -> bool {
    let tokens: Vec<_> = pointer::tokens(finding.keyword_location()).collect();
    let [above @ .., properties, name, _keyword] = tokens.as_slice() else {
        return false;
    };
    let document = schema.text().document();
    let mut holder = document.root();
    for token in above {
        let next = match &**token {
            _ if applies_others(holder, token) => None,
            "$ref" => holder
                .member("$ref")
                .and_then(|reference| document.at_pointer(reference.string().strip_prefix('#')?)),
            token => child(holder, token),
        };
        match next {
            Some(next) => holder = next,
            None => return false,
        }
    }
    let required = holder.member("required");
    let names = |list: View<'_>| list.items().any(|item| item.string() == name);
    properties == "properties"
        && !applies_others(holder, properties)
        && !required.is_some_and(names)
}

/// Whether a schema has a keyword that can require a member without `required`, apart from a reference that is the
/// next step.
fn applies_others(schema: View<'_>, step: &str) -> bool {
    let can_require = |keyword: &str| {
        let is_step = keyword == "$ref" && step == keyword;
        !is_step && schema.member(keyword).is_some()
    };
    schema.kind() == Kind::Object && REQUIRING.into_iter().any(can_require)
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

/// The keywords, besides `required`, that can make an object need a member.
const REQUIRING: [&str; 11] = [
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "allOf",
    "anyOf",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "minProperties",
    "oneOf",
];
/// The maximum number of characters of a name in a hint.
const NAME: usize = 64;
/// The maximum number of names in a hint.
const NAMES: usize = 4;
