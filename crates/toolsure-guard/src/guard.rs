//! The guard of one process: a policy that can be replaced, and the state that all
//! conversations share.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use event_listener::Event;
use toolsure_json::ReadLimits;
use toolsure_mcp::check::Checker;
use toolsure_mcp::contract::SchemaStore;

use crate::caller::VerifiedCaller;
use crate::message::{Message, Readers};
use crate::policy::{Policy, PolicyError, Rules};
use crate::scope::{Context, Scope, ScopeKey, ToolCache};
use crate::share::{Identity, Share, SharedState};
use crate::status::{ToolsStatus, tools};

/// The guard of one process. It is a handle: clones share everything.
#[derive(Clone)]
pub struct Guard(Arc<GuardState>);

struct GuardState {
    rules: Arc<RwLock<Arc<Rules>>>,
    tool_cache: Arc<ToolCache>,
    /// The state that is shared with other guards.
    shared: Option<Arc<SharedState>>,
    scopes: Mutex<Scopes>,
    #[expect(
        clippy::vec_box,
        reason = "scratch memory is some kilobytes, and would be moved twice for every message"
    )]
    scratch: Mutex<Vec<Box<Scratch>>>,
    readers: Arc<Readers>,
    generations: AtomicU64,
    replaced: Event,
}

#[derive(Default)]
struct Scopes {
    known: HashMap<ScopeKey, (Scope, u64)>,
    public: HashMap<Arc<str>, Scope>,
    clock: u64,
}

/// Memory that checking one message needs, kept and reused between messages.
pub(crate) struct Scratch {
    pub(crate) checker: Checker,
    generation: u64,
}

impl Guard {
    /// Creates a guard with a schema store of its own, compiled as the policy says.
    ///
    /// # Errors
    ///
    /// The policy is invalid.
    pub fn new(policy: Policy) -> Result<Self, PolicyError> {
        Self::made(policy, None)
    }

    /// Creates a guard that shares what it sees of one upstream with the guards of other processes. They
    /// know scopes without a session by their authorization; [`Conversation::stand_for`] sets the identity
    /// of a session.
    ///
    /// [`Conversation::stand_for`]: crate::Conversation::stand_for
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn sharing(policy: Policy, upstream: &str, share: &Share) -> Result<Self, PolicyError> {
        Self::made(policy, Some(share.state_of(upstream)))
    }

    fn made(policy: Policy, shared: Option<Arc<SharedState>>) -> Result<Self, PolicyError> {
        policy.check()?;
        let compiler = policy.compiler.clone();
        let rules = Arc::new(RwLock::new(Arc::new(Rules::new(policy, 0))));
        let read = Arc::clone(&rules);
        let store = SchemaStore::choosing(compiler, SchemaStore::BYTES, move |tool, part| {
            let rules = read.read().unwrap_or_else(PoisonError::into_inner);
            rules.policy.formats_in(tool, part)
        });
        Ok(Self(Arc::new(GuardState {
            rules,
            tool_cache: ToolCache::new(store),
            shared,
            scopes: Mutex::default(),
            scratch: Mutex::default(),
            readers: Arc::default(),
            generations: AtomicU64::new(0),
            replaced: Event::new(),
        })))
    }

    /// Replaces the policy from the next message of every conversation on. Open requests stay open.
    ///
    /// # Errors
    ///
    /// The policy is invalid; then the present one stays.
    pub fn replace(&self, policy: Policy) -> Result<(), PolicyError> {
        policy.check()?;
        let generation = self.0.generations.fetch_add(1, Ordering::Relaxed) + 1;
        let rules = Arc::new(Rules::new(policy, generation));
        *self.0.rules.write().unwrap_or_else(PoisonError::into_inner) = rules;
        self.0.replaced.notify(usize::MAX);
        Ok(())
    }

    /// Waits until the policy is replaced after this call. Then call
    /// [`Conversation::policy_replaced`](crate::Conversation::policy_replaced) of each conversation.
    pub fn replaced(&self) -> impl Future<Output = ()> + Send + Unpin + use<> {
        self.0.replaced.listen()
    }

    /// Whether tools are compared with pins: those of a lock, or those that the guards of other processes
    /// saw first.
    #[must_use]
    pub fn holds_to_pins(&self) -> bool {
        let shared = self.0.shared.as_ref();
        self.rules().policy.drift.lock.is_some() || shared.is_some_and(|it| it.is_pinning())
    }

    /// The policy that is in force.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.rules().policy.clone()
    }

    /// Whether the policy lets a caller in ([`Policy::admits`]).
    #[must_use]
    pub fn admits(&self, caller: Option<&VerifiedCaller>) -> bool {
        self.rules().policy.admits(caller)
    }

    /// The scope of an upstream in a context, created if it does not exist.
    ///
    /// Scopes are forgotten if there are more than [`Limits::scopes`](crate::policy::Limits::scopes), or
    /// if their lists together have more bytes than
    /// [`Limits::tool_list_bytes`](crate::policy::Limits::tool_list_bytes): first those without tools,
    /// tasks and calls that a rate counts, then the least recently used.
    #[must_use]
    pub fn scope(&self, key: &ScopeKey) -> Scope {
        let rules = self.rules();
        let limits = &rules.policy.limits;
        let mut scopes = self.scopes();
        scopes.clock += 1;
        let clock = scopes.clock;
        if let Some((scope, used)) = scopes.known.get_mut(key) {
            *used = clock;
            return scope.clone();
        }
        let public = scopes.public.entry(Arc::clone(&key.upstream));
        let (tool_cache, shared) = (&self.0.tool_cache, self.0.shared.as_ref());
        let public = public.or_insert_with(|| {
            let public = Scope::new(tool_cache, shared, None, limits);
            public.stand_for(Identity::Everybody);
            public
        });
        let context = Some((&key.context, public.clone()));
        let scope = Scope::new(tool_cache, shared, context, limits);
        match &key.context {
            Context::Anonymous => scope.stand_for(Identity::Anonymous),
            Context::Bearer(digest) => scope.stand_for(Identity::Authorization(digest)),
            Context::Session(_) => {}
        }
        scopes.make_room(
            limits.scopes,
            self.0.tool_cache.bytes() > limits.tool_list_bytes,
        );
        scopes.known.insert(key.clone(), (scope.clone(), clock));
        scope
    }

    /// Forgets a scope: its session or process has ended.
    pub fn forget(&self, key: &ScopeKey) {
        self.scopes().known.remove(key);
    }

    /// The number of scopes that are remembered, and the bytes of their lists.
    #[must_use]
    pub fn cached_lists(&self) -> (usize, usize) {
        (self.scopes().known.len(), self.0.tool_cache.bytes())
    }

    /// The tools that the guard knows from the lists of its server, and what happens to them.
    #[must_use]
    pub fn tools(&self) -> ToolsStatus {
        let scopes: Vec<Scope> = {
            let scopes = self.scopes();
            let known = scopes.known.values().map(|(scope, _)| scope);
            known.chain(scopes.public.values()).cloned().collect()
        };
        tools(&self.rules().policy, &scopes)
    }

    /// Reads a message within the limits of the policy, unless it was read within them before. A message
    /// that cannot be read is kept with the reason.
    #[must_use]
    pub fn read(&self, message: impl Into<Message>) -> Message {
        self.read_within(message, &self.rules().policy.limits.read())
    }

    pub(crate) fn read_within(&self, message: impl Into<Message>, limits: &ReadLimits) -> Message {
        message.into().read(limits, Some(&self.0.readers))
    }

    pub(crate) fn rules(&self) -> Arc<Rules> {
        let rules = self.0.rules.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&rules)
    }

    /// Memory for one message, reused from an earlier one if possible.
    pub(crate) fn take_scratch(&self, rules: &Rules) -> Box<Scratch> {
        let warm = self.scratch_pool().pop();
        let fits = warm.filter(|scratch| scratch.generation == rules.generation);
        fits.unwrap_or_else(|| Box::new(Scratch::new(rules)))
    }

    /// Returns the memory, unless the message was too large.
    pub(crate) fn return_scratch(&self, scratch: Box<Scratch>, message: usize) {
        let mut pool = self.scratch_pool();
        if message <= WARM_BYTES && pool.len() < MAX_POOLED {
            pool.push(scratch);
        }
    }

    #[expect(clippy::vec_box, reason = "as the scratch memory is kept")]
    fn scratch_pool(&self) -> MutexGuard<'_, Vec<Box<Scratch>>> {
        self.0
            .scratch
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn scopes(&self) -> MutexGuard<'_, Scopes> {
        self.0.scopes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scopes {
    /// Forgets a quarter of the scopes, if there are too many or if they hold too much. If there are too
    /// many, scopes that know nothing go first: anybody can invent any number of identities, and must not
    /// evict with them what is known about callers. Otherwise the least recently used go first.
    fn make_room(&mut self, allowed: usize, heavy: bool) {
        if self.known.len() < allowed && !heavy {
            return;
        }
        let rank = |scope: &Scope, used: u64| (!heavy && scope.knows_something(), used);
        let known = self.known.values();
        let mut ranks: Vec<(bool, u64)> = known.map(|(scope, used)| rank(scope, *used)).collect();
        ranks.sort_unstable();
        let Some(last) = ranks.get(ranks.len() / 4).copied() else {
            return;
        };
        self.known.retain(|_, (scope, used)| {
            let kept = rank(scope, *used) > last;
            if !kept {
                scope.clear();
            }
            kept
        });
    }
}

impl Scratch {
    fn new(rules: &Rules) -> Self {
        let policy = &rules.policy;
        Self {
            checker: Checker::new()
                .on_undecided(policy.on_undecided)
                .limits(policy.limits.read())
                .fuel(policy.limits.fuel),
            generation: rules.generation,
        }
    }
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scopes, bytes) = self.cached_lists();
        write!(f, "Guard({scopes} scopes, {bytes} bytes of lists)")
    }
}

/// The maximum number of scratch memories that are kept for reuse.
const MAX_POOLED: usize = 64;
/// The largest message after which memory is kept: a tape has 24 bytes per value.
const WARM_BYTES: usize = 256 << 10;
