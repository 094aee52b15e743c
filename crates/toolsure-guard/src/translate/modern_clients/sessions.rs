//! Sessions with the server: requests get one, wait until one is open, and end with it.

use toolsure_json::{Node as _, View};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Message, Request, write};

use super::call::{Ask, Call};
use super::declared::Declared;
use super::session::{Found, Served, Session, Stage};
use super::{ModernClients, Place, Waiting};
use crate::connection::ConnectionId;
use crate::effect::{Effect, ToolsEvent};
use crate::id::IdKey;
use crate::implementation::TOOLSURE;
use crate::message::kept;
use crate::subscription::end_of_subscription;
use crate::translate::clients::Clients;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::turn::Turn;
use crate::translate::words;

/// The result for a request that waited for a session.
enum Admitted {
    Placed,
    /// It continues to wait, for this session if one is being opened.
    Waits(Option<ConnectionId>),
}

impl ModernClients {
    /// Finds a session for a request: one that is open, or one that is being opened.
    pub(super) fn session_for(
        &mut self,
        request: &Request<'_>,
        declared: &Declared<'_>,
        turn: &mut Turn,
    ) -> Result<Found, Refusal> {
        let alone = self.clients == Clients::Many
            && declared.abilities.any()
            && words::may_ask(request.method);
        let theirs = self
            .sessions
            .iter()
            .filter(|(_, session)| session.capabilities == declared.capabilities);
        let mut opening = None;
        let mut waiting = None;
        for (connection, session) in theirs {
            match session.stage {
                Stage::Opening(..) => opening = opening.or(Some(*connection)),
                Stage::Ready(_) if alone && session.is_taken() => {}
                // Its server may do nothing else before it gets the answer.
                Stage::Ready(_) if self.clients == Clients::Many && session.awaits_client() => {
                    waiting = waiting.or(Some(*connection));
                }
                Stage::Ready(_) => return Ok(Found::Ready(*connection)),
            }
        }
        if let Some(connection) = opening {
            return Ok(Found::Opening(connection));
        }
        // The last session is for requests during which the server cannot ask.
        let busy = self.sessions.values().filter(|session| !session.is_idle());
        let has_room = if alone && busy.count() >= SESSIONS - 1 {
            self.make_room(Session::is_abandonable, turn)
        } else {
            let is_unused = |session: &Session| session.is_idle() || session.is_abandonable();
            self.sessions.len() < SESSIONS || self.make_room(is_unused, turn)
        };
        if has_room {
            return Ok(Found::Opening(self.open(declared, turn)));
        }
        Ok(match waiting {
            Some(connection) => Found::Ready(connection),
            None => Found::Busy,
        })
    }

    /// Ends the unused session that has been idle longest. If none is idle, ends the one that was used least
    /// recently of those whose calls all wait for their clients: a client may never come back.
    fn make_room(&mut self, is_unused: impl Fn(&Session) -> bool, turn: &mut Turn) -> bool {
        let unused = self.sessions.iter().filter(|(_, one)| is_unused(one));
        let longest = unused.min_by_key(|(_, session)| (!session.is_idle(), session.used));
        let Some(connection) = longest.map(|(connection, _)| *connection) else {
            return false;
        };
        if let Some(session) = self.sessions.remove(&connection) {
            session.calls.values().for_each(|call| self.release(call));
        }
        Self::session_ended(turn);
        turn.out.push(Effect::Close(connection));
        true
    }

    fn open(&mut self, declared: &Declared<'_>, turn: &mut Turn) -> ConnectionId {
        let connection = self.new_connection();
        let number = self.next_number();
        let until = turn.now.saturating_add(self.bounds.patience);
        let session = Session::opening(declared, number, until);
        self.sessions.insert(connection, session);
        turn.out.push(Effect::Open(connection));
        let (version, info) = (Era::V2025_11_25, declared.info.unwrap_or(TOOLSURE));
        let capabilities = &declared.capabilities;
        let params = format!(
            r#"{{"protocolVersion":"{version}","capabilities":{capabilities},"clientInfo":{info}}}"#
        );
        let initialize = write::request(&number.to_string(), "initialize", Some(&params));
        turn.out.server(connection, initialize);
        connection
    }

    /// Handles the server's answer to `initialize`.
    pub(super) fn opened(
        &mut self,
        connection: ConnectionId,
        answer: Result<View<'_>, String>,
        turn: &mut Turn,
    ) {
        let served = answer.and_then(|result| Served::read(result));
        match (served, self.sessions.get_mut(&connection)) {
            (Ok(served), Some(session)) => {
                session.stage = Stage::Ready(served);
                let opened = write::notification("notifications/initialized", None);
                turn.out.server(connection, opened);
                self.admit(turn);
            }
            (Err(why), _) => {
                let text = format!("the server opens no session: {why}");
                self.close(
                    connection,
                    &Refusal::other_era("server-not-legacy", text),
                    turn,
                );
            }
            (Ok(_), None) => {}
        }
    }

    /// Ends a session from this side.
    pub(super) fn close(&mut self, connection: ConnectionId, refusal: &Refusal, turn: &mut Turn) {
        turn.out.push(Effect::Close(connection));
        self.lost(connection, refusal, turn);
    }

    /// Answers the requests of a session that has ended.
    pub(super) fn lost(&mut self, connection: ConnectionId, refusal: &Refusal, turn: &mut Turn) {
        let Some(session) = self.sessions.remove(&connection) else {
            return;
        };
        if session.is_ready() {
            // A call may already be on its way to the session that takes its place.
            Self::session_ended(turn);
        }
        for (key, subscription) in session.subscriptions {
            self.places.remove(&key);
            turn.out.client(end_of_subscription(&subscription.id));
        }
        for (_, call) in session.calls {
            self.release(&call);
            // The id of a call that waits for its client is free, and may belong to another request.
            if call.shown.is_none() && self.places.remove(&call.caller.key).is_some() {
                turn.out.client(refusal.to(&call.caller.id));
            }
        }
        // A request that waited for this session also fails, instead of waiting for another failure.
        let waiting = std::mem::take(&mut self.waiting);
        for one in waiting {
            if one.opening == Some(connection) {
                self.places.remove(&one.key);
                self.held.release(one.text.len());
                turn.out.client(refusal.to(&one.id));
            } else {
                self.waiting.push_back(one);
            }
        }
        self.admit(turn);
    }

    /// Lets a request wait for a session.
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
        self.held.hold(bytes.len())?;
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
        self.held.release(waiting.text.len());
    }

    /// Releases everything that a call holds.
    pub(super) fn release(&mut self, call: &Call) {
        if let Some(shown) = &call.shown {
            self.handles.remove(&shown.handle);
        }
        let shown = call.shown.as_ref().and_then(|shown| shown.ask.as_ref());
        let asks: usize = call.asks.iter().chain(shown).map(Ask::bytes).sum();
        let answer = call.answer.as_ref().map_or(0, Vec::len);
        self.held.release(asks + answer);
    }

    /// Reports that a session has ended, which may be the one whose tools were listed.
    fn session_ended(turn: &mut Turn) {
        turn.out.push(Effect::Tools(ToolsEvent::SessionEnded));
    }

    pub(super) fn new_connection(&mut self) -> ConnectionId {
        self.connections += 1;
        ConnectionId::new(self.connections)
    }

    fn next_number(&mut self) -> i64 {
        self.numbers += 1;
        self.numbers
    }
}

/// Maximum number of sessions. Each capability set in use takes one; with several clients, so does each
/// call that allows questions.
const SESSIONS: usize = 8;
