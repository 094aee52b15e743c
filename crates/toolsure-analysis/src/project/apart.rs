//! Whether two schemas can hold of one value, as far as types, listed values, names and counts show.

use std::collections::{HashMap, HashSet};

use toolsure_syntax::model::TypeSet;

use super::tree::{EVALUATE, Json, Members};
use super::values::ValueSet;

/// Branches that are compared.
pub(super) const MOST_BRANCHES: usize = 64;

/// What a schema demands of a value, without its subschemas except for listed values.
pub(super) struct Claims<'s> {
    types: TypeSet,
    /// The values that `const` or `enum` lists.
    values: Option<ValueSet<'s>>,
    required: Vec<&'s str>,
    /// The listed values of the properties that are required.
    tags: HashMap<&'s str, ValueSet<'s>>,
    /// The only names that members can have.
    only: Option<HashSet<&'s str>>,
    needs_items: bool,
    forbids_items: bool,
}

impl<'s> Claims<'s> {
    /// What a schema demands itself.
    pub(super) fn of(schema: &'s Members) -> Self {
        let required: Vec<&str> = schema.required().collect();
        let properties = schema.map("properties");
        let wanted: HashSet<&str> = required.iter().copied().collect();
        let tags = properties.iter().filter_map(|(name, property)| {
            let name = Some(name.as_str()).filter(|name| wanted.contains(name))?;
            Some((name, listed(property.as_object()?)?))
        });
        let closed = schema.forbids("additionalProperties") && !schema.has("patternProperties");
        let names = || properties.iter().map(|(name, _)| name.as_str()).collect();
        Self {
            types: schema.types(),
            values: listed(schema),
            tags: tags.collect(),
            required,
            only: closed.then(names),
            needs_items: needs_items(schema),
            forbids_items: forbids_items(schema),
        }
    }

    /// Whether nothing can match the schema.
    pub(super) fn contradicts_itself(&self) -> bool {
        self.types.is_empty()
            || self.types == TypeSet::OBJECT && self.required.iter().any(|name| self.lacks(name))
            || self.types == TypeSet::ARRAY && self.needs_items && self.forbids_items
    }

    /// Whether an object cannot have a member of this name.
    fn lacks(&self, name: &str) -> bool {
        self.only.as_ref().is_some_and(|only| !only.contains(name))
    }

    /// Whether nothing can match both schemas.
    pub(super) fn is_apart_from(&self, other: &Self) -> bool {
        let both_ways = |apart: fn(&Self, &Self) -> bool| apart(self, other) || apart(other, self);
        let types = self.types.intersection(other.types);
        if types.is_empty() {
            return true;
        }
        let lists = self.values.as_ref().zip(other.values.as_ref());
        lists.is_some_and(|(own, others)| own.is_disjoint(others))
            || types == TypeSet::OBJECT
                && (self.has_other_tags(other) || both_ways(Self::requires_more))
            || types == TypeSet::ARRAY
                && both_ways(|one, other| one.needs_items && other.forbids_items)
    }

    /// Whether both require a member whose listed values have none in common.
    fn has_other_tags(&self, other: &Self) -> bool {
        self.tags.iter().any(|(name, own)| {
            let others = other.tags.get(name);
            others.is_some_and(|others| own.is_disjoint(others))
        })
    }

    /// Whether it requires a member that the other forbids.
    fn requires_more(&self, other: &Self) -> bool {
        other.only.is_some() && self.required.iter().any(|name| other.lacks(name))
    }
}

/// Whether no value can match two of the schemas.
pub(super) fn are_apart(schemas: &[Json]) -> bool {
    let all: Option<Vec<Claims<'_>>> = match schemas.len() <= MOST_BRANCHES {
        true => schemas
            .iter()
            .map(|one| one.as_object().map(Claims::of))
            .collect(),
        false => None,
    };
    all.is_some_and(|all| pairs(&all).all(|(one, other)| one.is_apart_from(other)))
}

/// Whether two of the first schemas exclude each other.
pub(super) fn conflict(schemas: &[Json]) -> bool {
    let all = schemas.iter().filter_map(Json::as_object);
    let all: Vec<Claims<'_>> = all.take(MOST_BRANCHES).map(Claims::of).collect();
    pairs(&all).any(|(one, other)| one.is_apart_from(other))
}

fn pairs<T>(all: &[T]) -> impl Iterator<Item = (&T, &T)> {
    let later = |at: usize| all.iter().skip(at + 1);
    all.iter()
        .enumerate()
        .flat_map(move |(at, one)| later(at).map(move |other| (one, other)))
}

/// The values that a schema lists.
fn listed(schema: &Members) -> Option<ValueSet<'_>> {
    let values = schema.get("const").map(std::slice::from_ref);
    let values = values.or_else(|| schema.get("enum").map(Json::items))?;
    Some(values.iter().collect())
}

/// Whether the empty array does not match.
pub(super) fn needs_items(schema: &Members) -> bool {
    schema
        .get("minItems")
        .is_some_and(|least| least.count() != Some(0))
}

/// Whether only the empty array matches.
pub(super) fn forbids_items(schema: &Members) -> bool {
    let has_any = |keywords: &[&str]| keywords.iter().any(|keyword| schema.has(keyword));
    if schema.has("prefixItems") {
        return false;
    }
    let evaluates = has_any(EVALUATE) || has_any(&["items", "$recursiveRef"]);
    schema.forbids("items") || schema.forbids("unevaluatedItems") && !evaluates
}
