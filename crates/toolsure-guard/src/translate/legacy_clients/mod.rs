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
mod client;
mod round;
mod server;

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use toolsure_json::{Node as _, View};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{METHOD_NOT_FOUND, write};

use super::bounds::Bounds;
use super::held_bytes::HeldBytes;
use super::parsed_message::ParsedMessage;
use super::refusal::Refusal;
use super::rewrite;
use super::turn::Turn;
use super::words::{self, Abilities, Level, Lists};
use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, ToolsEvent};
use crate::envelope::error_code;
use crate::id::IdKey;
use crate::message::Message;
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
    held: HeldBytes,
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
            held: HeldBytes::new(bounds.held_bytes),
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
            subscription: ChangeSubscription::default(),
            numbers: 0,
        }
    }

    /// Forgets a call, and cancels the requests that the client got for it.
    fn forget(&mut self, key: &IdKey, turn: &mut Turn) -> Option<Call> {
        let call = self.calls.remove(key)?;
        self.held.release(call.text.as_ref().map_or(0, Vec::len));
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

    /// Starts the subscription, because the client is ready for notifications.
    fn listen(&mut self, turn: &mut Turn) {
        if self.session.stage == Stage::Open
            && !self.session.lists.is_empty()
            && self.subscription.begin(turn.now)
        {
            self.tick(turn);
        }
    }

    /// Handles the server's acknowledgement of the subscription.
    fn heard(&mut self, turn: &mut Turn) {
        if self.subscription.acknowledged() {
            for method in self.session.lists.notifications() {
                turn.out.client(write::notification(method, None));
            }
        }
    }

    /// Handles the end of the subscription. Changes before the next one are not reported.
    fn deaf(&mut self, turn: &mut Turn) {
        turn.out.push(Effect::Tools(ToolsEvent::Changed));
        self.subscription.ended(turn.now);
    }

    /// Handles the server's refusal of the subscription.
    fn unheard(&mut self, error: View<'_>, turn: &mut Turn) {
        if error_code(error) == Some(METHOD_NOT_FOUND) {
            turn.out.note("no-subscriptions", rewrite::complaint(error));
        } else {
            self.deaf(turn);
        }
    }

    pub(in crate::translate) fn next_deadline(&self) -> Option<Duration> {
        self.subscription.deadline()
    }

    pub(in crate::translate) fn tick(&mut self, turn: &mut Turn) {
        if self.subscription.is_due(turn.now) {
            let meta = self.declaration().join(",");
            let filter = self.session.lists.filter();
            let params = format!(r#"{{"notifications":{filter},"_meta":{{{meta}}}}}"#);
            self.ask("subscriptions/listen", &params, Own::Listen, turn);
        }
    }

    /// The members of `_meta` that each request has.
    fn declaration(&self) -> Vec<String> {
        let session = &self.session;
        rewrite::declaration(
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

    fn send(&mut self, message: impl Into<Message>, turn: &mut Turn) {
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
