//! A schema that can be explained: its model, and the operation of each keyword.

use crate::outline::Outline;
use crate::plan::PlainPlan;

/// A schema to be evaluated keyword by keyword. It is made once for each schema, on the
/// first demand.
#[derive(Debug)]
pub(crate) struct Program {
    outline: Outline,
    plain: PlainPlan,
}

impl Program {
    /// A model, and the plain program that was made of it.
    pub(crate) fn new(outline: Outline, plain: PlainPlan) -> Self {
        Self { outline, plain }
    }

    /// The schema.
    pub(crate) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The operations.
    pub(super) fn plain(&self) -> &PlainPlan {
        &self.plain
    }
}
