//! The plain program: one operation for each keyword, each with its place in the model.

use super::{NodeIx, Op, Plan};
use crate::int::to_usize;
use crate::model::SubschemaId;

/// A schema as it was written, to be evaluated keyword by keyword: nothing is fused,
/// merged, reordered or left out.
#[derive(Debug)]
pub(crate) struct PlainPlan {
    /// One node for each subschema in each dynamic scope, and its operations.
    pub(crate) plan: Plan,
    /// The subschema of each node and its keywords, by [`NodeIx`].
    pub(crate) subschemas: Box<[PlainSubschema]>,
    /// The keywords of all nodes; those of one subschema are consecutive, in the order in which they
    /// are evaluated.
    pub(crate) keywords: Box<[PlainKeyword]>,
}

/// A subschema in a dynamic scope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainSubschema {
    pub(crate) id: SubschemaId,
    /// Its first keyword in [`PlainPlan::keywords`].
    pub(crate) start: u32,
    /// Behind its last one.
    pub(crate) end: u32,
}

/// A keyword of a subschema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainKeyword {
    /// Its place among the keywords of its subschema, as the schema has them.
    pub(crate) place: u32,
    /// What it asks; nothing of a keyword that holds for everything.
    pub(crate) op: Option<Op>,
}

impl PlainPlan {
    /// The subschema of a node.
    pub(crate) fn subschema(&self, ix: NodeIx) -> Option<PlainSubschema> {
        self.subschemas.get(ix.index()).copied()
    }

    /// The keywords of a subschema.
    pub(crate) fn keywords(&self, of: PlainSubschema) -> Option<&[PlainKeyword]> {
        self.keywords.get(to_usize(of.start)..to_usize(of.end))
    }

    /// The operation of a keyword, by its place in the schema.
    pub(crate) fn op(&self, ix: NodeIx, place: u32) -> Option<Op> {
        let mut keywords = self.keywords(self.subschema(ix)?)?.iter();
        keywords.find(|keyword| keyword.place == place)?.op
    }
}
