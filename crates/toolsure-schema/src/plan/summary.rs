//! What a walk over members or items knows about the subschemas that it applies.

use toolsure_json::Kind;

use super::NodeIx;
use super::node::NONE;
use crate::model::TypeSet;

/// The summary of a node that a walk over members or items keeps: enough to decide most values
/// without reading the node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeSummary {
    pub(crate) node: NodeIx,
    /// The node's types.
    pub(crate) types: TypeSet,
    pub(crate) inspection: Inspection,
    /// The index of the plan or row for [`Inspection::Object`], [`Inspection::Array`],
    /// [`Inspection::Items`] or [`Inspection::ByKind`].
    pub(crate) index: u32,
}

/// The part of a value that a node inspects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inspection {
    /// Its type.
    Type,
    /// The value alone, without its members or items.
    Value,
    /// The members of an object, in one walk; for all other values the type.
    Object,
    /// The items of an array, in one walk; for all other values the type.
    Array,
    /// The same, if nothing below the items is inspected.
    Items,
    /// Depends on the value's kind: see the row in [`Plan::by_kind`](super::Plan::by_kind).
    ByKind,
    /// More than that, or other subschemas.
    Further,
}

/// The summary of a subschema for values of each kind: a union whose branches have different types
/// is reduced to one branch.
pub(crate) type ByKind = [NodeSummary; KINDS.len()];

pub(super) const KINDS: [Kind; 6] = [
    Kind::Null,
    Kind::Boolean,
    Kind::Number,
    Kind::String,
    Kind::Array,
    Kind::Object,
];

/// The position of a kind in [`ByKind`].
#[inline(always)]
pub(super) const fn place(kind: Kind) -> usize {
    match kind {
        Kind::Null => 0,
        Kind::Boolean => 1,
        Kind::Number => 2,
        Kind::String => 3,
        Kind::Array => 4,
        Kind::Object => 5,
    }
}

impl Default for NodeSummary {
    fn default() -> Self {
        Self::TRUE
    }
}

impl NodeSummary {
    /// Accepts everything.
    pub(crate) const TRUE: Self = Self {
        node: NodeIx::TRUE,
        types: TypeSet::ALL,
        inspection: Inspection::Type,
        index: NONE,
    };

    /// Accepts nothing.
    pub(super) const FALSE: Self = Self {
        node: NodeIx::FALSE,
        types: TypeSet::NONE,
        inspection: Inspection::Type,
        index: NONE,
    };

    /// Stands for a missing summary: no answer can be found.
    pub(super) const DANGLING: Self = Self::open(NodeIx::NOWHERE);

    /// A node that may not be finished; [`Plan::settle`](super::Plan::settle) fills in its summary.
    pub(crate) const fn open(node: NodeIx) -> Self {
        Self {
            node,
            types: TypeSet::ALL,
            inspection: Inspection::Further,
            index: NONE,
        }
    }
}
