//! The integer conversions of Toolsure's crates, in one place.
//!
//! Rust has no lossless conversion between `u32`, `usize` and `u64`, because a `usize` may have 16
//! bits. Every target of these crates has 32 or 64, so [`to_usize`] and [`to_u64`] lose nothing.
//! The other two saturate: a number that does not fit becomes the greatest value, which no table
//! reaches.

/// A 32-bit index as a slice index.
///
/// ```
/// assert_eq!(toolsure_json::int::to_usize(7), 7_usize);
/// ```
#[expect(
    clippy::as_conversions,
    reason = "usize is at least 32 bits wide on every target of this crate"
)]
#[inline(always)]
#[must_use]
pub const fn to_usize(index: u32) -> usize {
    index as usize
}

/// A length as a count, an amount of fuel, or a number for an error.
///
/// ```
/// assert_eq!(toolsure_json::int::to_u64(7), 7_u64);
/// ```
#[expect(
    clippy::as_conversions,
    reason = "usize is at most 64 bits wide on every target of this crate"
)]
#[inline(always)]
#[must_use]
pub const fn to_u64(length: usize) -> u64 {
    length as u64
}

/// A slice index as the 32-bit index that tables keep; `u32::MAX` if it does not fit.
///
/// ```
/// assert_eq!(toolsure_json::int::to_u32(7), 7_u32);
/// ```
#[inline]
#[must_use]
pub fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A count as a length; `usize::MAX` if it does not fit.
///
/// ```
/// assert_eq!(toolsure_json::int::to_length(7), 7_usize);
/// ```
#[inline]
#[must_use]
pub fn to_length(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
