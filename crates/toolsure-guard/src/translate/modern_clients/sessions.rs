//! Finds, opens and closes sessions with the server.

use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Request, write};

use super::ModernClients;
use super::declared::Declared;
use super::session::{Found, Session, Stage};
use crate::connection::ConnectionId;
use crate::effect::Effect;
use crate::implementation::TOOLSURE;
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
}

/// Maximum number of sessions. Each capability set in use takes one; with several clients, so does each
/// call that allows questions.
const SESSIONS: usize = 8;
