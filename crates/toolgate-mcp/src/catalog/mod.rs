//! The tools of a server: read page by page, replaced as a whole, never half.

mod listing;
mod salvage;
mod scan;
mod tools;

use std::sync::{Arc, PoisonError, RwLock};

pub use listing::{Listing, UnreadableListing};
pub use tools::ToolSet;

use crate::contract::SchemaStore;

/// What a server offers now.
///
/// [`replace`](Self::replace) puts a new set in the place of the old one at once
/// (after `list_changed`, a new listing, a new connection). Who took a
/// [`snapshot`](Self::snapshot) before goes on with the old set, so that a call
/// and its result meet the same contract. A contract is made from the tool's
/// text alone: a changed schema is a new schema whatever its `$id` says, and an
/// unchanged one is not compiled again.
#[derive(Debug, Default)]
pub struct Catalog {
    current: RwLock<Arc<ToolSet>>,
    store: SchemaStore,
}

/// What a new set changed, by names, in the order of the listings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Tools that were not there before.
    pub added: Vec<String>,
    /// Tools that are no longer there.
    pub removed: Vec<String>,
    /// Tools whose text is another.
    pub changed: Vec<String>,
}

impl Change {
    /// Whether all tools are as they were.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

impl Catalog {
    /// An empty catalog whose schemas are compiled and kept by `store`.
    #[must_use]
    pub fn new(store: SchemaStore) -> Self {
        Self {
            current: RwLock::default(),
            store,
        }
    }

    /// The store of compiled schemas.
    #[must_use]
    pub fn store(&self) -> &SchemaStore {
        &self.store
    }

    /// The tools as they are now.
    #[must_use]
    pub fn snapshot(&self) -> Arc<ToolSet> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts `tools` in the place of the present ones.
    pub fn replace(&self, tools: ToolSet) -> Change {
        let new = Arc::new(tools);
        let old = {
            let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, Arc::clone(&new))
        };
        let named = |tool: &Arc<crate::contract::ToolContract>| tool.name().to_owned();
        let mut change = Change::default();
        for tool in new.tools() {
            match old.tool(tool.name()) {
                None => change.added.push(named(tool)),
                Some(before) if before.text() != tool.text() => change.changed.push(named(tool)),
                Some(_) => {}
            }
        }
        let gone = old.tools().filter(|tool| new.tool(tool.name()).is_none());
        change.removed = gone.map(named).collect();
        change
    }

    /// Reads all pages of a listing and puts their tools in the place of the
    /// present ones.
    ///
    /// # Errors
    ///
    /// A page cannot be read, or there is too much; then nothing is replaced.
    pub fn load<'p>(
        &self,
        pages: impl IntoIterator<Item = &'p [u8]>,
    ) -> Result<Change, UnreadableListing> {
        Ok(self.replace(ToolSet::of_pages(pages, &self.store)?))
    }
}
