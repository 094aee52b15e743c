//! Tables of the members of objects, built when first needed.

use foldhash::{HashMap, HashMapExt as _};

/// The members of one object by name.
pub(super) type Members<'i, N> = HashMap<&'i str, N>;

/// By the identity of each object.
pub(super) struct Tables<'i, N> {
    pub(super) members: HashMap<usize, Members<'i, N>>,
}

impl<N> Default for Tables<'_, N> {
    fn default() -> Self {
        Self {
            members: HashMap::new(),
        }
    }
}
