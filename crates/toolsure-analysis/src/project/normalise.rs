//! Rewrites a schema of any dialect in 2020-12.

use toolsure_syntax::positions::SubschemaLayout;
use toolsure_syntax::{Dialect, Keyword};

use super::tree::{Json, Members};

/// Rewrites a schema and everything in it; returns whether anything changed that has another meaning in
/// 2020-12.
pub(super) fn normalise(schema: &mut Json, dialect: Dialect) -> bool {
    let Json::Object(members) = schema else {
        return false;
    };
    let mut changed = one(members, dialect);
    for (name, value) in &mut members.list {
        changed |= each_below(name, value, &mut |below| normalise(below, dialect));
    }
    changed
}

/// Calls `hear` for each schema that a keyword of 2020-12 holds; returns whether any call returned `true`.
fn each_below(keyword: &str, value: &mut Json, hear: &mut impl FnMut(&mut Json) -> bool) -> bool {
    let holds = Keyword::from_name(keyword)
        .filter(|known| known.is_in(Dialect::Draft202012))
        .and_then(Keyword::layout);
    let mut any = false;
    match (holds, value) {
        (Some(SubschemaLayout::Map), Json::Object(map)) => {
            for (_, one) in &mut map.list {
                any |= hear(one);
            }
        }
        (Some(SubschemaLayout::Schemas), Json::Array(list)) => {
            for one in list {
                any |= hear(one);
            }
        }
        (Some(SubschemaLayout::Schemas), one @ (Json::Object(_) | Json::Bool(_))) => {
            any |= hear(one)
        }
        _ => {}
    }
    any
}

fn one(members: &mut Members, dialect: Dialect) -> bool {
    members.take("$schema");
    let before = members.list.len();
    let mut changed = false;
    if dialect.ref_hides_siblings() && members.text("$ref").is_some() {
        let stay = ["$ref", "title", "description", "definitions"];
        members
            .list
            .retain(|(name, _)| stay.contains(&name.as_str()));
    }
    // Keywords that the dialect does not have are data in it, and must not gain a meaning.
    members.list.retain(|(name, _)| {
        Keyword::from_name(name)
            .is_none_or(|known| known.is_in(dialect) || name == "definitions" || name == "$defs")
    });
    if dialect == Dialect::Draft4 {
        for (exclusive, bound) in [
            ("exclusiveMinimum", "minimum"),
            ("exclusiveMaximum", "maximum"),
        ] {
            if let Some(Json::Bool(flag)) = members.get(exclusive).cloned() {
                members.take(exclusive);
                changed = true;
                if let Some(value) = members.get(bound).cloned().filter(|_| flag) {
                    members.replace(bound, exclusive, value);
                }
            }
        }
    }
    if dialect < Dialect::Draft202012 {
        let rest = members.take("additionalItems");
        if let Some(tuple @ Json::Array(_)) = members.get("items").cloned() {
            members.replace("items", "prefixItems", tuple);
            if let Some(rest) = rest {
                members.set("items", rest);
            }
            changed = true;
        }
    }
    if let Some(Json::Object(map)) = members.take("dependencies") {
        changed = true;
        let (names, schemas): (Vec<_>, Vec<_>) = map
            .list
            .into_iter()
            .partition(|(_, one)| matches!(one, Json::Array(_)));
        for (keyword, list) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
            if !list.is_empty() {
                match members.get_mut(keyword) {
                    Some(Json::Object(own)) => {
                        list.into_iter()
                            .for_each(|(name, one)| both(own, name, one));
                    }
                    _ => members.set(keyword, Json::Object(Members::of(list))),
                }
            }
        }
    }
    changed || members.list.len() != before
}

/// Adds a dependency. One on the same name holds too.
fn both(own: &mut Members, name: String, other: Json) {
    match (own.get_mut(&name), other) {
        (Some(Json::Array(names)), Json::Array(others)) => {
            for one in others {
                if !names.iter().any(|known| known.equals(&one)) {
                    names.push(one);
                }
            }
        }
        (Some(known), other) => {
            let first = std::mem::replace(known, Json::Bool(true));
            let all = Json::Array(vec![first, other]);
            *known = Json::Object(Members::only("allOf", all));
        }
        (None, other) => own.list.push((name, other)),
    }
}
