//! Collects the operations of one node.

use crate::model::TypeSet;
use crate::plan::{Leaf, Op, Run};

/// The operations of one node, before they are sorted by run and stored contiguously.
pub(super) struct NodeBuilder {
    pub(super) types: Option<TypeSet>,
    pub(super) ops: Vec<(Run, Op)>,
}

impl NodeBuilder {
    /// No operations yet; `ops` is empty memory to use again.
    pub(super) fn with_memory(ops: Vec<(Run, Op)>) -> Self {
        Self { types: None, ops }
    }

    pub(super) fn push(&mut self, run: Run, op: Op) {
        self.ops.push((run, op));
    }

    pub(super) fn leaf(&mut self, leaf: Leaf) {
        self.push(leaf.run(), Op::Leaf(leaf));
    }

    pub(super) fn require_types(&mut self, types: TypeSet) {
        self.types = Some(self.types.map_or(types, |known| known.intersection(types)));
    }
}
