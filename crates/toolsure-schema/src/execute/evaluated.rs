//! `unevaluatedProperties` and `unevaluatedItems` when the instance decides which members or items
//! have been evaluated.
//!
//! After all other keywords of a subschema have passed, its in-place subschemas are walked again,
//! and every member or item that one of them evaluated is marked. The members and items that remain
//! unmarked must match the keyword's operand. Conditional branches are evaluated again; the memo
//! holds their verdicts.

use std::ops::ControlFlow;

use toolsure_json::{Kind, Node};

use super::covered::AppliedBy;
use super::{Answer, Machine, NO, Stop, YES, internal_error, run_of};
use crate::int::to_usize;
use crate::plan::{ArrayPlan, NodeIx, ObjectPlan, Op, PlanNode, Run};
use crate::price;

/// Which members or items of one value have been evaluated.
pub(super) struct Marks {
    set: Vec<bool>,
    left: usize,
    /// Number of this collection, used as key in the table of visited nodes.
    round: usize,
}

impl Marks {
    fn mark(&mut self, at: usize) {
        if let Some(slot @ false) = self.set.get_mut(at) {
            *slot = true;
            self.left -= 1;
        }
    }

    /// The members or items that were not evaluated, each with its position.
    pub(super) fn unmarked<T>(
        self,
        children: impl Iterator<Item = T>,
    ) -> impl Iterator<Item = (usize, T)> {
        let count = if self.left == 0 { 0 } else { self.set.len() };
        let marked = children.take(count).zip(self.set).enumerate();
        marked.filter_map(|(at, (child, marked))| (!marked).then_some((at, child)))
    }

    fn mark_all(&mut self) {
        self.set.fill(true);
        self.left = 0;
    }
}

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// `unevaluatedProperties`: each member that no keyword of `owner` evaluated must match `rest`.
    pub(super) fn unevaluated_properties(
        &mut self,
        owner: &'p PlanNode,
        rest: NodeIx,
        value: N,
    ) -> Answer {
        let mut matched = true;
        for member in self.unmarked_members(owner, value)? {
            matched &= self.evaluate(rest, member)?;
        }
        ControlFlow::Continue(matched)
    }

    /// The members of an object that no keyword of `owner` evaluated.
    #[inline(never)]
    fn unmarked_members(&mut self, owner: &'p PlanNode, value: N) -> ControlFlow<Stop, Vec<N>> {
        let marks = self.marks(owner, value, Kind::Object)?;
        let members = marks.unmarked(value.members());
        ControlFlow::Continue(members.map(|(_, (_, member))| member).collect())
    }

    /// `unevaluatedItems`: each item that no keyword of `owner` evaluated must match `rest`.
    pub(super) fn unevaluated_items(
        &mut self,
        owner: &'p PlanNode,
        rest: NodeIx,
        value: N,
    ) -> Answer {
        for item in self.unmarked_items(owner, value)? {
            if !self.evaluate(rest, item)? {
                return NO;
            }
        }
        YES
    }

    /// The items of an array that no keyword of `owner` evaluated.
    #[inline(never)]
    fn unmarked_items(&mut self, owner: &'p PlanNode, value: N) -> ControlFlow<Stop, Vec<N>> {
        let marks = self.marks(owner, value, Kind::Array)?;
        let items = marks.unmarked(value.items());
        ControlFlow::Continue(items.map(|(_, item)| item).collect())
    }

    /// Marks what the keywords of `owner` and its in-place subschemas evaluated.
    pub(super) fn marks(
        &mut self,
        owner: &'p PlanNode,
        value: N,
        kind: Kind,
    ) -> ControlFlow<Stop, Marks> {
        let count = value.len();
        self.spend(price::visits(count))?;
        if self.collecting == 0 {
            self.seen.clear();
        }
        self.collecting += 1;
        self.collections += 1;
        let mut marks = Marks {
            set: vec![false; count],
            left: count,
            round: self.collections,
        };
        self.collect(owner, value, kind, &mut marks)?;
        self.collecting -= 1;
        ControlFlow::Continue(marks)
    }

    /// Marks what a node evaluated, given that `value` matches it.
    fn collect(
        &mut self,
        node: &'p PlanNode,
        value: N,
        kind: Kind,
        marks: &mut Marks,
    ) -> ControlFlow<Stop> {
        if self.depth >= self.allowance.depth {
            return ControlFlow::Break(Stop::Depth);
        }
        self.depth += 1;
        let plan = self.plan;
        let run = if kind == Kind::Object {
            Run::Object
        } else {
            Run::Array
        };
        for op in run_of(plan, node, run)? {
            self.collect_children(*op, value, marks)?;
        }
        for op in run_of(plan, node, Run::Any)? {
            if marks.left == 0 {
                break;
            }
            match op {
                Op::Apply(target) => self.visit(*target, value, kind, marks)?,
                Op::AllOf(union) => {
                    for branch in self.branches(*union, value, kind)? {
                        self.visit(branch, value, kind, marks)?;
                    }
                }
                Op::AnyOf(union) | Op::OneOf(union) => {
                    for branch in self.branches(*union, value, kind)? {
                        self.visit_if(branch, value, kind, marks)?;
                    }
                }
                Op::If(condition) => {
                    let Some(c) = plan.conditions.get(to_usize(*condition)) else {
                        return internal_error();
                    };
                    if self.evaluate(c.test, value)? {
                        self.visit(c.test, value, kind, marks)?;
                        self.visit(c.then, value, kind, marks)?;
                    } else {
                        self.visit(c.otherwise, value, kind, marks)?;
                    }
                }
                // A subschema that does not have to match evaluates nothing.
                Op::Not(_) => {}
                Op::Object(_) | Op::Array(_) => self.collect_children(*op, value, marks)?,
                Op::Leaf(_) | Op::UnevaluatedItems(_) | Op::UnevaluatedProperties(_) => {
                    return internal_error();
                }
            }
        }
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    /// Collects from a node that may or may not match.
    fn visit_if(
        &mut self,
        ix: NodeIx,
        value: N,
        kind: Kind,
        marks: &mut Marks,
    ) -> ControlFlow<Stop> {
        if marks.left > 0 && self.evaluate(ix, value)? {
            self.visit(ix, value, kind, marks)?;
        }
        ControlFlow::Continue(())
    }

    /// Collects from a node that matches, once for each collection.
    fn visit(&mut self, ix: NodeIx, value: N, kind: Kind, marks: &mut Marks) -> ControlFlow<Stop> {
        self.spend(price::MEMO)?;
        let node = self.plan.node(ix);
        if node.traits.leaf || self.seen.get(ix.number(), marks.round).is_some() {
            return ControlFlow::Continue(());
        }
        self.seen.insert(ix.number(), marks.round, true);
        for op in run_of(self.plan, node, Run::Tail)? {
            match (op, kind) {
                // It matches, so it has evaluated everything that was left.
                (Op::UnevaluatedProperties(_) | Op::Object(_), Kind::Object)
                | (Op::UnevaluatedItems(_) | Op::Array(_), Kind::Array) => marks.mark_all(),
                (
                    Op::UnevaluatedProperties(_)
                    | Op::Object(_)
                    | Op::UnevaluatedItems(_)
                    | Op::Array(_),
                    _,
                ) => {}
                (
                    Op::Leaf(_)
                    | Op::Apply(_)
                    | Op::AllOf(_)
                    | Op::AnyOf(_)
                    | Op::OneOf(_)
                    | Op::Not(_)
                    | Op::If(_),
                    _,
                ) => return internal_error(),
            }
        }
        if marks.left == 0 {
            return ControlFlow::Continue(());
        }
        self.collect(node, value, kind, marks)
    }

    fn collect_children(&mut self, op: Op, value: N, marks: &mut Marks) -> ControlFlow<Stop> {
        let plan = self.plan;
        match (op, value.kind()) {
            (Op::Object(index), Kind::Object) => match plan.objects.get(to_usize(index)) {
                Some(object) => self.collect_members(object, value, marks),
                None => internal_error(),
            },
            (Op::Array(index), Kind::Array) => match plan.arrays.get(to_usize(index)) {
                Some(array) => self.collect_items(array, value, marks),
                None => internal_error(),
            },
            (Op::Object(_) | Op::Array(_), _) => ControlFlow::Continue(()),
            (
                Op::Leaf(_)
                | Op::Apply(_)
                | Op::AllOf(_)
                | Op::AnyOf(_)
                | Op::OneOf(_)
                | Op::Not(_)
                | Op::If(_)
                | Op::UnevaluatedItems(_)
                | Op::UnevaluatedProperties(_),
                _,
            ) => internal_error(),
        }
    }

    fn collect_members(
        &mut self,
        object: &'p ObjectPlan,
        value: N,
        marks: &mut Marks,
    ) -> ControlFlow<Stop> {
        if object.additional.is_some() {
            marks.mark_all();
            return ControlFlow::Continue(());
        }
        self.spend(price::visits(value.len()))?;
        self.covered(object, value, |_, by, at, _| {
            if !matches!(by, AppliedBy::PropertyNames(_)) {
                marks.mark(at);
            }
            ControlFlow::Continue(())
        })?;
        for dependent in &object.dependents {
            if let Some(schema) = dependent.schema
                && marks.left > 0
                && self.has(object, dependent.trigger, value)?
            {
                self.visit(schema, value, Kind::Object, marks)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn collect_items(
        &mut self,
        array: &ArrayPlan,
        value: N,
        marks: &mut Marks,
    ) -> ControlFlow<Stop> {
        if array.rest.is_some() {
            marks.mark_all();
            return ControlFlow::Continue(());
        }
        for at in 0..array.prefix.len().min(value.len()) {
            marks.mark(at);
        }
        let Some(contains) = array.contains.filter(|contains| contains.evaluates) else {
            return ControlFlow::Continue(());
        };
        self.spend(price::visits(value.len()))?;
        for (at, item) in value.items().enumerate() {
            let open = marks.set.get(at) == Some(&false);
            if open && self.evaluate(contains.schema, item)? {
                marks.mark(at);
            }
        }
        ControlFlow::Continue(())
    }
}
