//! The operations of the plain program.

use super::{NameTable, NodeIx, Plan, Slot};
use crate::int::to_usize;

/// One node for each keyword that asserts something of a value by itself.
#[derive(Debug)]
pub(crate) struct Assertions {
    pub(crate) plan: Plan,
    /// By the place of the keyword among all keywords of the model; what asserts nothing by
    /// itself accepts everything.
    pub(crate) nodes: Box<[NodeIx]>,
}

impl Assertions {
    /// The node of a keyword, if there is such a keyword.
    pub(crate) fn node(&self, entry: usize) -> Option<NodeIx> {
        self.nodes.get(entry).copied()
    }

    /// The names that the object operation of a keyword mentions, if it has one.
    pub(crate) fn names(&self, entry: usize) -> Option<&NameTable<Slot>> {
        let node = self.plan.node(self.node(entry)?);
        let object = self.plan.objects.get(to_usize(node.object))?;
        Some(&object.names)
    }
}
