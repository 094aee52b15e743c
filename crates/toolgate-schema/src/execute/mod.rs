//! The evaluator: runs a program, optimised or plain, over an instance, and pays for each step.
//!
//! Every answer is three-valued: `Continue(true)`, `Continue(false)`, or `Break` when a limit is
//! reached. Only a `Continue` can be negated by `not`, counted by `oneOf` or chosen by `if`; a
//! `Break` ends the check.
//!
//! The fuel a check takes depends on the schema and the instance alone, not on the order of members
//! or on how the instance is held in memory. For this reason the walk over members does not stop at
//! the first failure; expensive members are deferred and then evaluated in schema order.
//!
//! Functions that do not recurse are not inlined if that would put their locals on the stack of
//! functions that do.

mod applied;
mod array;
mod covered;
mod evaluated;
mod evaluator;
mod exhausted;
mod in_place;
mod leaf;
mod lookahead;
mod memo;
mod name;
mod object;
mod side_by_side;
mod stream;

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolgate_json::{Kind, Node, pay_for_number};

pub(crate) use applied::{Applied, Part, Wanted};
pub(crate) use evaluator::{Evaluator, ValueOrName};
pub use exhausted::Exhausted;
use exhausted::Stop;
pub(crate) use memo::Memo;
pub(crate) use stream::run as run_stream;

use crate::int::to_usize;
use crate::model::TypeSet;
use crate::plan::{Inspection, NodeIx, Op, Plan, PlanNode, Run};
use crate::price;

/// The answer of a plan that contradicts itself.
#[cold]
fn internal_error<T>() -> ControlFlow<Stop, T> {
    ControlFlow::Break(Stop::Internal)
}

/// The fuel and the depth that a check may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) fuel: u64,
    pub(crate) depth: u32,
}

impl Allowance {
    /// What the pass that checks a text while it is read may use. If that pass cannot decide, what
    /// it spent is lost, and the whole text is checked with all of the fuel.
    pub(crate) fn for_first_pass(self) -> Self {
        let fuel = self.fuel.min(LEAST_FUEL.max(self.fuel / 4));
        Self { fuel, ..self }
    }
}

/// Scratch memory that outlives one check.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    memo: Memo,
    seen: Memo,
}

/// Runs a plan over an instance. Also returns how much fuel it took.
pub(crate) fn run<'i, N: Node<'i>>(
    plan: &Plan,
    instance: N,
    allowance: Allowance,
    scratch: &mut Scratch,
) -> (ControlFlow<Exhausted, bool>, u64) {
    let mut machine = Machine::new(plan, allowance, scratch);
    let answer = machine.start(instance);
    let answer = answer.map_break(|stop| stop.exhausted(allowance));
    (answer, allowance.fuel - machine.fuel)
}

/// The result of an evaluation.
type Answer = ControlFlow<Stop, bool>;

const YES: Answer = ControlFlow::Continue(true);
const NO: Answer = ControlFlow::Continue(false);

struct Machine<'p, 'w, N> {
    plan: &'p Plan,
    fuel: u64,
    depth: u32,
    allowance: Allowance,
    /// Verdicts of nodes that can be reached twice at one instance location.
    memo: &'w mut Memo,
    /// The nodes that a collection of evaluated members has visited.
    seen: &'w mut Memo,
    collections: usize,
    /// How many nested collections are in progress.
    collecting: usize,
    /// Expensive members, deferred until the cheap ones are done.
    deferred: SmallVec<[object::Deferred<'p, N>; object::WAITING]>,
}

impl<'p, 'w, 'i, N: Node<'i>> Machine<'p, 'w, N> {
    #[inline(always)]
    fn new(plan: &'p Plan, allowance: Allowance, scratch: &'w mut Scratch) -> Self {
        scratch.memo.clear();
        scratch.seen.clear();
        Self::resumed(plan, allowance, scratch)
    }

    /// A machine that keeps the memo in `scratch`.
    #[inline(always)]
    fn resumed(plan: &'p Plan, allowance: Allowance, scratch: &'w mut Scratch) -> Self {
        Self {
            plan,
            fuel: allowance.fuel,
            depth: 0,
            allowance,
            memo: &mut scratch.memo,
            seen: &mut scratch.seen,
            collections: 0,
            collecting: 0,
            deferred: SmallVec::new(),
        }
    }

    /// Whether a value matches the schema.
    #[inline(always)]
    fn start(&mut self, value: N) -> Answer {
        let plan = self.plan;
        let kind = value.kind();
        let target = plan.of_kind(&plan.start, kind);
        match (target.inspection, kind) {
            (Inspection::Object, Kind::Object)
            | (Inspection::Array | Inspection::Items, Kind::Array)
                if target.types.has_kind(kind) =>
            {
                self.further(target, value)
            }
            _ => self.evaluate(plan.root, value),
        }
    }

    /// Whether a value matches a subschema.
    #[inline]
    fn evaluate(&mut self, ix: NodeIx, value: N) -> Answer {
        let node = self.plan.node(ix);
        let kind = value.kind();
        let admitted = self.admits(node.types, value, kind)?;
        if !admitted || node.traits.types_only {
            self.spend(price::VISIT)?;
            return ControlFlow::Continue(admitted);
        }
        self.enter(ix, value)
    }

    /// Whether a value of an admitted type matches a subschema.
    fn enter(&mut self, ix: NodeIx, value: N) -> Answer {
        self.spend(price::VISIT)?;
        let node = self.plan.node(ix);
        let kind = value.kind();
        if node.traits.memo {
            return self.remembered(ix, node, value, kind);
        }
        self.descend(node, value, kind)
    }

    /// The verdict from the memo; evaluates the node and stores the verdict if it is not there.
    fn remembered(&mut self, ix: NodeIx, node: &'p PlanNode, value: N, kind: Kind) -> Answer {
        self.spend(price::RECALL)?;
        let key = value.identity();
        if let Some(known) = self.memo.get(ix.number(), key) {
            return ControlFlow::Continue(known);
        }
        self.spend(price::MEMO)?;
        let matched = self.descend(node, value, kind)?;
        self.memo.insert(ix.number(), key, matched);
        ControlFlow::Continue(matched)
    }

    #[inline]
    fn descend(&mut self, node: &'p PlanNode, value: N, kind: Kind) -> Answer {
        if self.depth >= self.allowance.depth {
            return self.too_deep();
        }
        self.depth += 1;
        let matched = self.operate(node, value, kind)?;
        self.depth -= 1;
        ControlFlow::Continue(matched)
    }

    #[cold]
    fn too_deep(&self) -> Answer {
        ControlFlow::Break(Stop::Depth)
    }

    /// Executes the runs of a node that concern a value of this kind.
    #[inline]
    fn operate(&mut self, node: &'p PlanNode, value: N, kind: Kind) -> Answer {
        let plan = self.plan;
        let here = match kind {
            Kind::Array | Kind::Object => Run::Head.bit(),
            Kind::Null | Kind::Boolean | Kind::Number | Kind::String => {
                Run::Head.bit() | Run::String.bit() | Run::Number.bit()
            }
        };
        if node.has(here) && !self.leaf(node, value, kind)? {
            return NO;
        }
        let matched = match kind {
            Kind::Object => match plan.objects.get(to_usize(node.object)) {
                Some(object) => self.object(object, value)?,
                None if !node.has(Run::Object.bit()) => true,
                None => return internal_error(),
            },
            Kind::Array => match plan.arrays.get(to_usize(node.array)) {
                Some(array) => self.array(array, value)?,
                None if !node.has(Run::Array.bit()) => true,
                None => return internal_error(),
            },
            Kind::Null | Kind::Boolean | Kind::Number | Kind::String => true,
        };
        if !matched || !node.has(Run::Any.bit() | Run::Tail.bit()) {
            return ControlFlow::Continue(matched);
        }
        self.together(node, value, kind)
    }

    /// A machine that uses the same fuel and memory for values of another representation. The
    /// caller must copy back the fuel that it spent.
    #[inline(always)]
    fn lent<M>(&mut self) -> Machine<'p, '_, M> {
        Machine {
            plan: self.plan,
            fuel: self.fuel,
            depth: self.depth,
            allowance: self.allowance,
            memo: &mut *self.memo,
            seen: &mut *self.seen,
            collections: self.collections,
            collecting: self.collecting,
            deferred: SmallVec::new(),
        }
    }

    /// Whether a value of a kind has one of some types.
    #[inline(always)]
    fn admits(&mut self, types: TypeSet, value: N, kind: Kind) -> Answer {
        if kind == Kind::Number && types.divides_numbers() {
            pay_for_number(value, self)?;
        }
        ControlFlow::Continue(types.admits(value, kind))
    }

    /// Pays for reading a string.
    #[inline]
    fn spend_text(&mut self, text: &str) -> ControlFlow<Stop> {
        self.spend_bytes(text.len())
    }

    /// Pays for reading a number of bytes of text.
    #[inline]
    fn spend_bytes(&mut self, count: usize) -> ControlFlow<Stop> {
        let price = price::text(count);
        if price == 0 {
            ControlFlow::Continue(())
        } else {
            self.spend(price)
        }
    }
}

impl<N> Machine<'_, '_, N> {
    /// Pays for comparing a value with constants.
    #[inline]
    fn spend_constant<'v, V: Node<'v>>(&mut self, value: V) -> ControlFlow<Stop> {
        match value.kind() {
            Kind::String => self.spend(price::text(value.string().len())),
            Kind::Number => pay_for_number(value, self),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Pays for work before it is done.
    #[inline]
    fn spend(&mut self, price: u64) -> ControlFlow<Stop> {
        spend(&mut self.fuel, price)
    }
}

impl<N> toolgate_json::Meter for Machine<'_, '_, N> {
    type Stop = Stop;

    #[inline]
    fn spend(&mut self, price: u64) -> ControlFlow<Stop> {
        Self::spend(self, price)
    }
}

/// Pays for work before it is done.
#[inline(always)]
fn spend(fuel: &mut u64, price: u64) -> ControlFlow<Stop> {
    // This build only measures the cost of metering: it has no fuel limit.
    if cfg!(toolgate_unmetered) {
        return ControlFlow::Continue(());
    }
    match fuel.checked_sub(price) {
        Some(left) => {
            *fuel = left;
            ControlFlow::Continue(())
        }
        None => run_dry(fuel),
    }
}

/// Sets the fuel to zero after a price could not be paid, so that no cheaper operation succeeds
/// afterwards.
#[cold]
fn run_dry(fuel: &mut u64) -> ControlFlow<Stop> {
    *fuel = 0;
    ControlFlow::Break(Stop::Fuel)
}

/// One run of a node's operations.
#[inline]
fn run_of<'p>(plan: &'p Plan, node: &PlanNode, run: Run) -> ControlFlow<Stop, &'p [Op]> {
    match plan.run_of(node, run) {
        Some(ops) => ControlFlow::Continue(ops),
        None => internal_error(),
    }
}

/// Fuel of which the first pass may use all.
const LEAST_FUEL: u64 = 1 << 14;
