//! Finds, opens and closes sessions with the server.

use std::time::Duration;

use toolsure_json::View;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Request, write};

use super::declared::Declared;
use super::session::{Found, Served, Session, Stage};
use super::{ModernClients, Place};
use crate::connection::ConnectionId;
use crate::effect::Effect;
use crate::id::IdKey;
use crate::implementation::TOOLSURE;
use crate::subscription::SUBSCRIPTION;
use crate::translate::clients::Clients;
use crate::translate::refusal::Refusal;
use crate::translate::turn::Turn;
use crate::translate::words;

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

    pub(in crate::translate) fn server_gone(
        &mut self,
        connection: ConnectionId,
        why: &str,
        turn: &mut Turn,
    ) {
        if self.through == Some(connection) {
            self.through = None;
            return turn.out.push(Effect::Finish);
        }
        self.lost(connection, &Refusal::gone(why), turn);
    }

    /// Answers the requests of a session that has ended.
    fn lost(&mut self, connection: ConnectionId, refusal: &Refusal, turn: &mut Turn) {
        let Some(session) = self.sessions.remove(&connection) else {
            return;
        };
        if session.is_ready() {
            // A call may already be on its way to the session that takes its place.
            Self::session_ended(turn);
        }
        for (key, subscription) in session.subscriptions {
            self.places.remove(&key);
            let id = &subscription.id;
            let meta = format!(r#"{{"resultType":"complete","_meta":{{"{SUBSCRIPTION}":{id}}}}}"#);
            turn.out.client(write::result(id, &meta));
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
                self.held -= one.text.len();
                turn.out.client(refusal.to(&one.id));
            } else {
                self.waiting.push_back(one);
            }
        }
        self.admit(turn);
    }

    pub(in crate::translate) fn next_deadline(&self) -> Option<Duration> {
        let of_session = |session: &Session| match session.stage {
            Stage::Opening(_, until) => Some(until),
            Stage::Ready(_) if !self.is_parking() => None,
            Stage::Ready(_) => {
                let shown = session
                    .calls
                    .values()
                    .filter_map(|call| call.shown.as_ref());
                shown.map(|shown| shown.until).min()
            }
        };
        self.sessions.values().filter_map(of_session).min()
    }

    pub(in crate::translate) fn tick(&mut self, turn: &mut Turn) {
        let late = |session: &Session| matches!(session.stage, Stage::Opening(_, until) if until <= turn.now);
        let sessions = self.sessions.iter();
        let late: Vec<ConnectionId> = sessions
            .filter(|(_, one)| late(one))
            .map(|(connection, _)| *connection)
            .collect();
        for connection in late {
            let text = "the server did not open a session in time";
            self.close(
                connection,
                &Refusal::other_era("server-not-legacy", text),
                turn,
            );
        }
        let mut expired = Vec::new();
        for (connection, session) in &self.sessions {
            for (number, call) in &session.calls {
                if call
                    .shown
                    .as_ref()
                    .is_some_and(|shown| shown.until <= turn.now)
                {
                    expired.push((*connection, *number));
                }
            }
        }
        for (connection, number) in expired {
            self.drop_call(
                connection,
                number,
                "the client did not come back in time",
                turn,
            );
        }
        self.admit(turn);
    }

    /// Forgets that a request is anywhere.
    pub(super) fn left(&mut self, key: &IdKey) -> Option<Place> {
        self.places.remove(key)
    }
}

/// Maximum number of sessions. Each capability set in use takes one; with several clients, so does each
/// call that allows questions.
const SESSIONS: usize = 8;
