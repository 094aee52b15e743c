//! The list of tools of one scope, page by page, and how long it can be trusted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolsure_mcp::contract::Isolated;
use toolsure_mcp::provider::ProviderTools;

use super::tool_cache::{Known, PageTools};
use crate::policy::Rules;

/// A cached page.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    /// The cursor with which it was requested.
    pub(crate) cursor: Option<String>,
    /// Where the next page begins.
    pub(crate) next: Option<String>,
    pub(crate) tools: Arc<PageTools>,
    /// When its `ttlMs` is over; `None` in eras without `ttlMs`.
    pub(crate) fresh_until: Option<Duration>,
    /// Whether its `cacheScope` is `public`.
    pub(crate) is_public: bool,
    /// Whether the server has said since then that its tools changed.
    pub(crate) outdated: bool,
}

/// How far a list can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Trust {
    /// It matches what the server says now.
    Fresh,
    /// It expired a short time ago: it may admit a call, but not refuse one.
    Stale,
    /// It must be requested again.
    Gone,
}

/// The list as far as it is known: pages in order, starting with the first.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    pages: Vec<Page>,
    /// The first page that has each name, and its tool.
    by_name: HashMap<Arc<str>, (usize, Arc<Known>)>,
    /// Whether the last page is known.
    whole: bool,
    /// Why the list is rejected as a whole, and under which policy.
    rejected: Mutex<Option<(u64, Option<Arc<str>>)>>,
}

/// The entry of the list for a name.
#[derive(Debug)]
pub(crate) enum Found {
    Tool(Arc<Known>),
    /// The server lists something with this name that is not a valid tool.
    Bad(Box<Isolated>),
    /// The server lists nothing with this name.
    Absent,
    /// The known pages have nothing with this name.
    Unknown,
}

impl Tools {
    /// The same list with one page added or replaced. Pages to which no cursor leads any more are dropped.
    pub(crate) fn with(&self, page: Page, most: usize) -> Self {
        let mut known: HashMap<Option<String>, Page> = HashMap::new();
        for old in &self.pages {
            known.insert(old.cursor.clone(), old.clone());
        }
        known.insert(page.cursor.clone(), page);
        let mut pages: Vec<Page> = Vec::new();
        let mut cursor = None;
        let mut whole = false;
        // A cursor that leads back to an earlier page finds that page already taken.
        while let Some(page) = known.remove(&cursor).filter(|_| pages.len() < most) {
            cursor.clone_from(&page.next);
            whole = page.next.is_none();
            pages.push(page);
            if whole {
                break;
            }
        }
        let mut by_name = HashMap::new();
        for (index, page) in pages.iter().enumerate() {
            for tool in &page.tools.tools {
                let name = Arc::from(tool.contract.name());
                by_name
                    .entry(name)
                    .or_insert_with(|| (index, Arc::clone(tool)));
            }
        }
        Self {
            pages,
            by_name,
            whole,
            rejected: Mutex::default(),
        }
    }

    /// The same list, marked as out of date.
    pub(crate) fn outdated(&self) -> Self {
        let mut pages = self.pages.clone();
        for page in &mut pages {
            page.outdated = true;
        }
        Self {
            pages,
            by_name: self.by_name.clone(),
            whole: self.whole,
            rejected: Mutex::default(),
        }
    }

    pub(crate) fn find(&self, name: &str) -> Found {
        if let Some((_, tool)) = self.by_name.get(name) {
            return Found::Tool(Arc::clone(tool));
        }
        let named = |isolated: &&Isolated| isolated.name.as_deref() == Some(name);
        let mut bad = self.pages.iter().flat_map(|page| &page.tools.isolated);
        match bad.find(named) {
            Some(isolated) => Found::Bad(Box::new(isolated.clone())),
            None if self.whole => Found::Absent,
            None => Found::Unknown,
        }
    }

    /// Whether an earlier page than the one with this cursor has the tool too.
    pub(crate) fn is_earlier(&self, cursor: Option<&str>, name: &str) -> bool {
        let page = self
            .pages
            .iter()
            .position(|page| page.cursor.as_deref() == cursor);
        match (page, self.by_name.get(name)) {
            (Some(page), Some((first, _))) => *first < page,
            _ => false,
        }
    }

    /// The first page of projected tools that publishes a tool under this name, as with the server's names.
    pub(crate) fn published(&self, rules: &Rules, name: &str) -> Option<Arc<ProviderTools>> {
        rules.policy.project_for.as_ref()?;
        let mut pages = self
            .pages
            .iter()
            .filter_map(|page| page.tools.projected(rules));
        pages.find(|page| page.published(name).is_some())
    }

    pub(crate) fn trust(&self, now: Duration, stale_for: Duration) -> Trust {
        let pages = self.pages.iter().map(|page| page.trust(now, stale_for));
        pages.max().unwrap_or(Trust::Gone)
    }

    /// Why the list is rejected as a whole; computed once for each policy.
    pub(crate) fn rejected(
        &self,
        generation: u64,
        why: impl FnOnce() -> Option<Arc<str>>,
    ) -> Option<Arc<str>> {
        let mut rejected = self.rejected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((under, why)) = &*rejected
            && *under == generation
        {
            return why.clone();
        }
        let why = why();
        *rejected = Some((generation, why.clone()));
        why
    }

    /// Whether any page is for its context only, and with it the list.
    pub(crate) fn is_private(&self) -> bool {
        self.pages.iter().any(|page| !page.is_public)
    }

    /// Whether a page belongs to the list that the contexts share, and not to this one: no page here
    /// leads to it, but one there does. The first page belongs to both.
    pub(crate) fn is_of_shared(&self, page: &Page, shared: &Self) -> bool {
        let leads = |tools: &Self| tools.pages.iter().any(|one| one.next == page.cursor);
        match page.cursor {
            None => !self.is_private() && shared.whole,
            Some(_) => !leads(self) && leads(shared),
        }
    }

    /// Whether no page is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(|name| &**name)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Arc<Known>> {
        self.by_name.values().map(|(_, tool)| tool)
    }

    pub(crate) fn isolated(&self) -> impl Iterator<Item = &Isolated> {
        self.pages.iter().flat_map(|page| &page.tools.isolated)
    }
}

impl Page {
    fn trust(&self, now: Duration, stale_for: Duration) -> Trust {
        match self.fresh_until {
            _ if self.outdated => Trust::Gone,
            None => Trust::Fresh,
            Some(until) if now < until => Trust::Fresh,
            Some(until) if now < until.saturating_add(stale_for) => Trust::Stale,
            Some(_) => Trust::Gone,
        }
    }
}
