//! What one connection knows of its server's tools, and how fresh that is.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use toolgate_mcp::catalog::{Catalog, ToolSet};
use toolgate_mcp::contract::{MalformedTool, SchemaStore};

use super::list::Page;

/// The tools of a connection. A list of several pages counts when its last page
/// has come, and not if the tools changed while it came. Of a list that could
/// be read only in part, what was read counts, and why the rest is missing is
/// kept for the calls that ask for it.
#[derive(Debug)]
pub(super) struct KnownTools {
    catalog: Arc<Catalog>,
    /// How often the server said that its tools changed.
    changes: u64,
    /// Which of these the catalog knows of. `None` before the first list.
    known: Option<u64>,
    /// When the catalog must be asked for again.
    until: Option<Instant>,
    /// Why a part of the list is not in the catalog.
    unread: Option<Arc<str>>,
    pages: Option<Pages>,
}

/// A list whose last page has not come.
#[derive(Debug)]
struct Pages {
    set: ToolSet,
    next: String,
    changes: u64,
    until: Option<Instant>,
    unread: Option<Arc<str>>,
}

/// When a page was asked for, as far as changes go.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked(u64);

impl KnownTools {
    pub(super) fn new(store: SchemaStore) -> Self {
        Self {
            catalog: Arc::new(Catalog::new(store)),
            changes: 0,
            known: None,
            until: None,
            unread: None,
            pages: None,
        }
    }

    pub(super) fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Why a tool that the catalog does not have may stand in the server's list
    /// all the same.
    pub(super) fn unread(&self) -> Option<&Arc<str>> {
        self.unread.as_ref()
    }

    /// Whether the catalog is what the server offers, for all it said.
    pub(super) fn is_fresh(&self) -> bool {
        let in_time = self.until.is_none_or(|until| Instant::now() < until);
        self.known == Some(self.changes) && in_time
    }

    /// Whether the server vouches for the catalog: it gave a `ttlMs` that is not
    /// over, and has not said that its tools changed.
    pub(super) fn is_vouched_for(&self) -> bool {
        self.is_fresh() && self.until.is_some() && self.unread.is_none()
    }

    /// The server says that its tools changed, or shows it.
    pub(super) fn changed(&mut self) {
        self.changes += 1;
    }

    /// To be kept from when a page is asked for until it comes.
    pub(super) fn ask(&self) -> Asked {
        Asked(self.changes)
    }

    /// Writes down a page that came for a cursor.
    ///
    /// # Errors
    ///
    /// The list is over the bounds of a catalog. The pages before this one are
    /// kept for [`incomplete`](Self::incomplete).
    pub(super) fn page(
        &mut self,
        page: &Page,
        cursor: Option<&str>,
        asked: Asked,
    ) -> Result<(), String> {
        let mut pages = match (cursor, self.pages.take()) {
            (None, _) => Pages {
                set: ToolSet::new(),
                next: String::new(),
                changes: asked.0,
                until: None,
                unread: None,
            },
            (Some(cursor), Some(pages)) if pages.next == cursor => pages,
            // A page in the middle of a list whose beginning is not known.
            (Some(_), pages) => {
                self.pages = pages;
                return Ok(());
            }
        };
        let added = pages.set.add(&page.listing, self.catalog.store());
        pages.changes = pages.changes.min(asked.0);
        pages.until = match (pages.until, expiry(page.ttl_ms())) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        pages.unread = pages.unread.or_else(|| page.unread.clone());
        if let Err(over) = added {
            self.pages = Some(pages);
            return Err(over.to_string());
        }
        match page.next_cursor() {
            Some(next) => {
                next.clone_into(&mut pages.next);
                self.pages = Some(pages);
            }
            None => self.settle(pages),
        }
        Ok(())
    }

    /// Takes what was read of a list whose rest cannot be read, for this reason,
    /// as what there is. What an older list said of other tools stays.
    pub(super) fn incomplete(&mut self, reason: &str) {
        let read = self.pages.take();
        self.settle(Pages {
            set: read.map(|pages| pages.set).unwrap_or_default(),
            next: String::new(),
            changes: self.changes,
            until: None,
            unread: Some(Arc::from(reason)),
        });
    }

    fn settle(&mut self, mut pages: Pages) {
        let nameless = pages
            .set
            .isolated()
            .iter()
            .find(|tool| tool.name.is_none() && matches!(tool.reason, MalformedTool::Json(_)));
        self.unread = pages
            .unread
            .or_else(|| nameless.map(|tool| Arc::from(tool.to_string())));
        self.known = Some(pages.changes);
        self.until = pages.until;
        if self.unread.is_some() {
            pages.set.carry_over(&self.catalog.snapshot());
            let again = Instant::now().checked_add(RETRY);
            self.until = match (self.until, again) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        self.catalog.replace(pages.set);
    }
}

/// A `ttlMs` of 0 says no more than that the list may not be kept for others;
/// asking again before each call would follow from it, and never end.
fn expiry(ttl: Option<u64>) -> Option<Instant> {
    let ttl = ttl.filter(|ttl| *ttl > 0)?;
    Instant::now().checked_add(Duration::from_millis(ttl))
}

/// How long a list that could not be read whole is not asked for again.
const RETRY: Duration = Duration::from_secs(5);
