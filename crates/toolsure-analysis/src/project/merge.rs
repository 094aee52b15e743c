//! Merges two schemas into one: both hold (`allOf`), or one of them does (`anyOf`).

use std::cmp::Ordering;
use std::collections::HashSet;

use toolsure_syntax::model::TypeSet;

use super::tree::{Json, Members};
use super::values::ValueSet;

/// One schema for two that both hold, if it can be written exactly.
pub(super) fn both(a: &Json, b: &Json, depth: usize) -> Option<Json> {
    let depth = depth.checked_sub(1)?;
    match (a, b) {
        (Json::Bool(true), other) | (other, Json::Bool(true)) => Some(other.clone()),
        (Json::Bool(false), _) | (_, Json::Bool(false)) => Some(Json::Bool(false)),
        (Json::Object(a), Json::Object(b)) if a.list.is_empty() => Some(Json::Object(b.clone())),
        (Json::Object(a), Json::Object(b)) if b.list.is_empty() => Some(Json::Object(a.clone())),
        (Json::Object(a), Json::Object(b)) => members(a, b, depth).map(Json::Object),
        _ => None,
    }
}

/// The same for objects.
pub(super) fn members(a: &Members, b: &Members, depth: usize) -> Option<Members> {
    let apart = |one: &Members| one.has("$ref") || one.list.iter().any(|(name, _)| alone(name));
    if apart(a) || apart(b) {
        return None;
    }
    let objects = ["properties", "patternProperties", "additionalProperties"];
    let items = ["items", "prefixItems"];
    let has = |one: &Members, names: &[&str]| names.iter().any(|name| one.has(name));
    let mut merged = a.clone();
    if has(a, &objects) && has(b, &objects) {
        if a.has("patternProperties") || b.has("patternProperties") {
            return None;
        }
        merge_objects(&mut merged, a, b, depth)?;
    }
    if has(a, &items) && has(b, &items) {
        if a.has("prefixItems") || b.has("prefixItems") {
            return None;
        }
        let each = both(a.get("items")?, b.get("items")?, depth)?;
        merged.set("items", each);
    }
    // Keywords that change each other's meaning in one schema but not in two.
    for group in TOGETHER {
        if has(a, group) && has(b, group) {
            return None;
        }
    }
    for (name, value) in &b.list {
        let known = name.as_str();
        let Some(own) = a.get(known) else {
            if !merged.has(known) {
                merged.set(known, value.clone());
            }
            continue;
        };
        if objects.contains(&known) || items.contains(&known) {
            continue;
        }
        let value = keyword(known, own, value)?;
        merged.set(known, value);
    }
    // `type` last: the values of an `enum` may have fewer types.
    if let (Some(_), Some(_)) = (a.get("type"), b.get("type")) {
        let types = types_of(a).intersection(types_of(b));
        if types.is_empty() {
            return Some(Members::only("not", Json::Object(Members::default())));
        }
        merged.set_types(types);
    }
    Some(merged)
}

/// Keywords of one schema that are interpreted together.
const TOGETHER: [&[&str]; 2] = [
    &["if", "then", "else"],
    &["contains", "minContains", "maxContains"],
];

fn types_of(members: &Members) -> TypeSet {
    let mut only = Members::default();
    if let Some(value) = members.get("type") {
        only.set("type", value.clone());
    }
    only.types()
}

/// Keywords whose meaning depends on the keywords beside them.
fn alone(keyword: &str) -> bool {
    keyword.starts_with("unevaluated")
        || matches!(keyword, "$dynamicRef" | "$recursiveRef" | "$id" | "$anchor")
}

fn merge_objects(merged: &mut Members, a: &Members, b: &Members, depth: usize) -> Option<()> {
    let open = Json::Bool(true);
    let rest = |one: &Members| one.get("additionalProperties").unwrap_or(&open).clone();
    let (rest_a, rest_b) = (rest(a), rest(b));
    let (own_a, own_b) = (a.map("properties"), b.map("properties"));
    let names_a: HashSet<&str> = own_a.iter().map(|(name, _)| name.as_str()).collect();
    let by_name: std::collections::HashMap<&str, &Json> = own_b
        .iter()
        .map(|(name, one)| (name.as_str(), one))
        .collect();
    let mut properties = Members::default();
    for (name, own) in own_a {
        let other = by_name.get(name.as_str()).copied().unwrap_or(&rest_b);
        properties
            .list
            .push((name.clone(), both(own, other, depth)?));
    }
    for (name, own) in own_b {
        if !names_a.contains(name.as_str()) {
            properties
                .list
                .push((name.clone(), both(&rest_a, own, depth)?));
        }
    }
    if !properties.list.is_empty() {
        merged.set("properties", Json::Object(properties));
    }
    match both(&rest_a, &rest_b, depth)? {
        // The keyword asserts nothing more.
        Json::Bool(true) => {}
        other => merged.set("additionalProperties", other),
    }
    Some(())
}

/// Merges one keyword that both schemas have.
fn keyword(name: &str, a: &Json, b: &Json) -> Option<Json> {
    let order = || Some(a.number()?.compare(&b.number()?));
    let greater = || Some(if order()? == Ordering::Less { b } else { a }.clone());
    let lesser = || Some(if order()? == Ordering::Greater { b } else { a }.clone());
    match name {
        "type" => Some(a.clone()),
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => greater(),
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => lesser(),
        "uniqueItems" => Some(Json::Bool(
            matches!(a, Json::Bool(true)) || matches!(b, Json::Bool(true)),
        )),
        "required" => {
            let mut known: HashSet<&str> = HashSet::new();
            let all = a.texts().chain(b.texts());
            Some(Json::strings(all.filter(|name| known.insert(name))))
        }
        "enum" => {
            let others: ValueSet<'_> = b.items().iter().collect();
            let kept = a.items().iter().filter(|one| others.contains(one));
            let kept: Vec<Json> = kept.cloned().collect();
            (!kept.is_empty()).then_some(Json::Array(kept))
        }
        "allOf" => {
            let all = a.items().iter().chain(b.items());
            Some(Json::Array(all.cloned().collect()))
        }
        "description" => match (a.as_text()?, b.as_text()?) {
            (one, other) if one.contains(other) => Some(Json::text(one)),
            (one, other) => Some(Json::text(join(one, other))),
        },
        // Annotations: the first counts.
        "title" | "default" | "examples" | "$comment" | "deprecated" | "readOnly" | "writeOnly" => {
            Some(a.clone())
        }
        _ if toolsure_syntax::Keyword::from_name(name).is_none() => Some(a.clone()),
        _ => a.equals(b).then(|| a.clone()),
    }
}

/// Joins two texts with a full stop between them.
pub(super) fn join(one: &str, other: &str) -> String {
    let one = one.trim_end();
    match one.chars().last() {
        None => other.to_owned(),
        Some('.' | '!' | '?' | ':' | ';' | ',' | '`') => format!("{one} {other}"),
        Some(_) => format!("{one}. {other}"),
    }
}

/// What several schemas of one type have in common: each value of one of them is a value of the result.
/// `None` if they have no common type that a schema could name.
pub(super) fn either(branches: &[Json], depth: usize) -> Option<Json> {
    let depth = depth.checked_sub(1)?;
    let all: Option<Vec<&Members>> = branches.iter().map(Json::as_object).collect();
    let all = all?;
    let mut types = TypeSet::NONE;
    for one in &all {
        types = types.union(one.types());
    }
    let mut merged = Members::default();
    merged.set_types(types);
    if let [_] | [_, _] = *types.names() {
        // One type, or one and null.
    } else {
        return None;
    }
    if all.iter().all(|one| one.has("enum") || one.has("const")) {
        let mut known = ValueSet::default();
        let values = all
            .iter()
            .flat_map(|one| one.schemas("enum").iter().chain(one.get("const")));
        let values = values.filter(|value| known.insert(value)).cloned();
        merged.set("enum", Json::Array(values.collect()));
        return Some(Json::Object(merged));
    }
    let with: Vec<&&Members> = all
        .iter()
        .filter(|one| one.types() != TypeSet::NULL)
        .collect();
    if types.intersects(TypeSet::OBJECT) {
        union_of_objects(&mut merged, &with, depth)?;
    }
    if types.intersects(TypeSet::ARRAY) {
        let items: Option<Vec<Json>> = with.iter().map(|one| one.get("items").cloned()).collect();
        if let Some(items) = items.filter(|_| !with.iter().any(|one| one.has("prefixItems"))) {
            merged.set("items", one_of_them(&items));
        }
    }
    let same = |keyword: &str| {
        let first = with.first()?.get(keyword)?;
        let all = with
            .iter()
            .all(|one| one.get(keyword).is_some_and(|own| own.equals(first)));
        all.then(|| first.clone())
    };
    for keyword in [
        "format",
        "pattern",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "minItems",
        "maxItems",
        "multipleOf",
    ] {
        if let Some(value) = same(keyword) {
            merged.set(keyword, value);
        }
    }
    Some(Json::Object(merged))
}

fn union_of_objects(merged: &mut Members, all: &[&&Members], depth: usize) -> Option<()> {
    let _ = depth;
    let mut names: Vec<&str> = Vec::new();
    let mut known: HashSet<&str> = HashSet::new();
    for one in all {
        for (name, _) in one.map("properties") {
            if known.insert(name) {
                names.push(name);
            }
        }
    }
    let mut properties = Members::default();
    for name in names {
        let mut schemas: Vec<Json> = Vec::new();
        for one in all {
            let own = one.map("properties").iter();
            let own = own.filter(|(own, _)| own == name).map(|(_, schema)| schema);
            for schema in own {
                if !schemas.iter().any(|known| known.equals(schema)) {
                    schemas.push(schema.clone());
                }
            }
        }
        properties
            .list
            .push((name.to_owned(), one_of_them(&schemas)));
    }
    merged.set("properties", Json::Object(properties));
    let (first, rest) = all.split_first()?;
    let rest: Vec<HashSet<&str>> = rest.iter().map(|one| one.required().collect()).collect();
    let required = first.required();
    let required = required.filter(|name| rest.iter().all(|names| names.contains(name)));
    let required: Vec<&str> = required.collect();
    if !required.is_empty() {
        merged.set("required", Json::strings(required));
    }
    // A name that a pattern allows is none of the properties.
    let closed =
        |one: &Members| one.forbids("additionalProperties") && !one.has("patternProperties");
    if all.iter().all(|one| closed(one)) {
        merged.set("additionalProperties", Json::Bool(false));
    }
    Some(())
}

/// A schema that holds if one of them does.
pub(super) fn one_of_them(schemas: &[Json]) -> Json {
    match schemas {
        [] => Json::Object(Members::default()),
        [one] => one.clone(),
        many => Json::Object(Members::only("anyOf", Json::Array(many.to_vec()))),
    }
}
