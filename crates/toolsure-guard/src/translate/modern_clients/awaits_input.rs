//! Calls that end, or are parked until the client has answered the server's question.

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::{Request, write};

use super::answers;
use super::call::{Ask, Shown};
use super::session::Session;
use super::{ModernClients, Place};
use crate::connection::ConnectionId;
use crate::id::IdKey;
use crate::message::kept;
use crate::renumber::RequestOrigin;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::turn::Turn;

impl ModernClients {
    /// Handles a question of the server: a call will carry it to the client.
    pub(super) fn asked(&mut self, connection: ConnectionId, ask: Ask, turn: &mut Turn) {
        let parked = self.handles.len();
        if parked >= self.bounds.held || self.held.hold(ask.bytes()).is_err() {
            return turn.out.server(
                connection,
                ask.refused("too many calls wait for answers (parked)"),
            );
        }
        let session = self.sessions.get_mut(&connection);
        let Some((number, call)) = session.and_then(Session::carrier) else {
            self.held.release(ask.bytes());
            return turn.out.server(
                connection,
                ask.refused("no call is open that could carry it"),
            );
        };
        call.questions += 1;
        if call.questions > QUESTIONS {
            self.held.release(ask.bytes());
            let why = format!("more questions for one call than the limit of {QUESTIONS}");
            return turn.out.server(connection, ask.refused(&why));
        }
        call.asks.push_back(ask);
        if call.shown.is_none() {
            self.show(connection, number, turn);
        }
    }

    /// Sends the client the next question of a call, or the call's answer.
    fn show(&mut self, connection: ConnectionId, number: i64, turn: &mut Turn) {
        let Some(session) = self.sessions.get_mut(&connection) else {
            return;
        };
        let Some(call) = session.calls.get_mut(&number) else {
            return;
        };
        if let Some(answer) = call.answer.take() {
            self.held.release(answer.len());
            return self.deliver(connection, number, &answer, turn);
        }
        let Some(ask) = call.asks.pop_front() else {
            // The call is at the server again.
            let key = call.caller.key.clone();
            self.places.insert(key, Place::Pending(connection, number));
            return;
        };
        let handle = self.handles.make(connection, number);
        let name = format!("input-{}", call.questions - call.asks.len());
        let mut request = format!(r#"{{"method":"{}""#, ask.method);
        if let Some(params) = &ask.params {
            request.push_str(",\"params\":");
            request.push_str(params);
        }
        request.push('}');
        let result = format!(
            r#"{{"resultType":"input_required","inputRequests":{{"{name}":{request}}},"requestState":"{handle}"}}"#
        );
        turn.out.client(write::result(&call.caller.id, &result));
        self.places.remove(&call.caller.key);
        call.shown = Some(Shown {
            ask: Some(ask),
            name,
            handle,
            until: turn.now.saturating_add(self.bounds.patience),
        });
    }

    /// Handles a request that continues a parked call.
    pub(super) fn resume(
        &mut self,
        parsed: &ParsedMessage<'_>,
        request: &Request<'_>,
        state: View<'_>,
        turn: &mut Turn,
    ) -> Result<(), Refusal> {
        let found = self.handles.call(state.string());
        let unknown = || {
            Refusal::state(
                "`requestState` belongs to no call that waits here: it has expired, \
                 its session has ended or made room for another request, or it was already \
                 continued; call again without it",
            )
        };
        let (connection, number) = found.ok_or_else(unknown)?;
        let session = self.sessions.get_mut(&connection);
        let call = session.and_then(|session| session.calls.get_mut(&number));
        let call = call.ok_or_else(unknown)?;
        if call.repeated != self.handles.repeated(request) {
            return Err(Refusal::state("`requestState` belongs to another request"));
        }
        let Some(shown) = call.shown.take() else {
            return Err(unknown());
        };
        let answers = request
            .params
            .and_then(|params| params.member("inputResponses"));
        let answer = answers.and_then(|answers| answers.member(&shown.name));
        if answer.is_some_and(|answer| answer.kind() != Kind::Object) {
            let text = format!("`inputResponses` must have an object `{}`", shown.name);
            call.shown = Some(shown);
            return Err(Refusal::params(text));
        }
        self.handles.remove(&shown.handle);
        call.caller = RequestOrigin::of(request);
        match (answer, shown.ask) {
            (Some(answer), Some(ask)) => {
                self.held.release(ask.bytes());
                turn.out
                    .server(connection, write::result(&ask.id, parsed.raw(answer)));
            }
            // The question is asked again (2026-07-28, basic/patterns/mrtr).
            (None, Some(ask)) => call.asks.push_front(ask),
            (_, None) => {}
        }
        self.show(connection, number, turn);
        Ok(())
    }

    /// Handles the withdrawal of a question by the server.
    pub(super) fn withdrawn(&mut self, connection: ConnectionId, id: &IdKey) {
        let Some(session) = self.sessions.get_mut(&connection) else {
            return;
        };
        let is_it = |ask: &Ask| IdKey::read(&ask.id).as_ref() == Some(id);
        for call in session.calls.values_mut() {
            if let Some(at) = call.asks.iter().position(is_it)
                && let Some(ask) = call.asks.remove(at)
            {
                self.held.release(ask.bytes());
            }
            if let Some(shown) = &mut call.shown
                && shown.ask.as_ref().is_some_and(is_it)
                && let Some(ask) = shown.ask.take()
            {
                self.held.release(ask.bytes());
            }
        }
    }

    /// Answers a call with the answer that was kept for it.
    fn deliver(&mut self, connection: ConnectionId, number: i64, answer: &[u8], turn: &mut Turn) {
        let answer = kept(answer);
        let Ok(parsed) = ParsedMessage::of(&answer) else {
            return;
        };
        let result = rewrite::outcome(&parsed);
        self.finish(connection, number, &parsed, result, turn);
    }

    /// Answers a call.
    pub(super) fn finish(
        &mut self,
        connection: ConnectionId,
        number: i64,
        parsed: &ParsedMessage<'_>,
        result: Option<View<'_>>,
        turn: &mut Turn,
    ) {
        let Some(session) = self.sessions.get_mut(&connection) else {
            return;
        };
        let abilities = session.abilities;
        let Some(mut call) = session.calls.remove(&number) else {
            return;
        };
        self.places.remove(&call.caller.key);
        self.release(&call);
        // The server asked this for a call that ends now, so no client can answer it.
        for ask in call.asks.drain(..) {
            turn.out.server(connection, ask.refused("the call is over"));
        }
        let answer = answers::answer(&call, parsed, result, abilities);
        turn.out.client(answer);
        self.admit(turn);
    }

    /// Gives up a call: the server is told, and its questions are answered.
    pub(super) fn drop_call(
        &mut self,
        connection: ConnectionId,
        number: i64,
        why: &str,
        turn: &mut Turn,
    ) {
        let session = self.sessions.get_mut(&connection);
        let Some(call) = session.and_then(|session| session.calls.remove(&number)) else {
            return;
        };
        self.release(&call);
        let shown = call.shown.and_then(|shown| shown.ask);
        for ask in call.asks.into_iter().chain(shown) {
            turn.out.server(connection, ask.refused(why));
        }
        if call.answer.is_none() {
            turn.out.server(
                connection,
                write::cancellation(&number.to_string(), Some(why)),
            );
        }
    }
}

/// Maximum questions of the server in one call.
const QUESTIONS: usize = 64;
