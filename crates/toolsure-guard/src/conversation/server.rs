//! Handles messages of the server: answers to open requests, requests and notifications.

use toolsure_json::{Kind, Node as _, View, json_string};
use toolsure_mcp::era::{Era, Structured, ToolMethod};
use toolsure_mcp::message::{
    Edits, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, Message,
    Notification, Request, RequestId, bad_form,
};

use super::Conversation;
use super::access::{is_unclear_list, unrestricted};
use super::approved::ApprovedEntries;
use super::client::id_member;
use super::open::{Open, What};
use super::result_repair::forward_readable;
use super::turn::Turn;
use crate::envelope::{self, Envelope, method_name};
use crate::fault::Act;
use crate::filter::results;
use crate::id::IdKey;
use crate::message::kept;
use crate::policy::{Mode, Project};
use crate::record::{Action, Filter};
use crate::side::Side;
use crate::unparsable::Recovery;

impl Conversation {
    /// Handles one message of the server.
    pub(super) fn server_message(&mut self, turn: &mut Turn<'_>, root: View<'_>) {
        let message = match Message::decode(root) {
            Ok(message) => message,
            Err(error) => {
                let found = Recovery::of(turn.message.bytes());
                // A log line in JSON is noise; a message with an id is taken for an answer.
                let act = if error.method_fault().is_some() {
                    Act::ServerSentUnfitMethod
                } else if error.id().is_some() {
                    Act::ServerAnsweredNoMessage
                } else {
                    Act::ServerMadeNoise
                };
                return self.lost(turn, Side::Server, &found, act, &error.to_string());
            }
        };
        if let Some((found, why)) = turn.broken_envelope(&message) {
            let act = Act::ServerAnsweredNoJson;
            return self.lost(turn, Side::Server, &found, act, &why);
        }
        if let Some(text) = self.under_asked_id(turn, &message) {
            // Only its id is another.
            let corrected = kept(text.as_bytes());
            return turn.with_made(&corrected, |turn| match corrected.document() {
                Ok(document) => self.server_message(turn, document.root()),
                Err(error) => self.unreadable(turn, Side::Server, error),
            });
        }
        if let Some(traces) = &mut self.traces {
            traces.heard(turn, &message);
        }
        match message {
            Message::Request(request) => self.server_request(turn, &request),
            Message::Notification(notification) => {
                self.server_notification(turn, &notification);
            }
            Message::Result(outcome) => {
                let answer = Ok(outcome.result);
                self.server_answer(turn, outcome.id, answer);
            }
            Message::Error(Some(id), error) => {
                self.server_answer(turn, id, Err(error));
            }
            Message::Error(None, error) if mended_error(error).is_some() => {
                let act = Act::ServerAnsweredBadError;
                turn.audit(turn.fault(Side::Server, Filter::Envelope, Action::Dropped, act));
            }
            Message::Error(None, _) => {
                // It names no request; it may answer a message that could not be read.
                let envelope = Envelope::of(&message);
                turn.forward(Side::Client, envelope);
            }
        }
    }

    fn server_answer(
        &mut self,
        turn: &mut Turn<'_>,
        id: RequestId<'_>,
        answer: Result<View<'_>, View<'_>>,
    ) {
        let key = turn.key(id);
        if self.list_fetch.is_own(&key) {
            if answer.is_ok() {
                return self.list_fetch.answered(turn, &self.scope, &self.open);
            }
            let why = "the server answered `tools/list` with an error";
            return self.list_fetch.fail(turn, why);
        }
        let open = match self.open.remove_sent(&key) {
            None if turn.message.is_replay => self.answered.take(&key),
            open => open,
        };
        let Some(open) = open else {
            if self.adopted || turn.message.is_replay {
                return answered_elsewhere(turn, id, key, answer.err());
            }
            let act = Act::ServerAnsweredUnasked;
            let mut record = turn.fault(Side::Server, Filter::Tracking, Action::Dropped, act);
            record.id = Some(key);
            turn.audit(record);
            return;
        };
        let replayable = self.may_be_replayed(&open).then(|| key.clone());
        self.answer(turn, key, &open, answer);
        if let Some(key) = replayable {
            self.answered.insert(key, open);
        }
    }

    /// Whether the answer may arrive again, on an HTTP stream that the client resumes.
    fn may_be_replayed(&self, open: &Open) -> bool {
        let negotiation = &self.negotiation;
        negotiation.has_http_client() && negotiation.has_http_server() && open.era.has_sessions()
    }

    fn answer(
        &mut self,
        turn: &mut Turn<'_>,
        key: IdKey,
        open: &Open,
        answer: Result<View<'_>, View<'_>>,
    ) {
        let result = match answer {
            Ok(result) => result,
            // A JSON-RPC error keeps every contract.
            Err(error) => return forward_error(turn, key, open, error),
        };
        if is_unclear_list(turn, open) {
            return unrestricted(turn, key, open);
        }
        let access = self.access(turn, open);
        if let Some(text) = access.restricted(turn, open, result) {
            let message = self.guard.read_within(text, turn.limits());
            let root = message.document().ok().map(|document| document.root());
            return match root.and_then(|root| root.member("result")) {
                Some(result) => turn.with_made(&message, |turn| {
                    self.answer(turn, key, open, Ok(result));
                }),
                None => unrestricted(turn, key, open),
            };
        }
        let approved = ApprovedEntries::of(turn.rules, &self.scope);
        if let Some(text) = approved.and_then(|it| it.restricted(turn, &key, open, result)) {
            let message = self.guard.read_within(text, turn.limits());
            let root = message.document().ok().map(|document| document.root());
            return match root.and_then(|root| root.member("result")) {
                Some(result) => turn.with_made(&message, |turn| {
                    self.deliver(turn, key, open, result);
                }),
                None => unrestricted(turn, key, open),
            };
        }
        self.deliver(turn, key, open, result);
    }

    /// Passes on the result of a request, without what its reader may not see.
    fn deliver(&mut self, turn: &mut Turn<'_>, key: IdKey, open: &Open, result: View<'_>) {
        match &open.what {
            What::Plain => forward_readable(turn, key, open, result),
            What::Parked => turn.forward_answer(key, None),
            What::Initialize => {
                self.negotiation.open(result);
                self.list_changed.declare(&self.guard, result);
                let info = result.member("serverInfo");
                self.negotiation.listed_by(&self.scope, info);
                let envelope = Envelope {
                    agreed: envelope::agreed(result),
                    ..Envelope::answer(Some(key), None)
                };
                turn.forward(Side::Client, envelope);
            }
            What::List { .. } => self.page(turn, key, open),
            What::Call(_) | What::Task { .. } => {
                self.result(turn, key, open, result);
            }
        }
    }

    /// Returns an answer under the id of its request, if the server wrote a number as a string or a string
    /// as a number. Clients of the official SDKs accept `"4"` for `4` themselves.
    fn under_asked_id(&self, turn: &mut Turn<'_>, message: &Message<'_>) -> Option<String> {
        let (id, view) = match message {
            Message::Result(outcome) => (outcome.id, outcome.view),
            Message::Error(Some(id), error) => (*id, error.parent()?),
            _ => return None,
        };
        let asked = self.asked_otherwise(&turn.key(id))?;
        let open = self.open.get(&asked)?;
        let act = Act::ServerAnsweredOtherId;
        let mut record = turn.fault(Side::Server, Filter::Tracking, Action::Altered, act);
        record.describe(&asked, open, turn);
        turn.audit(record);
        let mut edits = Edits::new();
        edits.replace(view.member("id")?, open.raw(&asked));
        Some(turn.edited(edits))
    }

    fn server_request(&mut self, turn: &mut Turn<'_>, request: &Request<'_>) {
        let key = turn.key(request.id);
        if self.negotiation.is_modern() {
            let act = Act::ServerAskedModernClient;
            let text = "clients of 2026-07-28 accept no requests";
            return turn.refuse_server(request, act, METHOD_NOT_FOUND, text);
        }
        if let Some(why) = bad_form_of(turn, request.method, request.params) {
            let (act, text) = (Act::ServerAskedBadForm, format!("`requestedSchema`: {why}"));
            if turn.policy().elicitation == Mode::Enforce {
                return turn.refuse_server(request, act, INVALID_PARAMS, &text);
            }
            let mut record = turn.fault(Side::Server, Filter::Tracking, Action::Reported, act);
            record.method = Some(method_name(request.method));
            record.id = Some(key.clone());
            record.note(&text);
            turn.audit(record);
        }
        // An HTTP stream that is resumed may repeat a request, and another process may have passed its answer
        // on.
        let elsewhere = self.negotiation.has_http_server();
        let repeated = self.server_requests.contains(&key);
        if repeated && !elsewhere {
            let act = Act::ServerReusedId;
            let text = format!("the id {key} belongs to a request that is still open");
            return turn.refuse_server(request, act, INVALID_REQUEST, &text);
        }
        let allowed = turn.policy().limits.pending;
        let full = !repeated && self.server_requests.len() >= allowed;
        if full && elsewhere {
            self.server_requests.forget_oldest();
        } else if full {
            let act = Act::ServerAskedTooMuch;
            let text = format!("more open requests than the limit of {allowed} (pending)");
            return turn.refuse_server(request, act, INTERNAL_ERROR, &text);
        }
        self.server_requests.insert(key.clone());
        let envelope = Envelope {
            id: Some(key),
            ..Envelope::of(&Message::Request(*request))
        };
        match self.sampling(turn, request) {
            Some(text) => turn.out.altered(Side::Client, text, envelope),
            None => turn.forward(Side::Client, envelope),
        }
    }

    /// A request for a sample whose messages contain results of tools that the client's version cannot
    /// express (2025-11-25, client/sampling, "Tool Result Content"), in the form that it can.
    fn sampling(&self, turn: &Turn<'_>, request: &Request<'_>) -> Option<String> {
        let era = self
            .negotiation
            .era()
            .filter(|era| era.structured() != Structured::Any)?;
        if request.method != "sampling/createMessage" || turn.policy().project == Project::Off {
            return None;
        }
        let named = turn.message.names();
        let written = named.map(|_| turn.message.clone().read_as_sent(turn.limits()));
        let (message, params) = match &written {
            None => (turn.message, request.params?),
            Some(written) => {
                let root = written.document().ok()?.root();
                (written, root.member("params")?)
            }
        };
        // With half a surrogate pair in it, the parsed text is not the one that came.
        if params.document().source() != message.text() {
            return None;
        }
        let projected = results::projection(turn.policy(), era).sampling(params);
        (projected.text != message.text()).then_some(projected.text)
    }

    fn server_notification(&mut self, turn: &mut Turn<'_>, notification: &Notification<'_>) {
        let params = notification.params;
        let mut about = None;
        match notification.method {
            "notifications/progress" => {
                if let Some(token) = params.and_then(|params| id_member(params, "progressToken")) {
                    about = self.open.request_of_token(&token).cloned();
                    if let Some(until) = turn.patience() {
                        self.open.progress(&token, until);
                    }
                }
            }
            "notifications/cancelled" => {
                if let Some(key) = params.and_then(|params| id_member(params, "requestId")) {
                    self.server_requests.remove(&key);
                }
            }
            "notifications/subscriptions/acknowledged" => {
                let open = &mut self.open;
                self.list_changed.acknowledge(&self.guard, open, params);
            }
            _ => {}
        }
        // A connection may carry both eras, and a notification does not declare one.
        match Era::NEWEST.tool_method(notification.method) {
            Some(ToolMethod::ListChanged) => self.scope.outdate(),
            Some(ToolMethod::TaskChanged) => {
                if let Some(task) = params
                    && self.task_note(turn, task)
                {
                    return;
                }
            }
            _ => {}
        }
        let envelope = Envelope {
            id: about,
            ..Envelope::of(&Message::Notification(*notification))
        };
        turn.forward(Side::Client, envelope);
    }
}

/// Handles an answer to a request that another process sent, or that was answered too long ago. An
/// error keeps every contract; a result that cannot be checked is replaced by an error.
fn answered_elsewhere(turn: &mut Turn<'_>, id: RequestId<'_>, key: IdKey, error: Option<View<'_>>) {
    if let Some(error) = error {
        return turn.forward_answer(key, envelope::error_code(error));
    }
    let act = Act::AnsweredElsewhere;
    let text = "the request was sent through another replica of the guard, or answered long ago, so its result cannot be checked here; send it again";
    let answer = act.error(turn.raw_id(id), act.rpc_code(), text);
    let mut record = turn.fault(Side::Server, Filter::Tracking, Action::Refused, act);
    record.id = Some(key.clone());
    turn.answer(Side::Client, key, answer, Some(act.rpc_code()));
    turn.audit(record);
}

/// Passes an error on; an error that clients could not read is repaired.
fn forward_error(turn: &mut Turn<'_>, key: IdKey, open: &Open, error: View<'_>) {
    let code = envelope::error_code(error);
    let Some(mended) = mended_error(error) else {
        return turn.forward_answer(key, code);
    };
    let act = Act::ServerAnsweredBadError;
    let mut record = turn.fault(Side::Server, Filter::Envelope, Action::Altered, act);
    record.describe(&key, open, turn);
    turn.audit(record);
    let mut edits = Edits::new();
    edits.replace(error, mended);
    let text = edits.apply(turn.message.text());
    turn.forward_altered(key, code.or(Some(INTERNAL_ERROR)), text);
}

/// The error that replaces a malformed one (JSON-RPC 2.0 section 5.1); `None` if it is well formed.
fn mended_error(error: View<'_>) -> Option<String> {
    let code = envelope::error_code(error);
    let text = |view: View<'_>| (view.kind() == Kind::String).then(|| view.raw().to_owned());
    let message = error.member("message").and_then(text);
    if error.kind() == Kind::Object && code.is_some() && message.is_some() {
        return None;
    }
    let code = code.unwrap_or(INTERNAL_ERROR);
    let message = message.or_else(|| text(error));
    let message = message.unwrap_or_else(|| json_string(NO_ERROR));
    let raw = error.raw();
    Some(format!(
        r#"{{"code":{code},"message":{message},"data":{raw}}}"#
    ))
}

/// What is wrong with the schema of a form that a request asks for, if the policy looks at it.
pub(super) fn bad_form_of(
    turn: &Turn<'_>,
    method: &str,
    params: Option<View<'_>>,
) -> Option<String> {
    if method != "elicitation/create" || turn.policy().elicitation == Mode::Off {
        return None;
    }
    bad_form(params?.member("requestedSchema")?)
}

/// The text for a server's error that has no message.
const NO_ERROR: &str = "the server answered with a malformed error";
