//! The tools that a client knows of its server, and whether they are up to date.

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Kind, Node as _, View};

use super::{Catalog, Listing, ToolSet, UnreadableListing};
use crate::contract::{MalformedTool, SchemaStore};

/// The tools that a client knows of its server. A list of several pages takes effect when its last
/// page has arrived; if the tools changed meanwhile, it is out of date at once. If only a part of a
/// list could be read, that part is used, and the reason is kept for calls of other tools.
///
/// The caller has the clock: `now` is the time since any moment before the first call.
///
/// ```
/// use std::time::Duration;
/// use toolsure_mcp::catalog::{KnownTools, Listing};
/// use toolsure_mcp::contract::SchemaStore;
///
/// let mut known = KnownTools::new(SchemaStore::new());
/// let now = Duration::ZERO;
/// assert!(!known.is_fresh(now));
/// let asked = known.ask();
/// let page = r#"{"tools": [{"name": "find", "inputSchema": {"type": "object"}}], "ttlMs": 1000}"#;
/// known.page(&Listing::read(page)?, None, asked, now)?;
/// assert!(known.is_fresh(now) && known.is_vouched_for(now));
/// assert!(known.catalog().snapshot().tool("find").is_some());
/// assert!(!known.is_fresh(Duration::from_secs(1)));
/// known.changed();
/// assert!(!known.is_fresh(now));
/// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
/// ```
#[derive(Debug)]
pub struct KnownTools {
    catalog: Arc<Catalog>,
    /// How often the tools changed: the server reported it, or an answer showed it.
    changes: u64,
    /// The value of `changes` that the catalog belongs to. `None` before the first list.
    known: Option<u64>,
    /// When the list must be requested again.
    until: Option<Duration>,
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
    until: Option<Duration>,
    unread: Option<Arc<str>>,
}

/// The number of changes when a page was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedPage(u64);

impl KnownTools {
    /// No tools are known yet; `store` compiles and keeps their schemas.
    #[must_use]
    pub fn new(store: SchemaStore) -> Self {
        Self {
            catalog: Arc::new(Catalog::new(store)),
            changes: 0,
            known: None,
            until: None,
            unread: None,
            pages: None,
        }
    }

    /// The tools of the last list, or of the part that could be read.
    #[must_use]
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Why a tool outside the catalog may still be in the server's list; `None` if it cannot.
    #[must_use]
    pub fn unread(&self) -> Option<&Arc<str>> {
        self.unread.as_ref()
    }

    /// Whether the catalog is up to date, as far as the server has reported.
    #[must_use]
    pub fn is_fresh(&self, now: Duration) -> bool {
        let in_time = self.until.is_none_or(|until| now < until);
        self.known == Some(self.changes) && in_time
    }

    /// Whether the server guarantees the catalog: its `ttlMs` has not expired, and it
    /// has not reported a change.
    #[must_use]
    pub fn is_vouched_for(&self, now: Duration) -> bool {
        self.is_fresh(now) && self.until.is_some() && self.unread.is_none()
    }

    /// Records that the tools changed: the server reported it, or an answer shows it.
    pub fn changed(&mut self) {
        self.changes += 1;
    }

    /// Returns the number of changes. Keep it from the request for a page until the page arrives.
    #[must_use]
    pub fn ask(&self) -> AskedPage {
        AskedPage(self.changes)
    }

    /// Records the page that was requested with a cursor.
    ///
    /// # Errors
    ///
    /// The list exceeds the limits of a catalog. The pages before this one are kept for
    /// [`incomplete`](Self::incomplete).
    pub fn page(
        &mut self,
        page: &Listing,
        cursor: Option<&str>,
        asked: AskedPage,
        now: Duration,
    ) -> Result<(), UnreadableListing> {
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
        let added = pages.set.add(page, self.catalog.store());
        pages.changes = pages.changes.min(asked.0);
        pages.until = earlier(pages.until, expiry(page, now));
        pages.unread = pages.unread.or_else(|| page.unread_rest().map(Arc::from));
        if let Err(over) = added {
            self.pages = Some(pages);
            return Err(over);
        }
        match page.next_cursor() {
            Some(next) => {
                next.clone_into(&mut pages.next);
                self.pages = Some(pages);
            }
            None => self.settle(pages, now),
        }
        Ok(())
    }

    /// Uses the part of a list that was read, and keeps the reason why the rest could not be read.
    /// Tools of an older list that are not in this part stay known.
    pub fn incomplete(&mut self, reason: &str, now: Duration) {
        let read = self.pages.take();
        let pages = Pages {
            set: read.map(|pages| pages.set).unwrap_or_default(),
            next: String::new(),
            changes: self.changes,
            until: None,
            unread: Some(Arc::from(reason)),
        };
        self.settle(pages, now);
    }

    fn settle(&mut self, mut pages: Pages, now: Duration) {
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
            self.until = earlier(self.until, now.checked_add(RETRY));
        }
        self.catalog.replace(pages.set);
    }
}

impl Listing {
    /// Why the rest of the list cannot be requested; `None` if it can, or if this is the last page.
    ///
    /// ```
    /// use toolsure_mcp::catalog::Listing;
    ///
    /// assert!(Listing::read(r#"{"tools": [], "nextCursor": 5}"#)?.unread_rest().is_some());
    /// assert!(Listing::read(r#"{"tools": [], "nextCursor": "5"}"#)?.unread_rest().is_none());
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    #[must_use]
    pub fn unread_rest(&self) -> Option<&'static str> {
        match self.result().member("nextCursor").map(View::kind) {
            None | Some(Kind::String | Kind::Null) => None,
            Some(_) => {
                Some("where its next page begins cannot be read: `nextCursor` must be a string")
            }
        }
    }

    /// `ttlMs`, if it is valid.
    ///
    /// ```
    /// use toolsure_mcp::catalog::Listing;
    ///
    /// assert_eq!(Listing::read(r#"{"tools": [], "ttlMs": 5}"#)?.ttl_ms(), Some(5));
    /// assert_eq!(Listing::read(r#"{"tools": [], "ttlMs": -5}"#)?.ttl_ms(), None);
    /// # Ok::<(), toolsure_mcp::catalog::UnreadableListing>(())
    /// ```
    #[must_use]
    pub fn ttl_ms(&self) -> Option<u64> {
        let ttl = self.result().member("ttlMs")?;
        (ttl.kind() == Kind::Number).then(|| ttl.number().as_u64())?
    }
}

/// When a list expires. A `ttlMs` of 0 only says that the list must not be cached. Taken literally,
/// each call would request the list first, without end.
fn expiry(page: &Listing, now: Duration) -> Option<Duration> {
    let ttl = page.ttl_ms().filter(|ttl| *ttl > 0)?;
    now.checked_add(Duration::from_millis(ttl))
}

fn earlier(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// How long to wait before a list that could not be read completely is requested again.
const RETRY: Duration = Duration::from_secs(5);
