//! The schemas that a member or an item of a conjunction must match.

use std::collections::HashSet;

use toolsure_json::{Key as _, Kind, Node as _, View};

use super::declared::Group;
use super::facts::Facts;
use super::tuple::{rest, tuple, tuple_length};

/// All schemas that a member with this name must match; `None` if there can be no such member.
pub(super) fn member<'a>(facts: &Facts<'a>, name: &str) -> Option<Vec<View<'a>>> {
    let doc = &facts.doc;
    if facts
        .group()
        .is_some_and(|group| !group.may_have(&doc.lookup, name))
    {
        return None;
    }
    let mut schemas = Vec::new();
    for node in &facts.nodes {
        let own = doc
            .keyword(*node, "properties")
            .and_then(|all| doc.lookup.member(all, name));
        let mut beside = own.is_none();
        if let Some(patterns) = doc.keyword(*node, "patternProperties") {
            let matched = doc.lookup.matched(patterns, name);
            schemas.extend(&matched.schemas);
            // If this is unknown, the member may be of either kind.
            beside &= matched.schemas.is_empty() && !matched.unknown;
        }
        if beside {
            schemas.extend(doc.keyword(*node, "additionalProperties"));
        }
        schemas.extend(own);
    }
    for one in facts.unevaluated.iter().filter(|one| !one.of_items) {
        if one.evaluated.has_name(&doc.lookup, name) == Some(false) {
            schemas.push(one.schema);
        }
    }
    possible(schemas)
}

/// All schemas that a member must match if its name is not declared.
pub(super) fn others<'a>(facts: &Facts<'a>) -> Option<Vec<View<'a>>> {
    if facts.closed().is_some() && !has_other_patterns(facts) {
        return None;
    }
    let mut schemas = facts.all("additionalProperties");
    let unevaluated = facts.unevaluated.iter();
    schemas.extend(
        unevaluated
            .filter(|one| !one.of_items && one.judges_others)
            .map(|one| one.schema),
    );
    possible(schemas)
}

/// Whether a closed object may have members whose names match patterns of schemas that are not among the facts,
/// such as another branch.
pub(super) fn has_other_patterns(facts: &Facts<'_>) -> bool {
    let Some(group) = facts.closed().filter(|group| !group.patterns.is_empty()) else {
        return false;
    };
    let own = facts.all("patternProperties").into_iter();
    let own: HashSet<&str> = own
        .flat_map(View::members)
        .map(|(key, _)| key.text())
        .collect();
    own.len() < group.patterns.len()
}

/// All schemas that an item must match; `usize::MAX` is an item beyond all tuples.
pub(super) fn item<'a>(facts: &Facts<'a>, index: usize) -> Option<Vec<View<'a>>> {
    let doc = &facts.doc;
    let mut schemas: Vec<View<'a>> = facts
        .nodes
        .iter()
        .filter_map(|node| {
            let own = tuple(doc, *node).get(index).copied();
            match own {
                Some(own) => Some(own),
                // A long tuple is only known in part.
                None if index != usize::MAX && index < tuple_length(doc, *node) => None,
                None => rest(doc, *node),
            }
        })
        .collect();
    let unevaluated = facts.unevaluated.iter();
    schemas.extend(
        unevaluated
            .filter(|one| one.of_items && !one.evaluated.all_items)
            .filter(|one| one.judges_others || index != usize::MAX)
            .filter(|one| index >= one.evaluated.items)
            .map(|one| one.schema),
    );
    possible(schemas)
}

pub(super) fn most_items(facts: &Facts<'_>) -> usize {
    let counts = facts.all("maxItems").into_iter();
    counts
        .filter_map(|value| value.number().as_u64())
        .min()
        .map_or(usize::MAX, |most| {
            usize::try_from(most).unwrap_or(usize::MAX)
        })
}

/// The most members that a closed object can have.
pub(super) fn closed_at(facts: &Facts<'_>) -> Option<usize> {
    let doc = &facts.doc;
    let declared = facts.closed().and_then(Group::most);
    let closed = facts.nodes.iter().filter(|node| {
        let rest = doc.keyword(**node, "additionalProperties");
        rest.is_some_and(|rest| rest.kind() == Kind::Boolean && !rest.boolean())
            && doc.keyword(**node, "patternProperties").is_none()
    });
    let count = |node: &View<'_>| node.member("properties").map_or(0, |all| all.len());
    closed.map(count).chain(declared).min()
}

/// The names of the declared members, each once; for a closed object, also those that only another branch
/// declares.
pub(super) fn declared_names<'a>(facts: &Facts<'a>) -> Vec<&'a str> {
    if let Some(group) = facts.closed() {
        return group.names.keys().copied().collect();
    }
    let mut seen = HashSet::new();
    let all = facts.all("properties").into_iter().flat_map(View::members);
    all.map(|(key, _)| key.text())
        .filter(|name| seen.insert(*name))
        .collect()
}

fn possible(schemas: Vec<View<'_>>) -> Option<Vec<View<'_>>> {
    let never = |schema: &View<'_>| schema.kind() == Kind::Boolean && !schema.boolean();
    (!schemas.iter().any(never)).then_some(schemas)
}

pub(super) fn names_of<'a>(facts: &Facts<'a>, keyword: &str) -> HashSet<&'a str> {
    let lists = facts.all(keyword).into_iter().flat_map(View::items);
    lists.map(|name| name.string()).collect()
}
