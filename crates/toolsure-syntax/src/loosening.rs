//! How to leave out parts of a schema so that the rest accepts at least as much.
//!
//! For code that removes keywords from a schema, because they are invalid or costly, and must not
//! make it stricter. A subschema without a keyword accepts more than before:
//!
//! * All schemas that apply it, directly or not, are affected: [`Parents::above`].
//! * In an affected schema, most keywords accept more, too. A few may accept less, and must be
//!   left out or replaced: [`consequence`].
//! * [`UNEVALUATED`] keywords apply to the members and items that no other keyword evaluated. They
//!   must be left out if one of those others is.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::dialect::Keyword;

/// What happens to a keyword whose subschema accepts more than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "code that loosens a schema must handle every consequence"
)]
pub enum Consequence {
    /// It stays: it accepts more, too.
    Stays,
    /// It must be left out, because it may accept less.
    LeftOut {
        /// The keywords beside it that have no effect without it.
        without_effect: &'static [Keyword],
    },
    /// `anyOf` must replace it.
    AnyOf,
}

/// What happens to a keyword, in a schema with certain other keywords (`has`), if one of its
/// subschemas accepts more than before.
///
/// | keyword | because a subschema that accepts more may | consequence |
/// |---|---|---|
/// | `not` | match an instance that it did not match | left out |
/// | `if` | select `then` where it selected `else` | left out, and so are `then` and `else` |
/// | `contains` beside `maxContains` | match too many items | left out, and so are both bounds |
/// | `oneOf` | match in addition to another one | replaced by `anyOf`; left out beside an `anyOf` |
/// | any other | only make it accept more | stays |
///
/// ```
/// use toolsure_syntax::Keyword;
/// use toolsure_syntax::loosening::{Consequence, consequence};
///
/// let alone = |keyword| consequence(keyword, |_| false);
/// assert_eq!(alone(Keyword::Not), Consequence::LeftOut { without_effect: &[] });
/// assert_eq!(alone(Keyword::OneOf), Consequence::AnyOf);
/// assert_eq!(alone(Keyword::Contains), Consequence::Stays);
///
/// let bounds = &[Keyword::MinContains, Keyword::MaxContains];
/// assert_eq!(
///     consequence(Keyword::Contains, |other| other == Keyword::MaxContains),
///     Consequence::LeftOut { without_effect: bounds }
/// );
/// ```
#[must_use]
pub fn consequence(keyword: Keyword, has: impl Fn(Keyword) -> bool) -> Consequence {
    let without_effect: &[Keyword] = match keyword {
        Keyword::Not => &[],
        Keyword::If => &[Keyword::Then, Keyword::Else],
        Keyword::Contains if has(Keyword::MaxContains) => {
            &[Keyword::MinContains, Keyword::MaxContains]
        }
        Keyword::OneOf if has(Keyword::AnyOf) => &[],
        Keyword::OneOf => return Consequence::AnyOf,
        _ => return Consequence::Stays,
    };
    Consequence::LeftOut { without_effect }
}

/// The keywords whose effect depends on which other keywords evaluated a member or an item.
pub const UNEVALUATED: &[Keyword] = &[Keyword::UnevaluatedProperties, Keyword::UnevaluatedItems];

/// The schemas that apply each subschema.
///
/// ```
/// use toolsure_syntax::loosening::Parents;
///
/// let mut parents = Parents::default();
/// parents.add("#/not", "#");
/// parents.add("#/not/items", "#/not");
/// parents.add("#/contains", "#");
/// let above = parents.above(["#/not/items"]);
/// assert!(above.contains("#") && !above.contains("#/contains"));
/// assert_eq!(above.len(), 3);
/// ```
#[derive(Debug)]
pub struct Parents<Id>(HashMap<Id, Vec<Id>>);

impl<Id> Default for Parents<Id> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<Id: Copy + Eq + Hash> Parents<Id> {
    /// Adds that the schema `parent` applies `child`.
    pub fn add(&mut self, child: Id, parent: Id) {
        self.0.entry(child).or_default().push(parent);
    }

    /// Some subschemas, and all schemas that apply them, directly or not.
    pub fn above(&self, from: impl IntoIterator<Item = Id>) -> HashSet<Id> {
        let mut waiting: Vec<Id> = from.into_iter().collect();
        let mut found = HashSet::new();
        while let Some(id) = waiting.pop() {
            if found.insert(id) {
                waiting.extend(self.0.get(&id).into_iter().flatten());
            }
        }
        found
    }
}
