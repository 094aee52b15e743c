//! Says why a value does not match, and what a schema says about one that does.
//!
//! Nothing is decided here. The plain program has an operation for each keyword, as the
//! schema has them; the evaluator ([`Evaluator`]) says which of them
//! hold. This module goes down through those that fail (or through all, if the [`Sink`]
//! wants everything), by the subschemas that the evaluator says a keyword applies, and
//! reports them to the sink with their locations.
//!
//! It keeps the evaluator's promises: every step is paid for, verdicts are remembered for
//! each (subschema, dynamic scope, value), and what was reported once is not reported again.
//! There is no recursion: subschemas that are being reported are in a list whose length is
//! bounded.

mod annotate;
mod branch;
mod context;
mod excerpt;
mod fault;
mod frame;
mod keyword;
pub(crate) mod kind;
mod names;
mod path;
mod program;
mod reported;
mod reporter;
pub(crate) mod sink;
pub(crate) mod text;

use std::ops::ControlFlow;

use toolgate_json::{Node, contradictions};

use crate::execute::{Allowance, Exhausted, Scratch, ValueOrName};
use crate::model::Dangling;
use context::Context;
pub(crate) use fault::{Fault, Found};
use kind::FindingKind;
pub(crate) use path::Origin;
pub(crate) use program::Program;
use reporter::Reporter;
use sink::{Full, Sink};

/// One instance under one schema.
pub(crate) struct Evaluation<'o, 'i, N: Node<'i>> {
    reporter: Reporter<'o, 'i, N>,
    instance: N,
}

impl<'o, 'i, N: Node<'i>> Evaluation<'o, 'i, N> {
    /// An evaluation that has not begun. `allowance` is meant for the optimised program; the
    /// plain one has more subschemas to go through, and may nest [`DEEPER`] times as deep
    /// where it only reports.
    pub(crate) fn new(
        program: &'o Program,
        instance: N,
        allowance: Allowance,
        scratch: Scratch,
    ) -> Self {
        Self {
            reporter: Reporter::new(program, allowance, scratch),
            instance,
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

    /// Reports the evaluation to a sink, with fresh fuel. Answers whether that was all of it.
    pub(crate) fn report<S: Sink>(&mut self, sink: &mut S) -> bool {
        self.reporter.context.evaluator.refuel();
        let before = contradictions();
        let done = self.reporter.run(self.instance, sink);
        done.is_continue() && !self.reporter.left_out && contradictions() == before
    }

    /// Gives its memory back, for the next evaluation.
    pub(crate) fn into_scratch(self) -> Scratch {
        self.reporter.context.evaluator.into_scratch()
    }

    /// The faults that were reported to a sink of findings.
    pub(crate) fn take_faults(&mut self) -> Found<'o, 'i, N> {
        std::mem::take(&mut self.reporter.found)
    }
}

/// Puts faults into words, within the work that one evaluation may take.
pub(crate) struct FaultDescriber<'o, 'i, N: Node<'i>>(Context<'o, 'i, N>);

impl<'o, 'i, N: Node<'i>> FaultDescriber<'o, 'i, N> {
    /// Words for faults that an evaluation of the same program has found.
    pub(crate) fn new(program: &'o Program, allowance: Allowance) -> Self {
        Self(Context::new(program, allowance, Scratch::default()))
    }

    /// What a fault is that was found with others; nothing if a bound was reached.
    pub(crate) fn describe(
        &mut self,
        among: &Found<'o, 'i, N>,
        fault: &Fault<'i, N>,
    ) -> Option<FindingKind> {
        self.0.describe(among, fault).continue_value()
    }
}

/// An evaluation ends early: a bound was reached, or the sink has all it can take.
#[derive(Debug, Clone, Copy)]
struct Stop;

impl From<Full> for Stop {
    fn from(Full: Full) -> Self {
        Self
    }
}

impl From<Exhausted> for Stop {
    fn from(_: Exhausted) -> Self {
        Self
    }
}

type Flow<T = ()> = ControlFlow<Stop, T>;

/// Ends the evaluation of a program that contradicts itself.
#[cold]
fn internal_error<T>() -> Flow<T> {
    ControlFlow::Break(Stop)
}

/// What was looked up in a model, unless the model contradicts itself.
fn or_internal_error<T>(found: Result<T, Dangling>) -> Flow<T> {
    found.map_or_else(|Dangling| internal_error(), ControlFlow::Continue)
}

/// How many subschemas may be open for each level that an evaluation may nest: the
/// optimised program folds those that only refer into what they refer to.
const DEEPER: u32 = 4;
/// What a step of an explanation costs, in units of a check.
pub(crate) const PLAIN_UNIT: u64 = 4;
