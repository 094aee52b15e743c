//! One conversation between a client and a server, with the guard between them.
//!
//! What a request of the client goes through, and what ends it:
//!
//! ```text
//!            a message of the client
//!                         │ not JSON, no message, id in use,
//!                         │ too many, stopping ──────────────────► answered: error
//!                         ▼
//!           ┌──────── is it tools/call? ────────┐
//!         no│                                   │yes
//!           │              list unknown, gone, or refused by a stale one
//!           │                 ┌─────────────────┤
//!           │                 ▼                 │
//!           │              PARKED ──cancelled──►│ (forgotten, never sent)
//!           │                 │ the guard asks  │
//!           │                 │ tools/list      │
//!           │                 ▼                 ▼
//!           │            the filters: admission, drift, rate, arguments
//!           │                 │ violation ──────────────────────────► answered: refusal
//!           ▼                 ▼
//!          OPEN ◄─────────────┘  sent to the server
//!           │
//!           ├─ an answer of the server ─► results, listing ─► answered: as it came, altered, or replaced
//!           ├─ notifications/progress ─► OPEN, patience begins anew
//!           ├─ patience ends (tick) ───► answered: error; cancelled at the server
//!           ├─ server_gone, request_failed ► answered: error
//!           ├─ client_left ───────────────► cancelled at the server
//!           └─ notifications/cancelled ─► CANCELLED ─ an answer is still judged and passed on,
//!                                                   ─ silence is forgotten after a while
//! ```
//!
//! Requests of the server (2025-11-25 and older) are counted and passed on.
//! Everything else passes as it came, in the order it came.
//!
//! A [`Conversation`] is one type in several files, because whatever arrives may open or end any request of
//! one table (`open.rs`): `dispatch.rs` takes messages to `client.rs`, `call.rs`, `server.rs`, `list.rs` and
//! `result.rs`, `trouble.rs` handles those that cannot be read, and `events.rs` what no message brings. What
//! needs no table is a type of its own: `negotiation.rs`, `fetch.rs` with `parked_calls.rs`,
//! `list_changed.rs` and `traces.rs` hold state, and `access.rs`, `approved.rs`, `mapped_call.rs` and
//! `result_*.rs` decide about one message.

mod access;
mod approved;
mod batch;
mod call;
mod client;
mod dispatch;
mod events;
mod fetch;
mod list;
mod list_changed;
mod mapped_call;
mod negotiation;
mod open;
mod own_answers;
mod parked_calls;
mod result;
mod result_faults;
mod result_repair;
mod result_text;
mod server;
mod server_requests;
mod traces;
mod trouble;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use toolsure_mcp::era::Era;

use crate::effect::{Effect, Report, ToolsEvent};
use crate::guard::Guard;
use crate::record::Peer;
use crate::scope::{Scope, ScopeKey};
use crate::share::Identity;
use crate::side::Side;
use crate::trace::Tracer;
use access::CallerAccess;
use fetch::ListFetch;
use list_changed::ListChanged;
use negotiation::Negotiation;
pub use negotiation::{Carrier, Link};
use open::{Answered, Open, OpenTable};
use server_requests::ServerRequests;
use traces::Traces;
use turn::Turn;

/// One conversation: messages in, effects out.
///
/// It has no clock: each event comes with the time since a common starting point. It has no socket:
/// the messages to send are returned as [`Effects`](crate::Effects).
///
/// ```
/// use std::time::Duration;
/// use toolsure_guard::{Context, Conversation, Effect, Guard, Link, Policy, ScopeKey, Side};
///
/// let guard = Guard::new(Policy::new())?;
/// let scope = guard.scope(&ScopeKey { upstream: "demo".into(), context: Context::Session(1) });
/// let mut conversation = Conversation::new(&guard, scope, Link::default());
///
/// let ping = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
/// let effects = conversation.on_message(Side::Client, ping, Duration::ZERO);
/// let sent: Vec<_> = effects.into_iter().collect();
/// assert!(matches!(&sent[..], [Effect::Send { message, .. }] if message.bytes() == ping.as_slice()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Conversation {
    guard: Guard,
    scope: Scope,
    /// Where the client's calls are counted, if not in its scope.
    caller: Option<ScopeKey>,
    /// The scope for `caller`, created when a rate first needs it.
    caller_scope: Option<Scope>,
    negotiation: Negotiation,
    /// Whether the messages of a batch are handled.
    in_batch: bool,
    open: OpenTable,
    /// Requests whose answers may arrive again.
    answered: Answered,
    /// Requests of the server that have no answer yet.
    server_requests: ServerRequests,
    list_fetch: ListFetch,
    /// Whether the session began in another process.
    adopted: bool,
    list_changed: ListChanged,
    stopping: bool,
    server_gone: Option<String>,
    /// The peer on the client's side.
    peer: Option<Arc<Peer>>,
    /// Boxed, because most conversations have none.
    traces: Option<Box<Traces>>,
}

impl Conversation {
    /// Creates a conversation that has not begun.
    #[must_use]
    pub fn new(guard: &Guard, scope: Scope, link: Link) -> Self {
        Self {
            guard: guard.clone(),
            scope,
            caller: None,
            caller_scope: None,
            negotiation: Negotiation::new(link),
            in_batch: false,
            open: OpenTable::default(),
            answered: Answered::default(),
            server_requests: ServerRequests::default(),
            list_fetch: ListFetch::default(),
            adopted: false,
            list_changed: ListChanged::default(),
            stopping: false,
            server_gone: None,
            peer: None,
            traces: None,
        }
    }

    /// Puts `mark` into the ids of the guard's own requests. Several processes may take part in one
    /// session, and no two of them may use the same id.
    #[must_use]
    pub fn marked(mut self, mark: &str) -> Self {
        self.list_fetch.mark(mark);
        self
    }

    /// Marks the session as one that began in another process, or in this one before it was forgotten.
    /// A result may then answer a request that was not seen here. Its contract is unknown, so the client
    /// gets an error instead.
    #[must_use]
    pub fn adopted(mut self) -> Self {
        self.adopted = true;
        let has_session = self.negotiation.era().is_some();
        self.list_changed.set_session(&self.guard, has_session);
        self
    }

    /// Sets the identity of this conversation's scope for guards that share state with this one. Only the
    /// first call for a scope has an effect, and only with shared state.
    pub fn stand_for(&self, who: Identity<'_>) {
        self.scope.stand_for(who);
    }

    /// Sets the scope in which the client's calls are counted for rate limits. It belongs to a caller that
    /// may have several conversations, or share one with others. The first call with a rate limit creates
    /// it.
    pub fn count_in(&mut self, caller: ScopeKey) {
        self.caller = Some(caller);
    }

    /// What the caller of a request may use.
    fn access<'a>(&'a self, turn: &Turn<'a>, open: &'a Open) -> CallerAccess<'a> {
        CallerAccess::new(turn.policy(), open.peer.as_deref(), &self.scope)
    }

    /// The guard that it belongs to.
    pub(crate) fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The scope in which a call with a rate limit is counted.
    fn counting_scope(&mut self) -> &Scope {
        match &self.caller {
            Some(caller) => {
                let make = || self.guard.scope(caller);
                self.caller_scope.get_or_insert_with(make)
            }
            None => &self.scope,
        }
    }

    /// Sets the sender of the client's next messages, for their records, unless a message names its own.
    pub fn set_peer(&mut self, peer: Option<Arc<Peer>>) {
        self.peer = peer;
    }

    /// Lets a tracer follow the requests of the client from now on.
    pub fn trace(&mut self, tracer: Arc<dyn Tracer>) {
        self.traces = Some(Box::new(Traces::new(tracer)));
    }

    /// Handles an event of the server's tools that its messages do not tell.
    pub fn tools_event(&mut self, event: ToolsEvent) {
        match event {
            ToolsEvent::Changed => self.scope.outdate(),
            ToolsEvent::SessionEnded => self.scope.begin_session(),
        }
    }

    /// Sets the version of the client's session. If it is older than the one that the server agreed on, lists
    /// and results are adapted to it.
    pub fn set_client_version(&mut self, version: Era) {
        self.negotiation.set_client_version(version);
    }

    /// When [`tick`](Self::tick) has something to do.
    #[must_use]
    pub fn next_deadline(&mut self) -> Option<Duration> {
        let own = self.list_fetch.deadline();
        self.open.next_deadline().into_iter().chain(own).min()
    }

    /// How many requests have no answer yet, in both directions.
    #[must_use]
    pub fn open_requests(&self) -> usize {
        self.open.len() + self.server_requests.len()
    }

    /// Whether no request is open. Cancelled requests do not count, nor do
    /// subscriptions, which end with their client.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.open.awaited() + self.server_requests.len() == 0 && !self.list_fetch.is_open()
    }

    /// Whether the client waits for an answer.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        self.open.awaited() > 0
    }

    /// The version that `initialize` settled, or the transport named.
    #[must_use]
    pub fn era(&self) -> Option<Era> {
        self.negotiation.era()
    }

    /// Whether the client gets `notifications/tools/list_changed`, so that
    /// [`policy_replaced`](Self::policy_replaced) may send one.
    #[must_use]
    pub fn gets_list_changed(&self) -> bool {
        self.list_changed.is_wanted()
    }

    /// Whether the policy was replaced and [`policy_replaced`](Self::policy_replaced) was not called since.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.list_changed.is_outdated(&self.guard)
    }

    /// Whether so many calls are parked that the next one may have to be refused.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        let rules = self.guard.rules();
        self.list_fetch.parked.is_crowded(&rules.policy.limits)
    }

    /// Adds the client's peer to the records from `start` on that have no peer, and to the messages for the
    /// server, behind which may be other conversations.
    fn sign(&self, turn: &mut Turn<'_>, start: usize) {
        for effect in turn.out.since(start) {
            let peer = match effect {
                Effect::Report(Report::Decision(record)) => &mut record.peer,
                Effect::Send { to, message } if *to == Side::Server => &mut message.peer,
                _ => continue,
            };
            if peer.is_none() {
                peer.clone_from(&self.peer);
            }
        }
    }
}

/// The member of `_meta` with what a server says of itself (2026-07-28).
const SERVER: &str = "io.modelcontextprotocol/serverInfo";
