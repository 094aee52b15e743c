//! One of several upstreams, and the way to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use toolgate_guard::Guard;

use crate::guard::clock::Clock;
use crate::guard::event::Observer;
use crate::guard::messages::MessageSender;
use crate::guard::options::Upstream;

/// One of several upstreams, with all that it would have alone.
pub struct AggregateMember {
    /// The upstream's name.
    pub name: String,
    /// What its tools' and prompts' names begin with for clients.
    pub prefix: String,
    /// The server. A child that ends by itself is started again as its restart allows, and once
    /// more after each window of that; never if it allows none.
    pub upstream: Upstream,
    /// Its policy, which sees its tools under their own names.
    pub guard: Guard,
    /// Notified of its events.
    pub observer: Arc<dyn Observer>,
    /// What its times are counted from: the same in everything that works on `guard`.
    pub clock: Clock,
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

/// The way to one upstream.
pub(super) struct MemberConnection {
    pub(super) member: Arc<AggregateMember>,
    /// What it is sent goes there, while it is there.
    pub(super) input: Mutex<Option<Arc<MessageSender>>>,
    /// Signalled when it does not read.
    pub(super) stuck: Notify,
}

impl MemberConnection {
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
