//! Conversions that truncate on purpose, and those of a tape's offsets, which the reader bounds.

/// An index or offset as the `u32` that the tape stores.
///
/// The reader refuses sources and tapes with more than `u32::MAX - 1` bytes or nodes before it
/// makes an offset, so nothing is truncated here. [`crate::int::to_u32`] would check again, twice
/// for each value.
#[expect(
    clippy::as_conversions,
    reason = "the reader caps byte and node counts below u32::MAX before calling"
)]
#[inline(always)]
pub(crate) const fn to_offset(value: usize) -> u32 {
    value as u32
}

/// The low 32 bits of a `u64`.
#[expect(clippy::as_conversions, reason = "cutting is what this is for")]
#[inline(always)]
pub(crate) const fn low(value: u64) -> u32 {
    value as u32
}

/// The high 32 bits of a `u64`.
#[inline(always)]
pub(crate) const fn high(value: u64) -> u32 {
    low(value >> 32)
}

/// The low 64 bits of a `u128`.
#[expect(clippy::as_conversions, reason = "cutting is what this is for")]
#[inline(always)]
pub(crate) const fn low_long(value: u128) -> u64 {
    value as u64
}

/// Joins the two halves of a 64-bit word.
#[expect(clippy::as_conversions, reason = "u32 to u64 loses nothing")]
#[inline(always)]
pub(crate) const fn join(high: u32, low: u32) -> u64 {
    ((high as u64) << 32) | low as u64
}
