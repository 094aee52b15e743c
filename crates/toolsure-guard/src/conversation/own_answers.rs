//! Answers that the guard makes itself, each with an audit record.

use std::sync::Arc;

use toolsure_mcp::message::{INTERNAL_ERROR, MalformedMessage, Request, RequestId};

use super::open::{Open, What};
use super::turn::Turn;
use crate::envelope::{Envelope, method_name};
use crate::fault::{Act, Party};
use crate::filter::remarks::Remark;
use crate::id::IdKey;
use crate::message::{Message, Purpose};
use crate::record::{Action, Filter, Record};
use crate::side::Side;
use crate::subject::Subject;

impl Turn<'_> {
    /// Answers a request that is not open, and records why.
    pub(super) fn answer_request(
        &mut self,
        request: &Request<'_>,
        act: Act,
        answer: String,
        code: i64,
    ) {
        let key = self.key(request.id);
        let mut record = self.fault(Side::Client, Filter::Tracking, Action::Refused, act);
        record.method = Some(method_name(request.method));
        record.id = Some(key.clone());
        record.about = Subject::recorded(request, self.new_name());
        self.answer(Side::Client, key, answer, Some(code));
        self.audit(record);
    }

    /// Answers a request that is not open with an error.
    pub(super) fn refuse(&mut self, request: &Request<'_>, act: Act, text: &str) {
        let code = act.rpc_code();
        let answer = act.error(self.raw_id(request.id), code, text);
        self.answer_request(request, act, answer, code);
    }

    /// Refuses JSON of the client that is not a message, or that must not pass.
    pub(super) fn refuse_no_message(&mut self, error: &MalformedMessage<'_>) {
        let act = match error.method_fault() {
            Some(_) => Act::ClientSentUnfitMethod,
            None => Act::ClientSentNoMessage,
        };
        let id = error.id().map(RequestId::raw);
        self.refuse_text(id, error.method(), act, &error.to_string());
    }

    /// Refuses a text of the client. Without an id the answer has the id `null`, as JSON-RPC 2.0
    /// (section 5) requires.
    pub(super) fn refuse_text(
        &mut self,
        id: Option<&str>,
        method: Option<&str>,
        act: Act,
        text: &str,
    ) {
        let key = id.and_then(IdKey::read);
        let code = act.rpc_code();
        let answer = act.error(id.unwrap_or("null"), code, text);
        let envelope = Envelope::answer(key.clone(), Some(code));
        let answer = Message::made(answer, Purpose::Answer, envelope);
        self.out.send(Side::Client, answer);
        let mut record = self.fault(Side::Client, Filter::Envelope, Action::Refused, act);
        record.id = key;
        record.method = method.map(method_name);
        record.detail = Some(text.to_owned());
        self.audit(record);
    }

    /// Refuses a request of the server that cannot be passed on.
    pub(super) fn refuse_server(&mut self, request: &Request<'_>, act: Act, code: i64, text: &str) {
        let mut record = self.fault(Side::Server, Filter::Tracking, Action::Refused, act);
        let key = self.key(request.id);
        record.method = Some(method_name(request.method));
        record.note(text);
        record.id = Some(key.clone());
        let answer = act.error(self.raw_id(request.id), code, text);
        self.answer(Side::Server, key, answer, Some(code));
        self.audit(record);
    }

    /// Answers a request that was open with an error.
    pub(super) fn fail(&mut self, key: IdKey, open: &Open, act: Act, text: &str) {
        let mut record = self.fault(Side::Server, Filter::Tracking, Action::Refused, act);
        record.describe(&key, open, self);
        record.detail = Some(toolsure_json::quote(text, DETAIL).to_string());
        if open.cancelled {
            // The client does not wait for it.
            record.action = Action::Dropped;
        } else {
            // The error replaces an answer. A fault of the server is not reported as one of the client.
            let code = match act.by() {
                Party::Client => act.rpc_code(),
                _ => INTERNAL_ERROR,
            };
            let answer = act.error(&open.raw(&key), code, text);
            self.answer(Side::Client, key, answer, Some(code));
        }
        self.audit(record);
    }
}

impl Record {
    /// Sets the detail of the record, with bounded length.
    pub(super) fn note(&mut self, text: &str) {
        self.detail = Some(toolsure_json::quote(text, 256).to_string());
    }

    /// Describes the request that the record is about, and how long it took.
    pub(super) fn describe(&mut self, key: &IdKey, open: &Open, turn: &Turn<'_>) {
        self.id = Some(key.clone());
        self.describe_without_id(open, turn);
    }

    /// The same for what has no id.
    pub(super) fn describe_without_id(&mut self, open: &Open, turn: &Turn<'_>) {
        self.method = Some(open.method.clone());
        self.era = Some(open.era);
        self.elapsed = Some(turn.now.saturating_sub(open.since));
        self.peer.clone_from(&open.peer);
        self.about.clone_from(&open.about);
        if let What::Call(called) = &open.what {
            self.tool = Some(Arc::clone(&called.name));
            self.listed = called.tool.is_some();
        }
    }
}

impl Remark {
    /// The audit record of the remark.
    pub(super) fn record(&self, turn: &Turn<'_>, key: &IdKey, open: &Open) -> Record {
        let action = if self.left_out {
            Action::Altered
        } else {
            Action::Reported
        };
        let mut record = turn.fault(Side::Server, self.filter, action, self.act);
        record.describe(key, open, turn);
        record.tool.clone_from(&self.tool);
        record.listed = true;
        record.digest = self.digest;
        record.more = self.more;
        record.elapsed = None;
        if !self.detail.is_empty() {
            record.note(&self.detail);
        }
        record
    }
}

/// Maximum characters of a detail in a record.
const DETAIL: usize = 512;
