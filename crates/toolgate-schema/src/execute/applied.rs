//! Which subschemas a keyword applies, and to which values: needed when a keyword has failed and
//! somebody wants to know why. Members and items are gone through by the code that decides
//! on them.

use std::ops::ControlFlow;

use toolgate_json::{Key as _, Kind, Node};

use super::covered::AppliedBy;
use super::name::Name;
use super::object::Triggered;
use super::{Machine, Stop, internal_error};
use crate::int::{to_u32, to_usize, units};
use crate::plan::{ArrayPlan, NodeIx, ObjectPlan, Op, Plan};

/// A subschema that a keyword applies, and to what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Applied<'i, N> {
    pub(crate) node: NodeIx,
    /// Its place among the subschemas of the keyword.
    pub(crate) place: u32,
    pub(crate) to: Part<'i, N>,
}

/// What of a value a subschema is applied to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'i, N> {
    /// The value itself.
    Whole,
    Member(&'i str, N),
    Item(usize, N),
    /// The name of a member.
    Name(Name<'i>),
}

/// Which of the subschemas that a keyword applies are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    /// Those that do not hold, or nest too deeply to say. Of items, which are each at a place of
    /// its own and so a finding each, no more than a few over `most`.
    Failing {
        most: usize,
    },
}

impl Wanted {
    /// Whether a subschema can be passed over, since it only asks for the type that the value
    /// has.
    fn passes<'i>(self, plan: &Plan, node: NodeIx, value: impl Node<'i>) -> bool {
        let node = plan.node(node);
        self != Self::All && node.traits.plain && node.types.admits(value, value.kind())
    }
}

impl<N> Part<'_, N> {
    fn is_value(&self) -> bool {
        !matches!(self, Self::Name(_))
    }
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// The subschemas that one keyword of a node applies, in the order of the schema for
    /// `properties`, else in that of the instance.
    pub(super) fn applied(
        &mut self,
        owner: NodeIx,
        op: Op,
        value: N,
        wanted: Wanted,
    ) -> ControlFlow<Stop, Vec<Applied<'i, N>>> {
        let found = self.candidates(owner, op, value, wanted)?;
        match (wanted, op) {
            // Done while they were gathered.
            (Wanted::All, _) | (_, Op::Array(_)) => ControlFlow::Continue(found),
            (Wanted::Failing { .. }, _) => self.failing(found, value),
        }
    }

    /// The same; where failing ones are wanted, some that hold are among them.
    fn candidates(
        &mut self,
        owner: NodeIx,
        op: Op,
        value: N,
        wanted: Wanted,
    ) -> ControlFlow<Stop, Vec<Applied<'i, N>>> {
        let plan = self.plan;
        let kind = value.kind();
        let whole = |(place, node): (u32, NodeIx)| Applied {
            node,
            place,
            to: Part::Whole,
        };
        ControlFlow::Continue(match (op, kind) {
            // `type` is not a subschema.
            (Op::Apply(node), _) if node.is_plain() => Vec::new(),
            (Op::Apply(node) | Op::Not(node), _) => vec![whole((0, node))],
            (Op::AllOf(union) | Op::AnyOf(union) | Op::OneOf(union), _) => {
                let branches = self.branches(union, value, kind)?.iter().copied();
                self.spend(units(branches.len()))?;
                (0..).zip(branches).map(whole).collect()
            }
            (Op::If(condition), _) => {
                let Some(c) = plan.conditions.get(to_usize(condition)) else {
                    return internal_error();
                };
                let next = if c.then == NodeIx::TRUE && c.otherwise == NodeIx::TRUE {
                    c.test
                } else if self.evaluate(c.test, value)? {
                    c.then
                } else {
                    c.otherwise
                };
                let next = Some(next).filter(|next| *next != NodeIx::TRUE);
                next.map(|next| whole((0, next))).into_iter().collect()
            }
            (Op::Object(index), Kind::Object) => match plan.objects.get(to_usize(index)) {
                Some(object) => self.applied_to_members(object, value, wanted)?,
                None => return internal_error(),
            },
            (Op::Array(index), Kind::Array) => match plan.arrays.get(to_usize(index)) {
                Some(array) => self.applied_to_items(array, value, wanted)?,
                None => return internal_error(),
            },
            (Op::UnevaluatedProperties(rest), Kind::Object) => {
                let marks = self.marks(plan.node(owner), value, kind)?;
                let members = marks.unmarked(value.members());
                let member = |(_, (key, member)): (usize, (N::Key, N))| Applied {
                    node: rest,
                    place: 0,
                    to: Part::Member(key.text(), member),
                };
                members.map(member).collect()
            }
            (Op::UnevaluatedItems(rest), Kind::Array) => {
                let marks = self.marks(plan.node(owner), value, kind)?;
                let item = |(at, item)| Applied {
                    node: rest,
                    place: 0,
                    to: Part::Item(at, item),
                };
                marks.unmarked(value.items()).map(item).collect()
            }
            (
                Op::Object(_)
                | Op::Array(_)
                | Op::UnevaluatedProperties(_)
                | Op::UnevaluatedItems(_)
                | Op::Leaf(_),
                _,
            ) => Vec::new(),
        })
    }

    /// Those that are not known to hold.
    fn failing(
        &mut self,
        mut found: Vec<Applied<'i, N>>,
        value: N,
    ) -> ControlFlow<Stop, Vec<Applied<'i, N>>> {
        let mut stopped = ControlFlow::Continue(());
        found.retain(|applied| {
            if stopped.is_break() {
                return false;
            }
            match self.holds(applied, value) {
                ControlFlow::Continue(holds) => !holds,
                ControlFlow::Break(stop) => {
                    stopped = ControlFlow::Break(stop);
                    false
                }
            }
        });
        stopped?;
        ControlFlow::Continue(found)
    }

    /// Whether a subschema is known to hold for what it is applied to.
    fn holds(&mut self, applied: &Applied<'i, N>, value: N) -> super::Answer {
        let (deferred, depth) = (self.deferred.len(), self.depth);
        let answer = match applied.to {
            Part::Whole => self.evaluate(applied.node, value),
            Part::Member(_, node) | Part::Item(_, node) => self.evaluate(applied.node, node),
            Part::Name(name) => self.on_names(|names| names.evaluate(applied.node, name)),
        };
        if let ControlFlow::Break(Stop::Depth) = answer {
            // What was in progress ends here.
            self.deferred.truncate(deferred);
            (self.depth, self.collecting) = (depth, 0);
            return super::NO;
        }
        answer
    }

    fn applied_to_members(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        wanted: Wanted,
    ) -> ControlFlow<Stop, Vec<Applied<'i, N>>> {
        self.spend(units(value.len()))?;
        let plan = self.plan;
        let mut found = Vec::new();
        self.covered(object, value, |by, _, (key, member)| {
            let to = Part::Member(key.text(), member);
            let (node, place, to) = match by {
                AppliedBy::Name(known) => (known.target.node, known.order, to),
                AppliedBy::Pattern(place, target) => (target.node, to_u32(place), to),
                AppliedBy::Rest(target) => (target.node, 0, to),
                AppliedBy::PropertyNames(schema) => (schema, 0, Part::Name(Name::of(key))),
            };
            // A subschema of another keyword is represented by one that accepts everything.
            if node != NodeIx::TRUE && !(wanted.passes(plan, node, member) && to.is_value()) {
                found.push(Applied { node, place, to });
            }
        })?;
        if object.patterns.is_empty() {
            // Only `properties` has places that differ.
            found.sort_by_key(|applied| applied.place);
        }
        for (place, dependent) in (0..).zip(&object.dependents) {
            if let Some(node) = dependent.schema
                && let Triggered::Yes = self.triggered(object, dependent, value)?
            {
                let to = Part::Whole;
                found.push(Applied { node, place, to });
            }
        }
        ControlFlow::Continue(found)
    }

    fn applied_to_items(
        &mut self,
        array: &'p ArrayPlan,
        value: N,
        wanted: Wanted,
    ) -> ControlFlow<Stop, Vec<Applied<'i, N>>> {
        let count = value.len();
        let looked_at = match array.contains {
            Some(_) => count,
            None => array.looked_at(count),
        };
        self.spend(units(looked_at))?;
        let prefix = array.prefix.len();
        let targets = (0..).zip(array.targets()).map(|(at, target)| {
            let node = array.contains.map_or(target.node, |one| one.schema);
            (if at < prefix { at } else { 0 }, node)
        });
        let plan = self.plan;
        let items = targets.zip(value.items().enumerate()).take(looked_at);
        let items = items.filter(|((_, node), (_, item))| !wanted.passes(plan, *node, *item));
        let applied = items.map(|((place, node), (at, item))| Applied {
            node,
            place: to_u32(place),
            to: Part::Item(at, item),
        });
        let mut applied = applied.filter(|one| one.node != NodeIx::TRUE);
        let Wanted::Failing { most } = wanted else {
            return ControlFlow::Continue(applied.collect());
        };
        // An item that `contains` does not match is not a finding.
        let most = array.contains.map_or(most, |_| usize::MAX);
        let mut found = Vec::new();
        while found.len() <= most {
            let some: Vec<_> = applied.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            found.append(&mut self.failing(some, value)?);
        }
        ControlFlow::Continue(found)
    }

    /// Whether the members are there that others demand, subschemas aside.
    pub(super) fn has_dependents(&mut self, op: Op, value: N) -> super::Answer {
        let plan = self.plan;
        let index = match (op, value.kind()) {
            (Op::Object(index), Kind::Object) => index,
            (Op::Object(_), _) => return super::YES,
            _ => return internal_error(),
        };
        let Some(object) = plan.objects.get(to_usize(index)) else {
            return internal_error();
        };
        for dependent in &object.dependents {
            if let Triggered::NamesMissing = self.triggered(object, dependent, value)? {
                return super::NO;
            }
        }
        super::YES
    }
}

/// Items that are gathered before it is looked which of them fail.
const AT_ONCE: usize = 256;
