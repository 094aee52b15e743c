//! Translates messages of newer clients for the server.

use toolsure_json::Node as _;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Message, Notification, Request};

use super::declared::Declared;
use super::session::Found;
use super::{ModernClients, Place};
use crate::connection::Connection;
use crate::effect::Effect;
use crate::id::IdKey;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::turn::Turn;
use crate::translate::words;

impl ModernClients {
    pub(in crate::translate) fn client(&mut self, parsed: &ParsedMessage<'_>, turn: &mut Turn) {
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

    /// Passes a message on to the server of the session that a client opened itself.
    fn pass(&self, parsed: &ParsedMessage<'_>, turn: &mut Turn) {
        if let Some(connection) = self.through {
            turn.pass(Connection::Server(connection), parsed);
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
                    self.held.release(waiting.text.len());
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
