//! The crate's integer conversions, in one place and named by what they promise.

/// An index as the 32 bits that the tables of a model use.
///
/// Tables are bounded far below `u32::MAX` by [`Limits`](crate::Limits); a
/// larger index cannot be built, and would saturate to the "none" value.
pub(crate) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// A byte as a number.
#[expect(clippy::as_conversions, reason = "u8 to u32 loses nothing")]
pub(crate) const fn of_byte(byte: u8) -> u32 {
    byte as u32
}

/// A 32-bit index as a slice index.
#[expect(
    clippy::as_conversions,
    reason = "u32 to usize loses nothing on the 32- and 64-bit targets we build for"
)]
pub(crate) const fn to_usize(index: u32) -> usize {
    index as usize
}

/// A length as a limit reports it.
#[expect(
    clippy::as_conversions,
    reason = "usize to u64 loses nothing on the 32- and 64-bit targets we build for"
)]
pub(crate) const fn units(length: usize) -> u64 {
    length as u64
}
