//! The server behind a guard, and servers of other kinds that stand in its place.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;
use toolsure_guard::translate::{Clients, Translate};
use toolsure_guard::{Aggregator, AggregatorError, AggregatorLimits, Guard, Member};

use super::bounds::{Bounds, Restart, Times};
use super::clock::Clock;
use super::event::Observer;
use crate::http::HttpTarget;
use crate::message_memory::MessageMemory;
use crate::stdio::Launch;

/// The server behind a guard.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Upstream {
    /// A child process on stdio: one for a client on stdio, one for each legacy HTTP session, and
    /// one that all modern HTTP clients share.
    Child {
        /// How it is started.
        launch: Launch,
        /// What happens when it ends by itself.
        restart: Restart,
    },
    /// A Streamable HTTP endpoint.
    Http(HttpTarget),
    /// Several servers that appear as one.
    Several(Arc<Aggregate>),
    /// A server of the other era
    /// ([`GuardOptions::translated`](super::GuardOptions::translated)).
    Translated(Arc<Translated>),
}

impl Upstream {
    /// The server whose authorization clients need, if there is only one such server.
    pub(super) fn protected_resource(&self) -> Option<HttpTarget> {
        match self {
            Self::Child { .. } => None,
            Self::Http(target) => (!target.has_authorization()).then(|| target.clone()),
            Self::Translated(translated) => translated.server.protected_resource(),
            Self::Several(aggregate) => {
                let upstreams = aggregate.upstreams();
                let mut protected = upstreams.iter().filter_map(Self::protected_resource);
                // Two could have different authorization servers.
                protected.next().filter(|_| protected.next().is_none())
            }
        }
    }

    /// Whether it is one server, to which a connection leads.
    pub(super) fn is_server(&self) -> bool {
        matches!(self, Self::Child { .. } | Self::Http(_))
    }

    /// Whether a session can move to another replica, because no process is behind it.
    pub(super) fn moves(&self) -> bool {
        match self {
            Self::Child { .. } => false,
            Self::Http(_) => true,
            Self::Translated(translated) => translated.server.moves(),
            Self::Several(aggregate) => aggregate.upstreams().iter().all(Self::moves),
        }
    }
}

/// Several upstreams that appear as one server, for [`Upstream::Several`].
///
/// The guard in front of it should have a policy without filters, because each member has a guard
/// with the policy of its upstream. Each has its own limits and restarts too, and one that is lost or does
/// not read does not hold up the others.
#[derive(Debug)]
pub struct Aggregate {
    /// They only become more.
    members: watch::Sender<Vec<Arc<AggregateMember>>>,
    pub(super) bounds: Bounds,
    pub(super) times: Times,
    limits: AggregatorLimits,
    pub(super) message_memory: MessageMemory,
    pub(super) clock: Clock,
    /// The number of the next context: each connection to a server has a context of its own.
    contexts: AtomicU64,
}

impl Aggregate {
    /// Creates an aggregate of these upstreams, in this order. `clock` must be that of everything that uses
    /// their guards.
    ///
    /// # Errors
    ///
    /// [`AggregatorError`] if a prefix is invalid or begins with another one.
    pub fn new(
        members: Vec<AggregateMember>,
        (bounds, times): (Bounds, Times),
        limits: AggregatorLimits,
        clock: Clock,
    ) -> Result<Self, AggregatorError> {
        let aggregate = Self {
            members: watch::Sender::new(members.into_iter().map(Arc::new).collect()),
            bounds,
            times,
            limits,
            message_memory: MessageMemory::default(),
            clock,
            contexts: AtomicU64::new(1),
        };
        aggregate.aggregator(&aggregate.members.borrow())?;
        Ok(aggregate)
    }

    /// Adds an upstream behind the others. Clients that are connected get its tools, too, and hear that their
    /// lists have changed.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); then nothing is added.
    pub fn add(&self, member: AggregateMember) -> Result<(), AggregatorError> {
        let mut members = self.members.borrow().clone();
        members.push(Arc::new(member));
        self.aggregator(&members)?;
        self.members.send_replace(members);
        Ok(())
    }

    /// The same; its upstreams share this budget with others.
    #[must_use]
    pub fn sharing(mut self, message_memory: MessageMemory) -> Self {
        self.message_memory = message_memory;
        self
    }

    /// The upstreams, and those that are added later.
    pub(super) fn members(&self) -> watch::Receiver<Vec<Arc<AggregateMember>>> {
        self.members.subscribe()
    }

    pub(super) fn upstreams(&self) -> Vec<Upstream> {
        let members = self.members.borrow();
        members
            .iter()
            .map(|member| member.upstream.clone())
            .collect()
    }

    pub(super) fn aggregator(
        &self,
        members: &[Arc<AggregateMember>],
    ) -> Result<Aggregator, AggregatorError> {
        let members = members.iter().map(|member| member.named());
        Aggregator::new(members.collect(), self.limits)
    }

    pub(super) fn next_context(&self) -> u64 {
        self.contexts.fetch_add(1, Ordering::Relaxed)
    }
}

/// One of several upstreams, with a policy and an observer of its own.
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

impl fmt::Debug for AggregateMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AggregateMember")
            .field("name", &self.name)
            .field("prefix", &self.prefix)
            .field("upstream", &self.upstream)
            .finish_non_exhaustive()
    }
}

/// A server of the other era, behind a translator.
pub struct Translated {
    pub(super) translate: Translate,
    pub(super) clients: Clients,
    /// The guard in front, which filters.
    pub(super) guard: Guard,
    pub(super) observer: Arc<dyn Observer>,
    pub(super) name: String,
    pub(super) server: Upstream,
    pub(super) bounds: Bounds,
    pub(super) times: Times,
    pub(super) clock: Clock,
    pub(super) message_memory: MessageMemory,
}

impl fmt::Debug for Translated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Translated")
            .field("translate", &self.translate)
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
