//! Removes the definitions that no reference reaches.
//!
//! Nothing depends on them, but some providers refuse what they contain, or refuse that there are any.

use std::collections::BTreeSet;
use std::ops::Bound;

use toolsure_json::pointer;
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};
use toolsure_syntax::reference::Fragment;

use super::reference::follow;
use super::tree::{Json, Members};

/// Removes them, and `$defs` and `definitions` that are empty then; returns how many were removed. Removes
/// nothing if a reference is not a JSON Pointer into the schema.
pub(super) fn remove_unreachable(schema: &mut Json, dialect: Dialect) -> usize {
    match reached(schema, dialect) {
        Some(reached) => remove(schema, &mut String::new(), dialect, &reached),
        None => 0,
    }
}

/// The targets of all references in the parts of the schema that are used, as JSON Pointers.
fn reached(root: &Json, dialect: Dialect) -> Option<BTreeSet<String>> {
    let mut reached = BTreeSet::new();
    let mut todo = vec![(root, true)];
    while let Some((schema, at_root)) = todo.pop() {
        let Json::Object(members) = schema else {
            continue;
        };
        let named = |keyword: &str| members.text(keyword).is_some();
        let resource = named("$id") || (dialect == Dialect::Draft4 && named("id"));
        if (resource && !at_root) || named("$dynamicRef") || named("$recursiveRef") {
            return None;
        }
        if let Some(reference) = members.text("$ref") {
            let target = follow(root, reference)?;
            if let Fragment::Pointer(pointer) = Fragment::parse(reference.strip_prefix('#')?)?
                && reached.insert(normal(&pointer))
            {
                todo.push((target, false));
            }
        }
        for (keyword, value) in &members.list {
            if !defines(keyword) {
                todo.extend(
                    below(dialect, keyword, value)
                        .into_iter()
                        .map(|one| (one, false)),
                );
            }
        }
    }
    Some(reached)
}

fn below<'s>(dialect: Dialect, keyword: &str, value: &'s Json) -> Vec<&'s Json> {
    match (layout_in(dialect, keyword), value) {
        (Some(SubschemaLayout::Map), Json::Object(map)) => {
            map.list.iter().map(|(_, one)| one).collect()
        }
        (Some(SubschemaLayout::Schemas), Json::Array(list)) => list.iter().collect(),
        (Some(SubschemaLayout::Schemas), one) => vec![one],
        _ => Vec::new(),
    }
}

fn remove(
    schema: &mut Json,
    at: &mut String,
    dialect: Dialect,
    reached: &BTreeSet<String>,
) -> usize {
    let Json::Object(members) = schema else {
        return 0;
    };
    let mut removed = remove_own(members, at, reached);
    let length = at.len();
    for (keyword, value) in &mut members.list {
        pointer::push(at, keyword);
        let inner = at.len();
        let map = defines(keyword) || layout_in(dialect, keyword) == Some(SubschemaLayout::Map);
        match value {
            Json::Object(map_of) if map => {
                for (name, one) in &mut map_of.list {
                    pointer::push(at, name);
                    removed += remove(one, at, dialect, reached);
                    at.truncate(inner);
                }
            }
            Json::Array(list) if layout_in(dialect, keyword).is_some() => {
                for (index, one) in list.iter_mut().enumerate() {
                    pointer::push(at, &index.to_string());
                    removed += remove(one, at, dialect, reached);
                    at.truncate(inner);
                }
            }
            one if layout_in(dialect, keyword).is_some() => {
                removed += remove(one, at, dialect, reached);
            }
            _ => {}
        }
        at.truncate(length);
    }
    removed
}

/// Removes the definitions of one schema, which is at `at`.
fn remove_own(members: &mut Members, at: &str, reached: &BTreeSet<String>) -> usize {
    let mut removed = 0;
    for keyword in ["$defs", "definitions"] {
        let Some(Json::Object(map)) = members.get_mut(keyword) else {
            continue;
        };
        let mut place = at.to_owned();
        pointer::push(&mut place, keyword);
        if reached.contains(&place) {
            continue;
        }
        let length = place.len();
        let before = map.list.len();
        map.list.retain(|(name, _)| {
            place.truncate(length);
            pointer::push(&mut place, name);
            if reached.contains(&place) {
                return true;
            }
            // All pointers into it follow its own, and begin with it and a slash.
            place.push('/');
            let from = (Bound::Excluded(place.clone()), Bound::Unbounded);
            let next = reached.range(from).next();
            next.is_some_and(|next| next.starts_with(&place))
        });
        removed += before - map.list.len();
        if map.list.is_empty() {
            members.take(keyword);
            removed += usize::from(before == 0);
        }
    }
    removed
}

/// A pointer with the escapes that this module writes.
fn normal(pointer: &str) -> String {
    let mut normal = String::new();
    for token in pointer::tokens(pointer) {
        pointer::push(&mut normal, &token);
    }
    normal
}

fn defines(keyword: &str) -> bool {
    matches!(keyword, "$defs" | "definitions")
}
