//! The tools of one connection, and whether they are up to date.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use toolsure_mcp::catalog::{Catalog, ToolSet};
use toolsure_mcp::contract::{MalformedTool, SchemaStore};

use super::list::Page;

/// The tools of a connection. A list of several pages takes effect when its last page has arrived;
/// if the tools changed meanwhile, it is out of date at once. If only a part of a list could be
/// read, that part is used, and the reason is kept for calls of other tools.
#[derive(Debug)]
pub(super) struct KnownTools {
    catalog: Arc<Catalog>,
    /// How often the tools changed: the server reported it, or an answer showed it.
    changes: u64,
    /// The value of `changes` that the catalog belongs to. `None` before the first list.
    known: Option<u64>,
    /// When the list must be requested again.
    until: Option<Instant>,
    /// Why a part of the list is missing from the catalog.
    unread: Option<Arc<str>>,
    pages: Option<Pages>,
}

/// A list whose last page has not arrived.
#[derive(Debug)]
struct Pages {
    set: ToolSet,
    next: String,
    changes: u64,
    until: Option<Instant>,
    unread: Option<Arc<str>>,
}

/// The number of changes when a page was requested.
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

    /// A handle to the tools.
    pub(super) fn watch(&self) -> ToolWatch {
        ToolWatch(Arc::clone(&self.catalog))
    }

    /// Why a tool outside the catalog may still be in the server's list; `None` if it cannot.
    pub(super) fn unread(&self) -> Option<&Arc<str>> {
        self.unread.as_ref()
    }

    /// Whether the catalog is up to date, as far as the server has reported.
    pub(super) fn is_fresh(&self) -> bool {
        let in_time = self.until.is_none_or(|until| Instant::now() < until);
        self.known == Some(self.changes) && in_time
    }

    /// Whether the server guarantees the catalog: its `ttlMs` has not expired, and it
    /// has not reported a change.
    pub(super) fn is_vouched_for(&self) -> bool {
        self.is_fresh() && self.until.is_some() && self.unread.is_none()
    }

    /// Records that the tools changed: the server reported it, or an answer shows it.
    pub(super) fn changed(&mut self) {
        self.changes += 1;
    }

    /// Returns the number of changes. Keep it from the request for a page until the page arrives.
    pub(super) fn ask(&self) -> Asked {
        Asked(self.changes)
    }

    /// Records the page that was requested with a cursor.
    ///
    /// # Errors
    ///
    /// The list exceeds the limits of a catalog. The pages before this one are kept for
    /// [`incomplete`](Self::incomplete).
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
            // A page from the middle of a list whose beginning is not known.
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

    /// Uses the part of a list that was read, and keeps the reason why the rest could not be read.
    /// Tools of an older list that are not in this part stay known.
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

/// The tools of one connection.
#[derive(Debug, Clone)]
pub struct ToolWatch(Arc<Catalog>);

impl ToolWatch {
    /// The tools of the last list, or of the part that could be read, malformed ones included.
    ///
    /// ```
    /// use toolsure_rmcp::ToolWatch;
    ///
    /// fn report(tools: &ToolWatch) {
    ///     let tools = tools.snapshot();
    ///     for contract in tools.tools() {
    ///         println!("{}", contract.name());
    ///     }
    ///     for malformed in tools.isolated() {
    ///         eprintln!("{malformed}");
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Arc<ToolSet> {
        self.0.snapshot()
    }
}

/// When a list expires. A `ttlMs` of 0 only says that the list must not be cached. Taken literally,
/// each call would request the list first, without end.
fn expiry(ttl: Option<u64>) -> Option<Instant> {
    let ttl = ttl.filter(|ttl| *ttl > 0)?;
    Instant::now().checked_add(Duration::from_millis(ttl))
}

/// How long to wait before a list that could not be read completely is requested again.
const RETRY: Duration = Duration::from_secs(5);
