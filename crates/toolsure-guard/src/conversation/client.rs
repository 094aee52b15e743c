//! Handles messages of the client.

use std::sync::Arc;

use toolsure_json::{Node as _, View};
use toolsure_mcp::era::{Era, ToolMethod};
use toolsure_mcp::message::{
    Message, Notification, Request, RequestId, UNSUPPORTED_VERSION, write,
};

use super::Conversation;
use super::access::CallerAccess;
use super::approved::ApprovedEntries;
use super::call::{AskedCall, without_null};
use super::open::{Open, What};
use super::parked_calls::Retry;
use super::turn::Turn;
use crate::effect::Effect;
use crate::envelope::{self, Envelope, method_name};
use crate::fault::{Act, unsupported_version};
use crate::id::IdKey;
use crate::record::{Action, Filter, Record};
use crate::side::Side;
use crate::subject::Subject;

impl Conversation {
    /// Handles one message of the client. `retry` says why a parked call is handled again.
    pub(super) fn client_message(
        &mut self,
        turn: &mut Turn<'_>,
        root: View<'_>,
        retry: Option<&Retry>,
    ) {
        let message = match Message::decode(root) {
            Ok(message) => message,
            Err(error) => return turn.refuse_no_message(&error),
        };
        if let Some((found, why)) = turn.broken_envelope(&message) {
            let act = Act::ClientSentNoJson;
            return self.lost(turn, Side::Client, &found, act, &why);
        }
        match message {
            Message::Request(request) => self.client_request(turn, &request, retry),
            Message::Notification(notification) => self.client_notification(turn, &notification),
            Message::Result(outcome) => self.client_answer(turn, Some(outcome.id), None),
            Message::Error(id, error) => {
                self.client_answer(turn, id, envelope::error_code(error));
            }
        }
    }

    fn client_request(
        &mut self,
        turn: &mut Turn<'_>,
        request: &Request<'_>,
        retry: Option<&Retry>,
    ) {
        let key = turn.key(request.id);
        let settled = self.negotiation.settled();
        if let Some(traces) = &mut self.traces {
            traces.begin(turn, request, &key, settled);
        }
        if let Some((act, text)) = self.turned_away(turn, &key, retry.is_some()) {
            return turn.refuse(request, act, &text);
        }
        let declared = Era::declared(request.params);
        let era = match declared {
            Some(Ok(era)) if era.declares_version() => {
                self.negotiation.declare(request);
                era
            }
            // A declaration of an older version is ignored: those versions have no such declaration.
            Some(Ok(_)) | None => self.negotiation.settled(),
            Some(Err(version)) => {
                return self.unknown_version(turn, request, version);
            }
        };
        if request.method == "initialize" && (self.negotiation.is_open() || self.in_batch) {
            let text = match self.in_batch {
                true => "`initialize` must not be part of a batch",
                false => "the session is open: a second `initialize` is not accepted",
            };
            return turn.refuse(request, Act::ClientSentUnfitInitialize, text);
        }
        if KEPT_FOR_SESSION.contains(&request.method) && turn.message.bytes().len() > SESSION_BYTES
        {
            let found = turn.message.bytes().len();
            let text = format!(
                "the request has {found} bytes, more than the {SESSION_BYTES} that `{}` may have",
                request.method
            );
            let act = Act::ClientSentTooMuch;
            return turn.refuse(request, act, &text);
        }
        let method = era.tool_method(request.method);
        if method.is_some() && turn.message.is_ambiguous() {
            let flaw = turn.message.flaw().map(ToString::to_string);
            let text = flaw.unwrap_or_default();
            return turn.refuse(request, Act::ClientSentNoJson, &text);
        }
        let mut envelope = Envelope::request(key.clone(), method_name(request.method));
        let declared = declared.and_then(Result::ok);
        let declared = declared.filter(|era| era.declares_version());
        envelope.version = declared.map(|era| era.version().into());
        let name = method_name(request.method);
        let mut open = Open::new(turn.raw_id(request.id), &key, name, era, turn.now);
        // A subscription lasts as long as its client wants (2026-07-28, basic/utilities/subscriptions).
        let lasts = era.declares_version() && request.method == "subscriptions/listen";
        open.deadline = turn.patience().filter(|_| !lasts);
        let names = turn.message.names();
        let token = names.and_then(|names| names.new_token().cloned());
        open.progress = token.or_else(|| progress_token(request.params));
        open.peer.clone_from(&self.peer);
        open.about = Subject::recorded(request, turn.new_name());
        if Self::is_unclear(turn, request)
            || self.access(turn, &open).withhold(turn, request, &open)
            || ApprovedEntries::of(turn.rules, &self.scope)
                .is_some_and(|approved| approved.withhold(turn, request, &open))
        {
            return;
        }
        match method {
            Some(ToolMethod::Call) => {
                if let Some(text) = without_null(turn, request, &open) {
                    let message = self.guard.read_within(text, turn.limits());
                    // The text got shorter, so it can be read; if not, the call is handled as it came.
                    if let Ok(document) = message.document() {
                        let root = document.root();
                        return turn.with_made(&message, |turn| {
                            self.client_message(turn, root, retry);
                        });
                    }
                }
                let asked = AskedCall {
                    key,
                    open,
                    envelope,
                    retry,
                };
                return self.call(turn, request, asked);
            }
            Some(ToolMethod::List) => {
                let cursor = request.params.and_then(|params| params.member("cursor"));
                open.what = What::List {
                    cursor: cursor.map(|cursor| cursor.string().to_owned()),
                    changes: self.scope.changes(),
                };
            }
            Some(method @ (ToolMethod::TaskGet | ToolMethod::TaskResult)) => {
                let task = request.params.and_then(|params| params.member("taskId"));
                open.what = What::Task {
                    task: task.map_or("", |task| task.string()).to_owned(),
                    method,
                };
            }
            _ if request.method == "initialize" => {
                self.negotiation.initialize(request);
                open.what = What::Initialize;
                open.progress = None;
                // Lists that were requested before this belong to an earlier session.
                self.scope.begin_session();
            }
            _ if RECORDED.contains(&request.method) && turn.policy().record_passes => {
                let now = turn.now;
                let mut record = Record::new(now, Side::Client, Filter::Admission, Action::Passed);
                record.describe(&key, &open, turn);
                record.elapsed = None;
                turn.audit(record);
            }
            _ => {}
        }
        self.open.insert(key, open);
        let named = names.and_then(|names| names.new_name());
        let named = named.or_else(|| envelope::named(request.method, request.params));
        envelope.name = named.map(Arc::from);
        turn.forward(Side::Server, envelope);
    }

    /// Refuses a request of which readers may differ what it is about, if that matters. Returns whether it did.
    fn is_unclear(turn: &mut Turn<'_>, request: &Request<'_>) -> bool {
        let policy = turn.policy();
        let (has_rules, holds) = (!policy.callers.is_empty(), policy.drift.refuses());
        let matters = |subject: &Subject<'_>| {
            has_rules || holds && matches!(subject, Subject::Prompt(_) | Subject::Resource(_))
        };
        // The subjects are rarely looked at.
        let is_unclear = (has_rules || holds)
            && turn.message.is_ambiguous()
            && Subject::all(request, turn.new_name()).iter().any(matters);
        if is_unclear {
            let flaw = turn.message.flaw().map(ToString::to_string);
            turn.refuse(request, Act::ClientSentNoJson, &flaw.unwrap_or_default());
            return true;
        }
        if !has_rules && !holds {
            return false;
        }
        let Some(text) = Subject::unclear(request, turn.new_name()) else {
            return false;
        };
        turn.refuse(request, Act::ClientSentBadParams, &text);
        true
    }

    /// Why a request is refused before it is looked at.
    fn turned_away(&self, turn: &mut Turn<'_>, key: &IdKey, again: bool) -> Option<(Act, String)> {
        if let Some(why) = &self.server_gone {
            return Some((Act::ServerGone, format!("the server is gone: {why}")));
        }
        if again {
            return None;
        }
        if self.stopping {
            let text = "the guard is shutting down".to_owned();
            return Some((Act::GuardStopping, text));
        }
        if self.list_fetch.is_own(key) || self.open.contains(key) {
            let text = format!("the id {key} belongs to a request that is still open");
            return Some((Act::ClientReusedId, text));
        }
        let allowed = turn.policy().limits.pending;
        if self.open.len() >= allowed {
            let text = format!("more open requests than the limit of {allowed} (pending)");
            return Some((Act::ClientAskedTooMuch, text));
        }
        None
    }

    fn unknown_version(&mut self, turn: &mut Turn<'_>, request: &Request<'_>, version: &str) {
        let act = Act::ClientDeclaredUnknownVersion;
        let requested = unsupported_version(version);
        let data = format!(r#"{{"code":"{}",{requested}}}"#, act.code());
        let answer = write::error(
            turn.raw_id(request.id),
            UNSUPPORTED_VERSION,
            "Unsupported protocol version",
            Some(&data),
        );
        turn.answer_request(request, act, answer, UNSUPPORTED_VERSION);
    }

    fn client_notification(&mut self, turn: &mut Turn<'_>, notification: &Notification<'_>) {
        if notification.method == "notifications/cancelled"
            && let Some(key) = notification
                .params
                .and_then(|params| id_member(params, "requestId"))
        {
            if self.unpark(&key) {
                // It was never sent to the server, but over HTTP its exchange is still open.
                if self.negotiation.has_http_client() {
                    turn.out.push(Effect::Abandon { id: key });
                }
                return;
            }
            if self.closes_to_cancel(&key) {
                self.open.remove(&key);
                return turn.out.push(Effect::Abandon { id: key });
            }
            let until = turn.now.saturating_add(turn.policy().list_timeout);
            self.open.cancel(&key, until);
        }
        if self.server_gone.is_some() || self.drop_unknown(turn, notification) {
            return;
        }
        let envelope = Envelope::of(&Message::Notification(*notification));
        turn.forward(Side::Server, envelope);
    }

    /// Whether closing a request's stream is the only way to cancel it, and no HTTP exchange of the client closes it
    /// (2026-07-28, basic/utilities/cancellation).
    fn closes_to_cancel(&self, key: &IdKey) -> bool {
        let ours = self.negotiation.has_http_server() && !self.negotiation.has_http_client();
        let open = self.open.get(key).filter(|_| ours);
        open.is_some_and(|open| open.era.cancels_by_closing())
    }

    /// Drops a notification of which it is unknown what it is about, if its caller may not use everything: servers
    /// may do what it says without an answer. Returns whether it did.
    fn drop_unknown(&self, turn: &mut Turn<'_>, notification: &Notification<'_>) -> bool {
        let access = CallerAccess::new(turn.policy(), self.peer.as_deref(), &self.scope);
        if NOTIFICATIONS.contains(&notification.method) || access.allows_everything() {
            return false;
        }
        let act = Act::NotAllowed;
        let mut record = turn.fault(Side::Client, Filter::Admission, Action::Dropped, act);
        record.method = Some(method_name(notification.method));
        record.peer.clone_from(&self.peer);
        turn.audit(record);
        true
    }

    /// Handles an answer to a request of the server. Over HTTP the request may have come through another
    /// process, so an answer to an unknown request is passed on; on stdio it answers nothing.
    fn client_answer(&mut self, turn: &mut Turn<'_>, id: Option<RequestId<'_>>, code: Option<i64>) {
        let key = id.map(|id| turn.key(id));
        let asked = key
            .as_ref()
            .is_some_and(|key| self.server_requests.remove(key));
        if self.server_gone.is_some() {
            return;
        }
        let elsewhere = self.adopted || self.negotiation.has_http_server();
        if !asked && !elsewhere && key.is_some() {
            let act = Act::ClientAnsweredUnasked;
            let mut record = turn.fault(Side::Client, Filter::Tracking, Action::Dropped, act);
            record.id = key;
            turn.audit(record);
            return;
        }
        let envelope = Envelope::answer(key, code);
        turn.forward(Side::Server, envelope);
    }
}

/// The progress token of a request.
fn progress_token(params: Option<View<'_>>) -> Option<IdKey> {
    let meta = params?.member("_meta")?;
    id_member(meta, "progressToken")
}

/// A member that is an id or a token.
pub(super) fn id_member(object: View<'_>, name: &str) -> Option<IdKey> {
    IdKey::read(object.member(name)?.raw())
}

/// The notifications of clients that the protocol has.
const NOTIFICATIONS: [&str; 5] = [
    "notifications/initialized",
    "notifications/cancelled",
    "notifications/progress",
    "notifications/roots/list_changed",
    "notifications/tasks/status",
];
/// Requests that are recorded when they pass, as calls are, so that records say who has read what.
const RECORDED: [&str; 3] = ["prompts/get", "resources/read", "resources/subscribe"];
/// Requests that are kept as long as their session, so that the session can be opened again.
const KEPT_FOR_SESSION: [&str; 2] = ["initialize", "logging/setLevel"];
/// Maximum bytes of each of those.
const SESSION_BYTES: usize = 64 << 10;
