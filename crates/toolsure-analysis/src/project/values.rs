//! Sets of values, compared as JSON Schema compares them.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::tree::Json;

/// A set of values. It is a tree, because equal hashes can be made on purpose.
#[derive(Debug, Default)]
pub(super) struct ValueSet<'v>(BTreeSet<Ordered<'v>>);

/// A value with an order in which equal values are equal.
#[derive(Debug)]
struct Ordered<'v>(&'v Json);

impl<'v> ValueSet<'v> {
    /// Adds a value; returns whether it was absent.
    pub(super) fn insert(&mut self, value: &'v Json) -> bool {
        self.0.insert(Ordered(value))
    }

    pub(super) fn contains(&self, value: &'v Json) -> bool {
        self.0.contains(&Ordered(value))
    }

    /// Whether no value is in both sets.
    pub(super) fn is_disjoint(&self, other: &Self) -> bool {
        self.0.is_disjoint(&other.0)
    }
}

impl<'v> FromIterator<&'v Json> for ValueSet<'v> {
    fn from_iter<I: IntoIterator<Item = &'v Json>>(values: I) -> Self {
        Self(values.into_iter().map(Ordered).collect())
    }
}

impl PartialEq for Ordered<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered<'_> {}

impl PartialOrd for Ordered<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.compare(other.0)
    }
}
