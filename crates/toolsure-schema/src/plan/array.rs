//! The part of a plan that concerns arrays, and how a listing shows it.

use std::fmt;

use thin_vec::ThinVec;

use super::bounds::bounds;
use super::{NameTable, NodeIx, NodeSummary};

/// All keywords that walk an array's items.
#[derive(Debug, Default)]
pub(crate) struct ArrayPlan {
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) prefix: ThinVec<NodeSummary>,
    /// For items after the prefix; `None` if the keyword is absent.
    pub(crate) rest: Option<NodeSummary>,
    pub(crate) contains: Option<Contains>,
    pub(crate) unique: bool,
    /// The name of a string that all items require, if items must be unique: items whose strings
    /// differ are different. [`Plan::settle`](super::Plan::settle) fills it in.
    pub(crate) key: Option<Box<NameTable>>,
    /// The array is checked by matching each item against `rest` alone; [`Plan::settle`](super::Plan::settle) fills it
    /// in.
    pub(crate) is_even: bool,
}

impl ArrayPlan {
    /// The subschema of each position; the iterator never ends.
    pub(crate) fn targets(&self) -> impl Iterator<Item = &NodeSummary> {
        let rest = self.rest.as_ref().unwrap_or(&NodeSummary::TRUE);
        self.prefix.iter().chain(std::iter::repeat(rest))
    }

    /// How many of `count` items have a subschema to match.
    pub(crate) fn looked_at(&self, count: usize) -> usize {
        match &self.rest {
            Some(rest) if rest.node != NodeIx::TRUE => count,
            _ => count.min(self.prefix.len()),
        }
    }
}

/// `contains` and its bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Contains {
    pub(crate) schema: NodeIx,
    pub(crate) min: usize,
    pub(crate) max: usize,
    /// Whether the items it matches count as evaluated (2020-12).
    pub(crate) evaluates: bool,
}

impl ArrayPlan {
    /// Writes it in a listing of its plan.
    pub(super) fn list(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "array")?;
        bounds(f, self.min, self.max)?;
        for (position, item) in self.prefix.iter().enumerate() {
            write!(f, "; [{position}] {}", item.node)?;
        }
        if let Some(rest) = self.rest {
            write!(f, "; rest {}", rest.node)?;
        }
        if let Some(contains) = self.contains {
            write!(f, "; contains {}", contains.schema)?;
            bounds(f, contains.min, contains.max)?;
        }
        if self.unique {
            write!(f, "; unique")?;
        }
        Ok(())
    }
}
