//! Runs the plain [`Program`]: the keywords as the schema has them, one after the other.
//!
//! The executor decides from a plan that was simplified, merged and reordered.
//! Here nothing is: references are followed when they are met, the dynamic
//! scope is a list of the resources entered, what `unevaluated*` sees is
//! collected as the specification says it, and a [`Sink`] hears what comes of
//! it. That makes it slower and able to explain.
//!
//! A sink of findings takes one pass: what each of several subschemas must match is evaluated
//! with the sink at once. Only where a failure may be no failure of the whole (`anyOf`,
//! `oneOf`, `not`, `if`, `contains`) the verdicts are found without it first.
//!
//! It keeps the executor's promises: every step is paid for, and verdicts are
//! remembered per (subschema, dynamic scope, value), so that many paths to one
//! place cost one evaluation. There is no recursion: evaluations that wait for
//! others stand in a list whose length is bounded.

mod assert;
mod branch;
mod children;
mod descend;
mod fault;
mod found;
mod frame;
mod items;
pub(crate) mod kind;
mod machine;
mod names;
mod program;
mod recall;
mod scope;
pub(crate) mod sink;
mod telling;
mod trail;
mod value;

use std::ops::ControlFlow;

use toolgate_json::{Meter, Node};

use crate::execute::{Allowance, Exhausted};
use crate::outline::Dangling;
pub(crate) use fault::Fault;
use kind::FindingKind;
use machine::Machine;
pub(crate) use program::Program;
use sink::{Full, Silence, Sink};
pub(crate) use trail::Trail;

/// One instance under one schema.
pub(crate) struct Evaluation<'o, 'i, N: Node<'i>> {
    machine: Machine<'o, 'i, N>,
    instance: N,
    allowance: Allowance,
}

impl<'o, 'i, N: Node<'i>> Evaluation<'o, 'i, N> {
    /// An evaluation that has not begun. `allowance` is meant for a plan; the plain program
    /// has more subschemas to go through, and may nest [`DEEPER`] times as deep.
    pub(crate) fn new(program: &'o Program, instance: N, allowance: Allowance) -> Self {
        Self {
            machine: Machine::new(program, allowance),
            instance,
            allowance,
        }
    }

    /// Whether the instance matches.
    pub(crate) fn decide(&mut self) -> Result<bool, Exhausted> {
        self.machine.refuel(self.allowance.fuel);
        match self.machine.run(self.instance, false, &mut Silence) {
            ControlFlow::Continue(valid) => Ok(valid),
            ControlFlow::Break(Stop::Exhausted(why)) => Err(why),
            // Silence is never full.
            ControlFlow::Break(Stop::Full) => Err(Exhausted::Internal),
        }
    }

    /// Lets `sink` hear the evaluation, with a fresh purse. Answers whether it
    /// heard all of it.
    pub(crate) fn tell<S: Sink>(&mut self, sink: &mut S) -> bool {
        self.machine.refuel(self.allowance.fuel);
        let told = self.machine.run(self.instance, true, sink);
        told.is_continue() && !self.machine.left_out()
    }

    /// What a sink of findings has heard, and the paths that it stands on.
    pub(crate) fn take_faults(&mut self) -> (Vec<Fault<'i, N>>, Trail<'i>) {
        let machine = &mut self.machine;
        (
            std::mem::take(&mut machine.faults),
            std::mem::take(&mut machine.trail),
        )
    }
}

/// Puts faults into words, within the work that one evaluation may take.
pub(crate) struct Wording<'o, 'i, N: Node<'i>>(Machine<'o, 'i, N>);

impl<'o, 'i, N: Node<'i>> Wording<'o, 'i, N> {
    /// Words for faults that an evaluation of the same program has found.
    pub(crate) fn new(program: &'o Program, trail: Trail<'i>, allowance: Allowance) -> Self {
        let mut machine = Machine::new(program, allowance);
        machine.trail = trail;
        Self(machine)
    }

    /// The paths of the faults.
    pub(crate) fn trail(&self) -> &Trail<'i> {
        &self.0.trail
    }

    /// What a fault is; nothing if a bound was reached.
    pub(crate) fn word(&mut self, fault: &Fault<'i, N>) -> Option<FindingKind> {
        match self.0.word(fault) {
            ControlFlow::Continue(kind) => kind,
            ControlFlow::Break(_) => None,
        }
    }
}

/// Why an evaluation ended early.
#[derive(Debug, Clone, Copy)]
enum Stop {
    Exhausted(Exhausted),
    Full,
}

impl From<Full> for Stop {
    fn from(Full: Full) -> Self {
        Self::Full
    }
}

type Flow<T = ()> = ControlFlow<Stop, T>;

/// What is said of an outline that contradicts itself.
#[cold]
fn broken<T>() -> Flow<T> {
    ControlFlow::Break(Stop::Exhausted(Exhausted::Internal))
}

/// What was looked up in an outline, unless the outline contradicts itself.
fn or_broken<T>(found: Result<T, Dangling>) -> Flow<T> {
    found.map_or_else(|Dangling| broken(), ControlFlow::Continue)
}

/// What the evaluation may still spend.
#[derive(Debug)]
struct Purse {
    /// In units of a check, which is what operations take.
    left: u64,
    /// In units of a plain evaluation.
    allowed: u64,
}

impl Purse {
    fn new(allowed: u64) -> Self {
        Self {
            left: allowed.saturating_mul(PLAIN_UNIT),
            allowed,
        }
    }

    /// Pays for steps of the evaluation itself.
    fn pay(&mut self, units: u64) -> Flow {
        self.spend(units.saturating_mul(PLAIN_UNIT))
    }

    /// Pays for looking at a text.
    fn pay_text(&mut self, text: &str) -> Flow {
        self.pay(crate::int::units(text.len() / TEXT_PER_UNIT))
    }

    fn run_dry(&mut self) -> Stop {
        self.left = 0;
        Stop::Exhausted(Exhausted::Fuel {
            allowed: self.allowed,
        })
    }
}

impl Meter for Purse {
    type Stop = Stop;

    fn spend(&mut self, units: u64) -> Flow {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(self.run_dry()),
        }
    }
}

/// How many evaluations may wait for each level that a plan may nest: a plan
/// folds subschemas that only refer into what they refer to.
const DEEPER: u32 = 4;
/// What a unit of fuel costs in a plain evaluation, in units of a check.
pub(crate) const PLAIN_UNIT: u64 = 4;
/// Bytes of text that one unit of fuel looks at.
const TEXT_PER_UNIT: usize = 32;
