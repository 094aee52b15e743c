//! A tag: a property whose value tells the branches of a union apart.

use toolsure_json::{Node as _, View, equal_values};
use toolsure_syntax::model::TypeSet;

use super::facts::Facts;

/// The required properties of an object schema that list their values, and these values.
pub(super) struct Tags<'a>(Vec<(&'a str, Vec<View<'a>>)>);

impl<'a> Tags<'a> {
    /// Those among the first required properties.
    pub(super) fn of(facts: &Facts<'a>) -> Self {
        if facts.types() != TypeSet::OBJECT {
            return Self::none();
        }
        let required = facts.all("required").into_iter().flat_map(View::items);
        let listed = required
            .take(MOST_REQUIRED)
            .filter_map(|name| Some((name.string(), tags(facts, name.string())?)));
        Self(listed.collect())
    }

    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    /// The first of them.
    pub(super) fn first(self) -> Option<(&'a str, Vec<View<'a>>)> {
        self.0.into_iter().next()
    }

    /// Whether one property has no value in common, so that no object fits both schemas.
    pub(super) fn are_apart(&self, other: &Self) -> bool {
        self.0.iter().any(|(name, values)| {
            let mut same = other.0.iter().filter(|(own, _)| own == name);
            same.any(|(_, others)| {
                values
                    .iter()
                    .all(|one| !others.iter().any(|other| equal_values(*one, *other)))
            })
        })
    }
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

/// Required properties that may be a tag.
const MOST_REQUIRED: usize = 32;
/// Values that distinguish branches.
const MOST_TAGS: usize = 16;
const LONGEST_TAG: usize = 200;
