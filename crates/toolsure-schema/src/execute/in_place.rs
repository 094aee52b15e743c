//! Applies other subschemas to the value itself: `$ref`, `allOf`, `anyOf`, `oneOf`, `not` and `if`,
//! then what runs after all other keywords (`unevaluated*`).

use std::ops::ControlFlow;

use toolsure_json::{Kind, Node};

use super::{Answer, Machine, NO, Stop, YES, internal_error, run_of};
use crate::int::to_usize;
use crate::plan::{Left, NodeIx, Op, PlanNode, Run, Select};
use crate::price;

impl<'p, 'i, N: Node<'i>> Machine<'p, '_, N> {
    /// Executes the operations that concern values of any kind.
    #[inline(never)]
    pub(super) fn together(&mut self, node: &'p PlanNode, value: N, kind: Kind) -> Answer {
        let plan = self.plan;
        for op in run_of(plan, node, Run::Any)? {
            if !self.in_place(op, value, kind)? {
                return NO;
            }
        }
        if node.has(Run::Tail.bit()) {
            for op in run_of(plan, node, Run::Tail)? {
                if !self.tail(op, node, value, kind)? {
                    return NO;
                }
            }
        }
        YES
    }

    /// Applies other subschemas to the same value.
    #[inline(always)]
    pub(super) fn in_place(&mut self, op: &Op, value: N, kind: Kind) -> Answer {
        let plan = self.plan;
        match *op {
            Op::Apply(target) => self.evaluate(target, value),
            Op::AllOf(union) => {
                for branch in self.branches(union, value, kind)? {
                    if !self.evaluate(branch, value)? {
                        return NO;
                    }
                }
                YES
            }
            Op::AnyOf(union) => {
                for branch in self.branches(union, value, kind)? {
                    if self.evaluate(branch, value)? {
                        return YES;
                    }
                }
                NO
            }
            Op::OneOf(union) => {
                let mut matched = false;
                for branch in self.branches(union, value, kind)? {
                    if self.evaluate(branch, value)? {
                        if matched {
                            return NO;
                        }
                        matched = true;
                    }
                }
                ControlFlow::Continue(matched)
            }
            Op::Not(target) => ControlFlow::Continue(!self.evaluate(target, value)?),
            Op::If(condition) => {
                let Some(c) = plan.conditions.get(to_usize(condition)) else {
                    return internal_error();
                };
                let next = if self.evaluate(c.test, value)? {
                    c.then
                } else {
                    c.otherwise
                };
                if next == NodeIx::TRUE {
                    YES
                } else {
                    self.evaluate(next, value)
                }
            }
            Op::Object(_) | Op::Array(_) => self.container(op, value, kind),
            Op::Leaf(_) | Op::UnevaluatedItems(_) | Op::UnevaluatedProperties(_) => {
                internal_error()
            }
        }
    }

    /// Evaluates keywords about members or items if a node has more than one walk over them.
    #[inline(never)]
    fn container(&mut self, op: &Op, value: N, kind: Kind) -> Answer {
        let plan = self.plan;
        match (*op, kind) {
            (Op::Object(index), Kind::Object) => match plan.objects.get(to_usize(index)) {
                Some(object) => self.object(object, value),
                None => internal_error(),
            },
            (Op::Array(index), Kind::Array) => match plan.arrays.get(to_usize(index)) {
                Some(array) => self.array(array, value),
                None => internal_error(),
            },
            // Keywords about containers of the other kind, or the value is no container.
            (Op::Object(_) | Op::Array(_), _) => YES,
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

    /// The branches of a union that a value does not rule out at once.
    #[inline]
    pub(super) fn branches(
        &mut self,
        union: u32,
        value: N,
        kind: Kind,
    ) -> ControlFlow<Stop, Left<'p>> {
        let plan = self.plan;
        let Some(union) = plan.unions.get(to_usize(union)) else {
            return internal_error();
        };
        match &union.select {
            Some(select) if kind == Kind::Object => self.chosen(select, value),
            _ => ControlFlow::Continue(Left::all(union.of_others())),
        }
    }

    /// The branches that remain for an object.
    #[inline(never)]
    fn chosen(&mut self, select: &'p Select, value: N) -> ControlFlow<Stop, Left<'p>> {
        self.spend(price::SELECT)?;
        let list = match &select.key {
            None => &select.all,
            Some(key) => match self.look_up(&key.name, 0, value)? {
                None => &key.absent,
                Some(member) => {
                    self.spend_constant(member)?;
                    key.branches(member)
                }
            },
        };
        let names = match select.names_for(list) {
            Some(names) => {
                self.spend(price::rules(list.len()))?;
                Some((names, self.present(&names.table, value)?))
            }
            None => None,
        };
        ControlFlow::Continue(Left::chosen(list, names))
    }

    /// Executes an operation that runs after all other keywords of a subschema have passed.
    #[inline(never)]
    pub(super) fn tail(&mut self, op: &Op, node: &'p PlanNode, value: N, kind: Kind) -> Answer {
        match (*op, kind) {
            (Op::Object(_) | Op::Array(_), _) => self.container(op, value, kind),
            (Op::UnevaluatedProperties(rest), Kind::Object) => {
                self.unevaluated_properties(node, rest, value)
            }
            (Op::UnevaluatedItems(rest), Kind::Array) => self.unevaluated_items(node, rest, value),
            (Op::UnevaluatedProperties(_) | Op::UnevaluatedItems(_), _) => YES,
            (
                Op::Leaf(_)
                | Op::Apply(_)
                | Op::AllOf(_)
                | Op::AnyOf(_)
                | Op::OneOf(_)
                | Op::Not(_)
                | Op::If(_),
                _,
            ) => internal_error(),
        }
    }
}
