//! A tag: a property whose value tells the branches of a union apart.

use std::collections::HashSet;

use toolsure_json::{Node as _, View};
use toolsure_syntax::model::TypeSet;

use super::facts::Facts;
use crate::equality::equal_values;

/// Whether two object schemas require a property to have different constant values.
pub(super) fn tagged_apart(a: &Facts<'_>, b: &Facts<'_>) -> bool {
    if a.types() != TypeSet::OBJECT || b.types() != TypeSet::OBJECT {
        return false;
    }
    let required: HashSet<&str> = a
        .all("required")
        .into_iter()
        .flat_map(View::items)
        .map(|name| name.string())
        .collect();
    let also = b.all("required").into_iter().flat_map(View::items);
    let mut shared = also
        .map(|name| name.string())
        .filter(|name| required.contains(name));
    shared.any(|name| {
        matches!((tags(a, name), tags(b, name)), (Some(a), Some(b))
            if a.iter().all(|one| !b.iter().any(|other| equal_values(*one, *other))))
    })
}

/// A required property of an object schema that lists its values, and these values.
pub(super) fn tag<'a>(facts: &Facts<'a>) -> Option<(&'a str, Vec<View<'a>>)> {
    if facts.types() != TypeSet::OBJECT {
        return None;
    }
    let mut required = facts.all("required").into_iter().flat_map(View::items);
    required.find_map(|name| Some((name.string(), tags(facts, name.string())?)))
}

/// The values that a property can have, if a schema lists them and they are few.
fn tags<'a>(facts: &Facts<'a>, name: &str) -> Option<Vec<View<'a>>> {
    let properties = facts.all("properties").into_iter();
    let schema = properties
        .filter_map(|all| facts.doc.lookup.member(all, name))
        .next()?;
    let facts = Facts::of(&facts.doc, &[schema]);
    let few = facts.values().filter(|values| {
        values.len() <= MOST_TAGS && values.iter().all(|one| one.raw().len() <= LONGEST_TAG)
    });
    few.map(<[View<'_>]>::to_vec)
}

/// Values that distinguish branches.
const MOST_TAGS: usize = 16;
const LONGEST_TAG: usize = 200;
