//! The integer conversions of this crate, in one place.
//!
//! None of them can lose a value in silence: what does not fit saturates, and
//! the limits on pattern length and size keep honest values far below that.

/// A 32-bit index as a `usize`; saturates on a 16-bit machine.
#[inline]
pub(crate) fn wide(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

/// A `usize` as a 32-bit index; saturates.
#[inline]
pub(crate) fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

/// A `usize` as a 64-bit count; saturates.
#[inline]
pub(crate) fn count(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// A 64-bit count as a `usize`; saturates.
#[inline]
pub(crate) fn size(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
