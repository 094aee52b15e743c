//! Cached look-ups that a comparison repeats for one document: members of large objects, values of long
//! lists, and patterns.
//!
//! Each answer is prepared once, so that `n` look-ups in an object of `n` members take `n` steps. Patterns
//! have a budget of their own; after it is used up, it is unknown whether a pattern matches.

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt as _};
use toolsure_json::{Key as _, Meter, Node as _, View, equal, hash_value};
use toolsure_pattern::{Inclusion, Limits, Pattern};

use crate::members::Members;

/// Values of one list, by their hash.
type Values<'a> = HashMap<u64, Vec<View<'a>>>;

/// The result of matching the patterns of one `patternProperties` against a name.
#[derive(Default)]
pub(super) struct Matched<'a> {
    /// The schemas of the patterns that match.
    pub(super) schemas: Vec<View<'a>>,
    /// Whether some pattern may match, but it is unknown.
    pub(super) unknown: bool,
}

/// Prepared answers about one document.
pub(super) struct Lookup<'a> {
    members: Members<'a>,
    values: RefCell<HashMap<usize, Rc<Values<'a>>>>,
    patterns: RefCell<HashMap<&'a str, Option<Rc<Pattern>>>>,
    included: RefCell<HashMap<(&'a str, &'a str, usize), bool>>,
    matched: RefCell<HashMap<(usize, String), Rc<Matched<'a>>>>,
    pattern_work: Cell<u64>,
}

impl<'a> Lookup<'a> {
    pub(super) fn new() -> Self {
        Self {
            members: Members::default(),
            values: RefCell::default(),
            patterns: RefCell::default(),
            included: RefCell::default(),
            matched: RefCell::default(),
            pattern_work: Cell::new(PATTERN_WORK),
        }
    }

    /// The member of an object of this document.
    pub(super) fn member(&self, object: View<'a>, name: &str) -> Option<View<'a>> {
        self.members.find(object, name)
    }

    /// Whether a list of this document has an item equal to `value`; `None` if the meter stops the search.
    pub(super) fn has_item(
        &self,
        list: View<'a>,
        value: View<'_>,
        work: &mut Work,
    ) -> Option<bool> {
        if list.len() <= FEW {
            return among(list.items(), value, work);
        }
        let id = list.id().index();
        let known = self.values.borrow().get(&id).cloned();
        let values = match known {
            Some(values) => values,
            None => {
                let mut values = Values::new();
                for item in list.items() {
                    let ControlFlow::Continue(hash) = hash_value(item, work) else {
                        return None;
                    };
                    values.entry(hash).or_default().push(item);
                }
                let values = Rc::new(values);
                self.values.borrow_mut().insert(id, Rc::clone(&values));
                values
            }
        };
        let ControlFlow::Continue(hash) = hash_value(value, work) else {
            return None;
        };
        let same_hash = values.get(&hash).into_iter().flatten().copied();
        among(same_hash, value, work)
    }

    /// Whether a pattern of this document matches a name; `None` if unknown.
    pub(super) fn matches(&self, pattern: &'a str, name: &str) -> Option<bool> {
        let work = self.pattern_work.get();
        if work == 0 {
            return None;
        }
        let compiled = self.compiled(pattern);
        let work = self.pattern_work.get();
        let granted = work.min(PATTERN_FUEL);
        let mut fuel = granted;
        let answer = compiled?.matches(name, &mut fuel);
        let used = granted.saturating_sub(fuel).saturating_add(PATTERN_LOOK);
        self.pattern_work.set(work.saturating_sub(used));
        answer
    }

    /// A pattern, compiled once; `None` if it is too large or none.
    fn compiled(&self, pattern: &'a str) -> Option<Rc<Pattern>> {
        let mut patterns = self.patterns.borrow_mut();
        let compiled = patterns.entry(pattern).or_insert_with(|| {
            let limits = Limits {
                size: PATTERN_SIZE,
                ..Limits::default()
            };
            let compiled = Pattern::new(pattern, &limits).ok().map(Rc::new);
            let size = compiled.as_ref().map_or(pattern.len(), |one| one.size());
            let price = u64::try_from(size.div_euclid(8)).unwrap_or(u64::MAX);
            self.pattern_work
                .set(self.pattern_work.get().saturating_sub(price));
            compiled
        });
        compiled.clone()
    }

    /// Whether a pattern of this document is known to match all strings of at least this length that another
    /// one matches.
    pub(super) fn includes(&self, pattern: &'a str, other: &'a str, shortest: usize) -> bool {
        let key = (pattern, other, shortest);
        if let Some(known) = self.included.borrow().get(&key) {
            return *known;
        }
        let (wide, narrow) = (self.compiled(pattern), self.compiled(other));
        let includes = wide.zip(narrow);
        let includes = includes.and_then(|(wide, narrow)| self.covers(&wide, &narrow, shortest));
        let includes = includes.unwrap_or(false);
        self.included.borrow_mut().insert(key, includes);
        includes
    }

    /// Whether a pattern that is in no document is known to match all strings that one of this document
    /// matches.
    pub(super) fn is_within(&self, pattern: &'a str, other: &str) -> bool {
        let wide = Pattern::new(other, &Limits::default()).ok();
        let both = self.compiled(pattern).zip(wide);
        let covers = both.and_then(|(narrow, wide)| self.covers(&wide, &narrow, 0));
        covers.unwrap_or(false)
    }

    /// `None` if it is not known.
    fn covers(&self, wide: &Pattern, narrow: &Pattern, shortest: usize) -> Option<bool> {
        let work = self.pattern_work.get();
        let granted = work.div_euclid(INCLUSION_UNIT).min(INCLUSION_FUEL);
        let mut fuel = granted;
        let found = narrow.included_in(wide, shortest, &mut fuel);
        let used = granted.saturating_sub(fuel).saturating_mul(INCLUSION_UNIT);
        self.pattern_work.set(work.saturating_sub(used));
        Some(found? == Inclusion::Included)
    }

    /// Which patterns of a `patternProperties` of this document match a name. When the budget for patterns
    /// is used up, the remaining patterns are not tried and count as unknown.
    pub(super) fn matched(&self, patterns: View<'a>, name: &str) -> Rc<Matched<'a>> {
        let key = (patterns.id().index(), name.to_owned());
        if let Some(known) = self.matched.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut matched = Matched::default();
        for (pattern, schema) in patterns.members() {
            match self.matches(pattern.text(), name) {
                Some(true) => matched.schemas.push(schema),
                Some(false) => {}
                None => matched.unknown = true,
            }
            if self.patterns_used_up() {
                matched.unknown = true;
                break;
            }
        }
        let matched = Rc::new(matched);
        self.matched.borrow_mut().insert(key, Rc::clone(&matched));
        matched
    }

    /// Whether the budget for patterns is used up.
    pub(super) fn patterns_used_up(&self) -> bool {
        self.pattern_work.get() == 0
    }
}

fn among<'b>(
    mut items: impl Iterator<Item = View<'b>>,
    value: View<'_>,
    work: &mut Work,
) -> Option<bool> {
    items
        .find_map(|item| match equal(item, value, work) {
            ControlFlow::Continue(false) => None,
            ControlFlow::Continue(true) => Some(Some(true)),
            ControlFlow::Break(_) => Some(None),
        })
        .unwrap_or(Some(false))
}

/// The number of steps that a comparison may still take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Work(pub(super) u64);

/// The error when a comparison has used all its steps.
#[derive(Debug, Clone, Copy)]
pub(super) struct UsedUp;

impl Meter for Work {
    type Stop = UsedUp;

    fn spend(&mut self, units: u64) -> ControlFlow<UsedUp> {
        match self.0.checked_sub(units) {
            Some(left) => {
                self.0 = left;
                ControlFlow::Continue(())
            }
            None => {
                self.0 = 0;
                ControlFlow::Break(UsedUp)
            }
        }
    }
}

/// Items that are searched one by one.
const FEW: usize = 12;
/// Steps for all patterns of one document: an eighth of a compiled pattern's bytes, [`PATTERN_LOOK`] and
/// the fuel of each match.
const PATTERN_WORK: u64 = 1_000_000;
/// The cost of trying a pattern, in addition to its fuel.
const PATTERN_LOOK: u64 = 4;
const PATTERN_FUEL: u64 = 10_000;
const PATTERN_SIZE: usize = 64 << 10;
/// Units of work of comparing two patterns, and the steps that one of them costs.
const INCLUSION_FUEL: u64 = 20_000;
const INCLUSION_UNIT: u64 = 8;

#[cfg(test)]
mod tests {
    use toolsure_json::{OwnedDocument, ReadLimits};

    use super::*;

    /// The number of steps to look up all names, and the number of unknown answers.
    fn work_of(patterns: usize, names: usize) -> (u64, usize) {
        let members: Vec<String> = (0..patterns)
            .map(|index| format!("\"^b{index}x*\": true"))
            .collect();
        let text = format!("{{{}}}", members.join(", "));
        let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).unwrap();
        let lookup = Lookup::new();
        let all = document.document().root();
        let ask = || {
            (0..names)
                .filter(|name| lookup.matched(all, &format!("aaa{name}")).unknown)
                .count()
        };
        let unknown = ask();
        let left = lookup.pattern_work.get();
        assert_eq!(
            (ask(), lookup.pattern_work.get()),
            (unknown, left),
            "asked again, an answer costs nothing"
        );
        (PATTERN_WORK - left, unknown)
    }

    #[test]
    fn names_times_patterns_stays_within_the_budget_and_the_rest_is_unknown() {
        let (few, unknown) = work_of(50, 100);
        assert!(few < PATTERN_WORK && unknown == 0, "{few} {unknown}");
        for size in [1_000, 2_000] {
            let (work, unknown) = work_of(size, size * 4);
            assert_eq!(work, PATTERN_WORK);
            assert!(unknown > 0, "{size}");
        }
    }
}
