//! Sets of values, compared as JSON Schema compares them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use toolsure_json::Number;

use super::tree::Json;

/// A set of values.
#[derive(Debug, Default)]
pub(super) struct ValueSet<'v> {
    by_hash: HashMap<u64, Vec<&'v Json>>,
}

impl<'v> ValueSet<'v> {
    /// Adds a value; returns whether it was absent.
    pub(super) fn insert(&mut self, value: &'v Json) -> bool {
        let same_hash = self.by_hash.entry(hash(value)).or_default();
        let absent = !same_hash.iter().any(|known| known.equals(value));
        if absent {
            same_hash.push(value);
        }
        absent
    }

    pub(super) fn contains(&self, value: &Json) -> bool {
        let same_hash = self.by_hash.get(&hash(value));
        same_hash.is_some_and(|known| known.iter().any(|known| known.equals(value)))
    }

    /// Whether no value is in both sets.
    pub(super) fn is_disjoint(&self, other: &Self) -> bool {
        let mut own = self.by_hash.values().flatten();
        !own.any(|value| other.contains(value))
    }
}

impl<'v> FromIterator<&'v Json> for ValueSet<'v> {
    fn from_iter<I: IntoIterator<Item = &'v Json>>(values: I) -> Self {
        let mut set = Self::default();
        for value in values {
            set.insert(value);
        }
        set
    }
}

/// The same for values that are equal.
fn hash(value: &Json) -> u64 {
    let mut state = DefaultHasher::new();
    match value {
        Json::Null => {}
        Json::Bool(flag) => flag.hash(&mut state),
        Json::Number(text) => match Number::parse(text) {
            Some(number) => number.hash64().hash(&mut state),
            None => text.hash(&mut state),
        },
        Json::Text(text) => text.hash(&mut state),
        Json::Array(items) => items.iter().for_each(|item| hash(item).hash(&mut state)),
        Json::Object(members) => {
            // Members in any order are the same object.
            let each = members.list.iter().map(|(name, value)| {
                let mut state = DefaultHasher::new();
                (name, hash(value)).hash(&mut state);
                state.finish()
            });
            each.fold(0, u64::wrapping_add).hash(&mut state);
        }
    }
    state.finish()
}
