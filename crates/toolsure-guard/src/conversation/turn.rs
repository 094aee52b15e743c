//! The context in which one message or event is handled.

use std::time::Duration;

use toolsure_json::{Node as _, ReadLimits};
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::check::Checker;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{
    Edits, MalformedCall, Message as Decoded, Request, RequestId, ToolCall,
};

use crate::effect::Effects;
use crate::envelope::Envelope;
use crate::fault::Act;
use crate::id::IdKey;
use crate::message::{Message, Purpose};
use crate::policy::{Policy, Rules};
use crate::reading::{read_message, time_to_live};
use crate::record::{Action, Filter, Record};
use crate::scope::ListedPage;
use crate::side::Side;
use crate::trace::TraceContext;
use crate::unparsable::Recovered;

/// The context in which one message or event is handled.
pub(super) struct Turn<'t> {
    pub(super) rules: &'t Rules,
    limits: ReadLimits,
    pub(super) now: Duration,
    pub(super) checker: &'t mut Checker,
    /// The message; an empty one for an event.
    pub(super) message: &'t Message,
    /// Whether the message was received, or is an element of a batch that was. Otherwise it was made here.
    is_received: bool,
    /// How long the message's result may be cached, if its protocol version cannot say that.
    ttl: Option<Duration>,
    /// The trace context that the message's transport carries.
    pub(super) trace: Option<&'t TraceContext>,
    /// The effects so far.
    pub(super) out: Effects,
}

impl<'t> Turn<'t> {
    pub(super) fn new(
        rules: &'t Rules,
        now: Duration,
        checker: &'t mut Checker,
        message: &'t Message,
    ) -> Self {
        Self {
            rules,
            limits: rules.policy.limits.read(),
            now,
            checker,
            message,
            is_received: true,
            ttl: message.ttl,
            trace: message.trace.as_deref(),
            out: Effects::new(),
        }
    }

    /// Handles an element of the message.
    pub(super) fn with_element(&mut self, element: &Message, handle: impl FnOnce(&mut Turn<'_>)) {
        self.with(element, self.is_received, handle);
    }

    /// Handles a message that was made of this one.
    pub(super) fn with_made(&mut self, message: &Message, handle: impl FnOnce(&mut Turn<'_>)) {
        self.with(message, false, handle);
    }

    fn with(&mut self, message: &Message, is_received: bool, handle: impl FnOnce(&mut Turn<'_>)) {
        let mut turn = Turn {
            rules: self.rules,
            limits: self.limits,
            now: self.now,
            checker: &mut *self.checker,
            message,
            is_received,
            ttl: self.ttl,
            trace: self.trace,
            out: std::mem::take(&mut self.out),
        };
        handle(&mut turn);
        self.out = turn.out;
    }

    /// Passes the message on unchanged.
    pub(super) fn forward(&mut self, to: Side, envelope: Envelope) {
        self.out.send(to, self.unchanged(envelope));
    }

    /// The message, to be passed on unchanged.
    pub(super) fn unchanged(&self, envelope: Envelope) -> Message {
        self.message.passed_on(envelope, self.is_received)
    }

    /// Passes an answer on unchanged; `error` is its code if it is an error.
    pub(super) fn forward_answer(&mut self, key: IdKey, error: Option<i64>) {
        self.forward(Side::Client, Envelope::answer(Some(key), error));
    }

    /// Sends an altered answer to the client; `error` is its code if it is an error.
    pub(super) fn forward_altered(&mut self, key: IdKey, error: Option<i64>, text: String) {
        let envelope = Envelope::answer(Some(key), error);
        let text = self.with_id(text);
        self.out.altered(Side::Client, text, envelope);
    }

    /// Sends an answer that the guard made.
    pub(super) fn answer(&mut self, to: Side, key: IdKey, answer: String, error: Option<i64>) {
        let envelope = Envelope::answer(Some(key), error);
        let answer = Message::made(answer, Purpose::Answer, envelope);
        self.out.send(to, answer);
    }

    /// Sends a notification of the guard.
    pub(super) fn notice(&mut self, to: Side, method: &'static str, text: String) {
        let envelope = Envelope::notification(method);
        self.out
            .send(to, Message::made(text, Purpose::Notice, envelope));
    }

    pub(super) fn audit(&mut self, record: Record) {
        self.out.audit(record);
    }

    /// A record of a fault.
    pub(super) fn fault(&self, from: Side, filter: Filter, action: Action, act: Act) -> Record {
        let mut record = Record::new(self.now, from, filter, action);
        record.code = act.code();
        record.blame = Some(act.by());
        record
    }

    /// The id of a request or an answer, as its receiver has it.
    pub(super) fn key(&self, id: RequestId<'_>) -> IdKey {
        match self.new_id() {
            Some((key, _)) => key.clone(),
            None => IdKey::of(id),
        }
    }

    /// The same as JSON text.
    pub(super) fn raw_id<'a>(&self, id: RequestId<'a>) -> &'a str
    where
        't: 'a,
    {
        match self.new_id() {
            Some((_, raw)) => raw,
            None => id.raw(),
        }
    }

    fn new_id(&self) -> Option<&'t (IdKey, Box<str>)> {
        self.message.names()?.new_id()
    }

    /// The name that its receiver knows, in place of the one in a request's text.
    pub(super) fn new_name(&self) -> Option<&'t str> {
        self.message.names()?.new_name()
    }

    /// A call of a tool, with the name that its receiver knows.
    pub(super) fn tool_call<'a>(
        &self,
        request: &Request<'a>,
    ) -> Result<ToolCall<'a>, MalformedCall<'a>>
    where
        't: 'a,
    {
        let mut call = ToolCall::with_any_arguments(request.params)?;
        if let Some(name) = self.message.names().and_then(|names| names.new_name()) {
            call.name = name;
        }
        Ok(call)
    }

    /// The text of the message with these changes, and with the new ids and the new name.
    pub(super) fn edited(&self, mut edits: Edits) -> String {
        if let Some(names) = self.message.names() {
            edits.extend(names.edits());
        }
        edits.apply(self.message.text())
    }

    /// An altered text of an answer, with the id that its receiver knows.
    fn with_id(&self, text: String) -> String {
        let Some((_, raw)) = self.new_id() else {
            return text;
        };
        let renamed = read_message(text.as_bytes(), |message, text| {
            let view = match message {
                Decoded::Result(outcome) => outcome.view,
                Decoded::Error(_, error) => error.parent()?,
                _ => return None,
            };
            let mut edits = Edits::new();
            edits.replace(view.member("id")?, raw.to_string());
            Some(edits.apply(text))
        });
        renamed.flatten().unwrap_or(text)
    }

    /// Why the envelope of the message cannot be trusted, and what a scan finds of it.
    pub(super) fn broken_envelope(&self, message: &Decoded<'_>) -> Option<(Recovered, String)> {
        self.message.broken_envelope(self.message.bytes(), message)
    }

    /// The deadline of a request that is sent now.
    pub(super) fn patience(&self) -> Option<Duration> {
        let timeout = self.policy().request_timeout?;
        Some(self.now.saturating_add(timeout))
    }

    pub(super) fn policy(&self) -> &'t Policy {
        &self.rules.policy
    }

    /// The limits within which messages are read.
    pub(super) fn limits(&self) -> &ReadLimits {
        &self.limits
    }

    /// The limits within which pages of tools are read: deeper than messages, so that the depth of one
    /// tool's schema is reported as that tool's fault when the schema is compiled.
    pub(super) fn listing_limits(&self) -> ReadLimits {
        let limits = &self.policy().limits;
        ReadLimits {
            bytes: limits.message_bytes,
            depth: limits.depth.max(DEPTH),
            nodes: limits.nodes,
            ..ReadLimits::default()
        }
    }

    /// The parts of a page of tools that a scope caches. `changes` is the number of changes of the tools
    /// when the page was asked for.
    pub(super) fn listed_page<'l>(
        &self,
        listing: &'l Listing,
        cursor: Option<&'l str>,
        era: Era,
        changes: u64,
    ) -> ListedPage<'l> {
        let result = listing.result();
        let ttl = match era.has_cacheable_lists() {
            true => Some(time_to_live(result)),
            false => self.ttl,
        };
        let scope = result
            .member("cacheScope")
            .map_or("", |scope| scope.string());
        ListedPage {
            listing,
            cursor,
            ttl,
            public: era.has_cacheable_lists() && scope == "public",
            asked: changes,
            now: self.now,
        }
    }
}

/// The depth to which the catalog reads definitions.
const DEPTH: usize = 16_384;
