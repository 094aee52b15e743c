//! Lists the subschemas that a failed keyword applies, and the values it applies them to, so that a
//! report can say why it failed. Uses the same walks over members and items as the verdict does.

use std::ops::ControlFlow;

use toolsure_json::{Key as _, Kind, Node};

use super::covered::AppliedBy;
use super::name::Name;
use super::object::Triggered;
use super::{Machine, Stop, internal_error};
use crate::int::{to_u32, to_usize};
use crate::plan::{ArrayPlan, NodeIx, ObjectPlan, Op, Plan};
use crate::price;

/// A subschema that a keyword applies, and the part of the value it applies it to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Applied<'i, N> {
    pub(crate) node: NodeIx,
    /// Position among the subschemas of the keyword.
    pub(crate) place: u32,
    pub(crate) to: Part<'i, N>,
}

/// The part of a value that a subschema is applied to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'i, N> {
    /// The value itself.
    Whole,
    Member(&'i str, N),
    Item(usize, N),
    /// The name of a member.
    Name(Name<'i>),
}

/// Which of the subschemas that a keyword applies to collect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    /// Those that fail, or that nest too deeply to decide. Collects at most `most + 1` subschemas
    /// for members and items, because there can be many and each becomes a finding.
    Failing {
        most: usize,
    },
}

impl Wanted {
    /// Whether a subschema can be skipped because it only asks for a type and the value has it.
    fn passes<'i>(self, plan: &Plan, node: NodeIx, value: impl Node<'i>) -> bool {
        let node = plan.node(node);
        self != Self::All
            && node.traits.types_only
            && value.number_bytes() == 0
            && node.types.admits(value, value.kind())
    }
}

impl<N> Part<'_, N> {
    fn is_value(&self) -> bool {
        !matches!(self, Self::Name(_))
    }
}

/// The collected subschemas that a keyword applies to a value or to its parts.
struct Gathered<'l, 'i, N> {
    value: N,
    wanted: Wanted,
    /// The subschemas of other keywords, followed by those of this one.
    list: &'l mut Vec<Applied<'i, N>>,
    /// How many belong to other keywords.
    start: usize,
}

impl<'i, N: Node<'i>> Gathered<'_, 'i, N> {
    /// Whether no more subschemas for members and items can be added.
    fn is_full(&self) -> bool {
        match self.wanted {
            Wanted::All => false,
            Wanted::Failing { most } => self.list.len() - self.start > most,
        }
    }

    /// Adds one subschema, if it is wanted.
    fn add(&mut self, machine: &mut Machine<'_, '_, N>, one: Applied<'i, N>) -> ControlFlow<Stop> {
        let fails = self.wanted == Wanted::All || !machine.holds(&one, self.value)?;
        if fails && (matches!(one.to, Part::Whole) || !self.is_full()) {
            self.list.push(one);
        }
        ControlFlow::Continue(())
    }

    /// Adds the wanted subschemas that apply to the value itself.
    fn add_whole(
        &mut self,
        machine: &mut Machine<'_, '_, N>,
        nodes: impl IntoIterator<Item = NodeIx>,
    ) -> ControlFlow<Stop> {
        for (place, node) in (0..).zip(nodes) {
            let to = Part::Whole;
            self.add(machine, Applied { node, place, to })?;
        }
        ControlFlow::Continue(())
    }
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Appends the subschemas that one keyword of a node applies to a list: in schema order for
    /// `properties`, in instance order for all others.
    pub(super) fn applied(
        &mut self,
        owner: NodeIx,
        op: Op,
        value: N,
        wanted: Wanted,
        list: &mut Vec<Applied<'i, N>>,
    ) -> ControlFlow<Stop> {
        let plan = self.plan;
        let kind = value.kind();
        let start = list.len();
        let mut gathered = Gathered {
            value,
            wanted,
            list,
            start,
        };
        match (op, kind) {
            // `type` is not a subschema.
            (Op::Apply(node), _) if node.is_types_only() => {}
            (Op::Apply(node) | Op::Not(node), _) => gathered.add_whole(self, [node])?,
            (Op::AllOf(union) | Op::AnyOf(union) | Op::OneOf(union), _) => {
                let branches = self.branches(union, value, kind)?;
                self.spend(price::visits(plan.branches(union).len()))?;
                gathered.add_whole(self, branches)?;
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
                gathered.add_whole(self, Some(next).filter(|next| *next != NodeIx::TRUE))?;
            }
            (Op::Object(index), Kind::Object) => match plan.objects.get(to_usize(index)) {
                Some(object) => self.applied_to_members(object, &mut gathered)?,
                None => return internal_error(),
            },
            (Op::Array(index), Kind::Array) => match plan.arrays.get(to_usize(index)) {
                Some(array) => self.applied_to_items(array, &mut gathered)?,
                None => return internal_error(),
            },
            (Op::UnevaluatedProperties(node), Kind::Object) => {
                let marks = self.marks(plan.node(owner), value, kind)?;
                for (_, (key, member)) in marks.unmarked(value.members()) {
                    let (place, to) = (0, Part::Member(key.text(), member));
                    gathered.add(self, Applied { node, place, to })?;
                }
            }
            (Op::UnevaluatedItems(node), Kind::Array) => {
                let marks = self.marks(plan.node(owner), value, kind)?;
                for (at, item) in marks.unmarked(value.items()) {
                    let (place, to) = (0, Part::Item(at, item));
                    gathered.add(self, Applied { node, place, to })?;
                }
            }
            (
                Op::Object(_)
                | Op::Array(_)
                | Op::UnevaluatedProperties(_)
                | Op::UnevaluatedItems(_)
                | Op::Leaf(_),
                _,
            ) => {}
        }
        ControlFlow::Continue(())
    }

    /// Whether a subschema is known to hold for the value it is applied to.
    fn holds(&mut self, applied: &Applied<'i, N>, value: N) -> super::Answer {
        let (deferred, depth) = (self.deferred.len(), self.depth);
        let answer = match applied.to {
            Part::Whole => self.evaluate(applied.node, value),
            Part::Member(_, node) | Part::Item(_, node) => self.evaluate(applied.node, node),
            Part::Name(name) => self.on_names(|names| names.evaluate(applied.node, name)),
        };
        if let ControlFlow::Break(Stop::Depth) = answer {
            // Discard the state of the evaluation that was cut short.
            self.deferred.truncate(deferred);
            (self.depth, self.collecting) = (depth, 0);
            return super::NO;
        }
        answer
    }

    fn applied_to_members(
        &mut self,
        object: &'p ObjectPlan,
        gathered: &mut Gathered<'_, 'i, N>,
    ) -> ControlFlow<Stop> {
        let Gathered { value, wanted, .. } = *gathered;
        self.spend(price::visits(value.len()))?;
        let plan = self.plan;
        if wanted != Wanted::All && object.names_decide() && object.additional.is_none() {
            // The schema names all of them; they are sorted into schema order below.
            gathered.wanted = Wanted::Failing { most: usize::MAX };
        }
        self.covered(object, value, |machine, by, _, (key, member)| {
            let to = Part::Member(key.text(), member);
            let (node, place, to) = match by {
                AppliedBy::Name(known) => (known.target.node, known.order, to),
                AppliedBy::Pattern(place, target) => (target.node, to_u32(place), to),
                AppliedBy::Rest(target) => (target.node, 0, to),
                AppliedBy::PropertyNames(schema) => (schema, 0, Part::Name(Name::of(key))),
            };
            // A node that accepts everything stands for a subschema of another keyword.
            if node == NodeIx::TRUE || (wanted.passes(plan, node, member) && to.is_value()) {
                return ControlFlow::Continue(());
            }
            gathered.add(machine, Applied { node, place, to })
        })?;
        if object.patterns.is_empty() {
            // Only `properties` has positions that differ.
            let Some(own) = gathered.list.get_mut(gathered.start..) else {
                return internal_error();
            };
            own.sort_by_key(|applied| applied.place);
        }
        for (place, dependent) in (0..).zip(&object.dependents) {
            if let Some(node) = dependent.schema
                && let Triggered::Yes = self.triggered(object, dependent, value)?
            {
                let to = Part::Whole;
                gathered.add(self, Applied { node, place, to })?;
            }
        }
        ControlFlow::Continue(())
    }

    fn applied_to_items(
        &mut self,
        array: &'p ArrayPlan,
        gathered: &mut Gathered<'_, 'i, N>,
    ) -> ControlFlow<Stop> {
        let Gathered { value, wanted, .. } = *gathered;
        let count = value.len();
        let looked_at = match array.contains {
            Some(_) => count,
            None => array.looked_at(count),
        };
        self.spend(price::visits(looked_at))?;
        let plan = self.plan;
        let prefix = array.prefix.len();
        let items = array.targets().zip(value.items()).take(looked_at);
        for (at, (target, item)) in items.enumerate() {
            let node = array.contains.map_or(target.node, |one| one.schema);
            if node == NodeIx::TRUE || wanted.passes(plan, node, item) {
                continue;
            }
            if gathered.is_full() {
                // Items come in array order, so no price depends on where this stops.
                break;
            }
            let place = to_u32(if at < prefix { at } else { 0 });
            let to = Part::Item(at, item);
            gathered.add(self, Applied { node, place, to })?;
        }
        ControlFlow::Continue(())
    }

    /// Whether all members are present that other members require, ignoring subschemas.
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
