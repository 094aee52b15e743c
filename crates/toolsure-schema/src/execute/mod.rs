//! The evaluator: runs a program, optimised or plain, over an instance, and pays for each step.
//!
//! Every answer is three-valued: `Continue(true)`, `Continue(false)`, or `Break` when a limit is
//! reached. Only a `Continue` can be negated by `not`, counted by `oneOf` or chosen by `if`; a
//! `Break` ends the check.
//!
//! The fuel a check takes depends on the schema and the instance alone, not on the order of members
//! or on how the instance is held in memory. For this reason the walk over members does not stop at
//! the first failure; expensive members are deferred and then evaluated in schema order.
//!
//! Functions that do not recurse are not inlined if that would put their locals on the stack of
//! functions that do.

mod allowance;
mod answer;
mod applied;
mod array;
mod covered;
mod deferred;
mod evaluated;
mod evaluator;
mod exhausted;
mod in_place;
mod leaf;
mod lookahead;
mod machine;
mod memo;
mod name;
mod object;
mod pass;
mod resolve;
mod side_by_side;
mod stream;

use std::ops::ControlFlow;

use toolsure_json::Node;

pub(crate) use allowance::Allowance;
pub(crate) use applied::{Applied, Part, Wanted};
pub(crate) use evaluator::{Evaluator, ValueOrName};
pub use exhausted::Exhausted;
pub(crate) use machine::Scratch;
pub(crate) use stream::run as run_stream;

use answer::{Answer, NO, YES, internal_error, run_dry};
use exhausted::Stop;
use machine::{Machine, run_of};

use crate::plan::Plan;

/// Runs a plan over an instance. Also returns how much fuel it took.
pub(crate) fn run<'i, N: Node<'i>>(
    plan: &Plan,
    instance: N,
    allowance: Allowance,
    scratch: &mut Scratch,
) -> (ControlFlow<Exhausted, bool>, u64) {
    let mut machine = Machine::new(plan, allowance, scratch);
    let answer = machine.start(instance);
    let answer = answer.map_break(|stop| stop.exhausted(allowance));
    (answer, allowance.fuel - machine.fuel)
}
