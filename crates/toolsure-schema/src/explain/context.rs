//! The context that every part of an explanation uses: the schema, the evaluator, and the fuel.

use std::ops::ControlFlow;

use toolsure_json::{Meter as _, Node};

use super::flow::{Flow, Stop, internal_error, or_internal_error};
use super::program::Program;
use super::tables::Tables;
use crate::execute::{Allowance, Evaluator, Scratch, ValueOrName};
use crate::model::{Model, Subschema};
use crate::plan::{NodeIx, Op, PlainSubschema};
use crate::price;

pub(super) struct Context<'o, 'i, N> {
    pub(super) program: &'o Program,
    pub(super) model: &'o Model,
    pub(super) evaluator: Evaluator<'o>,
    pub(super) tables: Tables<'i, N>,
}

impl<'o, 'i, N: Node<'i>> Context<'o, 'i, N> {
    pub(super) fn new(program: &'o Program, allowance: Allowance, scratch: Scratch) -> Self {
        let allowance = Allowance {
            fuel: allowance.fuel.saturating_mul(price::PLAIN_UNIT),
            ..allowance
        };
        Self {
            program,
            model: program.model(),
            evaluator: Evaluator::new(&program.plain().plan, allowance, scratch),
            tables: Tables::default(),
        }
    }

    /// Pays for steps of the explanation.
    pub(super) fn pay(&mut self, units: u64) -> Flow {
        let paid = self
            .evaluator
            .spend(units.saturating_mul(price::PLAIN_UNIT));
        paid.map_break(Stop::from)
    }

    /// Whether a subschema holds; `None` if it nests too deeply to decide.
    pub(super) fn subschema(&mut self, ix: NodeIx, at: ValueOrName<'i, N>) -> Flow<Option<bool>> {
        let answer = self.evaluator.subschema(ix, at);
        answer.map_break(Stop::from)
    }

    /// Whether a keyword holds; `None` if it nests too deeply to decide.
    pub(super) fn keyword(
        &mut self,
        owner: NodeIx,
        op: Op,
        at: ValueOrName<'i, N>,
    ) -> Flow<Option<bool>> {
        let answer = self.evaluator.keyword(owner, op, at);
        answer.map_break(Stop::from)
    }

    /// The subschema that a node was made from.
    pub(super) fn sub_of(&self, node: NodeIx) -> Flow<(PlainSubschema, Subschema)> {
        match self.program.plain().subschema(node) {
            Some(subschema) => {
                let sub = or_internal_error(self.model.sub(subschema.id))?;
                ControlFlow::Continue((subschema, sub))
            }
            None => internal_error(),
        }
    }
}
