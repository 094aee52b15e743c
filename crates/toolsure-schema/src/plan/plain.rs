//! The plain program: one operation for each keyword, with its position in the model.

use super::{NodeIx, Op, Plan};
use crate::int::to_usize;
use crate::model::SubschemaId;

/// A schema as it was written, for evaluation keyword by keyword: nothing is fused, merged,
/// reordered or omitted.
#[derive(Debug)]
pub(crate) struct PlainPlan {
    /// One node for each subschema in each dynamic scope, and its operations.
    pub(crate) plan: Plan,
    /// The subschema of each node and its keywords, by [`NodeIx`].
    pub(crate) subschemas: Box<[PlainSubschema]>,
    /// The keywords of all nodes; those of one subschema are consecutive, in evaluation order.
    pub(crate) keywords: Box<[PlainKeyword]>,
}

/// A subschema in a dynamic scope.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainSubschema {
    pub(crate) id: SubschemaId,
    /// Its first keyword in [`PlainPlan::keywords`].
    pub(crate) start: u32,
    /// The end of its keywords, exclusive.
    pub(crate) end: u32,
}

/// A keyword of a subschema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlainKeyword {
    /// Its position among the keywords of its subschema, in schema order.
    pub(crate) place: u32,
    /// Its operation; `None` if the keyword holds for every value.
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

    /// The operation of a keyword, by its position in the schema.
    pub(crate) fn op(&self, ix: NodeIx, place: u32) -> Option<Op> {
        let mut keywords = self.keywords(self.subschema(ix)?)?.iter();
        keywords.find(|keyword| keyword.place == place)?.op
    }
}
