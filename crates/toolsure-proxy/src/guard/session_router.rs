//! One conversation over HTTP and the requests that take part in it.
//!
//! A legacy session is one conversation of many POSTs; a modern POST has a conversation of its own.
//! The router delivers answers to the POST that asked, messages for an HTTP upstream to the POST
//! that sends them, and messages for a child to its input.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use toolsure_guard::{Act, Context, IdKey, Message, MessageKind, Purpose, Side};
use toolsure_json::quote;
use toolsure_mcp::message::INTERNAL_ERROR;

use super::event::Event;
use super::in_process::Caller;
use super::mailbox::{Mailbox, MailboxItem, UNREAD, UpstreamHead};
use super::messages::{MessageWriter, UNREAD_INPUT, start_to_flush};
use super::reply::error_body;
use super::session_driver::{Output, SessionDriver};
use super::shared_child::SharedChild;
use crate::http::Endpoint;
use crate::http::header_mirroring::{mismatch, of_arguments};

/// The server side of a session.
pub(super) enum SessionUpstream {
    /// An HTTP endpoint, with the headers of the request that opened the conversation, and the
    /// client, whose authorization may have been renewed since.
    Endpoint(Arc<Endpoint>, Arc<HeaderMap>, Caller),
    /// A child of its own.
    Child(Arc<MessageWriter>),
    /// A shared child, with the headers of the client's request that repeat its arguments, and the
    /// context of the sender.
    Shared(Arc<SharedChild>, HeaderMap, Context),
    /// No upstream: only messages that need none can be answered.
    None,
}

pub(super) struct SessionRouter {
    pub(super) driver: SessionDriver,
    pub(super) upstream: SessionUpstream,
    mailboxes: Mutex<Mailboxes>,
    /// Notified when an item is taken from a mailbox.
    pub(super) taken: Notify,
    pub(super) begun: Instant,
    /// The name of its session in records.
    pub(super) name: OnceLock<String>,
    /// Whether the child has ended.
    pub(super) gone: AtomicBool,
    /// Whether the session has ended, so that its child must end too.
    closing: watch::Sender<bool>,
    /// Whether the client was given up because it does not read.
    unread: AtomicBool,
}

/// The two ids of a legacy session with an HTTP upstream.
#[derive(Clone)]
pub(super) struct SessionIds {
    /// The upstream's id.
    pub(super) upstream_id: HeaderValue,
    /// The client's id.
    pub(super) client_id: HeaderValue,
}

struct Mailboxes {
    open: HashMap<IdKey, Mailbox>,
    /// The latest open request: it gets a child's own messages if there is no listening stream.
    latest: Option<(IdKey, Mailbox)>,
    /// The streams that the client listens on, oldest first. The server's messages go to the
    /// newest.
    listeners: Vec<Mailbox>,
    used: Instant,
    /// The ids of a legacy session over HTTP.
    session_ids: Option<SessionIds>,
    /// How many requests got an id of the guard.
    renamed: i64,
}

impl SessionRouter {
    pub(super) fn new(driver: SessionDriver, upstream: SessionUpstream) -> Arc<Self> {
        let now = Instant::now();
        Arc::new(Self {
            driver,
            upstream,
            mailboxes: Mutex::new(Mailboxes {
                open: HashMap::new(),
                latest: None,
                listeners: Vec::new(),
                used: now,
                session_ids: None,
                renamed: 0,
            }),
            taken: Notify::new(),
            begun: now,
            name: OnceLock::new(),
            gone: AtomicBool::new(false),
            closing: watch::Sender::new(false),
            unread: AtomicBool::new(false),
        })
    }

    /// Registers the mailbox for the answers to a request. `false` if another request with this id
    /// is open, which keeps its mailbox.
    pub(super) fn open(&self, id: &IdKey, mailbox: &Mailbox) -> bool {
        let mut mailboxes = self.mailboxes();
        mailboxes.used = Instant::now();
        if mailboxes.open.contains_key(id) {
            return false;
        }
        mailboxes.open.insert(id.clone(), mailbox.clone());
        mailboxes.latest = Some((id.clone(), mailbox.clone()));
        true
    }

    /// Registers the mailbox for the answers to a request whose id another open request has, under a
    /// new id, which it returns.
    pub(super) fn open_renamed(&self, mailbox: &Mailbox) -> IdKey {
        loop {
            let id = {
                let mut mailboxes = self.mailboxes();
                mailboxes.renamed = mailboxes.renamed.saturating_add(1);
                IdKey::Number(FIRST_OF_OURS.saturating_add(mailboxes.renamed))
            };
            if self.open(&id, mailbox) {
                return id;
            }
        }
    }

    pub(super) fn close(&self, id: &IdKey) {
        let mut mailboxes = self.mailboxes();
        mailboxes.used = Instant::now();
        mailboxes.open.remove(id);
        if mailboxes
            .latest
            .as_ref()
            .is_some_and(|(latest, _)| latest == id)
        {
            let another = mailboxes.open.iter().next();
            mailboxes.latest = another.map(|(id, mailbox)| (id.clone(), mailbox.clone()));
        }
    }

    /// Registers a mailbox for the server's own messages.
    pub(super) fn listen(&self, mailbox: &Mailbox) {
        let most = self.driver.ctx.bounds.session_streams.max(1);
        let mut mailboxes = self.mailboxes();
        mailboxes.used = Instant::now();
        mailboxes.listeners.retain(Mailbox::is_open);
        mailboxes.listeners.push(mailbox.clone());
        let too_many = mailboxes.listeners.len().saturating_sub(most);
        for oldest in mailboxes.listeners.drain(..too_many) {
            oldest.send(MailboxItem::Close);
        }
    }

    /// Ends the streams that the client listens on.
    pub(super) fn close_listeners(&self) {
        for listener in std::mem::take(&mut self.mailboxes().listeners) {
            listener.send(MailboxItem::Close);
        }
    }

    /// Ends the session: its streams at once, and its child in the task that reads it.
    pub(super) fn end(&self) {
        self.close_listeners();
        self.closing.send_replace(true);
    }

    /// Waits until the session has ended.
    pub(super) async fn ended(&self) {
        let mut closing = self.closing.subscribe();
        // `self` owns the sender, so only the value can end the wait.
        let _always_ok = closing.wait_for(|closing| *closing).await;
    }

    pub(super) fn touch(&self) {
        self.mailboxes().used = Instant::now();
    }

    /// When the session was last used; `None` while a request is open. An open stream is no use: a
    /// load balancer may keep that of a client which has vanished.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let mailboxes = self.mailboxes();
        mailboxes.open.is_empty().then_some(mailboxes.used)
    }

    /// Waits until no exchange has more than `bound` messages queued.
    pub(super) async fn room(&self, bound: usize) {
        loop {
            let taken = self.taken.notified();
            let full = {
                let mailboxes = self.mailboxes();
                let open = mailboxes.open.values().chain(&mailboxes.listeners);
                open.map(Mailbox::queued).any(|queued| queued > bound)
            };
            if !full {
                return;
            }
            // A client that has left frees its mailbox without a notification.
            let _again = tokio::time::timeout(LOOK_AGAIN, taken).await;
        }
    }

    /// Handles a message of one side and routes the results. `current` is the exchange that the
    /// message belongs to.
    pub(super) fn take(
        self: &Arc<Self>,
        from: Side,
        message: impl Into<Message>,
        current: Option<&Mailbox>,
    ) {
        let deliver = &mut |output| match (output, current) {
            // An immediate answer to a client's message goes to its own sender, even if another
            // request has the same id.
            (Output::ToClient(message), Some(current))
                if from == Side::Client && message.purpose == Purpose::Answer =>
            {
                current.send(MailboxItem::ToClient(message.unread(), None));
            }
            (output, current) => self.route(output, current),
        };
        self.driver.take(from, message, deliver);
    }

    /// The context of the message's sender, if several clients share a child.
    pub(super) fn caller(&self) -> Context {
        match &self.upstream {
            SessionUpstream::Shared(_, _, caller) => caller.clone(),
            _ => Context::Anonymous,
        }
    }

    pub(super) fn route(self: &Arc<Self>, output: Output, current: Option<&Mailbox>) {
        match output {
            Output::Abandon(id) => {
                if let Some(mailbox) = self.mailboxes().open.get(&id).cloned() {
                    mailbox.send(MailboxItem::Abandon(id));
                }
            }
            Output::ToServer(message) => self.to_server(message, current),
            Output::ToClient(message) => self.to_client(message, None, current),
        }
    }

    fn to_server(self: &Arc<Self>, message: Message, current: Option<&Mailbox>) {
        match &self.upstream {
            SessionUpstream::None => {}
            SessionUpstream::Child(input) => {
                if self.is_behind(input) {
                    return self.refuse_unread(&message);
                }
                input.push(message);
                start_to_flush(input);
            }
            SessionUpstream::Shared(shared, headers, _) => match contradicted(&message, headers) {
                None if self.is_behind(shared.input()) => self.refuse_unread(&message),
                None => shared.send(self, &message),
                Some((id, wrong)) => self.give_up(id, Act::ClientSentOtherHeaders, wrong),
            },
            SessionUpstream::Endpoint(endpoint, headers, caller) => {
                let envelope = message.envelope();
                let own = match (&message.purpose, &envelope.id) {
                    (Purpose::Ask, _) => None,
                    (_, Some(id)) if envelope.is_request() => {
                        self.mailboxes().open.get(id).cloned()
                    }
                    _ => current.cloned(),
                };
                match own {
                    Some(mailbox) => {
                        mailbox.send(MailboxItem::ToServer(message));
                    }
                    None => {
                        let endpoint = Arc::clone(endpoint);
                        let mut headers = headers.as_ref().clone();
                        headers.remove(AUTHORIZATION);
                        headers.extend(caller.value().map(|value| (AUTHORIZATION, value)));
                        let router = Arc::clone(self);
                        tokio::spawn(router.post_unattached(endpoint, headers, message));
                    }
                }
            }
        }
    }

    /// Whether as many bytes wait for the child as may. Clients over HTTP do not wait for it to read, so this is the only
    /// limit.
    fn is_behind(&self, input: &MessageWriter) -> bool {
        let ctx = &self.driver.ctx;
        let waiting = input.waiting_bytes();
        // The policy is read only if it may matter.
        waiting > ctx.bounds.message_bytes
            && waiting > ctx.bounds.most_unread(&ctx.guard.policy().limits)
    }

    /// Answers a request in place of a child that does not read; drops another message.
    fn refuse_unread(self: &Arc<Self>, message: &Message) {
        let envelope = message.envelope();
        match envelope.id.clone().filter(|_| envelope.is_request()) {
            Some(id) => {
                // The caller holds the lock of the conversation.
                let router = Arc::clone(self);
                tokio::spawn(async move {
                    let deliver = &mut |output| router.route(output, None);
                    router.driver.request_failed(&id, UNREAD_INPUT, deliver);
                });
            }
            None => {
                let method = envelope.method.as_deref().unwrap_or("an answer");
                let what = quote(method, SHOWN);
                let detail = format!("{UNREAD_INPUT}: `{what}` is dropped");
                self.driver.ctx.observe(&Event::Detail {
                    what: "undeliverable",
                    detail: &detail,
                });
            }
        }
    }

    /// Gives a request up, in a task, because the caller holds the lock of the conversation.
    fn give_up(self: &Arc<Self>, id: IdKey, act: Act, why: String) {
        let router = Arc::clone(self);
        tokio::spawn(async move {
            let deliver = &mut |output| router.route(output, None);
            router.driver.give_up(&id, act, &why, deliver);
        });
    }

    /// Whether the client of a shared child does not read. Its request is then given up, because
    /// the child cannot wait for one client, and the message must be dropped.
    fn is_unread(self: &Arc<Self>, mailbox: &Mailbox, id: IdKey) -> bool {
        let bounds = &self.driver.ctx.bounds;
        if !matches!(self.upstream, SessionUpstream::Shared(..)) || !mailbox.is_overfull(bounds) {
            return false;
        }
        if !self.unread.swap(true, Ordering::AcqRel) {
            let (messages, bytes) = (bounds.waiting_events, bounds.message_bytes);
            let why = format!(
                "the client left more than {} messages (64 × events) or {bytes} bytes (message) unread",
                messages.saturating_mul(UNREAD)
            );
            self.give_up(id, Act::ClientReadsTooSlowly, why);
        }
        true
    }

    /// Routes a message to the client; `head` is that of the upstream's response, if the message answers a
    /// request that was refused.
    pub(super) fn to_client(
        self: &Arc<Self>,
        message: Message,
        head: Option<UpstreamHead>,
        current: Option<&Mailbox>,
    ) {
        let mailboxes = self.mailboxes();
        let envelope = message.envelope();
        if !envelope.is_answer()
            && let Some((id, mailbox)) = &mailboxes.latest
            && self.is_unread(mailbox, id.clone())
        {
            return;
        }
        let mailbox = match (envelope.kind, &envelope.id) {
            (MessageKind::Answer, Some(id)) => mailboxes.open.get(id).or(current),
            (MessageKind::Answer | MessageKind::Batch, _) => current,
            (MessageKind::Notification, id) => {
                let own = id.as_ref().and_then(|id| mailboxes.open.get(id));
                let listeners = mailboxes.listeners.iter().rev();
                let latest = mailboxes.latest.iter().map(|(_, mailbox)| mailbox);
                let streams = own.into_iter().chain(current).chain(listeners);
                streams.chain(latest).find(|it| it.takes_notifications())
            }
            (MessageKind::Request | MessageKind::Unknown, _) => {
                let listeners = mailboxes.listeners.iter().rev();
                let latest = mailboxes.latest.iter().map(|(_, mailbox)| mailbox);
                let mut streams = current.into_iter().chain(listeners).chain(latest);
                streams.find(|mailbox| mailbox.is_open())
            }
        };
        let mailbox = mailbox.cloned();
        drop(mailboxes);
        let asked = envelope.id.clone().filter(|_| envelope.is_request());
        // A client without a stream is not told of a reload: it hears nothing of the server either.
        let may_be_lost = message.purpose == Purpose::Notice;
        let method = envelope.method.clone();
        // Nobody reads it any more, and it may wait for long.
        let item = MailboxItem::ToClient(message.unread(), head);
        let delivered = mailbox.is_some_and(|mailbox| mailbox.send(item));
        if !delivered && !may_be_lost {
            let method = method.as_deref().unwrap_or("an answer");
            let session = self.name.get().map_or("no session", String::as_str);
            let what = quote(method, SHOWN);
            let ctx = &self.driver.ctx;
            match asked {
                Some(id) => {
                    let detail = format!(
                        "{UNDELIVERABLE}: the server's request `{what}` of {session} was answered with an error; its client must listen with GET, or wait for an answer"
                    );
                    ctx.note("undeliverable", &detail);
                    self.answer_for_client(&id);
                }
                // Nobody waits for it.
                None => {
                    let detail = format!("{UNDELIVERABLE}: `{what}` of {session}");
                    let what = "undeliverable";
                    ctx.observe(&Event::Detail {
                        what,
                        detail: &detail,
                    });
                }
            }
        }
    }

    /// Answers a server's request that no stream can take to the client; in a task, because the
    /// caller holds the lock of the conversation.
    fn answer_for_client(self: &Arc<Self>, id: &IdKey) {
        let answer = error_body(Some(id), ("client-gone", INTERNAL_ERROR), UNDELIVERABLE);
        let router = Arc::clone(self);
        tokio::spawn(async move { router.take(Side::Client, answer, None) });
    }

    pub(super) fn session_ids(&self) -> Option<SessionIds> {
        self.mailboxes().session_ids.clone()
    }

    pub(super) fn set_session_ids(&self, session_ids: SessionIds) {
        self.mailboxes().session_ids = Some(session_ids);
    }

    fn mailboxes(&self) -> MutexGuard<'_, Mailboxes> {
        self.mailboxes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The id of a call whose headers contradict the arguments in its body, and what is wrong
/// (2026-07-28, server/tools, `x-mcp-header`).
fn contradicted(message: &Message, headers: &HeaderMap) -> Option<(IdKey, String)> {
    let id = message.envelope().id.as_ref()?;
    let contract = message.call.as_deref()?;
    let mut mirrored = of_arguments(message, contract);
    if message.headers_unknown {
        // Headers that the client sends anyway must be right.
        mirrored.retain(|header| headers.contains_key(&header.name));
    }
    let wrong = mismatch(&mirrored, headers)?;
    Some((id.clone(), wrong))
}

/// Ids of the guard are above those that clients count to, and exact in every JSON library.
const FIRST_OF_OURS: i64 = 1 << 52;
/// Maximum characters of a method in a message.
const SHOWN: usize = 128;
const UNDELIVERABLE: &str = "there was no stream to the client for a message";
const LOOK_AGAIN: std::time::Duration = std::time::Duration::from_millis(500);
