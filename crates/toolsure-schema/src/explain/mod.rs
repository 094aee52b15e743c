//! Explains why an instance does not match, and collects annotations if it does.
//!
//! This module decides nothing itself. The plain program has one operation for each keyword, as in
//! the schema; the evaluator ([`Evaluator`](crate::execute::Evaluator)) decides which of them hold. This module visits those
//! that fail (or all, if the [`Sink`] wants everything), descends into the subschemas that the
//! evaluator says a keyword applies, and reports them to the sink with their locations.
//!
//! It keeps the evaluator's guarantees: it pays for every step, and remembers verdicts for each
//! (subschema, dynamic scope, value). A sink of findings gets each of these once for each branch of
//! a union. Nothing here recurses: the subschemas being reported are in a list of bounded length.

mod annotate;
mod branch;
mod context;
mod excerpt;
mod failure;
mod fault;
mod flow;
mod frame;
mod keyword;
pub(crate) mod kind;
mod names;
mod path;
mod program;
mod reported;
mod reporter;
pub(crate) mod sink;
mod tables;
pub(crate) mod text;

use std::ops::ControlFlow;

use toolsure_json::{Node, contradictions};

use crate::execute::{Allowance, Exhausted, Scratch, ValueOrName};
use context::Context;
pub(crate) use fault::{Fault, Found};
use kind::FindingKind;
pub(crate) use path::{Origin, Path, PointerWriter, TextPart};
pub(crate) use program::Program;
use reporter::Reporter;
use sink::Sink;

/// The evaluation of one instance against one schema.
pub(crate) struct Evaluation<'o, 'i, N: Node<'i>> {
    reporter: Reporter<'o, 'i, N>,
    instance: N,
    /// Whether the report ended early.
    pub(crate) is_stopped: bool,
}

impl<'o, 'i, N: Node<'i>> Evaluation<'o, 'i, N> {
    /// An evaluation that has not begun. `allowance` is meant for the optimised program; the plain
    /// program has more subschemas, and may nest several times as deep while it only reports.
    pub(crate) fn new(
        program: &'o Program,
        instance: N,
        allowance: Allowance,
        scratch: Scratch,
    ) -> Self {
        Self {
            reporter: Reporter::new(program, allowance, scratch),
            instance,
            is_stopped: false,
        }
    }

    /// Whether the instance matches.
    pub(crate) fn decide(&mut self) -> Result<bool, Exhausted> {
        let context = &mut self.reporter.context;
        context.evaluator.refuel();
        let root = context.program.plain().plan.root;
        let before = contradictions();
        let answer = context
            .evaluator
            .subschema(root, ValueOrName::Value(self.instance));
        if contradictions() != before {
            return Err(Exhausted::Internal);
        }
        match answer {
            ControlFlow::Continue(Some(valid)) => Ok(valid),
            ControlFlow::Continue(None) => Err(Exhausted::Depth {
                allowed: context.evaluator.allowance().depth,
            }),
            ControlFlow::Break(why) => Err(why),
        }
    }

    /// Reports the evaluation to a sink, with fresh fuel. Returns whether the report is complete.
    pub(crate) fn report<S: Sink>(&mut self, sink: &mut S) -> bool {
        self.reporter.context.evaluator.refuel();
        let before = contradictions();
        let done = self.reporter.run(self.instance, sink);
        self.is_stopped = done.is_break() || contradictions() != before;
        !self.is_stopped && !self.reporter.left_out
    }

    /// The faults that were reported to a sink of findings, and the scratch memory, for the next
    /// evaluation.
    pub(crate) fn into_faults(self) -> (Found<'o, 'i, N>, Scratch) {
        let Reporter { context, found, .. } = self.reporter;
        (found, context.evaluator.into_scratch())
    }
}

/// Describes faults in words, within the work limit of one evaluation.
pub(crate) struct FaultDescriber<'o, 'i, N: Node<'i>>(Context<'o, 'i, N>);

impl<'o, 'i, N: Node<'i>> FaultDescriber<'o, 'i, N> {
    /// Describes faults that an evaluation of the same program found.
    pub(crate) fn new(program: &'o Program, allowance: Allowance) -> Self {
        Self(Context::new(program, allowance, Scratch::default()))
    }

    /// Describes a fault that is part of `found`; `None` if a limit was reached.
    pub(crate) fn describe(
        &mut self,
        among: &Found<'o, 'i, N>,
        fault: &Fault<'i, N>,
    ) -> Option<FindingKind> {
        self.0.describe(among, fault).continue_value()
    }
}
