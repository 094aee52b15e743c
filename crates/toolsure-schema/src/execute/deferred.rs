//! Members that are evaluated after all others of their object.

use crate::plan::NodeSummary;

/// A member whose subschema inspects more than the value itself.
#[derive(Debug)]
pub(super) struct Deferred<'p, N> {
    /// The position of its name; [`UNORDERED`] for members that the schema does not name.
    pub(super) order: u32,
    pub(super) target: &'p NodeSummary,
    pub(super) value: N,
}

impl<N: Copy> Clone for Deferred<'_, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<N: Copy> Copy for Deferred<'_, N> {}

/// Number of members that can be deferred without a heap allocation, over all open objects.
pub(super) const WAITING: usize = 64;
/// The position of members that the schema does not name.
pub(super) const UNORDERED: u32 = u32::MAX;
