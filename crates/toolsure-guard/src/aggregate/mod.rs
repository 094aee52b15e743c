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

mod answers;
mod ask_all;
mod client;
mod client_stream;
mod dispatch;
mod fan_out;
mod find_owner;
mod known;
mod listen;
mod lists;
mod merge;
mod opening;
mod owner_search;
mod pending;
mod route;
mod sending;
mod server;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use toolsure_json::View;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::Edits;

use crate::effect::Effects;
use crate::exchanges::Exchanges;
use crate::message::{HttpRefusal, Message};
use crate::record::Peer;
use client_stream::ClientStream;
use fan_out::FanOut;
use known::Known;
use owner_search::OwnerSearch;
use pending::{Sent, ServerRequest};
use route::Route;
pub use route::{AggregatorError, Member, default_prefix};

/// Several servers as one, for one client or for clients with one authorization.
///
/// It has no clock and does no I/O: each event comes with the time since a common starting point, and
/// the messages to send are returned as [`Effects`].
#[derive(Debug)]
pub struct Aggregator {
    routes: Vec<Route>,
    bounds: AggregatorLimits,
    /// The last number given. Requests, fan-outs, searches and streams share the sequence.
    last: i64,
    /// Requests that servers have not answered yet.
    sent: Exchanges<Sent>,
    fan_outs: HashMap<i64, FanOut>,
    owner_searches: HashMap<i64, OwnerSearch>,
    client_streams: HashMap<i64, ClientStream>,
    /// Requests of servers that the client has not answered yet.
    server_requests: Exchanges<ServerRequest>,
    known: Known,
    /// The client's `initialize`, as received.
    initialize: Option<String>,
    /// Whether the client has said that it is ready.
    initialized: bool,
    /// The version of the client's session, once it is negotiated.
    version: Option<Era>,
    /// The client's last `logging/setLevel`.
    level: Option<String>,
    /// How the server refused the current message over HTTP.
    refusal: Option<Arc<HttpRefusal>>,
    /// Who sent the current message, for records.
    peer: Option<Arc<Peer>>,
    /// The time of the current message or event, for records.
    now: Duration,
    out: Effects,
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
            routes: route::routes(members)?,
            bounds,
            last: 0,
            sent: Exchanges::new(),
            fan_outs: HashMap::new(),
            owner_searches: HashMap::new(),
            client_streams: HashMap::new(),
            server_requests: Exchanges::new(),
            known: Known::new(bounds.known),
            initialize: None,
            initialized: false,
            version: None,
            level: None,
            refusal: None,
            peer: None,
            now: Duration::ZERO,
            out: Effects::new(),
        })
    }

    /// When [`tick`](Self::tick) has something to do.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        let fan_outs = self.fan_outs.values().map(FanOut::deadline);
        let streams = self.client_streams.values();
        let streams = streams.filter_map(ClientStream::deadline);
        let routes = self.routes.iter().filter_map(Route::retry_at);
        fan_outs.chain(streams).chain(routes).min()
    }
}

/// Returns one message of a line with its edits applied. A message of a batch is sent alone.
fn spliced(edits: &Edits, whole: &Message, message: View<'_>) -> String {
    let span = message.span();
    edits.apply_within(whole.text(), span.start, span.end)
}
