//! The index of a compiled subschema, or the types of a subschema that needs no node.

use super::node::PlanNode;
use crate::int::{to_u32, to_usize};
use crate::model::TypeSet;

/// A compiled subschema: an index into [`Plan::nodes`](super::Plan::nodes), or a set of types if it
/// asks for nothing else and needs no node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeIx(u32);

impl NodeIx {
    /// The schema that accepts everything.
    pub(crate) const TRUE: Self = Self::of_types(TypeSet::ALL);
    /// The schema that accepts nothing.
    pub(crate) const FALSE: Self = Self::of_types(TypeSet::NONE);
    /// An index that no node has.
    pub(crate) const NOWHERE: Self = Self(Self::TYPES_ONLY - 1);
    /// Set if the value is a set of types instead of an index.
    const TYPES_ONLY: u32 = 1 << 31;

    /// The schema that only asks for types.
    pub(crate) const fn of_types(types: TypeSet) -> Self {
        Self(Self::TYPES_ONLY | types.number())
    }

    /// Whether it only asks for types, and so has no node.
    pub(crate) fn is_types_only(self) -> bool {
        self.0 & Self::TYPES_ONLY != 0
    }

    /// The types, if it only asks for types.
    pub(crate) fn types(self) -> Option<TypeSet> {
        let types = u8::try_from(self.0 ^ Self::TYPES_ONLY).ok()?;
        Some(TypeSet::numbered(types))
    }

    /// Its position among the nodes; out of range if it only asks for types.
    #[inline]
    pub(crate) fn index(self) -> usize {
        to_usize(self.0)
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn new(index: usize) -> Self {
        Self(to_u32(index))
    }

    /// The node of a set of types; [`PlanNode::DANGLING`] for an index without a node.
    #[inline]
    pub(super) fn apart(self) -> &'static PlanNode {
        let types = to_usize(self.0 ^ Self::TYPES_ONLY);
        OF_TYPES.get(types).unwrap_or(&DANGLING)
    }
}

impl Default for NodeIx {
    fn default() -> Self {
        Self::TRUE
    }
}

static DANGLING: PlanNode = PlanNode::DANGLING;
/// The node of each set of types.
static OF_TYPES: [PlanNode; TypeSet::COUNT] = nodes_of_types();

const fn nodes_of_types() -> [PlanNode; TypeSet::COUNT] {
    let mut nodes = [PlanNode::of_types(TypeSet::NONE); TypeSet::COUNT];
    let mut rest: &mut [PlanNode] = &mut nodes;
    let mut types = 0;
    while let [first, others @ ..] = rest {
        *first = PlanNode::of_types(TypeSet::numbered(types));
        types = types.wrapping_add(1);
        rest = others;
    }
    nodes
}
