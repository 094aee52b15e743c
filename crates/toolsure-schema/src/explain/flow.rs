//! How an evaluation that reports ends early.

use std::ops::ControlFlow;

use super::sink::Full;
use crate::execute::Exhausted;
use crate::model::Dangling;

/// An evaluation ends early: a limit was reached, or the sink is full.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stop;

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

pub(super) type Flow<T = ()> = ControlFlow<Stop, T>;

/// Ends the evaluation of a program that contradicts itself.
#[cold]
pub(super) fn internal_error<T>() -> Flow<T> {
    ControlFlow::Break(Stop)
}

/// The result of a lookup in a model; ends the evaluation if the model contradicts itself.
pub(super) fn or_internal_error<T>(found: Result<T, Dangling>) -> Flow<T> {
    found.map_or_else(|Dangling| internal_error(), ControlFlow::Continue)
}
