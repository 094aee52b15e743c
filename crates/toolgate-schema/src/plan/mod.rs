//! The compiled form that `lower` writes and `execute` reads: flat tables, 32-bit indexes, and
//! operations grouped by the type they concern, so that a string never reaches an object keyword.

mod array;
mod handle;
mod index;
mod leaf;
mod listing;
mod lookahead;
mod names;
mod object;
mod plain;
mod slots;
mod summary;
mod union;

use std::sync::Arc;

use thin_vec::ThinVec;
use toolgate_json::{NodeId, OwnedDocument, View};
use toolgate_pattern::Pattern;

pub(crate) use array::{ArrayPlan, Contains};
pub(crate) use handle::PlanHandle;
pub(crate) use index::NodeIx;
pub(crate) use leaf::{EnumPlan, Leaf, Length, NumberLiteral};
pub(crate) use names::NameTable;
pub(crate) use object::{Dependent, ObjectPlan, Slot, Walk};
pub(crate) use plain::{PlainKeyword, PlainPlan, PlainSubschema};

pub(crate) use slots::Slots;
pub(crate) use summary::{ByKind, Inspection, NodeSummary};
pub(crate) use union::{Candidate, Constant, Key, Left, Names, Rule, Select, Union};

use crate::int::to_usize;
use crate::model::TypeSet;

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

/// What one subschema asks of an instance: first its types, then the runs of operations that
/// concern each type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlanNode {
    pub(crate) types: TypeSet,
    pub(crate) traits: Traits,
    /// Which runs are not empty, as [`Run::bit`]s.
    pub(crate) present: u8,
    /// The index of its object operation, or [`NONE`].
    pub(crate) object: u32,
    /// The index of its array operation, or [`NONE`].
    pub(crate) array: u32,
    /// Index of its first operation in [`Plan::ops`].
    pub(crate) start: u32,
    /// The end of each [`Run`], counted from `start`.
    pub(crate) ends: [u16; Run::COUNT],
}

/// What the executor can know about a node without reading its operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// It has no operations at all: the type decides.
    pub(crate) types_only: bool,
    /// It never inspects a child and applies no other subschema.
    pub(crate) leaf: bool,
    /// Paths through the schema can reach it twice at one instance location.
    pub(crate) memo: bool,
    /// For objects it needs nothing but walks once some members are known; [`Plan::settle`] fills
    /// it in.
    pub(crate) lookahead: bool,
}

/// The runs of a node's operations, in the order they are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Run {
    /// `const` and `enum`, which settle most failures at once.
    Head,
    Number,
    String,
    Array,
    Object,
    /// Operations that apply other subschemas to the same instance.
    Any,
    /// Operations that run after all others have passed: the dynamic `unevaluated*`.
    Tail,
}

impl Run {
    pub(crate) const COUNT: usize = 7;
    pub(crate) const ALL: [Self; Self::COUNT] = [
        Self::Head,
        Self::Number,
        Self::String,
        Self::Array,
        Self::Object,
        Self::Any,
        Self::Tail,
    ];

    /// The bit of the run in [`PlanNode::present`].
    pub(crate) const fn bit(self) -> u8 {
        1 << self.position()
    }

    pub(crate) const fn position(self) -> usize {
        match self {
            Self::Head => 0,
            Self::Number => 1,
            Self::String => 2,
            Self::Array => 3,
            Self::Object => 4,
            Self::Any => 5,
            Self::Tail => 6,
        }
    }
}

/// One operation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    /// Inspects the value alone.
    Leaf(Leaf),
    Array(u32),
    Object(u32),
    /// Another subschema must match (`$ref`, one of `allOf`).
    Apply(NodeIx),
    /// All branches of a union must match: conditions that test the value of one member.
    AllOf(u32),
    /// At least one branch of a union must match.
    AnyOf(u32),
    /// Exactly one branch of a union must match.
    OneOf(u32),
    Not(NodeIx),
    If(u32),
    /// Items that no other keyword evaluated must match.
    UnevaluatedItems(NodeIx),
    UnevaluatedProperties(NodeIx),
}

/// `if`, `then`, `else`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Condition {
    pub(crate) test: NodeIx,
    pub(crate) then: NodeIx,
    pub(crate) otherwise: NodeIx,
}

/// A value in the schema: its document and its position there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Literal {
    pub(crate) doc: u32,
    pub(crate) node: NodeId,
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

    /// The approximate size of its tables in bytes; data that a row owns is estimated.
    pub(crate) fn memory(&self) -> usize {
        let names = self.objects.iter().map(|object| {
            let slots = object
                .names
                .names()
                .map(|name| NAME + name.len())
                .sum::<usize>();
            slots + size_of_val(&*object.patterns) + size_of_val(&*object.dependents)
        });
        let members = self.enums.iter().map(|members| {
            let strings = members.strings.names().map(|name| NAME + name.len());
            strings.sum::<usize>()
                + size_of_val(&*members.integers)
                + size_of_val(&*members.compound)
        });
        let unions = self.unions.iter().map(|union| {
            let select = union.select.as_ref();
            ROW + size_of_val(&*union.branches) + select.map_or(0, |select| select.memory())
        });
        let arrays = self.arrays.iter().map(|array| size_of_val(&*array.prefix));
        let patterns = self.patterns.iter().map(|pattern| pattern.size());
        let docs = self.docs.iter().map(|doc| {
            let document = doc.document();
            document.len() * NODE + document.source().len()
        });
        let below = names
            .chain(members)
            .chain(unions)
            .chain(arrays)
            .chain(patterns)
            .chain(docs);
        let rows = [
            size_of_val(&*self.nodes),
            size_of_val(&*self.ops),
            size_of_val(&*self.objects),
            size_of_val(&*self.arrays),
            size_of_val(&*self.conditions),
            size_of_val(&*self.enums),
            size_of_val(&*self.numbers),
            size_of_val(&*self.literals),
            size_of_val(&*self.by_kind),
        ];
        below.sum::<usize>() + rows.into_iter().sum::<usize>()
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

impl PlanNode {
    /// Whether one of the runs in `bits` is not empty.
    #[inline]
    pub(crate) const fn has(&self, bits: u8) -> bool {
        self.present & bits != 0
    }

    /// Stands for a missing node: it claims every run, and no answer can be found.
    pub(crate) const DANGLING: Self = Self {
        types: TypeSet::ALL,
        traits: Traits {
            types_only: false,
            leaf: false,
            memo: false,
            lookahead: false,
        },
        present: u8::MAX,
        object: NONE - 1,
        array: NONE - 1,
        start: u32::MAX,
        ends: [1; Run::COUNT],
    };

    /// A node that only asks for types.
    pub(crate) const fn of_types(types: TypeSet) -> Self {
        Self {
            types,
            traits: Traits {
                types_only: true,
                leaf: true,
                memo: false,
                lookahead: false,
            },
            present: 0,
            object: NONE,
            array: NONE,
            start: 0,
            ends: [0; Run::COUNT],
        }
    }
}

/// An index leads to no row: the plan contradicts itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DanglingIndex;

/// The index that stands for no row.
pub(crate) const NONE: u32 = u32::MAX;

/// Memory of a name in a table in addition to its text: its row, its slot, and its position in the
/// lookup.
pub(super) const NAME: usize = 80;
/// Memory of a list in addition to its members.
pub(super) const ROW: usize = 32;
/// Memory of a value in a document.
const NODE: usize = 32;
// why: operations are stored contiguously and read by the million.
const _: () = assert!(size_of::<Op>() == 8);
