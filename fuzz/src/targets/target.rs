//! What a target is.

use crate::Outcome;
use crate::seeds::Seeds;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Target {
    /// Its name: that of its folder of regressions too.
    pub name: &'static str,
    /// What it holds true.
    pub about: &'static str,
    /// Judges one input.
    pub run: fn(&[u8]) -> Outcome,
    /// Where its inputs start from.
    pub seeds: fn(&Seeds) -> Vec<Vec<u8>>,
    /// How many inputs of the fixed start every change is held to: what took some 15 s of two
    /// cores. A count, not a time, so that a faster machine does not judge a change by other
    /// inputs.
    pub gate: u64,
}
