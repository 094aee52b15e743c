//! Whether two values are equal, for code that has no budget for it.

use std::ops::ControlFlow;

use toolsure_json::{Unmetered, View, equal};

/// Whether two values are equal, as JSON Schema compares them.
pub(crate) fn equal_values(a: View<'_>, b: View<'_>) -> bool {
    match equal(a, b, &mut Unmetered) {
        ControlFlow::Continue(same) => same,
        ControlFlow::Break(never) => match never {},
    }
}
