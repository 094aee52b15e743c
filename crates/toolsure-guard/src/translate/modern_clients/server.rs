//! Translates messages of the server for newer clients.

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{Message, Notification, Request, write};

use super::ModernClients;
use super::call::Ask;
use super::session::{Session, Stage};
use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, ToolsEvent};
use crate::id::IdKey;
use crate::renumber::number_of;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::turn::Turn;
use crate::translate::words::{self, Level};

impl ModernClients {
    pub(in crate::translate) fn server(
        &mut self,
        connection: ConnectionId,
        parsed: &ParsedMessage<'_>,
        turn: &mut Turn,
    ) {
        if self.through == Some(connection) {
            return turn.pass(Connection::Client, parsed);
        }
        if !self.sessions.contains_key(&connection) {
            return;
        }
        match parsed.message {
            Message::Request(request) => self.server_request(connection, parsed, &request, turn),
            Message::Notification(notification) => {
                self.forward_notification(connection, parsed, &notification, turn);
            }
            Message::Result(outcome) => {
                self.answer(connection, parsed, Ok(outcome.result), turn);
            }
            Message::Error(Some(_), error) => {
                self.answer(connection, parsed, Err(error), turn);
            }
            Message::Error(None, error) => turn.out.note("server-error", rewrite::complaint(error)),
        }
    }

    fn answer(
        &mut self,
        connection: ConnectionId,
        parsed: &ParsedMessage<'_>,
        answer: Result<View<'_>, View<'_>>,
        turn: &mut Turn,
    ) {
        let Some(number) = parsed.view.member("id").and_then(number_of) else {
            return turn
                .out
                .note("server-answer", "an answer to no open request");
        };
        let Some(session) = self.sessions.get_mut(&connection) else {
            return;
        };
        if matches!(session.stage, Stage::Opening(own, _) if own == number) {
            return self.opened(connection, answer.map_err(rewrite::complaint), turn);
        }
        if session.own_requests.remove(&number) {
            return;
        }
        let Some(call) = session.calls.get_mut(&number) else {
            // It answers a call that was given up.
            return;
        };
        if call.shown.is_none() {
            return self.finish(connection, number, parsed, answer.ok(), turn);
        }
        // The client will come back for the answer.
        let bytes = parsed.whole.bytes();
        match self.held.hold(bytes.len()) {
            Ok(()) => {
                let session = self.sessions.get_mut(&connection);
                if let Some(call) = session.and_then(|one| one.calls.get_mut(&number)) {
                    let late = call.answer.replace(bytes.to_vec());
                    self.held.release(late.map_or(0, |late| late.len()));
                }
            }
            Err(_) => self.drop_call(
                connection,
                number,
                "too many bytes of answers wait to be fetched",
                turn,
            ),
        }
    }

    fn server_request(
        &mut self,
        connection: ConnectionId,
        parsed: &ParsedMessage<'_>,
        request: &Request<'_>,
        turn: &mut Turn,
    ) {
        let id = request.id.raw();
        let method = words::question_method(request.method);
        let abilities = self
            .sessions
            .get(&connection)
            .map(|session| session.abilities);
        let missing = abilities
            .unwrap_or_default()
            .missing(request.method, request.params);
        match (method, missing) {
            _ if request.method == "ping" => turn.out.server(connection, write::result(id, "{}")),
            (Some(method), Ok(None)) => {
                self.asked(connection, Ask::new(parsed, request, method), turn);
            }
            (Some(method), Ok(Some(_))) => {
                let refusal = Refusal::method(method, "the client did not declare the capability");
                turn.out.server(connection, refusal.to(id));
            }
            _ => {
                let refusal =
                    Refusal::method(request.method, "clients of 2026-07-28 do not have it");
                turn.out.server(connection, refusal.to(id));
            }
        }
    }

    fn forward_notification(
        &mut self,
        connection: ConnectionId,
        parsed: &ParsedMessage<'_>,
        notification: &Notification<'_>,
        turn: &mut Turn,
    ) {
        let Some(session) = self.sessions.get(&connection) else {
            return;
        };
        let params = notification.params;
        let member = |name| params.and_then(|params| params.member(name));
        match notification.method {
            "notifications/progress" => {
                let token = member("progressToken");
                if let Some((token, theirs)) = token.and_then(|token| whose(session, token)) {
                    turn.out.client(rewrite::replaced(parsed, token, theirs));
                }
            }
            "notifications/message" => {
                if session.wants(member("level").and_then(Level::read)) {
                    turn.pass(Connection::Client, parsed);
                }
            }
            "notifications/cancelled" => {
                if let Some(id) = member("requestId").and_then(|id| IdKey::read(id.raw())) {
                    self.withdrawn(connection, &id);
                }
            }
            method if words::is_list_changed(method) => {
                // The subscribers are not the only ones who must know.
                if method == TOOLS_CHANGED {
                    turn.out.push(Effect::Tools(ToolsEvent::Changed));
                }
                session.changed(method, turn);
            }
            // No modern client can have requested them.
            "notifications/resources/updated"
            | "notifications/elicitation/complete"
            | "notifications/tasks/status" => {}
            _ => turn.pass(Connection::Client, parsed),
        }
    }
}

/// A progress token of ours, and the client's token for the same request while the client waits for it.
fn whose<'a, 's>(session: &'s Session, token: View<'a>) -> Option<(View<'a>, &'s str)> {
    let call = session
        .calls
        .get(&number_of(token)?)
        .filter(|call| call.shown.is_none())?;
    Some((token, call.caller.token.as_deref()?))
}

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
