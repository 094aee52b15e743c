//! Clients of 2026-07-28 with a server of 2025-11-25 or older.
//!
//! The server requires sessions, and a session has one set of client capabilities, while each modern
//! request declares its own set. So there is one session for each set, opened by the first request that
//! declares it:
//!
//! ```text
//!   client                       here                               server
//!   initialize, and all that follows it without a declared version ─ own connection, as it came ─►
//!   what the era has not ──────► answered: error
//!   any modern request ────────► WAITING for a session with its capabilities
//!                                  │ none, and room ── initialize, initialized ───►
//!                                  │ none, no room ─── an idle one of others is closed
//!                                  │ it refuses, does not open in time ► answered: error
//!                                  ▼
//!   server/discover ◄──────────── answered from what `initialize` said
//!   subscriptions/listen ──────► SUBSCRIBED: acknowledged; list_changed is sent under it
//!   any other ─────────────────► PENDING, without `_meta`, under a number of ours ►
//!                                  │
//!                                  ├─ answered ─► answered, with the modern tags
//!                                  ├─ notifications/cancelled ─► forgotten, sent ─►
//!                                  └─ the server asks something ◄─────────────────
//!                                       │ not declared, no call, too many ─ error ►
//!   ◄ input_required, requestState ── PARKED
//!   ─ the call again, inputResponses ►  ├─ PENDING, the answer is passed on ──────►
//!                                       ├─ the server has answered meanwhile ► answered
//!                                       └─ not in time ─ error, cancelled ────────►
//! ```
//!
//! A question of the server does not say which call it belongs to. With one client, any of its calls
//! can carry the question, because the answer reaches the server through any of them. With several
//! clients, each call that allows questions has its own session.

mod answers;
mod awaits_input;
mod call;
mod client;
mod declared;
mod ended;
mod handles;
mod server;
mod session;
mod sessions;
mod waiting;

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::bounds::Bounds;
use super::clients::Clients;
use super::parsed_message::ParsedMessage;
use super::refusal::Refusal;
use super::turn::Turn;
use super::words;
use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, ToolsEvent};
use crate::id::IdKey;
use call::{Ask, Call};
use handles::Handles;
use session::Session;

#[derive(Debug)]
pub(super) struct ModernClients {
    bounds: Bounds,
    clients: Clients,
    /// The connection of a client that opens a session itself.
    through: Option<ConnectionId>,
    sessions: BTreeMap<ConnectionId, Session>,
    /// Where each request of the client is, by the client's id.
    places: HashMap<IdKey, Place>,
    /// Requests that wait for a session, in order.
    waiting: VecDeque<Waiting>,
    /// Bytes of messages that are kept.
    held: usize,
    handles: Handles,
    /// How many connections were opened.
    connections: usize,
    /// How many requests of our own were sent.
    numbers: i64,
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Waiting,
    /// The server has it, under a number of ours.
    Pending(ConnectionId, i64),
    Subscribed(ConnectionId),
}

#[derive(Debug)]
struct Waiting {
    key: IdKey,
    id: String,
    text: Vec<u8>,
    /// The session that is being opened for it.
    opening: Option<ConnectionId>,
}

/// The result for a request that waited for a session.
enum Admitted {
    Placed,
    /// It continues to wait, for this session if one is being opened.
    Waits(Option<ConnectionId>),
}

impl ModernClients {
    pub(super) fn new(bounds: Bounds, clients: Clients, seed: [u8; 32]) -> Self {
        Self {
            bounds,
            clients,
            through: None,
            sessions: BTreeMap::new(),
            places: HashMap::new(),
            waiting: VecDeque::new(),
            held: 0,
            handles: Handles::new(seed),
            connections: 0,
            numbers: 0,
        }
    }

    /// Reports that a session has ended, which may be the one whose tools were listed.
    fn session_ended(turn: &mut Turn) {
        turn.out.push(Effect::Tools(ToolsEvent::SessionEnded));
    }

    fn pass(&self, parsed: &ParsedMessage<'_>, turn: &mut Turn) {
        if let Some(connection) = self.through {
            turn.pass(Connection::Server(connection), parsed);
        }
    }

    /// Reserves room for bytes that are kept.
    fn hold(&mut self, bytes: usize) -> Result<(), Refusal> {
        let allowed = self.bounds.held_bytes;
        let all = self.held.saturating_add(bytes);
        if all > allowed {
            let text = format!("more bytes wait than the limit of {allowed} (parked_bytes)");
            return Err(Refusal::limit(text));
        }
        self.held = all;
        Ok(())
    }

    /// Removes a request from the waiting ones.
    fn leave_waiting(&mut self, waiting: &Waiting) {
        self.places.remove(&waiting.key);
        self.held -= waiting.text.len();
    }

    /// Forgets that a request is anywhere.
    fn left(&mut self, key: &IdKey) -> Option<Place> {
        self.places.remove(key)
    }

    /// Whether any call waits for the client.
    fn is_parking(&self) -> bool {
        !self.handles.is_empty()
    }

    /// Releases everything that a call holds.
    fn release(&mut self, call: &Call) {
        if let Some(shown) = &call.shown {
            self.handles.remove(&shown.handle);
        }
        let shown = call.shown.as_ref().and_then(|shown| shown.ask.as_ref());
        let asks: usize = call.asks.iter().chain(shown).map(Ask::bytes).sum();
        self.held -= asks + call.answer.as_ref().map_or(0, Vec::len);
    }

    fn new_connection(&mut self) -> ConnectionId {
        self.connections += 1;
        ConnectionId::new(self.connections)
    }

    fn next_number(&mut self) -> i64 {
        self.numbers += 1;
        self.numbers
    }
}

/// Why a method does not exist in the modern era, or cannot be translated for this server.
fn gone(method: &str) -> Option<&'static str> {
    match method {
        "initialize"
        | "ping"
        | "logging/setLevel"
        | "resources/subscribe"
        | "resources/unsubscribe" => Some("2026-07-28 has no such method"),
        _ if method.starts_with("tasks/") => Some(words::NO_TASKS),
        _ => None,
    }
}
