//! One client on our standard input and output, an HTTP endpoint behind us.
//!
//! Requests fly side by side, each in a task of its own that ends with its answer; notifications
//! and answers of the client are posted one after the other, in their order. A legacy session and
//! its listening stream are kept here, the headers of modern messages are made here.

mod again;
mod hear;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::{Instant, timeout};
use toolgate_guard::{Carrier, Context, IdKey, Recovery, Shape, Side};

use super::Exit;
use super::carried;
use super::event::Event;
use super::facts::{Facts, answered, error_code, negotiated};
use super::flight::{Flight, Heard};
use super::mirror::{mirrored, write};
use super::pair::Client;
use super::porter::{House, Order, Parcel, Porter, link};
use super::refusal::{marked, refusal, with_status};
use super::relist::contract_of;
use crate::http::{Endpoint, SESSION, VERSION};
use crate::outbox::Outbox;
use crate::stdio::{Line, Lines};

struct Caller<W> {
    house: Arc<House>,
    porter: Porter,
    client: Outbox<W>,
    endpoint: Arc<Endpoint>,
    /// Messages for the server, in order.
    queue: Mutex<VecDeque<Parcel>>,
    /// Held by whoever sends them.
    turn: tokio::sync::Mutex<()>,
    /// Held by whoever opens a session in the place of a lost one.
    reopening: tokio::sync::Mutex<()>,
    places: Semaphore,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    flights: HashMap<IdKey, AbortHandle>,
    /// The `initialize` in flight: what follows it needs the session that its answer names.
    opening: Option<IdKey>,
    session: Option<HeaderValue>,
    version: Option<HeaderValue>,
    listening: Option<AbortHandle>,
    opened: again::Opened,
}

impl State {
    /// Forgets a flight that has ended or shall end.
    fn landed(&mut self, id: &IdKey) -> Option<AbortHandle> {
        if self.opening.as_ref() == Some(id) {
            self.opening = None;
        }
        self.flights.remove(id)
    }
}

/// Runs until the client leaves or the guard is stopped.
pub(super) async fn run<R, W>(
    house: Arc<House>,
    client: Client<R, W>,
    endpoint: Arc<Endpoint>,
    context: Context,
) -> Exit
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let caller = Arc::new(Caller {
        porter: Porter::new(&house, context, link(Carrier::Stdio, Carrier::Http, None)),
        client: Outbox::new(client.to),
        endpoint,
        queue: Mutex::default(),
        turn: tokio::sync::Mutex::default(),
        reopening: tokio::sync::Mutex::default(),
        places: Semaphore::new(FLIGHTS),
        state: Mutex::default(),
        house,
    });
    caller.house.observe(&Event::Connected);
    let begun = Instant::now();
    let lines = Lines::new(client.from, caller.house.bounds.message_bytes);
    let mut reading = tokio::spawn(Arc::clone(&caller).read(lines));
    let clock = tokio::spawn(Arc::clone(&caller).keep_time());
    let exit = tokio::select! {
        _ = &mut reading => Exit::ClientGone,
        () = caller.house.stopping() => {
            caller.porter.stop();
            Exit::Stopped
        }
    };
    caller.leave(reading).await;
    clock.abort();
    let lasted = begun.elapsed();
    caller.house.observe(&Event::Disconnected { lasted });
    exit
}

impl<W: AsyncWrite + Send + Unpin + 'static> Caller<W> {
    /// Reads the client until it leaves.
    async fn read<R: AsyncRead + Send + Unpin>(self: Arc<Self>, mut lines: Lines<R>) {
        loop {
            let mut recovery = Recovery::new();
            let line = lines.next_or_skip(|piece| recovery.feed(piece));
            let line = line.await;
            let last = !matches!(line, Ok(Line::Full(_) | Line::TooLong(_)));
            match line {
                Ok(Line::Full(line) | Line::End(line)) if !line.trim_ascii().is_empty() => {
                    self.take(Side::Client, &line);
                }
                Ok(Line::TooLong(_)) => {
                    let found = recovery.finish();
                    let deliver = &mut |order| self.deliver(order);
                    self.porter.oversize(Side::Client, &found, deliver);
                }
                _ => {}
            }
            self.dispatch().await;
            let _client_is_gone = self.client.flush().await;
            if last {
                return;
            }
            // What finds no place is left with the client.
            self.porter.room().await;
        }
    }

    fn take(&self, from: Side, message: &[u8]) {
        self.porter
            .take(from, message, &mut |order| self.deliver(order));
    }

    fn deliver(&self, order: Order) {
        match order {
            Order::Send(parcel) if parcel.to == Side::Client => self.client.push(parcel.bytes),
            Order::Send(parcel) => self.queue().push_back(parcel),
            Order::Abandon(id) => {
                if let Some(flight) = self.state().landed(&id) {
                    flight.abort();
                }
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
            let Some(parcel) = self.next_due() else {
                return;
            };
            match &parcel.shape {
                Shape::Request { id, method } => {
                    let id = id.clone();
                    let mut state = self.state();
                    if method == "initialize" {
                        state.opening = Some(id.clone());
                    }
                    state.opened.remember(&parcel);
                    let flight = tokio::spawn(Arc::clone(self).fly(id.clone(), parcel));
                    state.flights.insert(id, flight.abort_handle());
                }
                Shape::Batch(_) | Shape::Answer { .. } | Shape::Notification { .. } => {
                    self.tell(parcel).await;
                }
            }
        }
    }

    /// The first message in the queue; while a session is being opened only answers pass,
    /// and the rest waits, for a client that does not wait for the session itself.
    fn next_due(&self) -> Option<Parcel> {
        let opening = self.state().opening.is_some();
        let mut queue = self.queue();
        if !opening {
            return queue.pop_front();
        }
        let mut waiting = queue.iter();
        let at = waiting.position(|parcel| matches!(parcel.shape, Shape::Answer { .. }))?;
        queue.remove(at)
    }

    /// Posts what is not answered by a message of its own; a batch may be.
    async fn tell(self: &Arc<Self>, parcel: Parcel) {
        let opens = matches!(&parcel.shape,
            Shape::Notification { method } if method == "notifications/initialized");
        if opens {
            self.state().opened.remember(&parcel);
        }
        let (facts, headers) = self.headers(&parcel);
        let mut flight = self.post(&parcel, headers, &facts);
        let told = async {
            loop {
                match flight.next().await {
                    Heard::Head { status, .. } if status >= 400 => {
                        return Err(format!("HTTP status {status}"));
                    }
                    Heard::Head { .. } => {}
                    Heard::Whole(body) if body.trim_ascii().is_empty() => return Ok(()),
                    Heard::Whole(body) => self.take(Side::Server, &body),
                    Heard::Event(event) => {
                        if let Some(data) = event.data {
                            self.take(Side::Server, &data);
                        }
                    }
                    Heard::End => return Ok(()),
                    Heard::Broken(fault) => return Err(fault.to_string()),
                }
            }
        };
        match timeout(self.house.times.notify, told).await {
            Ok(Ok(())) => {}
            Ok(Err(why)) => self.house.note("untold", &why),
            Err(_) => self
                .house
                .note("untold", "the upstream did not take it in time"),
        }
        if opens {
            self.listen();
        }
    }

    /// Carries one request there and what belongs to it back.
    async fn fly(self: Arc<Self>, id: IdKey, parcel: Parcel) {
        let mut head = (200, HeaderMap::new());
        let failed = match self.place(&parcel).await {
            Ok(_place) => self.carry(&id, parcel, &mut head).await,
            Err(_) => Some("the guard is shutting down".to_owned()),
        };
        self.state().landed(&id);
        if let Some(why) = failed {
            let (refusal, caller) = (refusal(head.0, &head.1), self.endpoint.caller());
            let deliver = &mut |order| match &refusal {
                Some(refusal) => self.deliver(marked(order, caller, refusal)),
                None => self.deliver(with_status(order, head.0)),
            };
            self.porter.request_failed(&id, &why, deliver);
        }
        self.settle().await;
    }

    /// A place among the requests that are on their way at once, each of which has a connection
    /// of its own; what opens a session or listens needs none, so that nothing waits for ever.
    async fn place(&self, parcel: &Parcel) -> Result<Option<SemaphorePermit<'_>>, AcquireError> {
        let short = match &parcel.shape {
            Shape::Request { method, .. } => {
                !matches!(&**method, "initialize" | "subscriptions/listen")
            }
            _ => false,
        };
        match short {
            true => self.places.acquire().await.map(Some),
            false => Ok(None),
        }
    }

    /// `Some` is why the answer has not come.
    async fn carry(
        self: &Arc<Self>,
        id: &IdKey,
        parcel: Parcel,
        head: &mut (u16, HeaderMap),
    ) -> Option<String> {
        let (facts, mut sent) = self.headers(&parcel);
        let opens = facts.method.as_deref() == Some("initialize");
        let mut retried = facts.version.is_none();
        let mut opened_again = opens || facts.version.is_some();
        let mut flight = self.post(&parcel, sent.clone(), &facts);
        loop {
            let (message, whole) = match flight.next().await {
                Heard::Head {
                    status, headers, ..
                } => {
                    if opens && status == 200 {
                        self.state().session = self.session_of(&headers);
                    }
                    // It did nothing, so it is asked again, in a session that it knows.
                    if status == 404
                        && !std::mem::replace(&mut opened_again, true)
                        && let Some(lost) = sent.get(SESSION)
                    {
                        if let Err(why) = self.open_again(lost).await {
                            return Some(format!(
                                "HTTP status 404, and it opens no new session: {why}"
                            ));
                        }
                        (_, sent) = self.headers(&parcel);
                        flight = self.post(&parcel, sent.clone(), &facts);
                    }
                    *head = (status, headers);
                    continue;
                }
                Heard::Whole(body) => (body, true),
                Heard::Event(event) => match event.data {
                    Some(data) if !data.trim_ascii().is_empty() => (data, false),
                    // Keeps the connection alive, or only names a place to resume from.
                    _ => continue,
                },
                Heard::End if flight.resume().await => continue,
                Heard::End => return Some("the answer ended before it was complete".to_owned()),
                Heard::Broken(_) if flight.resume().await => continue,
                Heard::Broken(fault) => return Some(fault.to_string()),
            };
            let own = answered(&message);
            // A refusal is the client's to act on, whatever its body says.
            let refused = refusal(head.0, &head.1).is_some();
            // Some servers refuse with an id of their own.
            let refused = refused || (head.0 >= 400 && own.as_ref() != Some(id));
            if (own.is_none() || refused) && whole {
                return Some(match head.0 {
                    200 => "the answer is no JSON-RPC answer".to_owned(),
                    status => format!("HTTP status {status}"),
                });
            }
            if !retried && error_code(&message) == Some(HEADER_MISMATCH) {
                retried = true;
                if let Some(contract) =
                    contract_of(&self.house, &self.endpoint, &facts, &parcel.bytes).await
                {
                    write(&mirrored(&facts, &parcel.bytes, Some(&contract)), &mut sent);
                    flight = self.post(&parcel, sent.clone(), &facts);
                    continue;
                }
            }
            if opens && own.as_ref() == Some(id) {
                let version = negotiated(&message);
                let version = version.and_then(|version| HeaderValue::from_str(&version).ok());
                self.state().version = version;
            }
            self.take(Side::Server, &message);
            if own.as_ref() == Some(id) {
                return None;
            }
            if whole {
                return Some("the answer is none to this request".to_owned());
            }
            self.settle().await;
        }
    }

    async fn settle(self: &Arc<Self>) {
        self.dispatch_boxed().await;
        let _client_is_gone = self.client.flush().await;
    }

    /// A flight may lead to another flight, whose type would hold its own.
    fn dispatch_boxed(self: &Arc<Self>) -> std::pin::Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.dispatch())
    }

    fn post(&self, parcel: &Parcel, headers: HeaderMap, facts: &Facts) -> Flight {
        let message = Bytes::copy_from_slice(&parcel.bytes);
        let limit = self.house.bounds.message_bytes;
        let resumable = facts.version.is_none();
        Flight::post(&self.endpoint, headers, message, limit, resumable)
    }

    /// The headers of one message.
    fn headers(&self, parcel: &Parcel) -> (Facts, HeaderMap) {
        let facts = Facts::read(&parcel.bytes);
        let mut headers = if facts.version.is_some() {
            self.endpoint.headers()
        } else {
            self.common()
        };
        headers.insert(ACCEPT, HeaderValue::from_static(BOTH));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if facts.version.is_some() {
            write(
                &mirrored(&facts, &parcel.bytes, parcel.call.as_deref()),
                &mut headers,
            );
        }
        carried::write(parcel.trace.as_deref(), &mut headers);
        (facts, headers)
    }

    /// The headers of a legacy session.
    fn common(&self) -> HeaderMap {
        let mut headers = self.endpoint.headers();
        let state = self.state();
        if let Some(session) = &state.session {
            headers.insert(SESSION, session.clone());
        }
        if let Some(version) = &state.version {
            headers.insert(VERSION, version.clone());
        }
        headers
    }

    async fn keep_time(self: Arc<Self>) {
        loop {
            self.porter.clock(&mut |order| self.deliver(order)).await;
            self.settle().await;
        }
    }

    /// Lets open requests be answered; then ends the session.
    async fn leave(self: &Arc<Self>, reading: JoinHandle<()>) {
        if timeout(self.house.times.drain, self.porter.idle())
            .await
            .is_err()
        {
            let deliver = &mut |order| self.deliver(order);
            self.porter
                .server_gone("the guard is shutting down", deliver);
        }
        reading.abort();
        let grace = self.house.times.grace;
        // What is decided is also told, to a client that takes it.
        let _reader_is_gone = timeout(grace, self.client.close()).await;
        let (listening, flights, session) = {
            let mut state = self.state();
            let flights: Vec<_> = state.flights.drain().map(|(_, flight)| flight).collect();
            (state.listening.take(), flights, state.session.is_some())
        };
        for task in flights.into_iter().chain(listening) {
            task.abort();
        }
        if session {
            self.delete().await;
        }
    }

    /// The name of the session that an answer opens.
    fn session_of(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let mut session = headers.get(SESSION).cloned()?;
        session.set_sensitive(true);
        self.endpoint.caller().keep();
        Some(session)
    }

    fn queue(&self) -> MutexGuard<'_, VecDeque<Parcel>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Requests that are on their way at once; more wait. Systems let a process have 1,024 files.
const FLIGHTS: usize = 512;
/// A header does not match the body (2026-07-28, basic).
const HEADER_MISMATCH: i64 = -32020;
const BOTH: &str = "application/json, text/event-stream";
