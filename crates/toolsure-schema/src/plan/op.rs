//! The operations of a plan.

use super::{Leaf, NodeIx};

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

// why: operations are stored contiguously and read by the million.
const _: () = assert!(size_of::<Op>() == 8);
