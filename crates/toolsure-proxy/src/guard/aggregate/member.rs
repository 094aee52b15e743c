//! One of several upstreams, and the connection to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use toolsure_guard::{Guard, Member};

use crate::guard::clock::Clock;
use crate::guard::event::Observer;
use crate::guard::messages::MessageSender;
use crate::guard::options::Upstream;

/// One of several upstreams, with a policy, an observer and a clock of its own.
#[expect(
    clippy::exhaustive_structs,
    reason = "built by callers: nothing in it has a default, so a new field must be set"
)]
pub struct AggregateMember {
    /// The upstream's name.
    pub name: String,
    /// The prefix that clients see before the names of its tools and prompts.
    pub prefix: String,
    /// The server. A child that ends by itself is restarted as often as its `restart` allows, and
    /// after that once in each window of it; never if that allows no restart.
    pub upstream: Upstream,
    /// The guard with its policy, which applies to the tools' names without the prefix.
    pub guard: Guard,
    /// Receives its events.
    pub observer: Arc<dyn Observer>,
    /// The clock for its times. Everything that uses `guard` must have the same clock.
    pub clock: Clock,
}

impl AggregateMember {
    /// What an aggregator knows of it.
    pub(super) fn named(&self) -> Member {
        Member {
            name: self.name.clone(),
            prefix: self.prefix.clone(),
        }
    }
}

impl std::fmt::Debug for AggregateMember {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AggregateMember")
            .field("name", &self.name)
            .field("prefix", &self.prefix)
            .field("upstream", &self.upstream)
            .finish_non_exhaustive()
    }
}

/// The connection to one upstream.
pub(super) struct MemberConnection {
    pub(super) member: Arc<AggregateMember>,
    /// Sends to the upstream; `None` while it does not run.
    pub(super) input: Mutex<Option<Arc<MessageSender>>>,
    /// Signalled if the upstream does not read.
    pub(super) stuck: Notify,
}

impl MemberConnection {
    pub(super) fn new(member: Arc<AggregateMember>) -> Arc<Self> {
        Arc::new(Self {
            member,
            input: Mutex::new(None),
            stuck: Notify::new(),
        })
    }

    pub(super) fn input(&self) -> Option<Arc<MessageSender>> {
        self.held().clone()
    }

    pub(super) fn held(&self) -> MutexGuard<'_, Option<Arc<MessageSender>>> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn waiting_bytes(&self) -> usize {
        self.input().map_or(0, |input| input.waiting_bytes())
    }
}
