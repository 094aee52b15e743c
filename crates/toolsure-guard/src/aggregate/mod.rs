//! Aggregation: several servers as one. Lines of the client in, lines for each server out, no I/O.
//!
//! What a message of the client goes through:
//!
//! ```text
//!               a message of the client
//!   ┌──────────────┬────────┴───────┬─────────────────┬──────────────┐
//!   ▼              ▼                ▼                 ▼              ▼
//! ping         a tool's or      a URI, a task     opening, lists,  listening
//!   │          prompt's name        │             log level          │
//!   │              │                ▼                 │              ▼
//!   │              │           owner known? ─no─► SEARCH: asked     LISTEN: at all;
//!   │              ▼                │yes          of one after     one acknowledgement,
//!   │          the prefix ends ─────┤             the other until  a server that
//!   │          in its owner         │             one has it       returns is asked
//!   │                               ▼                 │              │
//!   │                              SENT          FAN-OUT: at all ◄───┘
//!   │                               │                 │ all answered, or patience ended
//!   ▼                               ▼                 ▼
//! answered ◄── as it came, but ids ─┴──── merged; missing servers are noted
//! ```
//!
//! What a server goes through, for a client that opened a session (`initialize`, to 2025-11-25):
//!
//! ```text
//!   CLOSED ──client opens──► OPENING ──answered──► OPEN ──gone──► CLOSED
//!     ▲  comes back, late        │ error                            │ its requests are answered
//!     └──────────────────────────┴─► REFUSED ─pause─► OPENING       │ by an error that names it
//!                                                                   ▼
//!                     OPEN again: the client gets notifications that its lists have changed
//! ```
//!
//! A request of 2026-07-28 needs no session and goes to every server that is up.
//!
//! [`Aggregator`] is one type in several files, because each message of either side may begin or end what is
//! open with any server: `dispatch.rs` takes messages to `client.rs`, `server.rs` and `answers.rs`, and
//! `ask_all.rs` sends a request to all servers and merges what they say. What it keeps is in types of their
//! own: `routing_table.rs`, `client_session.rs`, `client_streams.rs`, `owner_search.rs`, and `outbox.rs`,
//! which gives requests their numbers.

mod answers;
mod ask_all;
mod client;
mod client_session;
mod client_stream;
mod client_streams;
mod dispatch;
mod fan_out;
mod known;
mod lists;
mod merge;
mod opening;
mod outbox;
mod owner_search;
mod pending;
mod route;
mod routing_table;
mod server;

use std::collections::HashMap;
use std::time::Duration;

use crate::exchanges::Exchanges;
use client_session::ClientSession;
use client_streams::ClientStreams;
use fan_out::FanOut;
use outbox::Outbox;
use owner_search::OwnerSearches;
use pending::ServerRequest;
use route::Route;
pub use route::{AggregatorError, Member, default_prefix};
use routing_table::RoutingTable;

/// Several servers as one, for one client or for clients with one authorization.
///
/// It has no clock and does no I/O: each event comes with the time since a common starting point, and
/// the messages to send are returned as [`Effects`](crate::Effects).
#[derive(Debug)]
pub struct Aggregator {
    bounds: AggregatorLimits,
    table: RoutingTable,
    session: ClientSession,
    fan_outs: HashMap<i64, FanOut>,
    owner_searches: OwnerSearches,
    client_streams: ClientStreams,
    /// Requests of servers that the client has not answered yet.
    server_requests: Exchanges<ServerRequest>,
    out: Outbox,
}

/// How much an aggregator may hold, and how long it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a caller that makes one must set every field"
)]
pub struct AggregatorLimits {
    /// Unanswered requests in each direction. Requests above the limit get an error.
    pub pending: usize,
    /// Remembered owners of URIs, of URI templates and of tasks, each. For others the servers are asked.
    pub known: usize,
    /// Requests kept while one server after the other is asked for the owner.
    pub parked: usize,
    /// The bytes of those requests.
    pub parked_bytes: usize,
    /// How long to wait for the parts of a merged answer. Then it is merged without the missing ones.
    pub patience: Duration,
}

impl Default for AggregatorLimits {
    fn default() -> Self {
        Self {
            pending: 16_384,
            known: 10_000,
            parked: 1_024,
            parked_bytes: 32 << 20,
            patience: Duration::from_secs(30),
        }
    }
}

impl Aggregator {
    /// Creates an aggregator of these servers, all of them up.
    ///
    /// # Errors
    ///
    /// [`AggregatorError`] if a prefix is invalid or is the beginning of another.
    pub fn new(members: Vec<Member>, bounds: AggregatorLimits) -> Result<Self, AggregatorError> {
        Ok(Self {
            bounds,
            table: RoutingTable::new(members, bounds.known)?,
            session: ClientSession::default(),
            fan_outs: HashMap::new(),
            owner_searches: OwnerSearches::new(bounds.parked, bounds.parked_bytes),
            client_streams: ClientStreams::new(bounds.patience),
            server_requests: Exchanges::new(),
            out: Outbox::new(),
        })
    }

    /// When [`tick`](Self::tick) has something to do.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        let fan_outs = self.fan_outs.values().map(FanOut::deadline);
        let streams = self.client_streams.deadline();
        let routes = self.table.routes.iter().filter_map(Route::retry_at);
        fan_outs.chain(streams).chain(routes).min()
    }
}
