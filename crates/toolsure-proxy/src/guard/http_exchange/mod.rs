//! One HTTP request of a client, from its message to the last byte of its answer.
//!
//! ```text
//!   message ─▶ conversation ─▶ inbox ─▶ POST upstream ─▶ events ─▶ conversation ─▶ answer
//!                                └────── answers, notices ──────────────────────────▶
//! ```
//!
//! The response has the form of the upstream's: a whole body, or a stream of events. With a child
//! as upstream it is whole, unless other messages come before the answer. If nothing comes for a
//! while and the client reads streams, a stream begins without a message, and comments keep it open:
//! load balancers cut a response that does not begin.

mod own_id;
mod upstream;

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use toolsure_guard::{Envelope, IdKey, Message, MessageKind, Peer, Side};
use toolsure_mcp::message::INVALID_REQUEST;

use super::identity::Identity;
use super::in_process::Caller;
use super::mailbox::{Inbox, Mailbox, MailboxItem, mailbox};
use super::refusal;
use super::reply::{code_of, error, respond, status_of};
use super::request_permit::RequestPermit;
use super::response_step::{ResponseStep, ResponseSteps};
use super::session_id_rewriter::SessionIdRewriter;
use super::session_router::{SessionRouter, SessionUpstream};
use super::trace_headers;
use super::upstream_request::UpstreamRequest;
use crate::http::EVENT_STREAM;
use crate::message_memory::Reading;
use crate::sse;
use crate::web::{Piece, ResponseBody};
use own_id::{end_of, with_id};

/// One request in progress.
pub(super) struct HttpExchange {
    router: Arc<SessionRouter>,
    /// The request's id, if the message is a request.
    id: Option<IdKey>,
    /// The client's own id as JSON text, if `id` is another one because a request with the client's
    /// id is open in the session.
    clients_id: Option<String>,
    /// The requests of a batch (2025-03-26) without an answer yet. The response to a batch is a
    /// stream of events, one for each answer.
    batch: Vec<IdKey>,
    /// The requests of the batch that were sent to the upstream.
    sent: Vec<IdKey>,
    /// Messages that wait until the upstream has answered `sent`: calls that waited for the tool
    /// list.
    queue: VecDeque<Message>,
    /// Whether the message is a batch with requests.
    is_batch: bool,
    /// Whether the head of a stream was sent to the client.
    streams: bool,
    /// Whether this is the stream for the server's own messages.
    listens: bool,
    modern: bool,
    /// The client's headers, as forwarded to an HTTP upstream.
    headers: Arc<HeaderMap>,
    /// Whether the client accepts only event streams.
    stream_only: bool,
    /// Whether it accepts none, so that it gets nothing before its answer.
    json_only: bool,
    /// How long to wait for the first step before a stream begins without it.
    begins_after: Option<Duration>,
    mailbox: Mailbox,
    inbox: Inbox,
    upstream_request: Option<UpstreamRequest>,
    /// Counts the body of the upstream's answer until it is counted as the client's.
    reading: Option<Reading>,
    /// The head of the upstream's response, until it is passed on.
    head: Option<(u16, HeaderMap)>,
    ready: ResponseSteps,
    /// Whether the mailbox is registered for `id`.
    open: bool,
    /// Whether the client still waits for an answer.
    owed: bool,
    sender: Arc<Identity>,
    /// Whether it lasts as long as its client wants.
    lasts: bool,
    /// The request's slot and bytes, held until the exchange ends.
    slot: Option<RequestPermit>,
    /// Whether the conversation belongs to this request alone, so that its deadlines are kept here.
    pub(super) keeps_time: bool,
    /// The session id for the response to `initialize`, if the upstream is a child.
    pub(super) session_id: Option<HeaderValue>,
    /// Told when the answer to `initialize` agrees on a version. Dropped untold, the session has not opened.
    pub(super) opened: Option<oneshot::Sender<()>>,
    /// Whether that answer is none that opens a session.
    is_unopened: bool,
    /// Rewrites the session ids in responses of an HTTP upstream.
    pub(super) rewriter: Option<SessionIdRewriter>,
    /// The client, for the records.
    pub(super) peer: Option<Arc<Peer>>,
    /// The caller that the upstream was opened for. It gets the server's refusals over HTTP.
    pub(super) caller: Option<Caller>,
}

impl HttpExchange {
    pub(super) fn new(
        router: Arc<SessionRouter>,
        headers: Arc<HeaderMap>,
        modern: bool,
        slot: RequestPermit,
    ) -> Self {
        let (mailbox, inbox) = mailbox();
        let json_only = !crate::web::accepts(&headers, EVENT_STREAM);
        if json_only {
            mailbox.set_json_only();
        }
        let most = router.driver.ctx.bounds.message_bytes;
        Self {
            router,
            id: None,
            clients_id: None,
            batch: Vec::new(),
            sent: Vec::new(),
            queue: VecDeque::new(),
            is_batch: false,
            streams: false,
            listens: false,
            modern,
            stream_only: !crate::web::accepts(&headers, "application/json"),
            json_only,
            begins_after: None,
            headers,
            mailbox,
            inbox,
            upstream_request: None,
            reading: None,
            head: None,
            ready: ResponseSteps::new(most),
            open: false,
            owed: false,
            keeps_time: false,
            session_id: None,
            opened: None,
            is_unopened: false,
            rewriter: None,
            peer: slot.peer.clone(),
            sender: Arc::clone(&slot.sender),
            lasts: false,
            slot: Some(slot),
            caller: None,
        }
    }

    /// Handles the client's message and returns the response.
    pub(super) async fn post(
        mut self,
        envelope: &Envelope,
        mut message: Message,
    ) -> Response<ResponseBody> {
        let router = Arc::clone(&self.router);
        if envelope.is_request()
            && let Some(id) = &envelope.id
        {
            self.open = self.router.open(id, &self.mailbox);
            self.id = Some(id.clone());
            // In a session, each POST is an exchange of its own, whatever other POSTs have as their ids.
            if !self.open {
                let ours = self.router.open_renamed(&self.mailbox);
                if let Some(renamed) = with_id(&message, &ours.raw()) {
                    message = router.driver.read(renamed);
                }
                self.open = true;
                self.id = Some(ours);
                self.clients_id = Some(id.raw());
            }
            self.begins_after = self.begins_after(envelope);
        }
        self.lasts = envelope.has_method("subscriptions/listen");
        if self.json_only && self.lasts {
            let text = "send `Accept: application/json, text/event-stream`: a subscription is a stream of events";
            return error(406, envelope.id.as_ref(), ("accept", INVALID_REQUEST), text);
        }
        if envelope.kind == MessageKind::Batch {
            let batch = message.requests();
            if !batch.is_empty() && self.json_only {
                let text = "send `Accept: application/json, text/event-stream`: a batch is answered by a stream of events";
                return error(406, None, ("accept", INVALID_REQUEST), text);
            }
            for id in batch {
                // One that repeats an id of the batch is refused, which is not the answer to the first.
                if self.router.open(&id, &self.mailbox) || self.batch.contains(&id) {
                    self.batch.push(id);
                }
            }
            self.is_batch = !self.batch.is_empty();
        }
        self.owed = self.open || !self.batch.is_empty();
        self.router.touch();
        let mailbox = self.mailbox.clone();
        message.trace = trace_headers::read(&self.headers).map(Box::new);
        message.peer.clone_from(&self.peer);
        router.take(Side::Client, message, Some(&mailbox));
        self.answer().await
    }

    /// Whose stream it is.
    pub(super) fn listener(&self) -> Arc<str> {
        self.sender.counted_as(self.peer.as_deref())
    }

    /// Where its messages wait.
    pub(super) fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }

    /// Opens the stream for the server's own messages.
    pub(super) async fn listen(mut self) -> Response<ResponseBody> {
        let router = Arc::clone(&self.router);
        match &router.upstream {
            SessionUpstream::Endpoint(endpoint, ..) => {
                let limit = self.read_limit();
                self.upstream_request = Some(UpstreamRequest::listen(
                    endpoint,
                    self.upstream_headers(),
                    limit,
                ));
            }
            SessionUpstream::Child(_) | SessionUpstream::Shared(..) | SessionUpstream::None => {
                self.ready.push(ResponseStep::Stream(HeaderMap::new()))
            }
        }
        self.owed = true;
        self.answer().await
    }

    /// Registers the stream for the server's own messages, before [`listen`](Self::listen).
    pub(super) fn register(&mut self) {
        self.listens = true;
        self.lasts = true;
        self.router.listen(&self.mailbox);
    }

    /// Answers a message over the limit with 413.
    pub(super) async fn oversize(
        self,
        found: &toolsure_guard::Recovered,
    ) -> Response<ResponseBody> {
        let (router, mailbox) = (Arc::clone(&self.router), self.mailbox.clone());
        let deliver = &mut |output| router.route(output, Some(&mailbox));
        router.driver.set_peer(self.peer.clone());
        router.driver.oversize(Side::Client, found, deliver);
        let mut response = self.answer().await;
        *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
        response
    }

    /// Works until the response can begin.
    async fn answer(mut self) -> Response<ResponseBody> {
        let first = match self.begins_after {
            None => self.step().await,
            Some(after) => match timeout(after, self.step()).await {
                Ok(step) => step,
                Err(_) => return self.stream(HeaderMap::new(), Some(COMMENT.to_vec())),
            },
        };
        match first {
            ResponseStep::Stream(headers) => self.stream(headers, None),
            ResponseStep::Message(message) => {
                self.stream(HeaderMap::new(), Some(sse::event(&message)))
            }
            ResponseStep::Piece(bytes, last) => {
                self.owed &= !last;
                self.stream(HeaderMap::new(), Some(bytes))
            }
            ResponseStep::Answer(answer, code, head) => {
                self.owed = false;
                if self.stream_only && self.open {
                    let event = sse::event(&answer);
                    return self.stream(HeaderMap::new(), Some(event));
                }
                self.whole(answer, code, head)
            }
            ResponseStep::Status(status, headers, body) => {
                self.owed = false;
                let body = ResponseBody::counted(body, self.holder());
                match self.head_of(headers) {
                    Ok(headers) => respond(status, headers, body),
                    Err(no_session_id) => self.nameless(no_session_id),
                }
            }
            ResponseStep::Accepted | ResponseStep::Over => {
                self.owed = false;
                respond(202, HeaderMap::new(), ResponseBody::empty())
            }
        }
    }

    /// How long to wait for the first step. `None` if the client needs the head of the answer, or
    /// does not read streams.
    fn begins_after(&self, envelope: &Envelope) -> Option<Duration> {
        // Its answer has the session id in its head.
        let opens = envelope.method.as_deref() == Some("initialize");
        let reads = self.headers.contains_key(ACCEPT) && !self.json_only;
        let after = match self.router.upstream {
            // Its refusals over HTTP, which ask for authorization, are lost in a stream.
            SessionUpstream::Endpoint(..) => self.router.driver.ctx.times.keepalive,
            _ => FIRST_SILENCE,
        };
        (self.open && reads && !opens).then_some(after)
    }

    fn whole(
        &mut self,
        answer: Vec<u8>,
        code: Option<i64>,
        head: Option<(u16, HeaderMap)>,
    ) -> Response<ResponseBody> {
        let (status, mut headers) = match head {
            Some((status, headers)) => match self.head_of(headers) {
                Ok(headers) => (status, headers),
                Err(no_session_id) => return self.nameless(no_session_id),
            },
            None => {
                let code = code.or_else(|| self.modern.then(|| code_of(&answer)).flatten());
                let status = status_of(code, self.id.is_some(), self.modern);
                (status, HeaderMap::new())
            }
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if status < 400 {
            self.name_session(&mut headers);
        }
        let body = ResponseBody::counted(answer, self.holder());
        respond(status, headers, body)
    }

    /// Begins a stream; a task of its own does the rest of the work.
    fn stream(mut self, upstream: HeaderMap, first: Option<Vec<u8>>) -> Response<ResponseBody> {
        let mut headers = match self.head_of(upstream) {
            Ok(headers) => headers,
            Err(no_session_id) => return self.nameless(no_session_id),
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(NO_BUFFER, HeaderValue::from_static("no"));
        self.name_session(&mut headers);
        self.streams = true;
        let waiting = self.router.driver.ctx.bounds.waiting_events.max(1);
        let (sender, receiver) = mpsc::channel(waiting);
        tokio::spawn(self.go_on(sender, first));
        respond(200, headers, ResponseBody::Stream(receiver, None))
    }

    async fn go_on(mut self, to: mpsc::Sender<Piece>, first: Option<Vec<u8>>) {
        let first = first.map(|first| self.piece(first));
        if let Some(first) = first
            && to.send(first).await.is_err()
        {
            return;
        }
        let silence = self.router.driver.ctx.times.keepalive;
        // A listening stream has no last answer; the stream of a request ends with its answer.
        let (sender, lasts) = (Arc::clone(&self.sender), self.lasts);
        let ctx = Arc::clone(&self.router.driver.ctx);
        let mut is_over = pin!(async move {
            if !lasts {
                std::future::pending::<()>().await;
            }
            tokio::select! {
                // Its client may open another with a new token.
                () = sender.ended() => false,
                () = ctx.stopping() => true,
            }
        });
        while self.owed {
            let step = tokio::select! {
                () = to.closed() => return,
                guard_ends = is_over.as_mut() => {
                    if let Some(id) = self.id.as_ref().filter(|_| guard_ends) {
                        let end = end_of(id, self.clients_id.as_deref());
                        let _gone = to.try_send(self.piece(sse::event(end.as_bytes())));
                    }
                    return;
                }
                step = timeout(silence, self.step()) => step,
            };
            let Ok(step) = step else {
                // If the client does not read, one comment waits for it and no more.
                let _waiting = to.try_send(Piece::of(COMMENT, None));
                continue;
            };
            let (piece, last) = match step {
                ResponseStep::Stream(_) => continue,
                ResponseStep::Piece(bytes, last) => (bytes, last),
                ResponseStep::Message(message) => (sse::event(&message), false),
                ResponseStep::Answer(answer, ..) => (sse::event(&answer), self.id.is_some()),
                ResponseStep::Status(..) | ResponseStep::Accepted | ResponseStep::Over => {
                    self.owed = false;
                    return;
                }
            };
            let piece = self.piece(piece);
            if to.send(piece).await.is_err() {
                return;
            }
            self.owed &= !last;
        }
    }

    /// The next step of the response. Cancel safe.
    async fn step(&mut self) -> ResponseStep {
        loop {
            if let Some(step) = self.ready.pop() {
                return step;
            }
            let nothing_comes = self.upstream_request.is_none() && !self.owed;
            let heard = async {
                match &mut self.upstream_request {
                    Some(upstream_request) => upstream_request.next().await,
                    None => std::future::pending().await,
                }
            };
            let ctx = Arc::clone(&self.router.driver.ctx);
            let ticking = Arc::clone(&self.router);
            let mut deliver = move |output| ticking.route(output, None);
            tokio::select! {
                biased;
                item = self.inbox.next() => self.delivered(item),
                heard = heard => self.heard(heard).await,
                () = self.router.driver.clock(&mut deliver), if self.keeps_time => {}
                () = ctx.expired(), if !nothing_comes => self.expire(),
                () = std::future::ready(()), if nothing_comes => return ResponseStep::Accepted,
            }
        }
    }

    fn delivered(&mut self, item: MailboxItem) {
        self.router.taken.notify_waiters();
        match item {
            MailboxItem::ToServer(message) if self.is_batch && self.upstream_request.is_some() => {
                self.queue.push_back(message.unread());
            }
            MailboxItem::ToServer(message) => self.launch(message),
            MailboxItem::ToClient(message, head) => {
                let caller = self.caller.as_ref();
                let refused = caller.and_then(|caller| refusal::head(&message, caller));
                let step = self.step_of(message, None, refused.or(head));
                self.ready.push(step);
            }
            MailboxItem::Abandon(id) if self.is_batch => {
                // The other requests of the batch still need answers.
                self.answered(&id);
                if self.batch.is_empty() {
                    self.ready.push(ResponseStep::Over);
                }
            }
            MailboxItem::Abandon(_) => {
                self.upstream_request = None;
                if !self.modern {
                    // A message cancelled the request, so it needs no answer.
                    self.ready.push(ResponseStep::Over);
                }
            }
            MailboxItem::Close => self.ready.push(ResponseStep::Over),
        }
    }
}

impl Drop for HttpExchange {
    fn drop(&mut self) {
        self.router.taken.notify_waiters();
        for id in &self.batch {
            self.router.close(id);
        }
        let Some(id) = self.id.take().filter(|_| self.open) else {
            return;
        };
        self.router.close(&id);
        // A modern client that leaves cancels its request; a legacy one does not.
        if self.owed && self.modern {
            let router = Arc::clone(&self.router);
            router
                .driver
                .client_left(&id, &mut |output| router.route(output, None));
        }
        drop(self.slot.take());
    }
}

/// How long the answer of a server on stdio may take before a stream begins.
const FIRST_SILENCE: Duration = Duration::from_secs(1);
/// An event stream's comment, which clients ignore.
const COMMENT: &[u8] = b":\n\n";
const NO_BUFFER: HeaderName = HeaderName::from_static("x-accel-buffering");
