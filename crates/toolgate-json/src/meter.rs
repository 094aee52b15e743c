//! The fuel meter, which pays for bulk work on values.

use std::convert::Infallible;
use std::ops::ControlFlow;

/// Counts the work done for a caller and can stop it.
///
/// Functions of this crate that walk whole values call [`spend`](Self::spend) before they do the
/// work, with amounts that depend only on the logical value: neither on the order of members nor on
/// how the value is held in memory.
pub trait Meter {
    /// What stopped the work.
    type Stop;

    /// Pays for `units` of work, or says to stop.
    ///
    /// One unit is about the work of one node or of 16 bytes of text.
    ///
    /// # Errors
    ///
    /// `Break` if the budget does not allow it; the caller then does none of the work it wanted to
    /// pay for.
    fn spend(&mut self, units: u64) -> ControlFlow<Self::Stop>;
}

/// The meter that never stops, for work whose size the caller has bounded.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "callers write it as a value")]
pub struct Unmetered;

impl Meter for Unmetered {
    type Stop = Infallible;

    #[inline]
    fn spend(&mut self, _units: u64) -> ControlFlow<Infallible> {
        ControlFlow::Continue(())
    }
}

/// The price of reading one string of `bytes` bytes.
#[inline]
pub(crate) fn text_price(bytes: usize) -> u64 {
    crate::int::to_u64(bytes / 16)
}
