//! The integer conversions that this crate needs in addition to those of [`toolsure_json::int`].

pub(crate) use toolsure_json::int::{to_length as count, to_u32, to_u64 as units, to_usize};

/// Converts the number of a node's operations; [`Lowering`](crate::lower) refuses nodes with too
/// many.
pub(crate) fn to_u16(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}
