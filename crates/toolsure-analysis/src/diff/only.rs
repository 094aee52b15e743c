//! The values that a reason is about, where other reasons are about other values at the same location.

use toolsure_json::{Node as _, View, equal_values};
use toolsure_syntax::model::TypeSet;

use super::facts::Facts;
use super::tag::Tags;

/// Some of the values at a location.
#[derive(Debug, Clone)]
pub(super) enum Only<'a> {
    /// Those of these types.
    Types(TypeSet),
    /// These.
    Values(Vec<View<'a>>),
    /// Objects with one of these values in a member.
    Tagged(&'a str, Vec<View<'a>>),
}

impl<'a> Only<'a> {
    /// The values of one branch of a union, as far as they tell it from others.
    pub(super) fn of_branch(facts: &Facts<'a>, types: TypeSet) -> Self {
        match (facts.values(), Tags::of(facts).first()) {
            (Some(values), _) => Self::Values(values.to_vec()),
            (None, Some((name, values))) => Self::Tagged(name, values),
            _ => Self::Types(types),
        }
    }

    /// Whether a value is one of them.
    pub(super) fn has(&self, value: View<'_>) -> bool {
        let is_one =
            |value: View<'_>, all: &[View<'a>]| all.iter().any(|one| equal_values(*one, value));
        match self {
            Self::Types(types) => types.intersects(TypeSet::of(value)),
            Self::Values(values) => is_one(value, values),
            Self::Tagged(name, values) => {
                let member = value.member(name);
                member.is_some_and(|member| is_one(member, values))
            }
        }
    }
}
