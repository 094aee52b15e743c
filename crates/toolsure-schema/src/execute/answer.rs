//! The answer of an evaluation, and how work is paid for.

use std::ops::ControlFlow;

use super::exhausted::Stop;

/// The result of an evaluation.
pub(super) type Answer = ControlFlow<Stop, bool>;

pub(super) const YES: Answer = ControlFlow::Continue(true);
pub(super) const NO: Answer = ControlFlow::Continue(false);

/// The answer of a plan that contradicts itself.
#[cold]
pub(super) fn internal_error<T>() -> ControlFlow<Stop, T> {
    ControlFlow::Break(Stop::Internal)
}

/// Pays for work before it is done.
#[inline(always)]
pub(super) fn spend(fuel: &mut u64, price: u64) -> ControlFlow<Stop> {
    // This build only measures the cost of metering: it has no fuel limit.
    if cfg!(toolsure_unmetered) {
        return ControlFlow::Continue(());
    }
    match fuel.checked_sub(price) {
        Some(left) => {
            *fuel = left;
            ControlFlow::Continue(())
        }
        None => run_dry(fuel),
    }
}

/// Sets the fuel to zero after a price could not be paid, so that no cheaper operation succeeds
/// afterwards.
#[cold]
pub(super) fn run_dry(fuel: &mut u64) -> ControlFlow<Stop> {
    *fuel = 0;
    ControlFlow::Break(Stop::Fuel)
}
