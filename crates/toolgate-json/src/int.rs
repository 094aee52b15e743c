//! Every cast of this crate, in two kinds: those that cannot lose anything on
//! the platforms we build for, and those that cut on purpose.

/// A `u32` index or offset as a `usize`.
#[expect(
    clippy::as_conversions,
    reason = "usize is at least 32 bits wide on every target of this crate"
)]
#[inline(always)]
pub(crate) const fn wide(value: u32) -> usize {
    value as usize
}

/// An index or offset as a `u32`.
///
/// The reader refuses sources and tapes with more than `u32::MAX - 1` bytes or
/// nodes before it makes an offset, so nothing is cut off here.
#[expect(
    clippy::as_conversions,
    reason = "the reader caps byte and node counts below u32::MAX before calling"
)]
#[inline(always)]
pub(crate) const fn narrow(value: usize) -> u32 {
    value as u32
}

/// A `usize` as a `u64`.
#[expect(
    clippy::as_conversions,
    reason = "usize is at most 64 bits wide on every target of this crate"
)]
#[inline(always)]
pub(crate) const fn long(value: usize) -> u64 {
    value as u64
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

/// Both halves of a 64-bit word put together again.
#[expect(clippy::as_conversions, reason = "u32 to u64 loses nothing")]
#[inline(always)]
pub(crate) const fn join(high: u32, low: u32) -> u64 {
    ((high as u64) << 32) | low as u64
}

/// The bits of an `i64`.
#[inline(always)]
pub(crate) const fn bits(value: i64) -> u64 {
    value.cast_unsigned()
}

/// The `i64` with these bits.
#[inline(always)]
pub(crate) const fn from_bits(value: u64) -> i64 {
    value.cast_signed()
}
