//! Which members and items the keywords of a schema evaluate, for `unevaluatedProperties` and
//! `unevaluatedItems` beside them.
//!
//! This depends on the instance. A comparison needs two bounds: what is surely evaluated if the instance is
//! valid, and what is possibly evaluated in some instance.

use std::collections::HashSet;
use std::rc::Rc;

use foldhash::HashMap;

use super::lookup::Lookup;

/// The bound that is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reach {
    /// What is evaluated in every valid instance.
    Surely,
    /// What is evaluated in some instance.
    Possibly,
}

/// Members and items, as the keywords name them.
#[derive(Debug, Default)]
pub(super) struct Evaluated<'a> {
    pub(super) names: HashSet<&'a str>,
    pub(super) patterns: HashSet<&'a str>,
    pub(super) all_names: bool,
    /// The number of items evaluated, from the first.
    pub(super) items: usize,
    pub(super) all_items: bool,
}

/// What the keywords of schemas evaluate, by the ids of the schemas.
pub(super) type EvaluatedBy<'a> = HashMap<(usize, Reach), Rc<Evaluated<'a>>>;

impl<'a> Evaluated<'a> {
    /// Whether a member with this name is evaluated; `None` if unknown.
    pub(super) fn has_name(&self, lookup: &Lookup<'a>, name: &str) -> Option<bool> {
        if self.all_names || self.names.contains(name) {
            return Some(true);
        }
        let mut answer = Some(false);
        for pattern in &self.patterns {
            match lookup.matches(pattern, name) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => answer = None,
            }
            if lookup.patterns_used_up() {
                return None;
            }
        }
        answer
    }

    /// Whether every member that `other` evaluates is evaluated here too.
    pub(super) fn holds_names_of(&self, lookup: &Lookup<'a>, other: &Evaluated<'_>) -> bool {
        let name = |name: &&str| self.has_name(lookup, name) == Some(true);
        let pattern = |pattern: &&str| self.patterns.contains(pattern);
        self.all_names
            || (!other.all_names
                && other.patterns.iter().all(pattern)
                && other.names.iter().all(name))
    }

    /// Whether every item that `other` evaluates is evaluated here too.
    pub(super) fn holds_items_of(&self, other: &Evaluated<'_>) -> bool {
        self.all_items || (!other.all_items && other.items <= self.items)
    }
}
