//! What is known of a server's tools, for whom, and how long.
//!
//! A *scope* is one upstream as one authorisation context sees it: the lists of
//! tools that it was shown, the tasks that it began, how often it called. Lists
//! whose `cacheScope` is `public` are shared by all scopes of the upstream
//! (2026-07-28, server/utilities/caching).

mod pages;
mod shelf;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use toolgate_mcp::catalog::{Listing, UnreadableListing};
use toolgate_mcp::check::TaskBook;
use toolgate_mcp::contract::{SchemaStore, ToolContract};

use crate::policy::{DriftMode, Limits, Rate};
use crate::rate::Bucket;
use crate::share::{Board, Identity, Tab};
use pages::Page;
pub(crate) use pages::{Found, Tools, Trust};
pub(crate) use shelf::{Known, Shelf};

/// Names a scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a scope is an upstream as somebody sees it"
)]
pub struct ScopeKey {
    /// The upstream's name in the configuration, or its URL.
    pub upstream: Arc<str>,
    /// As whom it is asked.
    pub context: Context,
}

/// As whom an upstream is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Context {
    /// Without authorisation.
    Anonymous,
    /// With an `Authorization` header of this digest. The header itself is a
    /// secret and is not kept.
    Bearer([u8; 32]),
    /// Within a connection or session that has a list of its own.
    Session(u64),
}

/// What is known of one upstream in one context. A handle: clones share it.
#[derive(Debug, Clone)]
pub struct Scope(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The scope of public lists of the same upstream; none if it is that one.
    public: Option<Scope>,
    shelf: Arc<Shelf>,
    board: Option<Arc<Board>>,
    /// Who the scope is to other guards, once that is known.
    caller: OnceLock<Arc<str>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    tools: Arc<Tools>,
    /// Counts how often the server said that its tools changed.
    changes: u64,
    tasks: TaskBook,
    buckets: HashMap<Arc<str>, Purse>,
}

/// The tokens of one tool.
#[derive(Debug, Default)]
struct Purse {
    own: Bucket,
    /// What other guards leave of them, if they share this scope.
    tab: Option<Arc<Tab>>,
}

/// A page of tools that a server sent.
pub(crate) struct Lesson<'l> {
    pub(crate) listing: &'l Listing,
    pub(crate) cursor: Option<&'l str>,
    /// How long the server lets it be kept; `None` where eras do not say.
    pub(crate) ttl: Option<Duration>,
    pub(crate) public: bool,
    /// [`Scope::changes`] when it was asked for.
    pub(crate) asked: u64,
    pub(crate) now: Duration,
}

impl Scope {
    pub(crate) fn new(
        shelf: &Arc<Shelf>,
        board: Option<&Arc<Board>>,
        public: Option<Self>,
        limits: &Limits,
    ) -> Self {
        Self(Arc::new(Inner {
            public,
            shelf: Arc::clone(shelf),
            board: board.cloned(),
            caller: OnceLock::new(),
            state: Mutex::new(State {
                tools: Arc::default(),
                changes: 0,
                tasks: TaskBook::new(limits.tasks),
                buckets: HashMap::new(),
            }),
        }))
    }

    /// Says who this scope is to other guards; what was said first counts.
    pub(crate) fn stand_for(&self, who: Identity<'_>) {
        if let Some(board) = &self.0.board {
            self.0.caller.get_or_init(|| board.caller(who));
        }
    }

    /// What is shared with other guards.
    pub(crate) fn board(&self) -> Option<&Board> {
        self.0.board.as_deref()
    }

    /// Whether tools are held to what a guard saw first.
    pub(crate) fn is_pinned(&self) -> bool {
        self.board()
            .is_some_and(|board| board.pinning() != DriftMode::Off)
    }

    /// The tools that are known, and how far.
    pub(crate) fn tools(&self) -> Arc<Tools> {
        let own = Arc::clone(&self.state().tools);
        match &self.0.public {
            Some(public) if !own.is_whole() => {
                let shared = public.tools();
                if shared.is_whole() { shared } else { own }
            }
            _ => own,
        }
    }

    /// Where schemas are compiled.
    pub(crate) fn store(&self) -> &SchemaStore {
        self.0.shelf.store()
    }

    /// How often the server said that its tools changed.
    pub(crate) fn changes(&self) -> u64 {
        self.state().changes
    }

    /// Takes in a page.
    ///
    /// # Errors
    ///
    /// There are more tools or bytes than a list may have.
    pub(crate) fn learn(
        &self,
        lesson: &Lesson<'_>,
        limits: &Limits,
    ) -> Result<Arc<Tools>, UnreadableListing> {
        let tools = self.0.shelf.page(lesson.listing)?;
        if tools.tools.len() > limits.tools {
            return Err(UnreadableListing::Tools {
                allowed: limits.tools,
            });
        }
        let outdated = self.changes() != lesson.asked;
        let page = Page {
            cursor: lesson.cursor.map(str::to_owned),
            next: lesson.listing.next_cursor().map(str::to_owned),
            tools,
            fresh_until: lesson.ttl.map(|ttl| lesson.now.saturating_add(ttl)),
            outdated,
        };
        match &self.0.public {
            Some(public) if lesson.public => {
                self.state().tools = Arc::default();
                Ok(public.put(page, limits))
            }
            _ => Ok(self.put(page, limits)),
        }
    }

    fn put(&self, page: Page, limits: &Limits) -> Arc<Tools> {
        let mut state = self.state();
        let tools = Arc::new(state.tools.with(page, limits.pages));
        state.tools = Arc::clone(&tools);
        let State { tools, buckets, .. } = &mut *state;
        if buckets.len() > 2 * tools.names().count() + KEPT {
            buckets.retain(|name, _| matches!(tools.find(name), Found::Tool(_)));
        }
        Arc::clone(tools)
    }

    /// The server said that its tools changed.
    pub(crate) fn outdate(&self) {
        let mut state = self.state();
        state.changes += 1;
        state.tools = Arc::new(state.tools.outdated());
        drop(state);
        if let Some(public) = &self.0.public {
            public.outdate();
        }
    }

    /// Forgets all lists.
    pub(crate) fn clear(&self) {
        self.state().tools = Arc::default();
    }

    /// Takes one token of a tool's bucket.
    ///
    /// # Errors
    ///
    /// There is none; how long until there is one.
    pub(crate) fn take(&self, tool: &str, rate: &Rate, now: Duration) -> Result<(), Duration> {
        let mut state = self.state();
        if !state.buckets.contains_key(tool) {
            if state.buckets.len() > KEPT {
                state.buckets.retain(|_, purse| !purse.is_full(now));
            }
            state.buckets.insert(Arc::from(tool), Purse::default());
        }
        let Some(purse) = state.buckets.get_mut(tool) else {
            return Ok(());
        };
        let (Some(board), Some(caller)) = (&self.0.board, self.0.caller.get()) else {
            return purse.own.take(rate, now);
        };
        let tab = purse.tab.get_or_insert_with(|| board.tab(caller, tool));
        tab.take(&mut purse.own, rate, now, board.share())
    }

    /// Writes down that a tool made a task.
    pub(crate) fn began(&self, task: &str, tool: &Arc<ToolContract>) {
        self.state().tasks.insert(task, Arc::clone(tool));
    }

    /// The tool that made a task.
    pub(crate) fn task(&self, task: &str) -> Option<Arc<ToolContract>> {
        self.state().tasks.tool(task).cloned()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Purse {
    fn is_full(&self, now: Duration) -> bool {
        self.own.is_full(now) && self.tab.as_ref().is_none_or(|tab| tab.is_full(now))
    }
}

/// Buckets that are kept without a look at whether they are full.
const KEPT: usize = 1_024;
