//! The compiled form that `lower` writes and `execute` reads: flat tables, 32-bit indexes, and
//! operations grouped by the type they concern, so that a string never reaches an object keyword.

mod array;
mod bounds;
mod index;
mod leaf;
mod listing;
mod lookahead;
mod memory;
mod names;
mod node;
mod object;
mod op;
mod plain;
mod settle;
mod shared;
mod slots;
mod summary;
mod union;

use std::sync::Arc;

use thin_vec::ThinVec;
use toolsure_json::{OwnedDocument, View};
use toolsure_pattern::Pattern;

pub(crate) use array::{ArrayPlan, Contains};
pub(crate) use index::NodeIx;
pub(crate) use leaf::{EnumPlan, Leaf, Length, Literal, NumberLiteral};
pub(crate) use names::NameTable;
pub(crate) use node::{NONE, PlanNode, Run, Traits};
pub(crate) use object::{Dependent, ObjectPlan, Slot, Walk};
pub(crate) use op::{Condition, Op};
pub(crate) use plain::{PlainKeyword, PlainPlan, PlainSubschema};
pub(crate) use shared::shared;
pub(crate) use slots::Slots;
pub(crate) use summary::{ByKind, Inspection, NodeSummary};
pub(crate) use union::{Candidate, Constant, Key, Left, Names, Rule, Select, Union};

use crate::int::to_usize;

/// A compiled schema.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) nodes: Vec<PlanNode>,
    pub(crate) ops: Vec<Op>,
    pub(crate) objects: Vec<ObjectPlan>,
    pub(crate) arrays: Vec<ArrayPlan>,
    pub(crate) unions: ThinVec<Union>,
    pub(crate) conditions: ThinVec<Condition>,
    pub(crate) enums: ThinVec<EnumPlan>,
    pub(crate) numbers: ThinVec<NumberLiteral>,
    pub(crate) literals: ThinVec<Literal>,
    pub(crate) patterns: ThinVec<Arc<Pattern>>,
    /// The documents that hold the literals; at most one in a finished plan, and those of the model in
    /// a plain program.
    pub(crate) docs: ThinVec<OwnedDocument>,
    pub(crate) root: NodeIx,
    /// Entry point of evaluation.
    pub(crate) start: NodeSummary,
    /// The rows that [`Inspection::ByKind`] refers to.
    pub(crate) by_kind: ThinVec<ByKind>,
}

impl Plan {
    /// Frees the memory reserved for growth.
    pub(crate) fn shrink(&mut self) {
        self.nodes.shrink_to_fit();
        self.ops.shrink_to_fit();
        self.objects.shrink_to_fit();
        self.arrays.shrink_to_fit();
        self.unions.shrink_to_fit();
        self.conditions.shrink_to_fit();
        self.enums.shrink_to_fit();
        self.numbers.shrink_to_fit();
        self.literals.shrink_to_fit();
        self.patterns.shrink_to_fit();
        self.docs.shrink_to_fit();
        self.by_kind.shrink_to_fit();
    }

    /// The node at an index; if the index is out of range, a node whose operations are missing, so
    /// that no value gets a verdict from it.
    #[inline]
    pub(crate) fn node(&self, ix: NodeIx) -> &PlanNode {
        match self.nodes.get(ix.index()) {
            Some(node) => node,
            None => ix.apart(),
        }
    }

    /// One run of a node's operations, for compilation.
    pub(crate) fn run(&self, node: &PlanNode, run: Run) -> &[Op] {
        self.run_of(node, run).unwrap_or(&[])
    }

    /// One run of a node's operations; `None` if they are missing.
    #[inline]
    pub(crate) fn run_of(&self, node: &PlanNode, run: Run) -> Option<&[Op]> {
        let at = run.position();
        let end = node.ends.get(at).copied().unwrap_or(0);
        let begin = at
            .checked_sub(1)
            .and_then(|before| node.ends.get(before).copied());
        let start = to_usize(node.start);
        self.ops
            .get(start + usize::from(begin.unwrap_or(0))..start + usize::from(end))
    }

    /// The operations of a node that inspect the value alone: the runs before those for arrays and
    /// objects.
    #[inline]
    pub(crate) fn value_ops(&self, node: &PlanNode) -> Option<&[Op]> {
        let [_, _, end, ..] = node.ends;
        let start = to_usize(node.start);
        let end = start + usize::from(end);
        self.ops.get(start..end)
    }

    /// All of a node's operations.
    pub(crate) fn all_ops(&self, node: &PlanNode) -> &[Op] {
        let end = node.ends.last().copied().unwrap_or(0);
        let start = to_usize(node.start);
        let end = start + usize::from(end);
        self.ops.get(start..end).unwrap_or(&[])
    }

    /// A value in the schema.
    #[inline]
    pub(crate) fn literal(&self, literal: Literal) -> Option<View<'_>> {
        let doc = self.docs.get(to_usize(literal.doc))?;
        doc.document().get(literal.node)
    }

    /// All branches of a union.
    pub(crate) fn branches(&self, union: u32) -> &[NodeIx] {
        let union = self.unions.get(to_usize(union));
        union.map_or(&[], |union| &union.branches)
    }

    pub(crate) fn literal_at(&self, index: u32) -> Option<View<'_>> {
        self.literal(*self.literals.get(to_usize(index))?)
    }

    /// The subschemas that a node applies to the instance itself.
    pub(crate) fn in_place(&self, ix: NodeIx, found: &mut Vec<NodeIx>) {
        for op in self.all_ops(self.node(ix)) {
            self.applied_by(*op, found);
        }
    }

    /// The subschemas that an operation applies to the instance itself.
    pub(crate) fn applied_by(&self, op: Op, found: &mut Vec<NodeIx>) {
        match op {
            Op::Apply(target) | Op::Not(target) => found.push(target),
            Op::AllOf(union) | Op::AnyOf(union) | Op::OneOf(union) => {
                found.extend(self.branches(union));
            }
            Op::If(condition) => {
                if let Some(c) = self.conditions.get(to_usize(condition)) {
                    found.extend([c.test, c.then, c.otherwise]);
                }
            }
            Op::Object(object) => {
                if let Some(object) = self.objects.get(to_usize(object)) {
                    found.extend(object.dependents.iter().filter_map(|d| d.schema));
                }
            }
            Op::Leaf(_) | Op::Array(_) | Op::UnevaluatedItems(_) | Op::UnevaluatedProperties(_) => {
            }
        }
    }

    /// All subschemas that a node applies, to the instance itself and to its children.
    pub(crate) fn children(&self, ix: NodeIx, found: &mut Vec<NodeIx>) {
        self.in_place(ix, found);
        for op in self.all_ops(self.node(ix)) {
            match op {
                Op::Object(object) => {
                    let Some(object) = self.objects.get(to_usize(*object)) else {
                        continue;
                    };
                    let slots = object.names.data().map(|slot| &slot.target);
                    let patterns = object.patterns.iter().map(|(_, target)| target);
                    let members = slots.chain(patterns).chain(&object.additional);
                    found.extend(members.map(|target| target.node));
                    found.extend(object.property_names);
                }
                Op::Array(array) => {
                    let Some(array) = self.arrays.get(to_usize(*array)) else {
                        continue;
                    };
                    let items = array.prefix.iter().chain(&array.rest);
                    found.extend(items.map(|target| target.node));
                    found.extend(array.contains.map(|contains| contains.schema));
                }
                Op::UnevaluatedItems(rest) | Op::UnevaluatedProperties(rest) => found.push(*rest),
                // They apply none, or in place.
                Op::Leaf(_)
                | Op::Apply(_)
                | Op::AllOf(_)
                | Op::AnyOf(_)
                | Op::OneOf(_)
                | Op::Not(_)
                | Op::If(_) => {}
            }
        }
    }
}
