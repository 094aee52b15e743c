//! How a listing shows the minimum and maximum of a count.

use std::fmt;

/// Writes the minimum and maximum of a count.
pub(super) fn bounds(f: &mut fmt::Formatter<'_>, min: usize, max: usize) -> fmt::Result {
    if min > 0 {
        write!(f, " >= {min}")?;
    }
    if max < usize::MAX {
        write!(f, " <= {max}")?;
    }
    Ok(())
}
