//! What one connection knows of its server's tools, and how fresh that is.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use toolgate_mcp::catalog::{Catalog, Listing, ToolSet, UnreadableListing};
use toolgate_mcp::contract::SchemaStore;

/// The tools of a connection. A list of several pages counts when its last page
/// has come, and not if the tools changed while it came.
#[derive(Debug)]
pub(super) struct Book {
    catalog: Arc<Catalog>,
    /// How often the server said that its tools changed.
    changes: u64,
    /// Which of these the catalog knows of. `None` before the first list.
    known: Option<u64>,
    /// When the catalog must be asked for again.
    until: Option<Instant>,
    pages: Option<Pages>,
}

#[derive(Debug)]
struct Pages {
    set: ToolSet,
    next: String,
    changes: u64,
    until: Option<Instant>,
}

/// When a page was asked for, as far as changes go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked(u64);

impl Book {
    pub(super) fn new(store: SchemaStore) -> Self {
        Self {
            catalog: Arc::new(Catalog::new(store)),
            changes: 0,
            known: None,
            until: None,
            pages: None,
        }
    }

    pub(super) fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Whether the catalog is what the server offers, for all it said.
    pub(super) fn is_fresh(&self) -> bool {
        let in_time = self.until.is_none_or(|until| Instant::now() < until);
        self.known == Some(self.changes) && in_time
    }

    /// The server says that its tools changed, or shows it.
    pub(super) fn changed(&mut self) {
        self.changes += 1;
    }

    /// Takes what is known, however old, as what there is.
    pub(super) fn settle(&mut self) {
        self.known = Some(self.changes);
        self.until = None;
    }

    /// To be kept from when a page is asked for until it comes.
    pub(super) fn ask(&self) -> Asked {
        Asked(self.changes)
    }

    /// Writes down a page that came for a cursor, with its `ttlMs`.
    pub(super) fn page(
        &mut self,
        listing: &Listing,
        cursor: Option<&str>,
        asked: Asked,
        ttl: Option<u64>,
    ) -> Result<(), UnreadableListing> {
        let mut pages = match (cursor, self.pages.take()) {
            (None, _) => Pages {
                set: ToolSet::new(),
                next: String::new(),
                changes: asked.0,
                until: None,
            },
            (Some(cursor), Some(pages)) if pages.next == cursor => pages,
            // A page in the middle of a list whose beginning is not known.
            (Some(_), pages) => {
                self.pages = pages;
                return Ok(());
            }
        };
        pages.set.add(listing, self.catalog.store())?;
        pages.changes = pages.changes.min(asked.0);
        pages.until = match (pages.until, expiry(ttl)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        match listing.next_cursor() {
            Some(next) => {
                next.clone_into(&mut pages.next);
                self.pages = Some(pages);
            }
            None => {
                self.known = Some(pages.changes);
                self.until = pages.until;
                self.catalog.replace(pages.set);
            }
        }
        Ok(())
    }
}

/// A `ttlMs` of 0 says no more than that the list may not be kept for others;
/// asking again before each call would follow from it, and never end.
fn expiry(ttl: Option<u64>) -> Option<Instant> {
    let ttl = ttl.filter(|ttl| *ttl > 0)?;
    Instant::now().checked_add(Duration::from_millis(ttl))
}
