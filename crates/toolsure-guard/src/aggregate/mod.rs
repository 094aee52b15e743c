//! Aggregation: several servers as one. Lines of the client in, lines for each server out, no I/O.
//!
//! What a message of the client goes through:
//!
//! ```text
//!                      from_client
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
mod server;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Node as _, View};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Edits, Incoming, Message as Decoded, Request, write};

use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, Effects, HttpRefusal};
use crate::error_reply::ErrorReply;
use crate::id::IdKey;
use crate::message::{Message, kept};
use crate::reading::{OwnedReading, strict};
use client_stream::ClientStream;
use fan_out::FanOut;
use known::Known;
use owner_search::OwnerSearch;
use pending::{Sent, ServerRequest};
pub use route::{AggregatorError, Member, default_prefix};
use route::{Refused, Route};

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
    sent: HashMap<i64, Sent>,
    fan_outs: HashMap<i64, FanOut>,
    owner_searches: HashMap<i64, OwnerSearch>,
    client_streams: HashMap<i64, ClientStream>,
    /// Requests of servers that the client has not answered yet.
    server_requests: HashMap<i64, ServerRequest>,
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
            sent: HashMap::new(),
            fan_outs: HashMap::new(),
            owner_searches: HashMap::new(),
            client_streams: HashMap::new(),
            server_requests: HashMap::new(),
            known: Known::new(bounds.known),
            initialize: None,
            initialized: false,
            version: None,
            level: None,
            refusal: None,
            out: Effects::new(),
        })
    }

    /// Handles a message of the client.
    pub fn from_client(&mut self, message: impl Into<Message>, now: Duration) -> Effects {
        self.on_message(Connection::Client, message.into(), now)
    }

    /// Handles a message of a server.
    pub fn from_server(
        &mut self,
        member: usize,
        message: impl Into<Message>,
        now: Duration,
    ) -> Effects {
        let from = Connection::Server(ConnectionId::new(member));
        self.on_message(from, message.into(), now)
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

    /// Handles everything whose deadline has passed.
    pub fn tick(&mut self, now: Duration) -> Effects {
        let due =
            |(number, fan_out): (&i64, &FanOut)| (fan_out.deadline() <= now).then_some(*number);
        let late: Vec<i64> = self.fan_outs.iter().filter_map(due).collect();
        for number in late {
            self.give_up(number);
        }
        self.acknowledge_late(now);
        self.open_again(now);
        std::mem::take(&mut self.out)
    }

    /// Handles a message of one side, or each message of a batch.
    pub fn on_message(&mut self, from: Connection, message: Message, now: Duration) -> Effects {
        let message = match message.is_read() {
            true => message,
            false => message.read(&strict(), None),
        };
        self.refusal.clone_from(&message.refusal);
        self.decide(from, &message, now);
        self.out.carry(self.refusal.take().as_ref(), 0);
        std::mem::take(&mut self.out)
    }

    fn decide(&mut self, from: Connection, message: &Message, now: Duration) {
        let document = match message.document() {
            Ok(document) => document,
            Err(error) => {
                let why = error.map(ToString::to_string).unwrap_or_default();
                let reply = ErrorReply::of(from.side(), message.bytes(), false, &why);
                return self.send_error(from, reply, now);
            }
        };
        match Incoming::of(document) {
            Incoming::Single(view) => self.decide_one(from, message, view, now),
            Incoming::Batch(batch) => {
                for view in batch.items() {
                    self.decide_one(from, message, view, now);
                }
            }
        }
    }

    fn decide_one(&mut self, from: Connection, whole: &Message, view: View<'_>, now: Duration) {
        let text = whole.text();
        let span = view.span();
        let own = text.get(span.start..span.end).unwrap_or_default();
        let message = match Decoded::decode(view) {
            Ok(message) => message,
            Err(error) => {
                let reply = ErrorReply::of(from.side(), own.as_bytes(), true, &error.to_string());
                return self.send_error(from, reply, now);
            }
        };
        if let Some((_, why)) = whole.broken_envelope(own.as_bytes(), &message) {
            let reply = ErrorReply::of(from.side(), own.as_bytes(), false, &why);
            return self.send_error(from, reply, now);
        }
        match from {
            Connection::Client => self.client_message(text, &message, now),
            Connection::Server(at) => self.server_message(at.number(), text, &message, now),
        }
    }

    /// Answers a message that cannot be read, or sends an error in its place.
    fn send_error(&mut self, from: Connection, reply: ErrorReply, now: Duration) {
        match reply {
            ErrorReply::ToSender(error) => self.out.send(from, Message::new(error)),
            ErrorReply::InPlace(error) => {
                let error = kept(error.as_bytes());
                // Under an id that no request can have, it answers nothing.
                if error.is_clear() {
                    self.decide(from, &error, now);
                }
            }
            ErrorReply::NotNeeded => {}
        }
    }

    fn client_message(&mut self, text: &str, message: &Decoded<'_>, now: Duration) {
        match message {
            Decoded::Request(request) => self.client_request(text, request, now),
            Decoded::Notification(note) => self.client_notification(text, note),
            Decoded::Result(outcome) => {
                self.client_answer(text, IdKey::of(outcome.id), outcome.view);
            }
            Decoded::Error(Some(id), error) => {
                if let Some(view) = error.parent() {
                    self.client_answer(text, IdKey::of(*id), view);
                }
            }
            // It names no request.
            Decoded::Error(None, _) => {}
        }
    }

    fn server_message(&mut self, member: usize, text: &str, message: &Decoded<'_>, now: Duration) {
        if let Some(route) = self.routes.get_mut(member) {
            route.silent = false;
        }
        match message {
            Decoded::Request(request) => self.server_request(member, text, request),
            Decoded::Notification(note) => self.server_notification(member, text, note),
            Decoded::Result(outcome) => {
                let result = Ok(outcome.result);
                self.server_answer(member, text, outcome.view, result, now);
            }
            Decoded::Error(Some(_), error) => {
                if let Some(view) = error.parent() {
                    self.server_answer(member, text, view, Err(*error), now);
                }
            }
            Decoded::Error(None, _) => self.note(member, "unasked", "an error without an id"),
        }
    }

    fn number(&mut self) -> i64 {
        self.last = self.last.saturating_add(1);
        self.last
    }

    fn send_to_client(&mut self, line: String) {
        self.out.client(line);
    }

    /// Answers a request with an error whose cause is the refusal of another request.
    fn send_refusal(&mut self, id: &str, code: i64, why: &str, refused: Option<Refused>) {
        let Refused { data, http } = refused.unwrap_or_default();
        let answer = write::error(id, code, why, data.as_deref());
        let mut message = Message::new(answer);
        message.refusal = http;
        self.out.send(Connection::Client, message);
    }

    /// Parses a kept request again.
    pub(super) fn reread(&mut self, text: &str, with: impl FnOnce(&mut Self, &Request<'_>)) {
        let Ok(kept) = OwnedReading::read(text) else {
            return;
        };
        if let Ok(Decoded::Request(request)) = Decoded::decode(kept.root()) {
            with(self, &request);
        }
    }

    fn tell_server(&mut self, route: usize, line: String) {
        self.out.server(ConnectionId::new(route), line);
    }

    fn note(&mut self, member: usize, what: &'static str, detail: impl Into<String>) {
        self.out.push(Effect::Note {
            connection: Some(ConnectionId::new(member)),
            what,
            detail: detail.into(),
        });
    }
}

/// Returns one message of a line with its edits applied. A message of a batch is sent alone.
fn spliced(edits: &Edits, text: &str, message: View<'_>) -> String {
    let span = message.span();
    edits.apply_within(text, span.start, span.end)
}
