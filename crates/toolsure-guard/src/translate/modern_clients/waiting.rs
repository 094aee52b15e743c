//! Requests that wait for a session, and those that get one.

use toolsure_json::Node as _;
use toolsure_mcp::message::{Message, Request, write};

use super::call::Call;
use super::declared::Declared;
use super::session::Found;
use super::{Admitted, ModernClients, Place, Waiting};
use crate::connection::ConnectionId;
use crate::id::IdKey;
use crate::message::kept;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::turn::Turn;

impl ModernClients {
    pub(super) fn wait(
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

    /// Sends a request to an open session.
    pub(super) fn place(
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
                    .server(connection, rewrite::antiquated(parsed, request, number));
                let repeated = self.handles.repeated(request);
                let call = Call::new(request, declared.level, repeated);
                session.calls.insert(number, call);
                self.places
                    .insert(key.clone(), Place::Pending(connection, number));
            }
        }
    }

    /// Assigns free sessions to waiting requests.
    pub(super) fn admit(&mut self, turn: &mut Turn) {
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

    pub(super) fn admit_one(
        &mut self,
        waiting: &Waiting,
        turn: &mut Turn,
    ) -> Result<Admitted, Refusal> {
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
}
