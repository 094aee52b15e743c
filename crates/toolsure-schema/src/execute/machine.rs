//! The machine: evaluates one node of a plan for one value.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolsure_json::{Kind, Node, pay_for_number};

use super::allowance::Allowance;
use super::answer::{Answer, NO, internal_error, spend};
use super::deferred::{Deferred, WAITING};
use super::exhausted::Stop;
use super::memo::Memo;
use crate::int::to_usize;
use crate::model::TypeSet;
use crate::plan::{Inspection, NodeIx, Op, Plan, PlanNode, Run};
use crate::price;

/// Scratch memory that outlives one check.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(super) memo: Memo,
    pub(super) seen: Memo,
}

/// Evaluates the nodes of a plan, and holds what evaluation needs.
pub(super) struct Machine<'p, 'w, N> {
    pub(super) plan: &'p Plan,
    pub(super) fuel: u64,
    pub(super) depth: u32,
    pub(super) allowance: Allowance,
    /// Verdicts of nodes that can be reached twice at one instance location.
    pub(super) memo: &'w mut Memo,
    /// The nodes that a collection of evaluated members has visited.
    pub(super) seen: &'w mut Memo,
    pub(super) collections: usize,
    /// How many nested collections are in progress.
    pub(super) collecting: usize,
    /// Expensive members, deferred until the cheap ones are done.
    pub(super) deferred: SmallVec<[Deferred<'p, N>; WAITING]>,
}

impl<'p, 'w, 'i, N: Node<'i>> Machine<'p, 'w, N> {
    #[inline(always)]
    pub(super) fn new(plan: &'p Plan, allowance: Allowance, scratch: &'w mut Scratch) -> Self {
        scratch.memo.clear();
        scratch.seen.clear();
        Self::resumed(plan, allowance, scratch)
    }

    /// A machine that keeps the memo in `scratch`.
    #[inline(always)]
    pub(super) fn resumed(plan: &'p Plan, allowance: Allowance, scratch: &'w mut Scratch) -> Self {
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
    pub(super) fn start(&mut self, value: N) -> Answer {
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
    pub(super) fn evaluate(&mut self, ix: NodeIx, value: N) -> Answer {
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
    pub(super) fn enter(&mut self, ix: NodeIx, value: N) -> Answer {
        self.spend(price::VISIT)?;
        let node = self.plan.node(ix);
        let kind = value.kind();
        if node.traits.memo {
            return self.remembered(ix, node, value, kind);
        }
        self.descend(node, value, kind)
    }

    /// The verdict from the memo; evaluates the node and stores the verdict if it is not there.
    pub(super) fn remembered(
        &mut self,
        ix: NodeIx,
        node: &'p PlanNode,
        value: N,
        kind: Kind,
    ) -> Answer {
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
    pub(super) fn descend(&mut self, node: &'p PlanNode, value: N, kind: Kind) -> Answer {
        if self.depth >= self.allowance.depth {
            return self.too_deep();
        }
        self.depth += 1;
        let matched = self.operate(node, value, kind)?;
        self.depth -= 1;
        ControlFlow::Continue(matched)
    }

    #[cold]
    pub(super) fn too_deep(&self) -> Answer {
        ControlFlow::Break(Stop::Depth)
    }

    /// Executes the runs of a node that concern a value of this kind.
    #[inline]
    pub(super) fn operate(&mut self, node: &'p PlanNode, value: N, kind: Kind) -> Answer {
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
    pub(super) fn lent<M>(&mut self) -> Machine<'p, '_, M> {
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
    pub(super) fn admits(&mut self, types: TypeSet, value: N, kind: Kind) -> Answer {
        if kind == Kind::Number && types.divides_numbers() {
            pay_for_number(value, self)?;
        }
        ControlFlow::Continue(types.admits(value, kind))
    }

    /// Pays for reading a string.
    #[inline]
    pub(super) fn spend_text(&mut self, text: &str) -> ControlFlow<Stop> {
        self.spend_bytes(text.len())
    }

    /// Pays for reading a number of bytes of text.
    #[inline]
    pub(super) fn spend_bytes(&mut self, count: usize) -> ControlFlow<Stop> {
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
    pub(super) fn spend_constant<'v, V: Node<'v>>(&mut self, value: V) -> ControlFlow<Stop> {
        match value.kind() {
            Kind::String => self.spend(price::text(value.string().len())),
            Kind::Number => pay_for_number(value, self),
            _ => ControlFlow::Continue(()),
        }
    }

    /// Pays for work before it is done.
    #[inline]
    pub(super) fn spend(&mut self, price: u64) -> ControlFlow<Stop> {
        spend(&mut self.fuel, price)
    }
}

impl<N> toolsure_json::Meter for Machine<'_, '_, N> {
    type Stop = Stop;

    #[inline]
    fn spend(&mut self, price: u64) -> ControlFlow<Stop> {
        Self::spend(self, price)
    }
}

/// One run of a node's operations.
#[inline]
pub(super) fn run_of<'p>(plan: &'p Plan, node: &PlanNode, run: Run) -> ControlFlow<Stop, &'p [Op]> {
    match plan.run_of(node, run) {
        Some(ops) => ControlFlow::Continue(ops),
        None => internal_error(),
    }
}
