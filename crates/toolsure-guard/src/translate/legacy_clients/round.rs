//! A round of questions: the client is asked what the server wants to know first, and the call is
//! repeated with the answers (2026-07-28, basic/patterns/mrtr).

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_mcp::message::{Message, RequestId, write};

use super::asking::{Asking, Question};
use super::{CallStage, LegacyClients, Own};
use crate::id::IdKey;
use crate::message::kept;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::turn::Turn;
use crate::translate::words::{is_object, question_method};

impl LegacyClients {
    /// Asks the client the server's questions.
    pub(super) fn question(
        &mut self,
        key: &IdKey,
        result: View<'_>,
        turn: &mut Turn,
    ) -> Result<(), Refusal> {
        let requests = result.member("inputRequests");
        let state = result.member("requestState");
        if requests.is_none() && state.is_none() {
            return Err(Refusal::input(
                "the server asks for input but does not say which",
            ));
        }
        if requests.is_some_and(|requests| !is_object(requests))
            || state.is_some_and(|state| state.kind() != Kind::String)
        {
            let text = "`inputRequests` must be an object and `requestState` a string";
            return Err(Refusal::input(text));
        }
        let count = requests.map_or(0, |requests| requests.len());
        if count > QUESTIONS {
            let text =
                format!("the server asks {count} questions at once, and the limit is {QUESTIONS}");
            return Err(Refusal::limit(text));
        }
        if self.asks.len() + count > self.bounds.pending {
            let allowed = self.bounds.pending;
            let text = format!("more open requests than the limit of {allowed} (pending)");
            return Err(Refusal::limit(text));
        }
        let Some(call) = self.calls.get_mut(key) else {
            return Ok(());
        };
        if call.text.is_none() {
            let allowed = self.bounds.held_bytes;
            let text = format!(
                "the server asks for input, and the call was not kept to be repeated: \
                 more than {allowed} bytes of calls are open (parked_bytes)"
            );
            return Err(Refusal::limit(text));
        }
        call.rounds += 1;
        if call.rounds > ROUNDS {
            let text = format!("the server asked for input {ROUNDS} times and asks again");
            return Err(Refusal::limit(text));
        }
        let mut asking = Asking {
            state: state.map(|state| state.raw().to_owned()),
            questions: Vec::with_capacity(count),
        };
        let mut messages = Vec::with_capacity(count);
        for (name, request) in requests.into_iter().flat_map(View::members) {
            let (question, message) = self.prepared(name.text(), request)?;
            asking.questions.push(question);
            messages.push(message);
        }
        for question in &asking.questions {
            self.asks.insert(question.id.clone(), key.clone());
        }
        if let Some(call) = self.calls.get_mut(key) {
            call.stage = CallStage::Asking(asking);
        }
        messages
            .into_iter()
            .for_each(|message| turn.out.client(message));
        if count == 0 {
            // Nothing to ask: the server only wants the request again.
            self.repeat(key, turn)?;
        }
        Ok(())
    }

    /// One question as a request to the client.
    fn prepared(&mut self, name: &str, request: View<'_>) -> Result<(Question, String), Refusal> {
        let said = request
            .member("method")
            .map_or("", |method| method.string());
        let params = request.member("params");
        let unknown = || {
            let said = toolsure_json::quote(said, SHOWN);
            Refusal::input(format!(
                "the server asks for `{said}`, which no client answers"
            ))
        };
        let method = question_method(said).ok_or_else(unknown)?;
        let missing = self.session.abilities.missing(method, params);
        if let Some(required) = missing.map_err(|()| unknown())? {
            return Err(Refusal::capability(method, required));
        }
        let id = self.number();
        let raw = id.raw();
        let params = params.map(|params| with_elicitation_id(params, &raw));
        let message = write::request(&raw, method, params.as_deref());
        let question = Question {
            id,
            name: name.to_owned(),
            method,
            answer: None,
        };
        Ok((question, message))
    }

    /// Handles an answer of the client to a request of ours.
    pub(super) fn answered(
        &mut self,
        parsed: &ParsedMessage<'_>,
        id: RequestId<'_>,
        turn: &mut Turn,
    ) {
        let ask = IdKey::of(id);
        let Some(key) = self.asks.remove(&ask) else {
            return turn
                .out
                .note("client-answer", "an answer to no open request");
        };
        let Some(CallStage::Asking(asking)) = self.calls.get_mut(&key).map(|call| &mut call.stage)
        else {
            return;
        };
        let Some(question) = asking.questions.iter_mut().find(|one| one.id == ask) else {
            return;
        };
        let refused = match parsed.message {
            Message::Result(outcome) if is_object(outcome.result) => {
                question.answer = Some(parsed.raw(outcome.result).to_owned());
                None
            }
            Message::Error(_, error) => Some(rewrite::complaint(error)),
            _ => Some("the answer is not an object".to_owned()),
        };
        let method = question.method;
        if let Some(why) = refused {
            // The question is no longer open at the client.
            question.answer = Some("null".to_owned());
            let text = format!("the client refused `{method}`: {why}");
            return self.refuse(&key, &Refusal::unanswered(text), turn);
        }
        if asking.open().next().is_none()
            && let Err(refusal) = self.repeat(&key, turn)
        {
            self.refuse(&key, &refusal, turn);
        }
    }

    /// Sends a call again, with the answers.
    fn repeat(&mut self, key: &IdKey, turn: &mut Turn) -> Result<(), Refusal> {
        let own = self.number();
        let declaration = self.declaration();
        let Some(call) = self.calls.get_mut(key) else {
            return Ok(());
        };
        let (CallStage::Asking(asking), Some(text)) = (&call.stage, &call.text) else {
            return Ok(());
        };
        let members = asking.members();
        let kept = kept(text);
        let parsed = ParsedMessage::of(&kept).map_err(Refusal::answer)?;
        let Message::Request(request) = parsed.message else {
            return Ok(());
        };
        let id = own.raw();
        let message = rewrite::modernised(&parsed, &request, &declaration, Some((&id, &members)))?;
        call.stage = CallStage::Pending(Some(own.clone()));
        self.own.insert(own, Own::Repeat(key.clone()));
        self.send(message, turn);
        Ok(())
    }
}

/// The parameters of a question. The legacy era requires an id for each URL that a person is sent to
/// (2025-11-25, client/elicitation).
fn with_elicitation_id(params: View<'_>, id: &str) -> String {
    let by_url = params
        .member("mode")
        .is_some_and(|mode| mode.string() == "url");
    if !by_url || params.member("elicitationId").is_some() {
        return params.raw().to_owned();
    }
    let mut edits = toolsure_mcp::message::Edits::new();
    edits.reshape(params, |_, _| false, &[format!(r#""elicitationId":{id}"#)]);
    let span = params.span();
    edits.apply_within(params.document().source(), span.start, span.end)
}

/// Maximum rounds of questions for one call, as in the SDKs' clients.
const ROUNDS: usize = 10;
/// Maximum questions of one round.
const QUESTIONS: usize = 32;
/// Maximum characters of a name that a text repeats.
const SHOWN: usize = 64;
