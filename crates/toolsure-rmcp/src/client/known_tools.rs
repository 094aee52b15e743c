//! The tools of one connection, and whether they are up to date.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use toolsure_mcp::catalog::{self, AskedPage, Catalog, ToolSet};
use toolsure_mcp::contract::SchemaStore;

use super::list::Page;

/// The tools of a connection, with the clock of its runtime.
#[derive(Debug)]
pub(super) struct KnownTools {
    tools: catalog::KnownTools,
    start: Instant,
}

impl KnownTools {
    pub(super) fn new(store: SchemaStore) -> Self {
        Self {
            tools: catalog::KnownTools::new(store),
            start: Instant::now(),
        }
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    pub(super) fn catalog(&self) -> &Arc<Catalog> {
        self.tools.catalog()
    }

    /// A handle to the tools.
    pub(super) fn watch(&self) -> ToolWatch {
        ToolWatch(Arc::clone(self.tools.catalog()))
    }

    /// Why a tool outside the catalog may still be in the server's list; `None` if it cannot.
    pub(super) fn unread(&self) -> Option<&Arc<str>> {
        self.tools.unread()
    }

    /// Whether the catalog is up to date, as far as the server has reported.
    pub(super) fn is_fresh(&self) -> bool {
        self.tools.is_fresh(self.now())
    }

    /// Whether the server guarantees the catalog.
    pub(super) fn is_vouched_for(&self) -> bool {
        self.tools.is_vouched_for(self.now())
    }

    /// Records that the tools changed: the server reported it, or an answer shows it.
    pub(super) fn changed(&mut self) {
        self.tools.changed();
    }

    /// Keep the answer from the request for a page until the page arrives.
    pub(super) fn ask(&self) -> AskedPage {
        self.tools.ask()
    }

    /// Records the page that was requested with a cursor.
    ///
    /// # Errors
    ///
    /// The list exceeds the limits of a catalog.
    pub(super) fn page(
        &mut self,
        page: &Page,
        cursor: Option<&str>,
        asked: AskedPage,
    ) -> Result<(), String> {
        let now = self.now();
        let added = self.tools.page(&page.listing, cursor, asked, now);
        added.map_err(|over| over.to_string())
    }

    /// Uses the part of a list that was read, and keeps the reason why the rest could not be read.
    pub(super) fn incomplete(&mut self, reason: &str) {
        let now = self.now();
        self.tools.incomplete(reason, now);
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
