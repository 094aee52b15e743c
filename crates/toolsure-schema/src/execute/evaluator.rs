//! Evaluates parts of a plain program: single subschemas and single keywords.

use std::ops::ControlFlow;

use toolsure_json::{Kind, Meter, Node};

use super::applied::{Applied, Part, Wanted};
use super::name::Name;
use super::{Allowance, Answer, Exhausted, Machine, Scratch, Stop};
use crate::plan::{NodeIx, Op, Plan, PlanNode, Run};
use crate::price;

/// The instance of a subschema: a value, or a member's name under `propertyNames`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ValueOrName<'i, N> {
    /// A value.
    Value(N),
    /// A name; keywords see it as a string.
    Name(Name<'i>),
}

impl<'i, N: Node<'i>> ValueOrName<'i, N> {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Value(node) => node.kind(),
            Self::Name(_) => Kind::String,
        }
    }

    pub(crate) fn string(self) -> &'i str {
        match self {
            Self::Value(node) => node.string(),
            Self::Name(name) => name.string(),
        }
    }

    pub(crate) fn identity(self) -> usize {
        match self {
            Self::Value(node) => node.identity(),
            Self::Name(name) => name.identity(),
        }
    }

    pub(crate) fn len(self) -> usize {
        self.node().map_or(0, Node::len)
    }

    fn node(self) -> Option<N> {
        match self {
            Self::Value(node) => Some(node),
            Self::Name(_) => None,
        }
    }

    pub(crate) fn array(self) -> Option<N> {
        self.node().filter(|node| node.kind() == Kind::Array)
    }

    pub(crate) fn object(self) -> Option<N> {
        self.node().filter(|node| node.kind() == Kind::Object)
    }

    pub(crate) fn name(self) -> Option<&'i str> {
        match self {
            Self::Value(_) => None,
            Self::Name(name) => Some(name.string()),
        }
    }

    /// The part that a keyword applies a subschema to.
    pub(crate) fn part(self, part: Part<'i, N>) -> Self {
        match part {
            Part::Whole => self,
            Part::Member(_, node) | Part::Item(_, node) => Self::Value(node),
            Part::Name(name) => Self::Name(name),
        }
    }
}

/// Answers questions about parts of a plan. All questions share one amount of fuel and one memo.
/// The answer is missing if it takes too many nested evaluations.
#[derive(Debug)]
pub(crate) struct Evaluator<'p> {
    plan: &'p Plan,
    allowance: Allowance,
    fuel: u64,
    scratch: Scratch,
}

impl<'p> Evaluator<'p> {
    /// An evaluator with an empty memo; it uses the memory of `scratch`.
    pub(crate) fn new(plan: &'p Plan, allowance: Allowance, mut scratch: Scratch) -> Self {
        scratch.memo.clear();
        scratch.seen.clear();
        Self {
            plan,
            allowance,
            fuel: allowance.fuel,
            scratch,
        }
    }

    /// Returns the scratch memory.
    pub(crate) fn into_scratch(self) -> Scratch {
        self.scratch
    }

    /// Restores the full amount of fuel.
    pub(crate) fn refuel(&mut self) {
        self.fuel = self.allowance.fuel;
    }

    /// The total allowance.
    pub(crate) fn allowance(&self) -> Allowance {
        self.allowance
    }

    /// Whether a subschema holds.
    #[inline(never)]
    pub(crate) fn subschema<'i, N: Node<'i>>(
        &mut self,
        ix: NodeIx,
        at: ValueOrName<'i, N>,
    ) -> ControlFlow<Exhausted, Option<bool>> {
        self.ask(|machine| match at {
            ValueOrName::Value(value) => machine.evaluate(ix, value),
            ValueOrName::Name(name) => machine.on_names(|names| names.evaluate(ix, name)),
        })
    }

    /// Whether one keyword of a subschema holds.
    #[inline(never)]
    pub(crate) fn keyword<'i, N: Node<'i>>(
        &mut self,
        owner: NodeIx,
        op: Op,
        at: ValueOrName<'i, N>,
    ) -> ControlFlow<Exhausted, Option<bool>> {
        if let Some(answer) = settled(op, at) {
            self.spend(price::VISIT)?;
            return ControlFlow::Continue(Some(answer));
        }
        let owner = self.plan.node(owner);
        self.ask(|machine| match at {
            ValueOrName::Value(value) => machine.keyword(owner, &op, value),
            ValueOrName::Name(name) => machine.on_names(|names| names.keyword(owner, &op, name)),
        })
    }

    /// Appends the subschemas that a keyword applies to a list: all of them, or only those that are
    /// not known to hold. Returns whether they could be found; if not, appends none.
    #[inline(never)]
    pub(crate) fn applied<'i, N: Node<'i>>(
        &mut self,
        owner: NodeIx,
        op: Op,
        at: ValueOrName<'i, N>,
        wanted: Wanted,
        list: &mut Vec<Applied<'i, N>>,
    ) -> ControlFlow<Exhausted, bool> {
        if settled(op, at) == Some(true) && matches!(op, Op::Object(_) | Op::Array(_)) {
            self.spend(price::VISIT)?;
            return ControlFlow::Continue(true);
        }
        let start = list.len();
        let found = match at {
            ValueOrName::Value(value) => {
                self.ask(|machine| machine.applied(owner, op, value, wanted, list))?
            }
            ValueOrName::Name(name) => {
                let mut of_name = Vec::new();
                let found =
                    self.ask(|names| names.applied(owner, op, name, wanted, &mut of_name))?;
                list.extend(of_name.into_iter().map(to_whole));
                found
            }
        };
        if found.is_none() {
            list.truncate(start);
        }
        ControlFlow::Continue(found.is_some())
    }

    /// Whether all members are present that other members require by name.
    #[inline(never)]
    pub(crate) fn has_dependents<'i, N: Node<'i>>(
        &mut self,
        op: Op,
        at: ValueOrName<'i, N>,
    ) -> ControlFlow<Exhausted, Option<bool>> {
        match at {
            ValueOrName::Value(value) => self.ask(|machine| machine.has_dependents(op, value)),
            ValueOrName::Name(_) => ControlFlow::Continue(Some(true)),
        }
    }

    fn ask<'i, N: Node<'i>, T>(
        &mut self,
        question: impl FnOnce(&mut Machine<'p, '_, N>) -> ControlFlow<Stop, T>,
    ) -> ControlFlow<Exhausted, Option<T>> {
        let allowance = Allowance {
            fuel: self.fuel,
            ..self.allowance
        };
        let mut machine = Machine::resumed(self.plan, allowance, &mut self.scratch);
        let answer = question(&mut machine);
        self.fuel = machine.fuel;
        match answer {
            ControlFlow::Continue(answer) => ControlFlow::Continue(Some(answer)),
            ControlFlow::Break(Stop::Depth) => ControlFlow::Continue(None),
            ControlFlow::Break(stop) => ControlFlow::Break(stop.exhausted(self.allowance)),
        }
    }
}

/// The verdict of a keyword if the value's type alone decides it.
fn settled<'i, N: Node<'i>>(op: Op, at: ValueOrName<'i, N>) -> Option<bool> {
    let kind = at.kind();
    match op {
        Op::Apply(node) => match (node.types(), at) {
            (Some(types), ValueOrName::Value(value)) if value.number_bytes() == 0 => {
                Some(types.admits(value, kind))
            }
            _ => None,
        },
        Op::Leaf(leaf) => match leaf.run() {
            Run::Number => (kind != Kind::Number).then_some(true),
            Run::String => (kind != Kind::String).then_some(true),
            Run::Head | Run::Array | Run::Object | Run::Any | Run::Tail => None,
        },
        Op::Object(_) => (kind != Kind::Object).then_some(true),
        Op::Array(_) => (kind != Kind::Array).then_some(true),
        Op::AllOf(_)
        | Op::AnyOf(_)
        | Op::OneOf(_)
        | Op::Not(_)
        | Op::If(_)
        | Op::UnevaluatedItems(_)
        | Op::UnevaluatedProperties(_) => None,
    }
}

/// Converts a subschema applied to a name into one applied to a value: a name has neither members
/// nor items.
fn to_whole<'i, N>(found: Applied<'i, Name<'i>>) -> Applied<'i, N> {
    Applied {
        node: found.node,
        place: found.place,
        to: Part::Whole,
    }
}

impl Meter for Evaluator<'_> {
    type Stop = Exhausted;

    fn spend(&mut self, units: u64) -> ControlFlow<Exhausted> {
        let paid = super::answer::spend(&mut self.fuel, units);
        paid.map_break(|stop| stop.exhausted(self.allowance))
    }
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Whether one operation of a node holds.
    fn keyword(&mut self, owner: &'p PlanNode, op: &Op, value: N) -> Answer {
        let kind = value.kind();
        self.spend(price::VISIT)?;
        match op {
            Op::Leaf(leaf) => self.value_op(leaf, value, kind),
            Op::Apply(_)
            | Op::AllOf(_)
            | Op::AnyOf(_)
            | Op::OneOf(_)
            | Op::Not(_)
            | Op::If(_)
            | Op::Object(_)
            | Op::Array(_) => self.in_place(op, value, kind),
            Op::UnevaluatedItems(_) | Op::UnevaluatedProperties(_) => {
                self.tail(op, owner, value, kind)
            }
        }
    }
}
