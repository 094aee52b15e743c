//! What the server sends: answers to what is open, requests and notifications.

use toolgate_json::{Node as _, View};
use toolgate_mcp::check::Checker;
use toolgate_mcp::era::{Era, ToolMethod};
use toolgate_mcp::message::{INVALID_REQUEST, Message, Notification, Request, RequestId};

use super::answer::{answer_to, data, fault, rpc_code};
use super::client::id_member;
use super::open::What;
use super::{Carrier, Conversation, Turn, nearest};
use crate::effect::{Effects, Outgoing, Purpose, Shape, method_name};
use crate::fault::{Act, INTERNAL_ERROR, METHOD_NOT_FOUND};
use crate::id::IdKey;
use crate::reading::Reading;
use crate::record::{Action, Gate};
use crate::recover::Recovery;
use crate::side::Side;
use crate::text::error_answer;

impl Conversation {
    /// Takes one message of the server.
    pub(super) fn server_message<'m>(
        &mut self,
        turn: &Turn<'_>,
        checker: &mut Checker,
        reading: &Reading<'_>,
        bytes: &'m [u8],
        out: &mut Effects<'m>,
    ) {
        let root = reading.document.root();
        let message = match Message::decode(root) {
            Ok(message) => message,
            Err(error) => {
                let found = Recovery::of(bytes);
                // A log line in JSON is noise; what has an id is somebody's answer.
                let act = if error.method_fault().is_some() {
                    Act::ServerSentUnfitMethod
                } else if error.id().is_some() {
                    Act::ServerAnsweredNoMessage
                } else {
                    Act::ServerMadeNoise
                };
                return self.lost(turn, Side::Server, &found, act, &error.to_string(), out);
            }
        };
        if let Some(flaw) = &reading.flaw {
            let found = Recovery::of(bytes);
            if found.is_ambiguous || found.has_broken_id(&message) {
                let act = Act::ServerAnsweredNoJson;
                return self.lost(turn, Side::Server, &found, act, &flaw.to_string(), out);
            }
        }
        self.heard(turn, &message);
        match message {
            Message::Request(request) => self.server_request(turn, &request, bytes, out),
            Message::Notification(notification) => {
                self.server_notification(turn, checker, reading, &notification, bytes, out);
            }
            Message::Result(outcome) => {
                let answer = Some(outcome.result);
                self.server_answer(turn, checker, reading, outcome.id, answer, bytes, out);
            }
            Message::Error(Some(id), _) => {
                self.server_answer(turn, checker, reading, id, None, bytes, out);
            }
            Message::Error(None, _) => {
                // Whom it concerns nobody knows; it may be an answer to noise.
                let shape = Shape::Answer {
                    id: None,
                    error: None,
                };
                out.send(Outgoing::new(Side::Client, bytes, Purpose::Forward, shape));
            }
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "a message, what it is read with, and where its effects go"
    )]
    fn server_answer<'m>(
        &mut self,
        turn: &Turn<'_>,
        checker: &mut Checker,
        reading: &Reading<'_>,
        id: RequestId<'_>,
        result: Option<View<'_>>,
        bytes: &'m [u8],
        out: &mut Effects<'m>,
    ) {
        let key = IdKey::of(id);
        if self.is_own(&key) {
            if result.is_some() {
                return self.fetched(turn, bytes, out);
            }
            return self.fetch_failed(turn, "the server answered `tools/list` with an error", out);
        }
        let Some(open) = self.open.remove_sent(&key) else {
            if self.adopted {
                return answered_elsewhere(turn, id, key, result.is_some(), bytes, out);
            }
            let act = Act::ServerAnsweredUnasked;
            let mut record = fault(turn, Side::Server, Gate::Tracking, Action::Dropped, act);
            record.id = Some(key);
            out.audit(record);
            return;
        };
        let Some(result) = result else {
            // A JSON-RPC error keeps every contract.
            return forward_answer(key, bytes, out);
        };
        match &open.what {
            What::Plain | What::Parked => forward_answer(key, bytes, out),
            What::Initialize => {
                let version = result.member("protocolVersion").map_or("", |v| v.string());
                // No later era has `initialize`.
                self.era = Some(nearest(version).min(Era::V2025_11_25));
                forward_answer(key, bytes, out);
            }
            What::List { .. } => self.page(turn, key, open, bytes, out),
            What::Call(_) | What::Task { .. } => {
                self.result(turn, checker, reading, key, &open, result, bytes, out);
            }
        }
    }

    fn server_request<'m>(
        &mut self,
        turn: &Turn<'_>,
        request: &Request<'_>,
        bytes: &'m [u8],
        out: &mut Effects<'m>,
    ) {
        let key = IdKey::of(request.id);
        let (id, method) = (request.id.raw(), request.method);
        if self.era.is_none() && self.modern {
            let act = Act::ServerAskedModernClient;
            let text = "clients of 2026-07-28 take no requests";
            return Self::refuse_server(turn, id, method, act, METHOD_NOT_FOUND, text, out);
        }
        // A stream of HTTP that is taken up again may repeat a request, and another
        // process may have passed its answer on.
        let elsewhere = self.link.server == Carrier::Http;
        let repeated = self.asked.contains(&key);
        if repeated && !elsewhere {
            let act = Act::ServerReusedId;
            let text = format!("the id {key} belongs to a request that is still open");
            return Self::refuse_server(turn, id, method, act, INVALID_REQUEST, &text, out);
        }
        let allowed = turn.policy().limits.pending;
        let full = !repeated && self.asked.len() >= allowed;
        if full && elsewhere {
            self.asked.forget_oldest();
        } else if full {
            let act = Act::ServerAskedTooMuch;
            let text = format!("more open requests than the limit of {allowed} (pending)");
            return Self::refuse_server(turn, id, method, act, INTERNAL_ERROR, &text, out);
        }
        self.asked.insert(key.clone());
        let shape = Shape::Request {
            id: key,
            method: method_name(method),
        };
        out.send(Outgoing::new(Side::Client, bytes, Purpose::Forward, shape));
    }

    fn server_notification<'m>(
        &mut self,
        turn: &Turn<'_>,
        checker: &mut Checker,
        reading: &Reading<'_>,
        notification: &Notification<'_>,
        bytes: &'m [u8],
        out: &mut Effects<'m>,
    ) {
        let params = notification.params;
        match notification.method {
            "notifications/progress" => {
                let token = params.and_then(|params| id_member(params, "progressToken"));
                if let (Some(token), Some(until)) = (token, Self::patience(turn)) {
                    self.open.progress(&token, until);
                }
            }
            "notifications/cancelled" => {
                if let Some(key) = params.and_then(|params| id_member(params, "requestId")) {
                    self.asked.remove(&key);
                }
            }
            _ => {}
        }
        let method = method_name(notification.method);
        let era = self.settled_or_modern();
        match era.tool_method(notification.method) {
            Some(ToolMethod::ListChanged) => self.scope.outdate(),
            Some(ToolMethod::TaskChanged) => {
                if let Some(task) = params
                    && self.task_note(turn, checker, reading, task, out)
                {
                    return;
                }
            }
            _ => {}
        }
        let shape = Shape::Notification { method };
        out.send(Outgoing::new(Side::Client, bytes, Purpose::Forward, shape));
    }

    /// The era of a notification, which declares none itself.
    fn settled_or_modern(&self) -> Era {
        match self.era {
            Some(era) => era,
            // Both eras say that tools changed in the same way.
            None => Era::V2026_07_28,
        }
    }
}

/// An answer to a request that another process sent: an error keeps every contract, a result
/// that nobody can check is replaced by one.
fn answered_elsewhere<'m>(
    turn: &Turn<'_>,
    id: RequestId<'_>,
    key: IdKey,
    is_result: bool,
    bytes: &'m [u8],
    out: &mut Effects<'m>,
) {
    if !is_result {
        return forward_answer(key, bytes, out);
    }
    let act = Act::AnsweredElsewhere;
    let text = "the request was sent through another replica of the guard, so its result cannot be checked here; send it again";
    let answer = error_answer(id.raw(), rpc_code(act), text, Some(&data(act)));
    let mut record = fault(turn, Side::Server, Gate::Tracking, Action::Refused, act);
    record.id = Some(key.clone());
    answer_to(Side::Client, key, answer, Some(rpc_code(act)), out);
    out.audit(record);
}

/// Passes an answer on as it came.
pub(super) fn forward_answer<'m>(key: IdKey, bytes: &'m [u8], out: &mut Effects<'m>) {
    let shape = Shape::Answer {
        id: Some(key),
        error: None,
    };
    out.send(Outgoing::new(Side::Client, bytes, Purpose::Forward, shape));
}
