//! Clients of 2025-11-25 and older with a server of 2026-07-28.
//!
//! The server has no sessions, so the client's session is kept here, and each request declares it
//! again:
//!
//! ```text
//!   client                               here                               server
//!   initialize ────────────► asks server/discover ────────────────────────►
//!              ◄──────────── answers from what it says ◄───────────────────
//!   notifications/initialized ► asks subscriptions/listen, if lists change ►
//!              ◄──────────── list_changed ◄── listens; again after an end, ◄
//!                                             with growing pauses
//!   ping, logging/setLevel ──► answered here
//!   a modern request ────────► passes as it came ──────────────────────────►
//!   what the era has not ────► answered: error
//!   any other request ───────► PENDING, with `_meta` ──────────────────────►
//!                                │
//!                                ├─ complete ─► answered, without the modern tags
//!                                ├─ an error ─► answered as it came
//!                                ├─ notifications/cancelled ─► forgotten, sent ─►
//!                                └─ input_required ◄───────────────────────
//!                                     │ not declared, too many, no such
//!                                     │ question, too many rounds ─► answered: error
//!              ◄─ its requests ─── ASKING
//!              ── its answers ──►     ├─ an error among them ─► answered: error
//!                                     ├─ notifications/cancelled ─► forgotten,
//!              ◄─ cancelled ──────────┘       and what was asked with it
//!                                     └─ all there ─► PENDING, repeated under
//!                                                     another id with the answers ─►
//! ```

mod asking;
mod change_subscription;
mod listen;
mod round;
mod server;

use std::borrow::Cow;
use std::collections::HashMap;

use toolsure_json::{Node as _, View};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Message, Notification, Request, write};

use super::bounds::Bounds;
use super::parsed_message::ParsedMessage;
use super::refusal::Refusal;
use super::splice;
use super::turn::Turn;
use super::words::{self, Abilities, Level, Lists};
use crate::connection::{Connection, ConnectionId};
use crate::effect::Effect;
use crate::id::IdKey;
use asking::Asking;
use change_subscription::ChangeSubscription;

#[derive(Debug)]
pub(super) struct LegacyClients {
    bounds: Bounds,
    /// Whether there is a connection to the server.
    connected: bool,
    session: Session,
    /// Unanswered requests of the client, by the client's ids.
    calls: HashMap<IdKey, Call>,
    /// Our own requests to the server, by our ids.
    own: HashMap<IdKey, Own>,
    /// Our own requests to the client, with the call that needs the answer.
    asks: HashMap<IdKey, IdKey>,
    /// Bytes of requests that may have to be repeated.
    held: usize,
    subscription: ChangeSubscription,
    /// How many ids of our own were given.
    numbers: u64,
}

/// What the client said when it opened the session.
#[derive(Debug)]
struct Session {
    stage: Stage,
    era: Era,
    info: Option<String>,
    /// As JSON text, in the form of the modern era.
    capabilities: String,
    abilities: Abilities,
    level: Option<Level>,
    /// Whether the server writes log messages.
    logs: bool,
    /// The lists whose changes the server reports.
    lists: Lists,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Closed,
    /// `initialize` waits for `server/discover`.
    Opening,
    Open,
}

/// A request of the client.
#[derive(Debug)]
struct Call {
    /// The id as the client wrote it.
    id: String,
    method: Cow<'static, str>,
    /// The request as the client wrote it, if it may have to be repeated.
    text: Option<Vec<u8>>,
    rounds: usize,
    stage: CallStage,
}

#[derive(Debug)]
enum CallStage {
    /// The server has it, under an id of ours if it was repeated.
    Pending(Option<IdKey>),
    /// The client has to answer the server's questions first.
    Asking(Asking),
}

/// A request of our own to the server.
#[derive(Debug)]
enum Own {
    /// For an `initialize` with this id.
    Discover(String),
    Listen,
    /// A repeated call, by the client's id.
    Repeat(IdKey),
}

impl LegacyClients {
    pub(super) fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            connected: false,
            session: Session {
                stage: Stage::Closed,
                era: Era::NEWEST_WITH_SESSIONS,
                info: None,
                capabilities: "{}".to_owned(),
                abilities: Abilities::default(),
                level: None,
                logs: false,
                lists: Lists::default(),
            },
            calls: HashMap::new(),
            own: HashMap::new(),
            asks: HashMap::new(),
            held: 0,
            subscription: ChangeSubscription::default(),
            numbers: 0,
        }
    }

    pub(super) fn client(&mut self, parsed: &ParsedMessage<'_>, turn: &mut Turn) {
        match parsed.message {
            Message::Request(request) => self.request(parsed, &request, turn),
            Message::Notification(notification) => {
                self.notification(parsed, &notification, turn);
            }
            Message::Result(outcome) => self.answered(parsed, outcome.id, turn),
            Message::Error(Some(id), _) => self.answered(parsed, id, turn),
            Message::Error(None, _) => turn
                .out
                .note("client-error", "an error that names no request"),
        }
    }

    fn request(&mut self, parsed: &ParsedMessage<'_>, request: &Request<'_>, turn: &mut Turn) {
        let id = request.id.raw();
        match Era::declared(request.params) {
            Some(Ok(era)) if era.declares_version() => return self.send_on(parsed, turn),
            Some(Err(version)) => return turn.out.client(Refusal::version(version).to(id)),
            // A declaration of an older version is ignored: those versions have no such declaration.
            Some(Ok(_)) | None => {}
        }
        let key = IdKey::of(request.id);
        if self.calls.contains_key(&key) || self.own.contains_key(&key) {
            return turn.out.client(Refusal::id_reused().to(id));
        }
        let refusal = match request.method {
            "ping" => return turn.out.client(write::result(id, "{}")),
            "initialize" => self.initialize(request, turn),
            _ if self.session.stage == Stage::Closed => {
                Err(Refusal::order("a session begins with `initialize`"))
            }
            "logging/setLevel" => self.set_level(request, turn),
            "resources/subscribe" | "resources/unsubscribe" => {
                let why = "the server has no subscriptions that outlive a request";
                Err(Refusal::method(request.method, why))
            }
            method if method.starts_with("tasks/") => Err(Refusal::method(method, words::NO_TASKS)),
            _ => self.call(parsed, request, key, turn),
        };
        if let Err(refusal) = refusal {
            turn.out.client(refusal.to(id));
        }
    }

    /// Opens the session by asking the server for its description.
    fn initialize(&mut self, request: &Request<'_>, turn: &mut Turn) -> Result<(), Refusal> {
        if self.session.stage != Stage::Closed {
            return Err(Refusal::order("the session is open already"));
        }
        let member = |name| request.params.and_then(|params| params.member(name));
        let capabilities = member("capabilities").filter(|is| words::is_object(*is));
        let asked = member("protocolVersion").map(|version| version.string());
        let known = asked.and_then(Era::from_version);
        let info = member("clientInfo").filter(|is| words::is_object(*is));
        self.session.stage = Stage::Opening;
        self.session.era = known
            .filter(|era| era.has_sessions())
            .unwrap_or(Era::NEWEST_WITH_SESSIONS);
        self.session.info = info.map(|info| info.raw().to_owned());
        self.session.capabilities =
            capabilities.map_or_else(|| "{}".to_owned(), splice::modern_capabilities);
        self.session.abilities = capabilities.map(Abilities::of).unwrap_or_default();
        let meta = self.declaration().join(",");
        let own = Own::Discover(request.id.raw().to_owned());
        self.ask(
            "server/discover",
            &format!(r#"{{"_meta":{{{meta}}}}}"#),
            own,
            turn,
        );
        Ok(())
    }

    fn set_level(&mut self, request: &Request<'_>, turn: &mut Turn) -> Result<(), Refusal> {
        if !self.session.logs && self.session.stage == Stage::Open {
            return Err(Refusal::method(request.method, "the server writes no log"));
        }
        let level = request.params.and_then(|params| params.member("level"));
        let Some(level) = level.and_then(Level::read) else {
            return Err(Refusal::params(
                "`level` must be one of the protocol's levels",
            ));
        };
        self.session.level = Some(level);
        turn.out.client(write::result(request.id.raw(), "{}"));
        Ok(())
    }

    /// Sends any other request to the server, with the declarations that the server requires.
    fn call(
        &mut self,
        parsed: &ParsedMessage<'_>,
        request: &Request<'_>,
        key: IdKey,
        turn: &mut Turn,
    ) -> Result<(), Refusal> {
        let allowed = self.bounds.pending;
        if self.calls.len() >= allowed {
            let text = format!("more open requests than the limit of {allowed} (pending)");
            return Err(Refusal::limit(text));
        }
        let message = splice::modernised(parsed, request, &self.declaration(), None)?;
        let bytes = parsed.whole.bytes();
        let fits = self.held.saturating_add(bytes.len()) <= self.bounds.held_bytes;
        let text = (fits && words::may_ask(request.method)).then(|| bytes.to_vec());
        self.held += text.as_ref().map_or(0, Vec::len);
        let call = Call {
            id: request.id.raw().to_owned(),
            method: crate::envelope::method_name(request.method),
            text,
            rounds: 0,
            stage: CallStage::Pending(None),
        };
        self.calls.insert(key, call);
        self.send(message, turn);
        Ok(())
    }

    fn notification(
        &mut self,
        parsed: &ParsedMessage<'_>,
        notification: &Notification<'_>,
        turn: &mut Turn,
    ) {
        match notification.method {
            "notifications/initialized" => self.listen(turn),
            "notifications/cancelled" => self.cancel(parsed, notification, turn),
            // The modern era has neither changing roots nor requests to clients
            // that could make progress.
            "notifications/roots/list_changed" | "notifications/progress" => {}
            _ => self.send_on(parsed, turn),
        }
    }

    /// Handles the cancellation of a request by the client.
    fn cancel(
        &mut self,
        parsed: &ParsedMessage<'_>,
        notification: &Notification<'_>,
        turn: &mut Turn,
    ) {
        let id = notification
            .params
            .and_then(|params| params.member("requestId"));
        let call = id.and_then(|id| self.forget(&IdKey::read(id.raw())?, turn));
        match (call.map(|call| call.stage), id) {
            (Some(CallStage::Asking(_)), _) => {}
            (Some(CallStage::Pending(Some(own))), Some(id)) => {
                let message = splice::replaced(parsed, id, &own.raw());
                self.send(message, turn);
            }
            _ => self.send_on(parsed, turn),
        }
    }

    /// Forgets a call, and cancels the requests that the client got for it.
    fn forget(&mut self, key: &IdKey, turn: &mut Turn) -> Option<Call> {
        let call = self.calls.remove(key)?;
        self.held -= call.text.as_ref().map_or(0, Vec::len);
        match &call.stage {
            CallStage::Pending(Some(own)) => {
                self.own.remove(own);
            }
            CallStage::Pending(None) => {}
            CallStage::Asking(asking) => {
                for ask in asking.open() {
                    self.asks.remove(ask);
                    turn.out
                        .client(write::cancellation(&ask.raw(), Some("the call is over")));
                }
            }
        }
        Some(call)
    }

    /// Ends a call with an error of our own.
    fn refuse(&mut self, key: &IdKey, refusal: &Refusal, turn: &mut Turn) {
        if let Some(call) = self.forget(key, turn) {
            turn.out.client(refusal.to(&call.id));
        }
    }

    /// Handles the end of the connection: no open request will be answered.
    pub(super) fn server_gone(&mut self, why: &str, turn: &mut Turn) {
        let refusal = Refusal::gone(why);
        let mut keys: Vec<IdKey> = self.calls.keys().cloned().collect();
        keys.sort_by_key(IdKey::raw);
        for key in keys {
            self.refuse(&key, &refusal, turn);
        }
        for (_, own) in self.own.drain() {
            if let Own::Discover(id) = own {
                turn.out.client(refusal.to(&id));
            }
        }
        turn.out.push(Effect::Finish);
    }

    /// The members of `_meta` that each request has.
    fn declaration(&self) -> Vec<String> {
        let session = &self.session;
        splice::declaration(
            session.info.as_deref(),
            &session.capabilities,
            session.level,
        )
    }

    /// Sends a request of our own.
    fn ask(&mut self, method: &str, params: &str, own: Own, turn: &mut Turn) {
        let key = self.number();
        let id = key.raw();
        self.own.insert(key, own);
        let request = write::request(&id, method, Some(params));
        self.send(request, turn);
    }

    fn send(&mut self, message: String, turn: &mut Turn) {
        self.connect(turn);
        turn.out.server(CONNECTION, message);
    }

    /// Passes a message on to the server unchanged.
    fn send_on(&mut self, parsed: &ParsedMessage<'_>, turn: &mut Turn) {
        self.connect(turn);
        turn.pass(Connection::Server(CONNECTION), parsed);
    }

    fn connect(&mut self, turn: &mut Turn) {
        if !self.connected {
            self.connected = true;
            turn.out.push(Effect::Open(CONNECTION));
        }
    }

    /// Returns an id of our own that no open request of the client has.
    fn number(&mut self) -> IdKey {
        loop {
            self.numbers += 1;
            let key = IdKey::Text(format!("toolsure-era-{}", self.numbers).into());
            if !self.calls.contains_key(&key) {
                return key;
            }
        }
    }
}

/// A server without sessions needs only one connection.
const CONNECTION: ConnectionId = ConnectionId::ONLY;

/// A member of an object as JSON text, if the member is an object itself.
fn object_text(holder: View<'_>, name: &str) -> Option<String> {
    let member = holder.member(name).filter(|is| words::is_object(*is))?;
    Some(member.raw().to_owned())
}
