//! Decides by rules whether every value of one schema is a value of another.
//!
//! The left side is a conjunction of schemas with a set of types; the right side is one schema, compared
//! keyword by keyword. A pair that recurs during its own comparison is assumed to hold (schemas are finite,
//! and values are built from the bottom up); if it then fails, all results that depend on it are discarded.

use std::collections::HashMap;
use std::ops::ControlFlow;

use toolsure_generate::Step;
use toolsure_json::{Kind, Meter as _, Node as _, View, equal};
use toolsure_syntax::Dialect;
use toolsure_syntax::model::TypeSet;

use super::document::{Doc, References};
use super::facts::Facts;
use super::lookup::Work;
use super::only::Only;
use super::reason::{Compared, Reason};
use super::report::Side;

/// The left side: all of these schemas hold, for values of these types.
#[derive(Clone)]
pub(super) struct Left<'a> {
    pub(super) schemas: Vec<View<'a>>,
    pub(super) mask: TypeSet,
    /// The unions whose branch was already chosen.
    taken: Vec<usize>,
}

impl<'a> Left<'a> {
    pub(super) fn of(schemas: Vec<View<'a>>) -> Self {
        Self {
            schemas,
            mask: TypeSet::ALL,
            taken: Vec::new(),
        }
    }

    pub(super) fn masked(mut self, mask: TypeSet) -> Self {
        self.mask = self.mask.intersection(mask);
        self
    }
}

type Key = (Vec<usize>, TypeSet, usize, usize);

/// One comparison of two documents.
pub(super) struct Comparison<'a> {
    pub(super) left: Doc<'a>,
    pub(super) right: Doc<'a>,
    /// Whether the right side is the newer one.
    pub(super) forward: bool,
    /// The side of the tool whose schemas they are.
    pub(super) side: Side,
    pub(super) reasons: Vec<Reason<'a>>,
    pub(super) safe_bounds: Vec<Reason<'a>>,
    pub(super) place: Vec<Step>,
    pub(super) sure: bool,
    /// What a report made now is about.
    pub(super) keyword: Option<&'static str>,
    pub(super) only: Option<Only<'a>>,
    pub(super) union_at: Option<usize>,
    /// Whether the left side is one of several branches, or inside of one.
    pub(super) in_branch: bool,
    /// How many trials are running, which report nothing.
    pub(super) quiet: usize,
    known: HashMap<Key, bool>,
    log: Vec<Key>,
    pub(super) work: Work,
    depth: usize,
    /// Whether schemas with the same text mean the same in both documents.
    same_references: bool,
}

impl<'a> Comparison<'a> {
    /// What the left document accepts and the right one does not; empty if there is nothing. Takes what it
    /// uses from `pairs`, at most `most`.
    pub(super) fn run(
        left: &Doc<'a>,
        right: &Doc<'a>,
        (side, forward): (Side, bool),
        most: usize,
        pairs: &mut usize,
    ) -> Compared<'a> {
        let granted = most.min(*pairs);
        let mut comparison = Self {
            left: left.clone(),
            right: right.clone(),
            forward,
            side,
            reasons: Vec::new(),
            safe_bounds: Vec::new(),
            place: Vec::new(),
            sure: true,
            keyword: None,
            only: None,
            union_at: None,
            in_branch: false,
            quiet: 0,
            known: HashMap::new(),
            log: Vec::new(),
            work: Work(
                u64::try_from(granted)
                    .unwrap_or(u64::MAX)
                    .saturating_mul(PAIR),
            ),
            depth: 0,
            same_references: false,
        };
        comparison.whole();
        let left_over = usize::try_from(comparison.work.0.div_euclid(PAIR)).unwrap_or(0);
        *pairs = pairs.saturating_sub(granted.saturating_sub(left_over).max(1));
        Compared {
            reasons: comparison.reasons,
            bounds: comparison.safe_bounds,
        }
    }

    fn whole(&mut self) {
        let (old, new) = (self.left.root, self.right.root);
        if let Some(why) = self.left.beyond_rules.or(self.right.beyond_rules) {
            self.say(false, why.to_owned());
            return;
        }
        let only_right_is = |dialect| self.right.dialect == dialect && self.left.dialect != dialect;
        if only_right_is(Dialect::Draft4) && self.right.names_integers {
            // 1.0 is an integer in all dialects except draft 4.
            self.say(
                false,
                "`$schema` now has another meaning of `integer`".to_owned(),
            );
        }
        self.same_references = match self.left.references.max(self.right.references) {
            References::None | References::Registered => true,
            References::ToDefinitions => ["$defs", "definitions"].iter().all(|name| {
                match (old.member(name), new.member(name)) {
                    (None, None) => true,
                    (Some(a), Some(b)) => self.equal(a, b) && self.reads_alike(a),
                    _ => false,
                }
            }),
            References::Elsewhere => false,
        };
        let mut left = Left::of(vec![old]);
        if self.left.is_of_arguments {
            left = left.masked(TypeSet::OBJECT);
        }
        self.contained(&left, new);
    }

    /// Whether the right schema accepts everything that the left accepts; reports what it is not known to
    /// accept.
    pub(super) fn contained(&mut self, left: &Left<'a>, right: View<'a>) -> bool {
        if right.kind() == Kind::Boolean && right.boolean() {
            return true;
        }
        if left.schemas.iter().any(|one| self.same(*one, right)) {
            return true;
        }
        let mut ids: Vec<usize> = left.schemas.iter().map(|one| one.id().index()).collect();
        ids.sort_unstable();
        let key = (ids, left.mask, left.taken.len(), right.id().index());
        match self.known.get(&key) {
            Some(true) => return true,
            Some(false) if self.quiet > 0 => return false,
            _ => {}
        }
        if !self.pay(PAIR) || self.depth >= DEEPEST {
            return self.too_large();
        }
        self.depth = self.depth.saturating_add(1);
        let mark = self.log.len();
        self.known.insert(key.clone(), true);
        self.log.push(key.clone());
        let before = (self.sure, self.keyword.take(), self.only.take());
        let holds = self.compare(left, right);
        (self.sure, self.keyword, self.only) = before;
        self.depth = self.depth.saturating_sub(1);
        if !holds {
            for forgotten in self.log.drain(mark..) {
                self.known.remove(&forgotten);
            }
            self.known.insert(key, false);
        }
        holds
    }

    fn compare(&mut self, left: &Left<'a>, right: View<'a>) -> bool {
        let facts = Facts::of(&self.left, &left.schemas);
        if facts.never {
            return true;
        }
        self.sure &=
            !facts.opaque && facts.unevaluated.is_empty() && !facts.has_keyword_without_rule();
        let wanted = Facts::of(&self.right, &[right]);
        if wanted.never {
            return self.say_both(
                true,
                "nothing is accepted here any more",
                "something is accepted here",
            );
        }
        if wanted.opaque {
            return self.say(
                false,
                "a reference cannot be followed by the rules".to_owned(),
            );
        }
        if self.trial(|this| this.all_nodes(left, &facts, &wanted)) {
            return true;
        }
        let choice = facts
            .all("anyOf")
            .into_iter()
            .chain(facts.all("oneOf"))
            .find(|list| !left.taken.contains(&list.id().index()));
        let branches =
            choice.filter(|list| list.len() <= MOST_BRANCHES && left.taken.len() < MOST_SPLITS);
        let Some(list) = branches else {
            return self.all_nodes(left, &facts, &wanted);
        };
        let mut holds = true;
        self.sure &= list.len() <= 1;
        let in_branch = std::mem::replace(&mut self.in_branch, true);
        for branch in list.items() {
            let mut narrower = left.clone();
            narrower.schemas.push(branch);
            narrower.taken.push(list.id().index());
            let types = Facts::of(&self.left, &narrower.schemas).types();
            holds &= !types.intersects(left.mask) || self.contained(&narrower, right);
        }
        self.in_branch = in_branch;
        holds
    }

    fn all_nodes(&mut self, left: &Left<'a>, facts: &Facts<'a>, wanted: &Facts<'a>) -> bool {
        let mut holds = true;
        for node in &wanted.nodes {
            // A node that the left side has in the same words needs no proof.
            if !facts.nodes.iter().any(|one| self.same(*one, *node)) {
                holds &= self.node(left, facts, *node);
                if !holds && !self.heard() {
                    return false;
                }
            }
        }
        holds
    }

    /// Compares one plain node of the right side.
    fn node(&mut self, left: &Left<'a>, facts: &Facts<'a>, node: View<'a>) -> bool {
        let listed = facts.values().map_or(0, <[View<'_>]>::len);
        if !self.pay(u64::try_from(listed).unwrap_or(u64::MAX)) {
            return self.too_large();
        }
        let types = facts.possible_types().intersection(left.mask);
        if types.is_empty() {
            return true;
        }
        let mut holds = self.leaves(facts, types, node);
        if !holds && !self.heard() {
            return false;
        }
        holds &= self.objects(facts, types, node);
        holds &= self.arrays(facts, types, node);
        holds &= self.unevaluated(facts, types, node);
        holds &= self.without_rule(facts, types, node);
        holds & self.choices(left, facts, types, node)
    }

    /// A keyword that holds if the left side has the same value.
    pub(super) fn verbatim(
        &mut self,
        facts: &Facts<'a>,
        node: View<'a>,
        keyword: &'static str,
    ) -> bool {
        let Some(wanted) = self.right.keyword(node, keyword) else {
            return true;
        };
        let mut own = facts.all(keyword).into_iter();
        own.any(|own| self.same(own, wanted)) || self.keyword_changed(facts, keyword)
    }

    /// Reports that a keyword was added, removed or changed. Always `false`.
    pub(super) fn keyword_changed(&mut self, facts: &Facts<'a>, keyword: &'static str) -> bool {
        self.about(keyword, |this| this.say_keyword_changed(facts, keyword))
    }

    fn say_keyword_changed(&mut self, facts: &Facts<'a>, keyword: &str) -> bool {
        if facts.all(keyword).is_empty() {
            let (new, gone) = (
                format!("`{keyword}` is new"),
                format!("`{keyword}` is gone"),
            );
            return self.say_both(false, &new, &gone);
        }
        self.say(false, format!("`{keyword}` changed"))
    }

    /// Whether two schemas are equal and mean the same.
    pub(super) fn same(&mut self, a: View<'a>, b: View<'a>) -> bool {
        let (text, other) = (a.raw(), b.raw());
        // Except for white space, equal values have texts of similar size; this is only a rough filter.
        if text.len() > other.len().saturating_mul(4) || other.len() > text.len().saturating_mul(4)
        {
            return false;
        }
        // The name of a keyword may be written with escapes.
        let refers = |text: &str| text.contains("\"$") || text.contains("\\u");
        (self.same_references || !refers(text)) && self.equal(a, b) && self.reads_alike(a)
    }

    /// Whether two values are known to be equal.
    pub(super) fn equal(&mut self, a: View<'a>, b: View<'a>) -> bool {
        matches!(equal(a, b, &mut self.work), ControlFlow::Continue(true))
    }

    /// Pays for a step; `false` if the budget is used up.
    pub(super) fn pay(&mut self, units: u64) -> bool {
        self.work.spend(units).is_continue()
    }

    pub(super) fn has_work(&self) -> bool {
        self.work.0 > 0
    }

    /// Whether a report made now would be kept.
    pub(super) fn heard(&self) -> bool {
        self.quiet == 0 && self.reasons.len() < MOST_REASONS && self.work.0 > 0
    }

    /// Runs a comparison only for its result.
    pub(super) fn trial(&mut self, run: impl FnOnce(&mut Self) -> bool) -> bool {
        self.quiet = self.quiet.saturating_add(1);
        let answer = run(self);
        self.quiet = self.quiet.saturating_sub(1);
        answer
    }

    /// Runs a comparison of a part.
    pub(super) fn within(&mut self, step: Step, run: impl FnOnce(&mut Self) -> bool) -> bool {
        self.place.push(step);
        let answer = run(self);
        self.place.pop();
        answer
    }
}

/// The cost of comparing a pair of schemas; a value costs one.
pub(super) const PAIR: u64 = 64;
const DEEPEST: usize = 80;
pub(super) const MOST_BRANCHES: usize = 64;
const MOST_SPLITS: usize = 4;
/// Reasons that are kept.
pub(super) const MOST_REASONS: usize = 100;
