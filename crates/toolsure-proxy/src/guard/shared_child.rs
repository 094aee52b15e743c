//! One child that many modern clients use at once.
//!
//! Clients choose the ids of their requests freely, so in messages to the child the id, the
//! progress token and the id of a cancelled request are replaced by numbers. In messages to a
//! client its own ids are put back: in answers, in progress notifications, and as the subscription
//! that a notification belongs to. The rest of a message stays unchanged.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::Instant;
use toolsure_guard::{
    Carrier, Context, Exchanges, IdKey, Message, Recovered, Recovery, RequestOrigin, ScopeKey,
    Side, number_of, subscription,
};
use toolsure_json::Node as _;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Edits, Message as Decoded};

use super::child::{Child, read_until_closed};
use super::context::GuardContext;
use super::http_server::ChildPermit;
use super::in_process::Caller;
use super::messages::{MessageWriter, Received, start_to_flush};
use super::session_driver::{Output, SessionDriver, link};
use super::session_router::SessionRouter;
use crate::probe::{Probe, unknown_method};

/// The child's input, and the open requests by number.
pub(super) struct SharedChild {
    ctx: Arc<GuardContext>,
    input: Arc<MessageWriter>,
    /// The context under which the tools of the child are cached.
    pub(super) context: Context,
    /// The identity of all clients that share it.
    pub(super) identity: Context,
    /// The caller that it was opened for, if it is a peer in this process.
    pub(super) caller: Caller,
    /// Whether it is a process. A peer in this process decides itself how long it asks its servers.
    is_process: bool,
    /// Takes messages that belong to no request, such as `list_changed`.
    unclaimed: SessionDriver,
    table: Mutex<Table>,
    /// Set with `table` locked.
    gone: watch::Sender<bool>,
    /// Whether the child is to end.
    closing: watch::Sender<bool>,
}

#[derive(Default)]
struct Table {
    last: i64,
    open: Exchanges<Entry>,
    /// The first `server/discover`.
    probe: Probe<i64>,
    /// Whether the child has left a `server/discover` unanswered, so that it gets no other.
    knows_no_discovery: bool,
    /// The callers that have sent requests: a log message names no request, and may be about any of
    /// them.
    callers: Callers,
    /// Until when a client may repeat a call with the input that the answer asked for.
    awaited_until: Option<Instant>,
}

#[derive(Default, PartialEq, Eq)]
enum Callers {
    #[default]
    None,
    One(Context),
    Several,
}

impl Callers {
    fn add(&mut self, caller: Context) {
        *self = match self {
            Self::None => Self::One(caller),
            Self::One(known) if *known == caller => return,
            Self::One(_) | Self::Several => Self::Several,
        };
    }
}

#[derive(Clone)]
struct Entry {
    router: Arc<SessionRouter>,
    origin: RequestOrigin,
    /// Whether it is a `server/discover`.
    discovers: bool,
}

/// A message of the child with the client's ids, and the request that it belongs to.
struct RoutedMessage {
    entry: Entry,
    message: Message,
}

impl SharedChild {
    /// `identity` is the identity of all clients that share it, `caller` the one it was opened for.
    pub(super) fn new(
        ctx: &Arc<GuardContext>,
        input: Arc<MessageWriter>,
        number: u64,
        is_process: bool,
        (identity, caller): (Context, Caller),
    ) -> Arc<Self> {
        let context = Context::Session(number);
        let modern = Era::NEWEST.version();
        let unclaimed = link(Carrier::Http, Carrier::Stdio, Some(modern));
        Arc::new(Self {
            ctx: Arc::clone(ctx),
            input,
            is_process,
            unclaimed: SessionDriver::new(ctx, context.clone(), unclaimed),
            context,
            identity,
            caller,
            table: Mutex::default(),
            gone: watch::Sender::new(false),
            closing: watch::Sender::new(false),
        })
    }

    pub(super) fn input(&self) -> &MessageWriter {
        &self.input
    }

    pub(super) fn is_gone(&self) -> bool {
        *self.gone.borrow()
    }

    /// Whether it has left a `server/discover` unanswered, or ended at it.
    pub(super) fn knows_no_discovery(&self) -> bool {
        self.table().knows_no_discovery
    }

    /// Answers each `server/discover` in place of the child, because one before it did not.
    pub(super) fn without_discovery(&self) {
        self.table().knows_no_discovery = true;
    }

    /// Waits until the child has ended.
    pub(super) async fn ended(&self) {
        let mut gone = self.gone.subscribe();
        // `self` owns the sender, so only the value can end the wait.
        let _always_ok = gone.wait_for(|gone| *gone).await;
    }

    /// Whether one of its calls waits for the caller's input.
    pub(super) fn awaits_input(&self) -> bool {
        let until = self.table().awaited_until;
        until.is_some_and(|until| Instant::now() < until)
    }

    /// Sends a message of one client to the child.
    pub(super) fn send(self: &Arc<Self>, router: &Arc<SessionRouter>, message: &Message) {
        let Some(message) = self.renumbered(router, message) else {
            return;
        };
        self.input.push(message);
        start_to_flush(&self.input);
    }

    fn renumbered(
        self: &Arc<Self>,
        router: &Arc<SessionRouter>,
        message: &Message,
    ) -> Option<Message> {
        message.decode(|decoded, text| match decoded {
            Decoded::Request(request) => {
                let number = self.enter(Entry {
                    router: Arc::clone(router),
                    origin: RequestOrigin::of(&request),
                    discovers: request.method == "server/discover",
                })?;
                Some(message.numbered(&request, number))
            }
            Decoded::Notification(note) if note.method == "notifications/cancelled" => {
                let id = note.params?.member("requestId")?;
                let number = self.leave(router, &IdKey::read(id.raw())?)?;
                let mut edits = Edits::new();
                edits.replace(id, number.to_string());
                Some(edits.apply(text).into())
            }
            Decoded::Notification(_) => Some(text.into()),
            // A modern client gets no requests, so it has nothing to answer.
            Decoded::Result(_) | Decoded::Error(..) => None,
        })?
    }

    fn enter(self: &Arc<Self>, entry: Entry) -> Option<i64> {
        let mut table = self.table();
        if self.is_gone() {
            // The caller holds the lock of the conversation, so the error is delivered by a task.
            tokio::spawn(async move { entry.fail("the server has ended") });
            return None;
        }
        if entry.discovers && table.knows_no_discovery {
            tokio::spawn(async move { entry.refuse_discovery() });
            return None;
        }
        table.last = table.last.saturating_add(1);
        let number = table.last;
        if entry.discovers {
            table.probe.sent(number);
            if self.is_process {
                tokio::spawn(Arc::clone(self).await_discovery(number));
            }
        }
        table.callers.add(entry.router.caller());
        table.open.begin(number, entry);
        Some(number)
    }

    /// Answers a `server/discover` for a child that leaves its first one unanswered: it may not know
    /// the method, and the client could not tell.
    async fn await_discovery(self: Arc<Self>, number: i64) {
        tokio::time::sleep(self.ctx.times.discovery).await;
        let entry = {
            let mut table = self.table();
            if !table.probe.is_unanswered() {
                return;
            }
            table.knows_no_discovery = true;
            table.open.end(number)
        };
        if let Some(entry) = entry {
            entry.refuse_discovery();
        }
    }

    fn leave(&self, router: &Arc<SessionRouter>, key: &IdKey) -> Option<i64> {
        let is_it = |entry: &Entry| Arc::ptr_eq(&entry.router, router) && entry.origin.key == *key;
        let (number, _) = self.table().open.end_first(is_it)?;
        Some(number)
    }

    /// Reads the child until its output ends, or it is closed; then ends it, and answers open requests with an
    /// error.
    pub(super) async fn read_child(self: Arc<Self>, mut child: Child, place: ChildPermit) {
        let linger = child.linger();
        let is_awaited = || !self.table().open.is_empty();
        let reading = async {
            loop {
                match child.next(is_awaited).await {
                    Received::Message(message) => self.on_message(message),
                    Received::Tools(event) => self.unclaimed.tools_event(event),
                    Received::TooLong(found) => self.on_oversize(&found),
                    Received::End => break,
                }
            }
        };
        let input = (&*self.input, self.ctx.times.grace);
        let (_, until) =
            read_until_closed(reading, self.closed(), input, || linger.of(is_awaited())).await;
        let how = child.end(until).await;
        // The permit is free before `gone` lets another child start.
        drop(place);
        let (orphans, probed) = {
            let mut table = self.table();
            self.gone.send_replace(true);
            let orphans = table.open.end_all(|_| true);
            let probed = table.probe.ended_process().is_some();
            table.knows_no_discovery |= probed;
            (orphans, probed)
        };
        for (_, entry) in orphans {
            match entry.discovers && probed {
                true => entry.refuse_discovery(),
                false => entry.fail(&how),
            }
        }
    }

    /// Lets the child end. Its open requests must have been answered.
    pub(super) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Waits until the child is to end.
    async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // `self` owns the sender, so only the value can end the wait.
        let _always_ok = closing.wait_for(|closing| *closing).await;
    }

    fn on_oversize(self: &Arc<Self>, found: &Recovered) {
        let id = found.id.as_deref().unwrap_or_default();
        let entry = self.table().open.answered_raw(id);
        match entry {
            Some(entry) => {
                let why = format!("the answer has {} bytes, which is too many", found.bytes);
                entry.fail(&why);
            }
            None => self.unclaimed.oversize(Side::Server, found, &mut |_| {}),
        }
    }

    fn on_message(self: &Arc<Self>, message: Message) {
        let message = self.ctx.guard.read(message.written());
        if !message.is_clear() {
            return self.on_unreadable(message);
        }
        let routed = message.decode(|decoded, text| self.route_to_client(&message, decoded, text));
        match routed.flatten() {
            Some(RoutedMessage {
                entry,
                message: mut routed,
            }) => {
                routed.refusal = message.refusal;
                routed.ttl = message.ttl;
                entry.router.take(Side::Server, routed, None);
            }
            None => self.take_unclaimed(message),
        }
    }

    /// Handles a message that belongs to no request.
    fn take_unclaimed(self: &Arc<Self>, message: Message) {
        let deliver = &mut |output| self.answer_unclaimed(output);
        self.unclaimed.take(Side::Server, message, deliver);
    }

    /// Handles input that is not one message: splits a batch, and answers the sender of a request
    /// whose answer cannot be read.
    fn on_unreadable(self: &Arc<Self>, message: Message) {
        if let Some(elements) = message.elements() {
            for element in elements
                .into_iter()
                .filter(|element| !element.starts_with(b"["))
            {
                self.on_message(element.into());
            }
            return;
        }
        let found = Recovery::of(message.bytes());
        let is_answer = found.is_answer || found.method.is_none();
        let id = found.id.as_deref().filter(|_| is_answer);
        match id.and_then(|id| self.table().open.answered_raw(id)) {
            Some(entry) => entry.fail("the server's answer cannot be read"),
            None => self.take_unclaimed(message),
        }
    }

    fn route_to_client(
        &self,
        message: &Message,
        decoded: Decoded<'_>,
        text: &str,
    ) -> Option<RoutedMessage> {
        let mut edits = Edits::new();
        let entry = match decoded {
            Decoded::Result(outcome) => {
                let entry = self.answered(number_of(outcome.view.member("id")?)?)?;
                let kind = outcome.result.member("resultType");
                if kind.is_some_and(|kind| kind.string() == "input_required") {
                    self.table().awaited_until = Some(Instant::now() + self.ctx.patience());
                }
                let message = message.answering(outcome.view, &entry.origin);
                return Some(RoutedMessage { entry, message });
            }
            Decoded::Error(Some(_), error) => {
                let view = error.parent()?;
                let entry = self.answered(number_of(view.member("id")?)?)?;
                let message = message.answering(view, &entry.origin);
                return Some(RoutedMessage { entry, message });
            }
            Decoded::Notification(note) => {
                let token = note
                    .params
                    .and_then(|params| params.member("progressToken"));
                if let Some(token) = token {
                    let entry = self.table().open.about(token)?.clone();
                    edits.replace(token, entry.origin.token.clone()?);
                    entry
                } else if let Some(subscription) = subscription(note.params) {
                    let entry = self.table().open.about(subscription)?.clone();
                    edits.replace(subscription, entry.origin.id.clone());
                    entry
                } else {
                    // A log message names no request, but with only one caller it can only be for
                    // that caller.
                    self.only()
                        .filter(|_| note.method == "notifications/message")?
                }
            }
            Decoded::Error(None, _) | Decoded::Request(_) => return None,
        };
        Some(RoutedMessage {
            message: edits.apply(text).into(),
            entry,
        })
    }

    /// The request that the child has answered.
    fn answered(&self, number: i64) -> Option<Entry> {
        let mut table = self.table();
        if table.probe.answered(&number) {
            table.knows_no_discovery = false;
        }
        table.open.end(number)
    }

    fn only(&self) -> Option<Entry> {
        let table = self.table();
        if table.callers == Callers::Several {
            return None;
        }
        let mut open = table.open.requests();
        let first = open.next()?.clone();
        open.next().is_none().then_some(first)
    }

    /// Sends the answers of the conversation that has no client.
    fn answer_unclaimed(&self, output: Output) {
        if let Output::ToServer(message) = output
            && message.envelope().is_answer()
        {
            self.input.push(message);
            start_to_flush(&self.input);
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    /// Answers the request with an error, because the child will not answer it.
    fn fail(&self, why: &str) {
        let deliver = &mut |output| self.router.route(output, None);
        self.router
            .driver
            .request_failed(&self.origin.key, why, deliver);
    }

    /// Answers a `server/discover` as a server that does not know it.
    fn refuse_discovery(&self) {
        let answer = unknown_method(&self.origin.id);
        self.router.take(Side::Server, answer, None);
    }
}

impl Drop for SharedChild {
    fn drop(&mut self) {
        self.ctx.guard.forget(&ScopeKey {
            upstream: Arc::clone(&self.ctx.name),
            context: self.context.clone(),
        });
    }
}
