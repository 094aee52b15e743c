//! The connection to an HTTP endpoint.
//!
//! Requests run concurrently, each in a task of its own that ends with its answer. Notifications
//! and answers of the client are posted in order, one at a time. This module keeps the legacy
//! session and its listening stream, and makes the headers of modern messages.

mod authorization;
mod opened;
mod queue;
mod session;
mod state;

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio::sync::{AcquireError, Notify, Semaphore, SemaphorePermit, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use toolsure_guard::{IdKey, Message, NodeId};
use toolsure_mcp::message::HEADER_MISMATCH;

use crate::guard::context::GuardContext;
use crate::guard::hub::{Connected, Connection, HubDriver};
use crate::guard::refusal::{refusal, with_refusal};
use crate::guard::relist::contract_of;
use crate::guard::trace_headers;
use crate::guard::upstream_request::{ResponsePart, UpstreamRequest};
use crate::http::header_mirroring::{mirrored_headers, write};
use crate::http::{Endpoint, SESSION};
use opened::Opened;
use queue::Queue;

/// The connection to an HTTP endpoint.
pub(super) struct ToHttp {
    ctx: Arc<GuardContext>,
    driver: Arc<HubDriver>,
    server: NodeId,
    endpoint: Arc<Endpoint>,
    /// Messages for the server, in order.
    queue: Mutex<Queue>,
    /// Signalled when a task waits for the queue to be sent.
    queued: Notify,
    /// Signalled when the queue was sent for such a task.
    dispatched: Notify,
    /// Held by the task that sends the queue.
    turn: tokio::sync::Mutex<()>,
    /// Held by the task that replaces a lost session.
    reopening: tokio::sync::Mutex<()>,
    places: Semaphore,
    state: Mutex<State>,
    closing: watch::Sender<bool>,
    given_up: Notify,
}

#[derive(Default)]
struct State {
    requests: HashMap<IdKey, AbortHandle>,
    /// The `initialize` in flight: later messages need the session that its answer opens.
    opening: Option<IdKey>,
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
    listening: Option<AbortHandle>,
    opened: Opened,
    /// Whether the connection has ended: nothing is sent any more.
    is_over: bool,
}

impl State {
    /// Removes a request that has ended or is to end.
    fn remove_request(&mut self, id: &IdKey) -> Option<AbortHandle> {
        if self.opening.as_ref() == Some(id) {
            self.opening = None;
        }
        self.requests.remove(id)
    }
}

impl ToHttp {
    pub(super) fn start(
        driver: &Arc<HubDriver>,
        server: NodeId,
        ctx: Arc<GuardContext>,
        endpoint: Arc<Endpoint>,
    ) -> Connected {
        let connection = Arc::new(Self {
            ctx,
            driver: Arc::clone(driver),
            server,
            endpoint,
            queue: Mutex::default(),
            queued: Notify::new(),
            dispatched: Notify::new(),
            turn: tokio::sync::Mutex::default(),
            reopening: tokio::sync::Mutex::default(),
            places: Semaphore::new(MAX_CONCURRENT_REQUESTS),
            state: Mutex::default(),
            closing: watch::Sender::new(false),
            given_up: Notify::new(),
        });
        let running = Arc::clone(&connection);
        Connected {
            connection,
            task: Box::pin(async move { running.run().await }),
        }
    }

    /// Runs until the connection is closed.
    async fn run(self: Arc<Self>) {
        let ending = Ending(Arc::clone(&self));
        let grace = self.ctx.times.grace;
        let mut closing = self.closing.subscribe();
        let why = tokio::select! {
            _ = closing.wait_for(|closing| *closing) => None,
            () = self.given_up.notified() => Some("it takes no messages"),
            () = Arc::clone(&self).send_queued() => None,
        };
        if why.is_none() {
            // The client's last notifications and answers, and the one that another task is sending.
            let sent = async {
                self.dispatch().await;
                drop(self.turn.lock().await);
            };
            let _slow_server = timeout(grace, sent).await;
        }
        drop(ending);
        if why.is_some() || !self.driver.is_idle(self.server) {
            let why = why.unwrap_or("the guard is shutting down");
            let receivers = self.driver.gone(self.server, why);
            let _slow_reader = timeout(grace, self.driver.pass_on(receivers)).await;
        }
        if self.state().session.is_some() {
            self.delete().await;
        }
    }

    /// Sends what can be sent without waiting; `false` if something is left.
    fn try_dispatch(self: &Arc<Self>) -> bool {
        let Ok(_in_order) = self.turn.try_lock() else {
            return false;
        };
        loop {
            let is_request = match self.queue().first() {
                None => return true,
                Some(next) => next.envelope().is_request() && self.state().opening.is_none(),
            };
            let Some(message) = is_request.then(|| self.next_due()).flatten() else {
                return false;
            };
            if let Some(id) = message.envelope().id.clone() {
                self.start_request(id, message);
            }
        }
    }

    /// Sends what is queued for the server.
    async fn dispatch(self: &Arc<Self>) {
        if self.queue().is_empty() {
            return;
        }
        let _in_order = self.turn.lock().await;
        loop {
            let Some(message) = self.next_due() else {
                return;
            };
            let envelope = message.envelope();
            match envelope.id.clone().filter(|_| envelope.is_request()) {
                Some(id) => self.start_request(id, message),
                None => self.post_notification(message).await,
            }
        }
    }

    /// Sends a request, in a task of its own.
    fn start_request(self: &Arc<Self>, id: IdKey, message: Message) {
        let mut state = self.state();
        if state.is_over {
            return;
        }
        if message.envelope().has_method("initialize") {
            state.opening = Some(id.clone());
        }
        state.opened.remember(&message);
        let upstream_request = tokio::spawn(Arc::clone(self).run_request(id.clone(), message));
        state.requests.insert(id, upstream_request.abort_handle());
    }

    /// The next message to send. While a session is being opened, only answers are sent and the
    /// rest waits, because a client may not wait for the session itself.
    fn next_due(&self) -> Option<Message> {
        let (opening, is_over) = {
            let state = self.state();
            (state.opening.is_some(), state.is_over)
        };
        let mut queue = self.queue();
        if is_over {
            // The conversation has answered them.
            queue.clear();
        }
        if !opening {
            return queue.take_first();
        }
        queue.take_answer()
    }

    /// Posts a message that is not a request. Only a batch may get answers.
    async fn post_notification(self: &Arc<Self>, message: Message) {
        let opens = message.envelope().has_method("notifications/initialized");
        if opens {
            self.state().opened.remember(&message);
        }
        let headers = self.headers(&message);
        let mut upstream_request = self.post(&message, headers);
        let posted = async {
            loop {
                match upstream_request.receive().await? {
                    Some(ResponsePart::Head(status, _)) if status >= 400 => {
                        return Err(format!("HTTP status {status}"));
                    }
                    Some(ResponsePart::Head(..)) => {}
                    Some(ResponsePart::Message { bytes, .. }) if bytes.trim_ascii().is_empty() => {
                        return Ok(());
                    }
                    Some(ResponsePart::Message { bytes, .. }) => self.heard(bytes),
                    None => return Ok(()),
                }
            }
        };
        match timeout(self.ctx.times.notify, posted).await {
            Ok(Ok(())) => {}
            Ok(Err(why)) => self.ctx.note("notification-not-sent", &why),
            Err(_) => self.ctx.note(
                "notification-not-sent",
                "the upstream did not take it in time",
            ),
        }
        if opens {
            self.listen();
        }
    }

    /// Sends one request, and delivers its answer or an error.
    async fn run_request(self: Arc<Self>, id: IdKey, message: Message) {
        let mut head = (200, HeaderMap::new());
        // What was read of a message is not kept while it waits.
        let message = match self.places.available_permits() {
            0 => message.unread(),
            _ => message,
        };
        // The authorization may be renewed before the answer comes.
        let authorization = self.endpoint.caller().authorization_number();
        let failed = match self.place(&message).await {
            Ok(_place) => self.carry(&id, message, &mut head).await,
            Err(_) => Some("the guard is shutting down".to_owned()),
        };
        self.state().remove_request(&id);
        if let Some(mut why) = failed {
            let refusal = refusal(head.0, &head.1, authorization);
            let servers = self.authorization_servers(&head, &mut why).await;
            let alter = &mut |answer: &mut Message| {
                with_refusal(answer, head.0, refusal.as_ref(), &servers)
            };
            let receivers = self.driver.request_failed(self.server, (&id, &why), alter);
            self.start_sending_to_others(receivers);
        }
        self.settle().await;
    }

    /// A permit for one more concurrent request, each of which has a connection of its own. A
    /// request that opens a session or listens needs none, so that nothing waits for ever.
    async fn place(&self, message: &Message) -> Result<Option<SemaphorePermit<'_>>, AcquireError> {
        let envelope = message.envelope();
        let is_long =
            envelope.has_method("initialize") || envelope.has_method("subscriptions/listen");
        match envelope.is_request() && !is_long {
            true => self.places.acquire().await.map(Some),
            false => Ok(None),
        }
    }

    /// Sends a request and delivers its answer. `Some` is why there was no answer.
    async fn carry(
        self: &Arc<Self>,
        id: &IdKey,
        message: Message,
        head: &mut (u16, HeaderMap),
    ) -> Option<String> {
        let mut sent = self.headers(&message);
        // The headers were all that had to be read of it.
        let message = message.unread();
        let envelope = message.envelope();
        let opens = envelope.has_method("initialize");
        let mut retried = envelope.version.is_none();
        let mut reopened = opens || envelope.version.is_some();
        let mut upstream_request = self.post(&message, sent.clone());
        loop {
            let (received, whole) = match upstream_request.receive_answer().await {
                Ok(ResponsePart::Message { bytes, is_whole }) => (bytes, is_whole),
                Err(why) => return Some(why),
                Ok(ResponsePart::Head(status, headers)) => {
                    if opens && status == 200 {
                        self.state().session = self.session_of(&headers);
                    }
                    // The server did not run the request, so it is repeated in a new session.
                    if status == 404
                        && !std::mem::replace(&mut reopened, true)
                        && let Some(lost) = sent.get(SESSION)
                    {
                        if let Err(why) = self.reopen_session(lost).await {
                            return Some(format!(
                                "HTTP status 404, and no new session could be opened: {why}"
                            ));
                        }
                        if envelope.has_method("tools/call") && self.ctx.holds_to_pins() {
                            // The call was checked against the tool list of the lost session.
                            return Some(
                                "the server has lost its session, and its tools must be compared with \
                                 their pinned definitions again; call it again"
                                    .to_owned(),
                            );
                        }
                        sent = self.headers(&message);
                        upstream_request = self.post(&message, sent.clone());
                    }
                    *head = (status, headers);
                    continue;
                }
            };
            let received = self.ctx.guard.read(received);
            let answer = received.envelope();
            // A batch of one request may be answered by a batch of one answer.
            let is_own = received.answers().contains(id);
            // The client must act on a refusal, whatever its body contains.
            let refused = matches!(head.0, 401 | 403);
            // Some servers refuse with an id of their own.
            let refused = refused || (head.0 >= 400 && !is_own);
            let is_answer = is_own || (answer.is_answer() && answer.id.is_some());
            if (!is_answer || refused) && whole {
                return Some(match head.0 {
                    200 => "the answer is not a JSON-RPC answer".to_owned(),
                    status => format!("HTTP status {status}"),
                });
            }
            if !retried && answer.error == Some(HEADER_MISMATCH) {
                retried = true;
                let contract = contract_of(&self.ctx, &self.endpoint, &message).await;
                if let Some(contract) = contract {
                    write(&mirrored_headers(&message, Some(&contract)), &mut sent);
                    upstream_request = self.post(&message, sent.clone());
                    continue;
                }
            }
            if opens && is_own {
                let version = answer
                    .agreed
                    .as_deref()
                    .and_then(|version| HeaderValue::from_str(version).ok());
                self.state().version = version;
            }
            self.heard(received);
            if is_own {
                return None;
            }
            if whole {
                return Some("the answer does not belong to this request".to_owned());
            }
            self.settle().await;
        }
    }

    async fn settle(self: &Arc<Self>) {
        self.dispatch_boxed().await;
        self.driver.client_flushed().await;
    }

    /// Boxed, because a request may start another and the future would contain itself.
    fn dispatch_boxed(self: &Arc<Self>) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.dispatch())
    }

    fn post(&self, message: &Message, headers: HeaderMap) -> UpstreamRequest {
        let body = Bytes::copy_from_slice(message.bytes());
        let limit = self.ctx.read_limit();
        let envelope = message.envelope();
        let resumable = envelope.is_request() && envelope.version.is_none();
        UpstreamRequest::post(&self.endpoint, headers, body, limit, resumable)
    }

    /// The headers of one message.
    fn headers(&self, message: &Message) -> HeaderMap {
        let envelope = message.envelope();
        let mut headers = if envelope.version.is_some() {
            self.endpoint.headers()
        } else {
            self.common()
        };
        headers.insert(ACCEPT, HeaderValue::from_static(BOTH));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if envelope.version.is_some() {
            write(
                &mirrored_headers(message, message.call.as_deref()),
                &mut headers,
            );
        }
        if let Some(trace) = message.trace.as_deref() {
            trace_headers::write(trace, &mut headers);
        }
        headers
    }

    /// Sends the queue for tasks that do not send it themselves.
    async fn send_queued(self: Arc<Self>) {
        loop {
            self.queued.notified().await;
            self.dispatch().await;
            self.dispatched.notify_waiters();
        }
    }
}

/// Ends the requests of a connection and its stream, also if its task is dropped.
struct Ending(Arc<ToHttp>);

impl Drop for Ending {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.is_over = true;
        let requests = state.requests.drain().map(|(_, request)| request);
        let requests: Vec<_> = requests.collect();
        for task in requests.into_iter().chain(state.listening.take()) {
            task.abort();
        }
    }
}

impl Connection for ToHttp {
    fn push(&self, message: Message) {
        self.queue().push(message);
    }

    fn abandon(&self, id: &IdKey) {
        // Not sent yet: it waits for a notification before it, or for the session.
        if self.queue().take_request(id).is_some() {
            return;
        }
        if let Some(upstream_request) = self.state().remove_request(id) {
            upstream_request.abort();
        }
    }

    fn try_flush(self: Arc<Self>) -> bool {
        self.try_dispatch()
    }

    fn flush(self: Arc<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move { self.dispatch().await })
    }

    fn waiting_bytes(&self) -> usize {
        self.queue().bytes()
    }

    fn close(&self) {
        self.closing.send_replace(true);
    }

    fn give_up(&self) {
        self.given_up.notify_one();
    }
}

/// Maximum concurrent requests; more wait. Many systems let a process open 1,024 files.
const MAX_CONCURRENT_REQUESTS: usize = 512;
const BOTH: &str = "application/json, text/event-stream";
