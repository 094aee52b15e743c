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

mod call;
mod declared;
mod handles;
mod parked;
mod server;
mod session;
mod sessions;

use std::collections::{BTreeMap, HashMap, VecDeque};

use toolsure_json::Node as _;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Message, Notification, Request, write};

use super::bounds::Bounds;
use super::clients::Clients;
use super::parsed_message::ParsedMessage;
use super::refusal::Refusal;
use super::splice;
use super::turn::Turn;
use super::words;
use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, ToolsEvent};
use crate::id::IdKey;
use crate::message::kept;
use call::Call;
use declared::Declared;
use handles::Handles;
use session::{Found, Session};

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

    pub(super) fn client(&mut self, parsed: &ParsedMessage<'_>, turn: &mut Turn) {
        match parsed.message {
            Message::Request(request) => self.request(parsed, &request, turn),
            Message::Notification(notification) => {
                self.notification(parsed, &notification, turn);
            }
            // Only the server of a session that the client opened itself can have asked.
            Message::Result(_) | Message::Error(..) => self.pass(parsed, turn),
        }
    }

    fn request(&mut self, parsed: &ParsedMessage<'_>, request: &Request<'_>, turn: &mut Turn) {
        let id = request.id.raw();
        match Era::declared(request.params) {
            Some(Ok(era)) if era.declares_version() => {}
            Some(Err(version)) => return turn.out.client(Refusal::version(version).to(id)),
            Some(Ok(_)) | None => return self.legacy(parsed, request, turn),
        }
        let key = IdKey::of(request.id);
        if self.places.contains_key(&key) {
            return turn.out.client(Refusal::id_reused().to(id));
        }
        if let Err(refusal) = self.modern(parsed, request, &key, turn) {
            turn.out.client(refusal.to(id));
        }
    }

    /// Passes on messages of a client of the server's own era unchanged.
    fn legacy(&mut self, parsed: &ParsedMessage<'_>, request: &Request<'_>, turn: &mut Turn) {
        if self.through.is_none() && request.method == "initialize" {
            let connection = self.new_connection();
            self.through = Some(connection);
            turn.out.push(Effect::Open(connection));
        }
        if self.through.is_none() {
            let text = "the request declares no protocol version in `_meta`, \
                        and no session was opened with `initialize`";
            return turn.out.client(Refusal::params(text).to(request.id.raw()));
        }
        self.pass(parsed, turn);
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

    fn modern(
        &mut self,
        parsed: &ParsedMessage<'_>,
        request: &Request<'_>,
        key: &IdKey,
        turn: &mut Turn,
    ) -> Result<(), Refusal> {
        if let Some(why) = gone(request.method) {
            return Err(Refusal::method(request.method, why));
        }
        let declared = Declared::read(request)?;
        let allowed = self.bounds.pending;
        if self.places.len() >= allowed {
            let text = format!("more open requests than the limit of {allowed} (pending)");
            return Err(Refusal::limit(text));
        }
        let state = request
            .params
            .and_then(|params| params.member("requestState"));
        if let Some(state) = state
            && words::may_ask(request.method)
        {
            return self.resume(parsed, request, state, turn);
        }
        match self.session_for(request, &declared, turn)? {
            Found::Ready(connection) => {
                self.place(connection, parsed, request, key, &declared, turn);
                Ok(())
            }
            Found::Opening(connection) => self.wait(parsed, request, Some(connection)),
            Found::Busy => self.wait(parsed, request, None),
        }
    }

    fn wait(
        &mut self,
        parsed: &ParsedMessage<'_>,
        request: &Request<'_>,
        opening: Option<ConnectionId>,
    ) -> Result<(), Refusal> {
        if self.waiting.len() >= self.bounds.held {
            let allowed = self.bounds.held;
            let text =
                format!("more requests wait for a session than the limit of {allowed} (parked)");
            return Err(Refusal::limit(text));
        }
        let bytes = parsed.whole.bytes();
        self.hold(bytes.len())?;
        let key = IdKey::of(request.id);
        self.places.insert(key.clone(), Place::Waiting);
        self.waiting.push_back(Waiting {
            key,
            id: request.id.raw().to_owned(),
            text: bytes.to_vec(),
            opening,
        });
        Ok(())
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

    /// Sends a request to an open session.
    fn place(
        &mut self,
        connection: ConnectionId,
        parsed: &ParsedMessage<'_>,
        request: &Request<'_>,
        key: &IdKey,
        declared: &Declared<'_>,
        turn: &mut Turn,
    ) {
        let number = self.next_number();
        let level_number = self.next_number();
        let Some(session) = self.sessions.get_mut(&connection) else {
            return;
        };
        session.used = number;
        let id = request.id.raw();
        match request.method {
            "server/discover" => turn.out.client(write::result(id, &session.discovered())),
            "subscriptions/listen" => {
                let filter = request
                    .params
                    .and_then(|params| params.member("notifications"));
                session.subscribe(key.clone(), id, filter, turn);
                self.places
                    .insert(key.clone(), Place::Subscribed(connection));
            }
            _ => {
                if let Some(message) = session.heed(declared.level, level_number) {
                    turn.out.server(connection, message);
                }
                turn.out
                    .server(connection, splice::antiquated(parsed, request, number));
                let repeated = self.handles.repeated(request);
                let call = Call::new(request, declared.level, repeated);
                session.calls.insert(number, call);
                self.places
                    .insert(key.clone(), Place::Pending(connection, number));
            }
        }
    }

    fn notification(
        &mut self,
        parsed: &ParsedMessage<'_>,
        notification: &Notification<'_>,
        turn: &mut Turn,
    ) {
        let params = notification.params;
        let key = (notification.method == "notifications/cancelled")
            .then(|| IdKey::read(params?.member("requestId")?.raw()))
            .flatten();
        let Some((place, key)) = key.and_then(|key| Some((self.places.remove(&key)?, key))) else {
            return self.pass(parsed, turn);
        };
        match place {
            Place::Waiting => {
                if let Some(at) = self.waiting.iter().position(|waiting| waiting.key == key)
                    && let Some(waiting) = self.waiting.remove(at)
                {
                    self.held -= waiting.text.len();
                }
            }
            Place::Subscribed(connection) => {
                if let Some(session) = self.sessions.get_mut(&connection) {
                    session.subscriptions.remove(&key);
                }
            }
            Place::Pending(connection, number) => {
                self.drop_call(connection, number, "the client cancelled", turn)
            }
        }
        self.admit(turn);
    }

    /// Assigns free sessions to waiting requests.
    fn admit(&mut self, turn: &mut Turn) {
        for _ in 0..self.waiting.len() {
            let Some(waiting) = self.waiting.pop_front() else {
                return;
            };
            let opening = waiting
                .opening
                .and_then(|connection| self.sessions.get(&connection));
            if opening.is_some_and(|session| !session.is_ready()) {
                self.waiting.push_back(waiting);
                continue;
            }
            match self.admit_one(&waiting, turn) {
                Ok(Admitted::Placed) => {}
                Ok(Admitted::Waits(opening)) => {
                    self.waiting.push_back(Waiting { opening, ..waiting });
                }
                Err(refusal) => {
                    self.leave_waiting(&waiting);
                    turn.out.client(refusal.to(&waiting.id));
                }
            }
        }
    }

    fn admit_one(&mut self, waiting: &Waiting, turn: &mut Turn) -> Result<Admitted, Refusal> {
        let message = kept(&waiting.text);
        let parsed = ParsedMessage::of(&message).map_err(Refusal::order)?;
        let Message::Request(request) = parsed.message else {
            return Err(Refusal::order("it is not a request"));
        };
        let declared = Declared::read(&request)?;
        match self.session_for(&request, &declared, turn)? {
            Found::Ready(connection) => {
                self.leave_waiting(waiting);
                self.place(connection, &parsed, &request, &waiting.key, &declared, turn);
                Ok(Admitted::Placed)
            }
            Found::Opening(connection) => Ok(Admitted::Waits(Some(connection))),
            Found::Busy => Ok(Admitted::Waits(waiting.opening)),
        }
    }

    /// Removes a request from the waiting ones.
    fn leave_waiting(&mut self, waiting: &Waiting) {
        self.places.remove(&waiting.key);
        self.held -= waiting.text.len();
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
