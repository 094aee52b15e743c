//! The crate's integer conversions, in one place and named by what they promise.

/// An index as the 32 bits that every table of a plan uses.
///
/// Tables are bounded far below `u32::MAX` by [`Limits`](crate::Limits); a
/// larger index cannot be built, and would saturate to the "none" value.
pub(crate) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A count of a node's operations; [`Lowering`](crate::lower) refuses nodes with more.
pub(crate) fn to_u16(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

/// A 32-bit index as a slice index.
#[expect(
    clippy::as_conversions,
    reason = "u32 to usize loses nothing on the 32- and 64-bit targets we build for"
)]
pub(crate) const fn to_usize(index: u32) -> usize {
    index as usize
}

/// A length as an amount of fuel.
#[expect(
    clippy::as_conversions,
    reason = "usize to u64 loses nothing on the 32- and 64-bit targets we build for"
)]
pub(crate) const fn units(length: usize) -> u64 {
    length as u64
}

/// A count from a schema, cut to what a collection's length can reach.
pub(crate) fn count(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
