//! Several upstreams behind one guard: the tasks that drive an [`Aggregator`].
//!
//! ```text
//!   outer guard ─▶ input ─▶ read ─▶ aggregator ─▶ connection ─▶ guard of A ─▶ A
//!   outer guard ◀─ client ◀──────── aggregator ◀─ connection ◀─ guard of A ◀─ A
//!                                       ▲ ▼
//!                                        …  one connection for each upstream
//! ```
//!
//! Each upstream has its own guard, limits and restarts. A lost connection does not hold up the
//! others; one that does not read is given up after `times.notify`.

mod driver;
mod member;

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, RwLock};

use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use toolsure_guard::{Aggregator, AggregatorError, AggregatorLimits};

use driver::{AggregateDriver, Task};
pub use member::AggregateMember;
use member::MemberConnection;

use super::in_process::{Caller, InProcessPeer, InProcessUpstream};
use super::messages::message_channel;
use super::options::{Bounds, Times};
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::http::HttpTarget;
use crate::message_memory::MessageMemory;

/// Several upstreams that appear as one server, for [`Upstream::InProcess`](super::Upstream::InProcess).
///
/// The guard in front of it should have a policy without filters, because each member has a guard
/// with the policy of its upstream.
#[derive(Debug)]
pub struct Aggregate {
    /// They only become more.
    members: watch::Sender<Vec<Arc<AggregateMember>>>,
    bounds: Bounds,
    times: Times,
    limits: AggregatorLimits,
    message_memory: MessageMemory,
    /// The number of the next context: each connection to a server has a context of its own.
    contexts: Arc<AtomicU64>,
}

impl Aggregate {
    /// Creates an aggregate of these upstreams, in this order.
    ///
    /// # Errors
    ///
    /// [`AggregatorError`] if a prefix is invalid or begins with another one.
    pub fn new(
        members: Vec<AggregateMember>,
        bounds: Bounds,
        times: Times,
        limits: AggregatorLimits,
    ) -> Result<Self, AggregatorError> {
        let members: Vec<_> = members.into_iter().map(Arc::new).collect();
        aggregator(&members, limits)?;
        Ok(Self {
            members: watch::Sender::new(members),
            bounds,
            times,
            limits,
            message_memory: MessageMemory::default(),
            contexts: Arc::new(AtomicU64::new(1)),
        })
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
        aggregator(&members, self.limits)?;
        self.members.send_replace(members);
        Ok(())
    }

    /// The same; its upstreams share this budget with others.
    #[must_use]
    pub fn sharing(mut self, message_memory: MessageMemory) -> Self {
        self.message_memory = message_memory;
        self
    }
}

fn aggregator(
    members: &[Arc<AggregateMember>],
    limits: AggregatorLimits,
) -> Result<Aggregator, AggregatorError> {
    Aggregator::new(
        members.iter().map(|member| member.named()).collect(),
        limits,
    )
}

impl InProcessUpstream for Aggregate {
    fn moves(&self) -> bool {
        let members = self.members.borrow();
        members.iter().all(|member| member.upstream.moves())
    }

    fn protected_resource(&self) -> Option<HttpTarget> {
        let members = self.members.borrow();
        let mut protected = members
            .iter()
            .filter_map(|member| member.upstream.protected_resource());
        // Two could have different authorization servers.
        protected.next().filter(|_| protected.next().is_none())
    }

    fn open(&self, caller: &Caller) -> Result<InProcessPeer, Fault> {
        let mut members = self.members.subscribe();
        let present = members.borrow_and_update().clone();
        let aggregator = aggregator(&present, self.limits).map_err(|error| {
            let text = error.to_string();
            Fault::new(Party::Operator, FaultKind::Config, Phase::Start, text)
        })?;
        let (to, input) = message_channel();
        let (output, from) = message_channel();
        let connections = present.into_iter().map(MemberConnection::new);
        let driver = Arc::new(AggregateDriver {
            aggregator: Mutex::new(aggregator),
            client: output,
            connections: RwLock::new(connections.collect()),
            caller: caller.clone(),
            bounds: self.bounds,
            times: self.times,
            message_memory: self.message_memory.clone(),
            contexts: Arc::clone(&self.contexts),
            begun: Instant::now(),
            armed: Notify::new(),
            stop: watch::Sender::new(false),
        });
        let task = Task(tokio::spawn(driver.run(input, members)));
        Ok(InProcessPeer {
            name: "several servers".to_owned(),
            from,
            to,
            ended: Box::pin(async move {
                let mut task = task;
                match (&mut task.0).await {
                    Ok(()) => "ended".to_owned(),
                    Err(_) => "broke".to_owned(),
                }
            }),
        })
    }
}
