//! Scopes: the tools of a server as one client context sees them, and how long they are cached.
//!
//! A *scope* is one upstream as one authorization context sees it: the lists of tools that it was
//! shown, the tasks that it started, and its call counts. Lists whose `cacheScope` is `public` on every
//! page are shared by the upstream's contexts without a session (2026-07-28, server/utilities/caching). A
//! connection or session keeps such a list for itself: it may be to another process of the server,
//! and the lists from before it began must not judge its calls.

mod held_entries;
mod list_source;
mod pages;
mod remembered;
mod task_owners;
mod tool_cache;

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use toolsure_mcp::catalog::{Listing, UnreadableListing};
use toolsure_mcp::check::PendingTasks;
use toolsure_mcp::contract::{SchemaStore, ToolContract};

use crate::policy::{Limits, Rate};
use crate::rate::{AddressBuckets, Bucket};
use crate::share::{Identity, SharedBucket, SharedState};
use held_entries::HeldEntries;
pub(crate) use list_source::{ClientKind, ListSource};
use pages::Page;
pub(crate) use pages::{Found, Tools, Trust};
use task_owners::TaskOwners;
pub(crate) use tool_cache::{Known, PageTools, ToolCache};

/// The key of a scope.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a scope is an upstream as somebody sees it"
)]
pub struct ScopeKey {
    /// The upstream's name in the configuration, or its URL.
    pub upstream: Arc<str>,
    /// The identity under which it is asked.
    pub context: Context,
}

/// The identity under which an upstream is asked.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Context {
    /// Without authorisation.
    Anonymous,
    /// With an `Authorization` header that has this digest. The header itself is a secret and is not kept.
    Bearer([u8; 32]),
    /// Within a connection or session that has its own list.
    Session(u64),
}

/// The cached tools, tasks and rates of one upstream in one context. It is a handle: clones share it.
#[derive(Debug, Clone)]
pub struct Scope(Arc<ScopeState>);

#[derive(Debug)]
struct ScopeState {
    /// The scope of the upstream's public lists; `None` if this is that scope.
    public: Option<Scope>,
    /// Whether this scope keeps public lists for itself, because it belongs to a connection or session.
    keeps_public_lists: bool,
    tool_cache: Arc<ToolCache>,
    shared: Option<Arc<SharedState>>,
    /// The scope's identity for other guards, once that is known.
    caller: OnceLock<Arc<str>>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    tools: Arc<Tools>,
    source: ListSource,
    /// Counts how often the server said that its tools changed, and the sessions that began.
    changes: u64,
    /// If public pages are kept here: `changes` of the upstream's public lists when the first of them came.
    public_changes: Option<u64>,
    tasks: PendingTasks,
    /// For whom tasks were made, of all callers who share this scope.
    task_owners: TaskOwners,
    /// The held entries of other lists, which all callers share who share this scope.
    held: HeldEntries,
    buckets: HashMap<Arc<str>, CallBudget>,
    /// The tokens of all tools together.
    total: CallBudget,
    /// The tokens of each network address.
    addresses: AddressBuckets,
    /// Digests of the tools and the `requestState` of calls that may be continued without another token,
    /// oldest first.
    continuable: VecDeque<[u8; 32]>,
}

/// The tokens of one tool.
#[derive(Debug, Default)]
struct CallBudget {
    own: Bucket,
    /// The tokens that other guards leave, if they share this scope.
    shared_bucket: Option<Arc<SharedBucket>>,
}

/// A bucket of all scopes that has no token left: its rate, and the time until there is one.
#[derive(Debug)]
pub(crate) enum Exhausted {
    /// That of the tool.
    Tool(Rate, Duration),
    /// That of all tools.
    Total(Rate, Duration),
}

/// A page of tools that a server sent, to be cached.
pub(crate) struct ListedPage<'l> {
    pub(crate) listing: &'l Listing,
    pub(crate) cursor: Option<&'l str>,
    /// How long the server allows it to be cached; `None` in eras without such a member.
    pub(crate) ttl: Option<Duration>,
    pub(crate) public: bool,
    /// [`Scope::changes`] when the page was requested.
    pub(crate) asked: u64,
    pub(crate) now: Duration,
}

impl Scope {
    /// Creates a scope for `context`, or without one the scope of an upstream's public lists.
    pub(crate) fn new(
        tool_cache: &Arc<ToolCache>,
        shared: Option<&Arc<SharedState>>,
        context: Option<(&Context, Self)>,
        limits: &Limits,
    ) -> Self {
        let is_session = |(context, _): &(&Context, Self)| matches!(context, Context::Session(_));
        Self(Arc::new(ScopeState {
            keeps_public_lists: context.as_ref().is_some_and(is_session),
            public: context.map(|(_, public)| public),
            tool_cache: Arc::clone(tool_cache),
            shared: shared.cloned(),
            caller: OnceLock::new(),
            state: Mutex::new(State {
                tools: Arc::default(),
                source: ListSource {
                    began: tool_cache.next_session(),
                    ..ListSource::default()
                },
                changes: 0,
                public_changes: None,
                tasks: PendingTasks::new(limits.tasks),
                task_owners: TaskOwners::new(limits.tasks),
                held: HeldEntries::default(),
                buckets: HashMap::new(),
                total: CallBudget::default(),
                addresses: AddressBuckets::default(),
                continuable: VecDeque::new(),
            }),
        }))
    }

    /// Sets the scope's identity for other guards. Only the first call has an effect.
    pub(crate) fn stand_for(&self, who: Identity<'_>) {
        if let Some(shared) = &self.0.shared {
            self.0.caller.get_or_init(|| shared.caller(who));
        }
    }

    /// The state that is shared with other guards.
    pub(crate) fn shared(&self) -> Option<&SharedState> {
        self.0.shared.as_deref()
    }

    /// Whether tools are compared with what a guard saw first.
    pub(crate) fn is_pinned(&self) -> bool {
        self.shared().is_some_and(SharedState::is_pinning)
    }

    /// The tools that are known so far.
    pub(crate) fn tools(&self) -> Arc<Tools> {
        let Some(public) = &self.0.public else {
            return Arc::clone(&self.state().tools);
        };
        let (changes, shared) = {
            let public = public.state();
            (public.changes, Arc::clone(&public.tools))
        };
        let mut state = self.state();
        state.follow(changes);
        let own = &state.tools;
        if self.0.keeps_public_lists || own.is_whole() || own.is_private() || !shared.is_whole() {
            return Arc::clone(own);
        }
        shared
    }

    /// Whether this is the first time that `what` is said of the tool with this definition.
    pub(crate) fn is_first(&self, definition: &str, what: &str) -> bool {
        self.0.tool_cache.is_first(definition, what)
    }

    /// The store that compiles schemas.
    pub(crate) fn store(&self) -> &SchemaStore {
        self.0.tool_cache.store()
    }

    /// A counter that grows whenever the server says that its tools changed, also to others who share its
    /// public lists.
    pub(crate) fn changes(&self) -> u64 {
        let own = self.state().changes;
        let public = self.0.public.as_ref().map_or(0, Self::changes);
        own.saturating_add(public)
    }

    /// Adds a page. Returns the resulting list and the tools of the page. They are not in the list if no
    /// known page leads to it.
    ///
    /// # Errors
    ///
    /// There are more tools or bytes than a list may have.
    pub(crate) fn learn(
        &self,
        listed: &ListedPage<'_>,
        limits: &Limits,
    ) -> Result<(Arc<Tools>, Arc<PageTools>), UnreadableListing> {
        let tools = self.0.tool_cache.page(listed.listing)?;
        if tools.tools.len() > limits.tools {
            return Err(UnreadableListing::Tools {
                allowed: limits.tools,
            });
        }
        let page = Page {
            cursor: listed.cursor.map(str::to_owned),
            next: listed.listing.next_cursor().map(str::to_owned),
            tools: Arc::clone(&tools),
            fresh_until: listed.ttl.map(|ttl| listed.now.saturating_add(ttl)),
            is_public: listed.public,
            outdated: false,
        };
        Ok((self.put(page, listed.asked, limits), tools))
    }

    /// Adds a page to the list of this scope. Once the list is complete and all its pages are public, the
    /// contexts without a session share it.
    fn put(&self, mut page: Page, asked: u64, limits: &Limits) -> Arc<Tools> {
        // The lock of the public scope is always taken second.
        let mut state = self.state();
        let mut public = self.0.public.as_ref().map(Self::state);
        let public_changes = public.as_ref().map_or(0, |public| public.changes);
        state.follow(public_changes);
        page.outdated = state.changes.saturating_add(public_changes) != asked;
        let mut list = Arc::clone(&state.tools);
        let shared = public.as_mut().filter(|_| !self.0.keeps_public_lists);
        if let Some(shared) = &shared
            && list.is_of_shared(&page, &shared.tools)
        {
            list = Arc::clone(&shared.tools);
            state.public_changes = Some(public_changes);
        }
        if page.is_public {
            state.public_changes.get_or_insert(public_changes);
        }
        let tools = Arc::new(list.with(page, limits.pages));
        match shared {
            Some(shared) if tools.is_whole() && !tools.is_private() => {
                shared.tools = Arc::clone(&tools);
                state.tools = Arc::default();
                state.public_changes = None;
            }
            _ => state.tools = Arc::clone(&tools),
        }
        let buckets = &mut state.buckets;
        if buckets.len() > 2 * tools.names().count() + KEPT {
            buckets.retain(|name, _| matches!(tools.find(name), Found::Tool(_)));
        }
        tools
    }

    /// Marks the lists as out of date, because the server said that its tools changed.
    pub(crate) fn outdate(&self) {
        let mut state = self.state();
        state.changes += 1;
        state.public_changes = None;
        state.tools = Arc::new(state.tools.outdated());
        drop(state);
        if let Some(public) = &self.0.public {
            public.outdate();
        }
    }

    /// Forgets the lists of an earlier session with the server, because a new one begins. Public lists that
    /// others share stay as they are.
    pub(crate) fn begin_session(&self) {
        {
            let mut state = self.state();
            state.changes += 1;
            state.source.began = self.0.tool_cache.next_session();
            state.source.server = None;
        }
        self.clear();
    }

    /// Forgets all lists.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.public_changes = None;
        state.tools = Arc::default();
    }

    /// Whether something is lost by forgetting the scope: tools, tasks, or calls that a rate counts.
    pub(crate) fn knows_something(&self) -> bool {
        let state = self.state();
        state.tools.names().next().is_some() || !state.tasks.is_empty() || !state.buckets.is_empty()
    }

    /// Takes one token of a tool's bucket.
    ///
    /// # Errors
    ///
    /// No token is left: the time until there is one.
    pub(crate) fn take(&self, tool: &str, rate: &Rate, now: Duration) -> Result<(), Duration> {
        let mut state = self.state();
        match state.budget(tool, now) {
            Some(budget) => self.take_from(budget, Some(tool), rate, now),
            None => Ok(()),
        }
    }

    /// Takes one token of the bucket that all scopes of the upstream have for a network address. Guards of
    /// other processes do not share it.
    ///
    /// # Errors
    ///
    /// No token is left: the time until there is one.
    pub(crate) fn take_of_address(
        &self,
        network: IpAddr,
        rate: &Rate,
        now: Duration,
    ) -> Result<(), Duration> {
        let all = self.0.public.as_ref().unwrap_or(self);
        all.state().addresses.take(network, rate, now)
    }

    /// Takes one token of the bucket that all scopes of the upstream have for a tool, and one of the bucket
    /// that they have for all tools.
    ///
    /// # Errors
    ///
    /// One of them has no token left, and none is taken from the other.
    pub(crate) fn take_of_all(
        &self,
        tool: &str,
        tool_rate: Option<&Rate>,
        total_rate: Option<&Rate>,
        now: Duration,
    ) -> Result<(), Exhausted> {
        let all = self.0.public.as_ref().unwrap_or(self);
        let mut state = all.state();
        if let Some(rate) = total_rate {
            let left = all.check(&mut state.total, rate, now);
            left.map_err(|wait| Exhausted::Total(*rate, wait))?;
        }
        if let Some(rate) = tool_rate
            && let Some(budget) = state.budget(tool, now)
        {
            let taken = all.take_from(budget, Some(tool), rate, now);
            taken.map_err(|wait| Exhausted::Tool(*rate, wait))?;
        }
        match total_rate {
            Some(rate) => {
                let taken = all.take_from(&mut state.total, None, rate, now);
                taken.map_err(|wait| Exhausted::Total(*rate, wait))
            }
            None => Ok(()),
        }
    }

    /// Whether a budget of this scope has a token, as far as this guard knows.
    fn check(&self, budget: &mut CallBudget, rate: &Rate, now: Duration) -> Result<(), Duration> {
        budget
            .own
            .cap(rate.interval().saturating_mul(rate.burst), now);
        budget.own.check(rate, now)?;
        match (&budget.shared_bucket, &self.0.shared) {
            (Some(bucket), Some(shared)) => bucket.check(rate, now, shared.bucket_queue()),
            _ => Ok(()),
        }
    }

    /// Takes one token of a budget of this scope: of a tool, or of all tools.
    fn take_from(
        &self,
        budget: &mut CallBudget,
        tool: Option<&str>,
        rate: &Rate,
        now: Duration,
    ) -> Result<(), Duration> {
        let (Some(shared), Some(caller)) = (&self.0.shared, self.0.caller.get()) else {
            return budget.own.take(rate, now);
        };
        let shared_bucket = budget
            .shared_bucket
            .get_or_insert_with(|| shared.bucket(caller, tool));
        shared_bucket.take(&mut budget.own, rate, now, shared.bucket_queue())
    }

    /// Remembers that a server asked for input during a call that has taken its token: the call may be
    /// continued once with this `requestState`.
    pub(crate) fn may_be_continued(&self, tool: &str, request_state: &str) {
        let mut state = self.state();
        if state.continuable.len() >= CONTINUABLE {
            state.continuable.pop_front();
        }
        state.continuable.push_back(digest(tool, request_state));
    }

    /// Whether a call continues one that has taken its token; it can do so once.
    pub(crate) fn continues(&self, tool: &str, request_state: &str) -> bool {
        let wanted = digest(tool, request_state);
        let mut state = self.state();
        let at = state.continuable.iter().position(|one| *one == wanted);
        at.is_some_and(|at| state.continuable.remove(at).is_some())
    }

    /// Remembers that a tool made a task.
    pub(crate) fn began(&self, task: &str, tool: &Arc<ToolContract>) {
        self.state().tasks.insert(task, Arc::clone(tool));
    }

    /// The scope of all callers who may ask for the same tasks: a connection or a session has tasks of its own.
    fn of_all_callers(&self) -> &Self {
        let public = self.0.public.as_ref();
        public
            .filter(|_| !self.0.keeps_public_lists)
            .unwrap_or(self)
    }

    /// The tool that made a task.
    pub(crate) fn task(&self, task: &str) -> Option<Arc<ToolContract>> {
        self.state().tasks.tool(task).cloned()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The budget of a tool. Where there are too many, those that are full are forgotten.
    fn budget(&mut self, tool: &str, now: Duration) -> Option<&mut CallBudget> {
        if !self.buckets.contains_key(tool) {
            if self.buckets.len() > KEPT {
                self.buckets.retain(|_, budget| !budget.is_full(now));
            }
            self.buckets.insert(Arc::from(tool), CallBudget::default());
        }
        self.buckets.get_mut(tool)
    }

    /// Marks the list as out of date if others with its public pages were told that the tools changed.
    fn follow(&mut self, public_changes: u64) {
        if self
            .public_changes
            .is_some_and(|seen| seen != public_changes)
        {
            self.public_changes = None;
            self.tools = Arc::new(self.tools.outdated());
        }
    }
}

impl CallBudget {
    fn is_full(&self, now: Duration) -> bool {
        self.own.is_full(now)
            && self
                .shared_bucket
                .as_ref()
                .is_none_or(|shared_bucket| shared_bucket.is_full(now))
    }
}

fn digest(tool: &str, request_state: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(tool.len().to_le_bytes());
    hash.update(tool);
    hash.update(request_state);
    hash.finalize().into()
}

/// Maximum calls of one caller that may be continued without another token; the oldest are forgotten.
const CONTINUABLE: usize = 1_024;
/// The number of buckets up to which full ones are not removed.
const KEPT: usize = 1_024;
