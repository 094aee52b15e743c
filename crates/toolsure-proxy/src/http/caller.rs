//! The client that an upstream is used for.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use reqwest::header::HeaderValue;
use toolsure_guard::{Context, Peer};

/// The client that an upstream is opened for. Only its `Authorization` is passed on to servers; a
/// client on standard input and output has none.
///
/// A legacy session may renew its authorization; all clones see the newest. `Debug` output does not
/// contain it.
#[derive(Clone, Default)]
pub struct Caller {
    authorization: Arc<RwLock<Option<HeaderValue>>>,
    /// Whether a server behind the upstream keeps a session for it.
    kept: Arc<AtomicBool>,
    who: Arc<Who>,
    renewals: Arc<AtomicU64>,
}

/// What does not change of a caller.
#[derive(Clone)]
struct Who {
    /// What belongs to it, and what its calls are counted by.
    context: Context,
    counted: Context,
    stands: Standing,
    /// Its name in records.
    peer: Option<Arc<Peer>>,
}

impl Default for Who {
    fn default() -> Self {
        Self {
            context: Context::Anonymous,
            counted: Context::Anonymous,
            stands: Standing::default(),
            peer: None,
        }
    }
}

/// Which clients a caller stands for.
#[derive(Clone, Default)]
pub(crate) enum Standing {
    /// The one client at the other end.
    #[default]
    Somebody,
    /// All clients with this authorization, or all without one.
    Everybody,
    /// The client of the session with this id, which any replica knows.
    Session(Arc<str>),
}

impl Caller {
    /// A caller with the context of what belongs to it, and the context that its calls are counted in.
    pub(crate) fn new(
        (context, counted): (Context, Context),
        authorization: Option<&HeaderValue>,
    ) -> Self {
        let mut caller = Self::default();
        let who = Arc::make_mut(&mut caller.who);
        who.context = context;
        who.counted = counted;
        caller.renew(authorization);
        caller
    }

    /// What belongs to the caller: what it learns about servers.
    pub(crate) fn context(&self) -> &Context {
        &self.who.context
    }

    /// What its calls are counted by.
    pub(crate) fn counted(&self) -> &Context {
        &self.who.counted
    }

    pub(crate) fn standing_for(mut self, stands: Standing) -> Self {
        Arc::make_mut(&mut self.who).stands = stands;
        self
    }

    pub(crate) fn recorded_as(mut self, peer: Arc<Peer>) -> Self {
        Arc::make_mut(&mut self.who).peer = Some(peer);
        self
    }

    pub(crate) fn peer(&self) -> Option<Arc<Peer>> {
        self.who.peer.clone()
    }

    pub(crate) fn stands(&self) -> &Standing {
        &self.who.stands
    }

    /// The current value of its `Authorization` header, if it is text.
    pub fn authorization(&self) -> Option<String> {
        let value = self.value()?;
        value.to_str().ok().map(str::to_owned)
    }

    pub(crate) fn value(&self) -> Option<HeaderValue> {
        let value = self.authorization.read();
        value.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that a server keeps a session for it.
    pub(crate) fn keep(&self) {
        self.kept.store(true, Ordering::Release);
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.kept.load(Ordering::Acquire)
    }

    /// The number of the current authorization: how often it has changed.
    pub(crate) fn authorization_number(&self) -> u64 {
        self.renewals.load(Ordering::Acquire)
    }

    pub(crate) fn renew(&self, authorization: Option<&HeaderValue>) {
        let mut value = authorization.cloned();
        if let Some(value) = &mut value {
            value.set_sensitive(true);
        }
        let mut held = self
            .authorization
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if *held != value {
            *held = value;
            self.renewals.fetch_add(1, Ordering::AcqRel);
        }
    }
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let authorized = self.value().is_some();
        f.debug_struct("Caller")
            .field("authorized", &authorized)
            .finish_non_exhaustive()
    }
}
