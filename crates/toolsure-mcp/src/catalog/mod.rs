//! The tools of a server: read page by page, always replaced as a whole.

mod known;
mod listing;
mod salvage;
mod scan;
mod tools;

use std::sync::{Arc, PoisonError, RwLock};

pub use known::{AskedPage, KnownTools};
pub use listing::{Listing, Recognised, UnreadableListing};
pub use tools::ToolSet;

use crate::contract::SchemaStore;

/// The tools that a server offers now.
///
/// [`replace`](Self::replace) replaces the old set with a new one atomically (after `list_changed`,
/// a new listing, a new connection). A caller that took a [`snapshot`](Self::snapshot) before keeps
/// the old set, so that a call and its result are checked against the same contract. A contract
/// depends only on the tool's text: a changed schema is a new schema whatever its `$id` says, and
/// an unchanged one is not compiled again.
///
/// ```
/// use toolsure_mcp::catalog::{Catalog, ToolSet};
/// use toolsure_mcp::contract::SchemaStore;
///
/// let catalog = Catalog::new(SchemaStore::new());
/// let page = br#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}}]}"#;
/// assert_eq!(catalog.load([page.as_slice()])?.added, ["find"]);
/// assert!(catalog.load([page.as_slice()])?.is_empty());
/// assert_eq!(catalog.snapshot().len(), 1);
/// assert_eq!(catalog.store().compilations(), 0); // not before they are needed
/// assert_eq!(catalog.replace(ToolSet::new()).removed, ["find"]);
/// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
/// ```
#[derive(Debug, Default)]
pub struct Catalog {
    current: RwLock<Arc<ToolSet>>,
    store: SchemaStore,
}

/// The changes that a new set made, by tool name, in the order of the listings.
///
/// ```
/// assert!(toolsure_mcp::catalog::Change::default().is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Tools that are new.
    pub added: Vec<String>,
    /// Tools that are no longer there.
    pub removed: Vec<String>,
    /// Tools whose text changed.
    pub changed: Vec<String>,
}

impl Change {
    /// Whether no tool changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

impl Catalog {
    /// An empty catalog; `store` compiles and keeps its schemas.
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

    /// The current tools.
    #[must_use]
    pub fn snapshot(&self) -> Arc<ToolSet> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Replaces the current tools with `tools`.
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

    /// Reads all pages of a listing and replaces the current tools with theirs.
    ///
    /// # Errors
    ///
    /// A page cannot be read, or a limit is exceeded; then nothing is replaced.
    pub fn load<'p>(
        &self,
        pages: impl IntoIterator<Item = &'p [u8]>,
    ) -> Result<Change, UnreadableListing> {
        Ok(self.replace(ToolSet::of_pages(pages, &self.store)?))
    }
}
