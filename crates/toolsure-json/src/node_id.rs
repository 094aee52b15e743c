//! The ids of the values and keys of a document.

use crate::int;
use crate::tape::NONE;

/// The index of a value or key in its document, in source order from 0.
///
/// ```
/// use toolsure_json::{NodeId, OwnedDocument, ReadLimits};
///
/// let text = OwnedDocument::read("[true]", &ReadLimits::default())?;
/// let root = text.document().root().id();
/// assert_eq!((root.index(), root), (0, NodeId::from_index(0)));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The id as an index, less than [`Document::len`](crate::Document::len).
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        int::to_usize(self.0)
    }

    /// The id with this index; an index beyond `u32` gives an id that no document has.
    #[inline]
    #[must_use]
    pub fn from_index(index: usize) -> Self {
        Self(u32::try_from(index).unwrap_or(NONE))
    }
}
