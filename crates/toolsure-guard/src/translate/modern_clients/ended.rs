//! The beginning and the end of sessions with the server, and their deadlines.

use std::time::Duration;

use toolsure_json::View;
use toolsure_mcp::message::write;

use super::ModernClients;
use super::session::{Served, Session, Stage};
use crate::connection::ConnectionId;
use crate::effect::Effect;
use crate::subscription::end_of_subscription;
use crate::translate::refusal::Refusal;
use crate::translate::turn::Turn;

impl ModernClients {
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
}
