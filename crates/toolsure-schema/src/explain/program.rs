//! A schema that can be explained: its model, and one operation for each keyword.

use crate::model::Model;
use crate::plan::PlainPlan;

/// A schema to be evaluated keyword by keyword. It is built once for each schema, on first use.
#[derive(Debug)]
pub(crate) struct Program {
    model: Model,
    plain: PlainPlan,
}

impl Program {
    /// A model, and the plain program made from it.
    pub(crate) fn new(mut model: Model, mut plain: PlainPlan) -> Self {
        // It lives as long as the schema.
        model.subs.shrink_to_fit();
        model.entries.shrink_to_fit();
        model.targets.shrink_to_fit();
        plain.plan.shrink();
        Self { model, plain }
    }

    /// A program for one explanation.
    pub(crate) fn part(model: Model, plain: PlainPlan) -> Self {
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
