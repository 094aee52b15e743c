//! A schema that can be explained: its model, and the operation of each keyword.

use crate::model::Model;
use crate::plan::PlainPlan;

/// A schema to be evaluated keyword by keyword. It is made once for each schema, on the
/// first demand.
#[derive(Debug)]
pub(crate) struct Program {
    model: Model,
    plain: PlainPlan,
}

impl Program {
    /// A model, and the plain program that was made of it.
    pub(crate) fn new(mut model: Model, plain: PlainPlan) -> Self {
        // It stays as long as the schema does.
        model.subs.shrink_to_fit();
        model.entries.shrink_to_fit();
        model.targets.shrink_to_fit();
        Self { model, plain }
    }

    /// The schema.
    pub(crate) fn model(&self) -> &Model {
        &self.model
    }

    /// The operations.
    pub(super) fn plain(&self) -> &PlainPlan {
        &self.plain
    }
}
