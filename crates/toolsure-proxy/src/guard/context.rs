//! What all sessions of one guard share: its policy, observer, bounds and clock, and the signal to stop.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use toolsure_guard::{Context, Guard, Peer, hex};

use super::bounds::{Bounds, Times};
use super::clock::Clock;
use super::event::{Event, Observer};
use super::options::GuardOptions;
use crate::http::Standing;
use crate::message_memory::{MessageMemory, ReadLimit};

/// What all sessions of one guard share: policy, observer, bounds, clock and the signal to stop.
pub(crate) struct GuardContext {
    pub(crate) name: Arc<str>,
    pub(crate) guard: Guard,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) bounds: Bounds,
    pub(crate) times: Times,
    pub(crate) message_memory: MessageMemory,
    pub(super) clock: Clock,
    /// The identity of the clients that the caller stands for; `None` if it is the only client
    /// itself.
    pub(super) identity: Option<ClientIdentity>,
    /// The name of that caller in records.
    pub(super) peer: Option<Arc<Peer>>,
    /// The guard that checks calls before they reach this one, if this one is behind a translator.
    in_front: Option<Guard>,
    /// The random id of this process, among replicas that serve the same sessions.
    pub(crate) replica: [u8; 16],
    pub(super) mark: String,
    stop: watch::Sender<bool>,
    expired: watch::Sender<bool>,
}

impl GuardContext {
    pub(crate) fn of(
        options: &GuardOptions,
        guard: Guard,
        observer: Arc<dyn Observer>,
    ) -> Arc<Self> {
        let GuardOptions {
            name,
            bounds,
            times,
            caller,
            ..
        } = options;
        let identity = match caller.stands() {
            Standing::Somebody => None,
            Standing::Everybody => Some(ClientIdentity::Context(caller.context().clone())),
            Standing::Session(name) => Some(ClientIdentity::Session(Arc::clone(name))),
        };
        let message_memory = options.message_memory.clone();
        message_memory.limit(bounds.memory_bytes, bounds.caller_memory_bytes);
        let mut replica = [0; 16];
        // Without randomness no session is opened, so zeros do no harm.
        let _or_zeros = getrandom::fill(&mut replica);
        Arc::new(Self {
            mark: hex(replica.get(..MARK).unwrap_or_default()),
            replica,
            name: name.as_str().into(),
            guard,
            observer,
            bounds: *bounds,
            times: *times,
            message_memory,
            clock: options.clock,
            identity,
            peer: caller.peer(),
            in_front: options.in_front.clone(),
            stop: watch::Sender::new(false),
            expired: watch::Sender::new(false),
        })
    }

    pub(crate) fn observe(&self, event: &Event<'_>) {
        self.observer.observe(event);
    }

    pub(crate) fn note(&self, what: &'static str, detail: &str) {
        self.observe(&Event::Note { what, detail });
    }

    /// How messages of a server are read whose receiver is not known yet.
    pub(crate) fn read_limit(&self) -> ReadLimit {
        ReadLimit {
            bytes: self.bounds.message_bytes,
            holder: self.message_memory.of_nobody(),
        }
    }

    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    pub(crate) fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Waits until the guard is to end.
    pub(crate) async fn stopping(&self) {
        let mut stop = self.stop.subscribe();
        // `self` owns the sender, so only the value can end the wait.
        let _always_ok = stop.wait_for(|stop| *stop).await;
    }

    /// Signals that the time for open calls is over.
    pub(crate) fn expire(&self) {
        self.expired.send_replace(true);
    }

    /// Waits until the time for open calls is over.
    pub(crate) async fn expired(&self) {
        let mut expired = self.expired.subscribe();
        // `self` owns the sender, so only the value can end the wait.
        let _always_ok = expired.wait_for(|expired| *expired).await;
    }

    /// Whether calls were compared with pinned definitions, here or in front of a translator.
    pub(crate) fn holds_to_pins(&self) -> bool {
        let in_front = self.in_front.as_ref();
        self.guard.holds_to_pins() || in_front.is_some_and(Guard::holds_to_pins)
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// How long to wait for a request: the policy's `request_timeout`, or an hour without one.
    pub(crate) fn patience(&self) -> Duration {
        let limit = self.guard.policy().request_timeout;
        limit.unwrap_or(Duration::from_secs(3_600))
    }
}

/// The identity of a client, as other replicas know it.
pub(crate) enum ClientIdentity {
    /// All clients in this context.
    Context(Context),
    /// The client of the session with this id.
    Session(Arc<str>),
}

/// Bytes of the replica's id in the ids of the guard's own requests.
const MARK: usize = 4;
