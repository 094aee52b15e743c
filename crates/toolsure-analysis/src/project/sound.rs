//! What is wrong with a projected schema: places that nothing matches although the original can be matched,
//! forms of values that keywords beside them do not know, and findings of the profile's own rules.

use std::collections::HashSet;

use toolsure_json::pointer;
use toolsure_syntax::Dialect;
use toolsure_syntax::model::TypeSet;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::apart::MOST_BRANCHES;
use super::tree::{Form, Json, Members};
use super::unions::asserts;
use crate::lint::Linter;

/// The places that break a rule of the profile, relative to the schema, each with what is said of it.
pub(super) fn findings(linter: &Linter, schema: &str) -> Vec<(String, String)> {
    let tool = format!(r#"{{"name": "t", "description": "d", "inputSchema": {schema}}}"#);
    let report = linter.lint([tool.as_str()]);
    let own = report.findings.into_iter();
    own.filter_map(|finding| {
        let place = finding.pointer.strip_prefix("/inputSchema")?.to_owned();
        let (code, message) = (finding.rule.code, finding.message);
        Some((place, format!("{message} ({code})")))
    })
    .collect()
}

/// The places, in properties and items, that no value matches, as far as types, listed values and names show.
pub(super) fn dead(schema: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = String::new();
    never(schema, &mut at, Some(&mut found));
    found
}

/// Whether no value matches a schema; `found` gets the places in it, and itself, that nothing matches.
fn never(schema: &Json, at: &mut String, mut found: Option<&mut Vec<String>>) -> bool {
    let members = match schema {
        Json::Bool(accepts) => return !accepts,
        Json::Object(members) => members,
        _ => return false,
    };
    let length = at.len();
    let mut dead_properties = HashSet::new();
    for (name, one) in members.map("properties") {
        pointer::push(at, "properties");
        pointer::push(at, name);
        if never(one, at, found.as_deref_mut()) {
            dead_properties.insert(name.as_str());
        }
        at.truncate(length);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(one @ Json::Object(_)) = members.get(keyword) {
            pointer::push(at, keyword);
            never(one, at, found.as_deref_mut());
            at.truncate(length);
        }
    }
    let object = members.types() == TypeSet::OBJECT;
    let mut required = members.get("required").into_iter().flat_map(Json::texts);
    let mut dead = members.types().is_empty()
        || members.get("not").is_some_and(Json::is_empty_schema)
        || object && required.any(|name| dead_properties.contains(name) || lacks(members, name))
        || members.types() == TypeSet::ARRAY && needs_items(members) && has_no_items(members);
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let branches = members.schemas(keyword);
        let mut gone = 0;
        for (index, branch) in branches.iter().enumerate() {
            pointer::push(at, keyword);
            pointer::push(at, &index.to_string());
            let before = found.as_ref().map_or(0, |all| all.len());
            let own = never(branch, at, found.as_deref_mut());
            // A branch that nothing matches is no place of its own.
            if own && let Some(all) = found.as_deref_mut() {
                let place = at.as_str();
                let kept = all.split_off(before);
                all.extend(kept.into_iter().filter(|one| one != place));
            }
            at.truncate(length);
            let beside = branch
                .as_object()
                .is_some_and(|branch| apart(members, branch));
            gone += usize::from(own || beside);
        }
        dead |= match keyword {
            "allOf" => gone > 0 || conflict(branches),
            _ => gone > 0 && gone == branches.len(),
        };
    }
    if dead && let Some(all) = found {
        all.push(at.clone());
    }
    dead
}

/// Whether an object cannot have a member of this name.
fn lacks(members: &Members, name: &str) -> bool {
    matches!(members.get("additionalProperties"), Some(Json::Bool(false)))
        && !members.has("patternProperties")
        && !members.map("properties").iter().any(|(own, _)| own == name)
}

/// Whether no value matches two of the schemas.
fn conflict(schemas: &[Json]) -> bool {
    let all = schemas.iter().filter_map(Json::as_object);
    let all: Vec<&Members> = all.take(MOST_BRANCHES).collect();
    all.iter().enumerate().any(|(at, one)| {
        let mut others = all.iter().skip(at + 1);
        others.any(|other| apart(one, other))
    })
}

fn needs_items(members: &Members) -> bool {
    members
        .get("minItems")
        .is_some_and(|least| least.count() != Some(0))
}

/// Whether only the empty array matches.
fn has_no_items(members: &Members) -> bool {
    let forbids = |keyword| matches!(members.get(keyword), Some(Json::Bool(false)));
    let inside = [
        "prefixItems",
        "items",
        "contains",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "if",
    ];
    !members.has("prefixItems") && forbids("items")
        || forbids("unevaluatedItems") && !inside.iter().any(|keyword| members.has(keyword))
}

/// Whether no value matches two schemas: by type, by the names that one requires and the other forbids, or by
/// the number of items.
fn apart(one: &Members, other: &Members) -> bool {
    let types = one.types().intersection(other.types());
    let misses = |one: &Members, other: &Members| {
        let mut required = one.get("required").into_iter().flat_map(Json::texts);
        required.any(|name| lacks(other, name))
    };
    let empties = |one: &Members, other: &Members| needs_items(one) && has_no_items(other);
    types.is_empty()
        || types == TypeSet::OBJECT && (misses(one, other) || misses(other, one))
        || types == TypeSet::ARRAY && (empties(one, other) || empties(other, one))
}

/// The places where a value's form is changed by a branch or a member of `allOf`, and keywords beside it
/// assert something about the value as it was.
pub(super) fn mixed(schema: &Json) -> Vec<String> {
    let mut found = Vec::new();
    collect_mixed(schema, &mut String::new(), &mut found);
    found
}

fn collect_mixed(schema: &Json, at: &mut String, found: &mut Vec<String>) {
    let Json::Object(members) = schema else {
        return;
    };
    if !matches!(members.coding.form, Form::Plain | Form::Entries) {
        return;
    }
    let inside = ["anyOf", "oneOf", "allOf"];
    for keyword in inside {
        let branches = members.schemas(keyword);
        let others = members.list.iter().filter(|(name, _)| name != keyword);
        let beside = others.filter(|(name, _)| asserts(name)).count() > 0
            || keyword == "allOf" && branches.len() > 1;
        if beside && branches.iter().any(changes_form) {
            found.push(at.clone());
            break;
        }
    }
    let length = at.len();
    for (keyword, value) in &members.list {
        let Some(holds) = layout_in(Dialect::Draft202012, keyword) else {
            continue;
        };
        pointer::push(at, keyword);
        let inner = at.len();
        match (holds, value) {
            (SubschemaLayout::Map, Json::Object(map)) => {
                for (name, one) in &map.list {
                    pointer::push(at, name);
                    collect_mixed(one, at, found);
                    at.truncate(inner);
                }
            }
            (SubschemaLayout::Schemas, Json::Array(list)) => {
                for (index, one) in list.iter().enumerate() {
                    pointer::push(at, &index.to_string());
                    collect_mixed(one, at, found);
                    at.truncate(inner);
                }
            }
            (SubschemaLayout::Schemas, one) => collect_mixed(one, at, found),
            _ => {}
        }
        at.truncate(length);
    }
}

/// Whether a value that matches a schema is published in another form.
fn changes_form(schema: &Json) -> bool {
    schema.as_object().is_some_and(|members| {
        let inside = ["anyOf", "oneOf", "allOf"];
        let mut inside = inside.iter().flat_map(|keyword| members.schemas(keyword));
        !matches!(members.coding.form, Form::Plain) || inside.any(changes_form)
    })
}
