//! What is wrong with a projected schema: places that nothing matches although the original can be matched,
//! forms of values that keywords beside them do not know, and findings of the profile's own rules.

use std::collections::HashSet;

use toolsure_json::pointer;
use toolsure_syntax::model::TypeSet;

use super::apart::{Claims, conflict};
use super::tree::{Form, IN_PLACE, Json, visit};
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

/// The places, in properties and items, that no value matches, as far as types, listed values, names and counts show.
pub(super) fn dead(schema: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = String::new();
    if collect_dead(schema, &mut at, &mut found) {
        found.push(at);
    }
    found
}

/// Collects the places in a schema that nothing matches; returns whether nothing matches the schema itself.
fn collect_dead(schema: &Json, at: &mut String, found: &mut Vec<String>) -> bool {
    let members = match schema {
        Json::Bool(accepts) => return !accepts,
        Json::Object(members) => members,
        _ => return false,
    };
    let claims = Claims::of(members);
    let mut dead =
        claims.contradicts_itself() || members.get("not").is_some_and(Json::is_empty_schema);
    dead |= members.in_place().next().is_some() && possible_types(schema).is_empty();
    let mut dead_properties = HashSet::new();
    for (name, one) in members.map("properties") {
        if is_dead(one, &["properties", name], at, found) {
            dead_properties.insert(name.as_str());
        }
    }
    if members.types() == TypeSet::OBJECT {
        dead |= members
            .required()
            .any(|name| dead_properties.contains(name));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(one @ Json::Object(_)) = members.get(keyword) {
            is_dead(one, &[keyword], at, found);
        }
    }
    for keyword in IN_PLACE {
        let branches = members.schemas(keyword);
        let mut gone = 0;
        for (index, branch) in branches.iter().enumerate() {
            let length = at.len();
            pointer::push(at, keyword);
            pointer::push(at, &index.to_string());
            // A branch that nothing matches is no place of its own.
            let is_dead = collect_dead(branch, at, found);
            at.truncate(length);
            let beside = branch.as_object().map(Claims::of);
            let excluded = beside.is_some_and(|branch| claims.is_apart_from(&branch));
            gone += usize::from(is_dead || excluded);
        }
        dead |= match keyword {
            "allOf" => gone > 0 || conflict(branches),
            _ => gone > 0 && gone == branches.len(),
        };
    }
    dead
}

/// The types that a schema and its unions and conjunctions leave.
fn possible_types(schema: &Json) -> TypeSet {
    let members = match schema {
        Json::Bool(false) => return TypeSet::NONE,
        Json::Object(members) => members,
        _ => return TypeSet::ALL,
    };
    let mut types = members.types();
    for keyword in IN_PLACE {
        let branches = members.schemas(keyword).iter().map(possible_types);
        types = match keyword {
            "allOf" => branches.fold(types, TypeSet::intersection),
            _ if members.schemas(keyword).is_empty() => types,
            _ => types.intersection(branches.fold(TypeSet::NONE, TypeSet::union)),
        };
    }
    types
}

/// The same for a subschema that is a place of its own, given as the tokens that lead to it.
fn is_dead(schema: &Json, tokens: &[&str], at: &mut String, found: &mut Vec<String>) -> bool {
    let length = at.len();
    tokens.iter().for_each(|token| pointer::push(at, token));
    let dead = collect_dead(schema, at, found);
    if dead {
        found.push(at.clone());
    }
    at.truncate(length);
    dead
}

/// The places where a value's form is changed by a branch or a member of `allOf`, and keywords beside it
/// assert something about the value as it was.
pub(super) fn mixed(schema: &mut Json) -> Vec<String> {
    let mut found = Vec::new();
    visit(schema, &mut String::new(), 0, &mut |members, at, _| {
        let mixes = |keyword: &&str| {
            let branches = members.schemas(keyword);
            let mut others = members.list.iter().filter(|(name, _)| name != *keyword);
            let beside =
                *keyword == "allOf" && branches.len() > 1 || others.any(|(name, _)| asserts(name));
            beside && branches.iter().any(changes_form)
        };
        let stays = matches!(members.coding.form, Form::Plain | Form::Entries);
        if stays && (members.coding.crossed || IN_PLACE.iter().any(mixes)) {
            found.push(at.to_owned());
        }
    });
    found
}

/// Whether a value that matches a schema is published in another form.
fn changes_form(schema: &Json) -> bool {
    schema.as_object().is_some_and(|members| {
        !matches!(members.coding.form, Form::Plain) || members.in_place().any(changes_form)
    })
}
