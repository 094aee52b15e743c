//! One HTTP request of a client, from its message to the last byte of its answer.
//!
//! ```text
//!   message ─▶ conversation ─▶ inbox ─▶ POST upstream ─▶ events ─▶ conversation ─▶ answer
//!                                └────── answers, notices ──────────────────────────▶
//! ```
//!
//! The answer begins as the upstream's does: whole, or as a stream of events. In front of a child
//! it is whole unless other messages come before it.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use tokio::sync::mpsc;
use toolgate_guard::{IdKey, Peer, Shape, Side};

use super::carried;
use super::clerk::{self, Clerk};
use super::facts::{Facts, answered};
use super::flight::{Flight, Heard};
use super::hub::{Delivery, Hub, Inbox, Mailbox, Way, mailbox};
use super::inner::Caller;
use super::names::Unnamed;
use super::place::Place;
use super::porter::{Carried, Order, Parcel};
use super::refusal;
use super::reply::{error, respond, status_of};
use super::step::{Step, Steps, failure};
use crate::http::EVENT_STREAM;
use crate::sse::{self, Event};
use crate::web::Outgoing;

/// One request at work.
pub(super) struct Exchange {
    hub: Arc<Hub>,
    /// The request's id, for a POST that is owed an answer.
    id: Option<IdKey>,
    modern: bool,
    /// The client's headers, as they go on to an HTTP upstream.
    headers: HeaderMap,
    /// Only event streams are accepted.
    stream_only: bool,
    mailbox: Mailbox,
    inbox: Inbox,
    flight: Option<Flight>,
    /// The head of the upstream's answer, until it has been passed on.
    head: Option<(u16, HeaderMap)>,
    ready: Steps,
    /// The mailbox is registered under the id.
    open: bool,
    /// The client has not been answered.
    owed: bool,
    /// Keeps its place among the requests at work, and its bytes.
    slot: Option<Place>,
    /// The conversation is this request's alone, so its deadlines are kept here.
    pub(super) keeps_time: bool,
    /// Children's sessions are named in the answer to `initialize`.
    pub(super) names: Option<HeaderValue>,
    /// Sessions of HTTP upstreams are renamed in every answer.
    pub(super) clerk: Option<Clerk>,
    /// Who asks, for the records.
    pub(super) peer: Option<Arc<Peer>>,
    /// For whom a peer in this process works, whose refusals it is told.
    pub(super) caller: Option<Caller>,
}

impl Exchange {
    pub(super) fn new(hub: Arc<Hub>, headers: HeaderMap, modern: bool, slot: Place) -> Self {
        let (mailbox, inbox) = mailbox();
        let most = hub.porter.house.bounds.message_bytes;
        Self {
            hub,
            id: None,
            modern,
            stream_only: !crate::web::accepts(&headers, "application/json"),
            headers,
            mailbox,
            inbox,
            flight: None,
            head: None,
            ready: Steps::new(most),
            open: false,
            owed: false,
            keeps_time: false,
            names: None,
            clerk: None,
            peer: slot.peer.clone(),
            slot: Some(slot),
            caller: None,
        }
    }

    /// Takes the client's message and answers it.
    pub(super) async fn post(mut self, facts: &Facts, message: &[u8]) -> Response<Outgoing> {
        if facts.is_request()
            && let Some(id) = &facts.id
        {
            self.open = self.hub.open(id, &self.mailbox);
            self.id = Some(id.clone());
        }
        // A second request with an open id is answered to its own sender, not to the first.
        self.owed = self.open;
        self.hub.touch();
        let (hub, mailbox) = (Arc::clone(&self.hub), self.mailbox.clone());
        let carried = Carried {
            trace: carried::read(&self.headers),
            peer: self.peer.clone(),
        };
        hub.take_carried(Side::Client, message, carried, Some(&mailbox));
        self.answer().await
    }

    /// Opens the stream on which the server speaks by itself.
    pub(super) async fn listen(mut self) -> Response<Outgoing> {
        self.hub.listen(&self.mailbox);
        match &self.hub.way {
            Way::Endpoint(endpoint, ..) => {
                let limit = self.hub.porter.house.bounds.message_bytes;
                self.flight = Some(Flight::listen(endpoint, self.upstream_headers(), limit));
            }
            Way::Child(_) | Way::Shared(..) | Way::None => {
                self.ready.push(Step::Stream(HeaderMap::new()))
            }
        }
        self.owed = true;
        self.answer().await
    }

    /// A body that was not read to its end.
    pub(super) async fn oversize(self, found: &toolgate_guard::Recovered) -> Response<Outgoing> {
        let (hub, mailbox) = (Arc::clone(&self.hub), self.mailbox.clone());
        let deliver = &mut |order| hub.route(order, Some(&mailbox));
        hub.porter.set_peer(self.peer.clone());
        hub.porter.oversize(Side::Client, found, deliver);
        let mut response = self.answer().await;
        *response.status_mut() = StatusCode::PAYLOAD_TOO_LARGE;
        response
    }

    /// Works until the answer can begin.
    async fn answer(mut self) -> Response<Outgoing> {
        match self.step().await {
            Step::Stream(headers) => self.stream(headers, None),
            Step::Message(message) => self.stream(HeaderMap::new(), Some(sse::event(&message))),
            Step::Piece(bytes, last) => {
                self.owed &= !last;
                self.stream(HeaderMap::new(), Some(bytes))
            }
            Step::Answer(answer, code, head) => {
                self.owed = false;
                if self.stream_only && self.open {
                    let event = sse::event(&answer);
                    return self.stream(HeaderMap::new(), Some(event));
                }
                self.whole(answer, code, head)
            }
            Step::Status(status, headers, body) => {
                self.owed = false;
                match self.head_of(&headers) {
                    Ok(headers) => respond(status, headers, Outgoing::Whole(body.into())),
                    Err(unnamed) => self.nameless(unnamed),
                }
            }
            Step::Accepted | Step::Over => {
                self.owed = false;
                respond(202, HeaderMap::new(), Outgoing::empty())
            }
        }
    }

    fn whole(
        &mut self,
        answer: Vec<u8>,
        code: Option<i64>,
        head: Option<(u16, HeaderMap)>,
    ) -> Response<Outgoing> {
        let (status, mut headers) = match head {
            Some((status, headers)) => match self.head_of(&headers) {
                Ok(headers) => (status, headers),
                Err(unnamed) => return self.nameless(unnamed),
            },
            None => (
                status_of(code, self.id.is_some(), self.modern),
                HeaderMap::new(),
            ),
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if status < 400 {
            self.name_session(&mut headers);
        }
        respond(status, headers, Outgoing::Whole(answer.into()))
    }

    /// Begins a stream; the rest of the work goes on beside it.
    fn stream(mut self, upstream: HeaderMap, first: Option<Vec<u8>>) -> Response<Outgoing> {
        let mut headers = match self.head_of(&upstream) {
            Ok(headers) => headers,
            Err(unnamed) => return self.nameless(unnamed),
        };
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(NO_BUFFER, HeaderValue::from_static("no"));
        self.name_session(&mut headers);
        let waiting = self.hub.porter.house.bounds.waiting_events.max(1);
        let (sender, receiver) = mpsc::channel(waiting);
        tokio::spawn(self.go_on(sender, first));
        respond(200, headers, Outgoing::Stream(receiver))
    }

    async fn go_on(mut self, to: mpsc::Sender<Bytes>, first: Option<Vec<u8>>) {
        if let Some(first) = first
            && to.send(first.into()).await.is_err()
        {
            return;
        }
        // A listening stream has no last answer; a request's ends with it.
        while self.owed {
            let step = tokio::select! {
                () = to.closed() => return,
                step = self.step() => step,
            };
            let (piece, last) = match step {
                Step::Stream(_) => continue,
                Step::Piece(bytes, last) => (bytes, last && self.id.is_some()),
                Step::Message(message) => (sse::event(&message), false),
                Step::Answer(answer, ..) => (sse::event(&answer), self.id.is_some()),
                Step::Status(..) | Step::Accepted | Step::Over => {
                    self.owed = false;
                    return;
                }
            };
            if to.send(piece.into()).await.is_err() {
                return;
            }
            self.owed &= !last;
        }
    }

    /// The next thing that the client is to see. Safe to cancel.
    async fn step(&mut self) -> Step {
        loop {
            if let Some(step) = self.ready.pop() {
                return step;
            }
            let nothing_comes = self.flight.is_none() && !self.owed;
            let heard = async {
                match &mut self.flight {
                    Some(flight) => flight.next().await,
                    None => std::future::pending().await,
                }
            };
            let house = Arc::clone(&self.hub.porter.house);
            let ticking = Arc::clone(&self.hub);
            let mut deliver = move |order| ticking.route(order, None);
            tokio::select! {
                biased;
                delivery = self.inbox.next() => match delivery {
                    Some(delivery) => self.delivered(delivery),
                    None => return Step::Over,
                },
                heard = heard => self.heard(heard).await,
                () = self.hub.porter.clock(&mut deliver), if self.keeps_time => {}
                () = house.expired(), if !nothing_comes => self.expire(),
                () = std::future::ready(()), if nothing_comes => return Step::Accepted,
            }
        }
    }

    fn delivered(&mut self, delivery: Delivery) {
        self.hub.taken.notify_waiters();
        match delivery {
            Delivery::ToServer(parcel) => self.launch(&parcel),
            Delivery::ToClient(mut parcel) => {
                if let Some(caller) = &self.caller
                    && let Some(head) = refusal::head(&parcel, caller)
                {
                    parcel.refused = Some(head);
                }
                let step = self.step_of(parcel, None);
                self.ready.push(step);
            }
            Delivery::Abandon => self.flight = None,
            Delivery::Close => self.ready.push(Step::Over),
        }
    }

    fn launch(&mut self, parcel: &Parcel) {
        let Way::Endpoint(endpoint, ..) = &self.hub.way else {
            return;
        };
        let limit = self.hub.porter.house.bounds.message_bytes;
        let mut headers = self.upstream_headers();
        carried::write(parcel.trace.as_deref(), &mut headers);
        let message = Bytes::copy_from_slice(&parcel.bytes);
        // The client takes its streams up again itself, so they are not taken up here.
        self.flight = Some(Flight::post(endpoint, headers, message, limit, false));
    }

    /// The client's headers, with the upstream's own name for the session.
    fn upstream_headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        if let Some(named) = self.hub.named() {
            headers.insert(crate::http::SESSION, named.theirs);
        }
        headers
    }

    async fn heard(&mut self, heard: Heard) {
        match heard {
            Heard::Head {
                headers,
                stream: true,
                ..
            } if self.clerk.as_ref().is_some_and(|clerk| clerk.opens) => {
                self.ready.hold(headers);
            }
            Heard::Head {
                headers,
                stream: true,
                ..
            } => self.ready.push(Step::Stream(headers)),
            Heard::Head {
                status, headers, ..
            } => self.head = Some((status, headers)),
            Heard::Event(event) => self.event(event),
            Heard::Whole(body) => {
                self.flight = None;
                self.whole_heard(body);
            }
            Heard::End => self.ended("the answer ended before it was complete"),
            Heard::Broken(fault) => self.ended(&fault.to_string()),
        }
    }

    /// An event of the upstream: its bytes go on as they came, unless its message was altered.
    fn event(&mut self, event: Event) {
        let data = event.data.as_deref().unwrap_or_default();
        if data.trim_ascii().is_empty() {
            self.ready.push(Step::Piece(event.raw, false));
            return;
        }
        let mut steps = Vec::new();
        let (hub, mailbox) = (Arc::clone(&self.hub), self.mailbox.clone());
        hub.porter
            .take(Side::Server, data, &mut |order| match order {
                Order::Send(parcel) if parcel.to == Side::Client && self.is_mine(&parcel) => {
                    let event = steps.is_empty().then_some(&event);
                    steps.push(self.step_of(parcel, event));
                }
                order => hub.route(order, Some(&mailbox)),
            });
        if let Some(clerk) = &mut self.clerk {
            clerk.see(data);
        }
        for step in steps {
            self.ready.push(step);
        }
    }

    fn is_mine(&self, parcel: &Parcel) -> bool {
        match &parcel.shape {
            Shape::Answer { id, .. } => id.is_none() || *id == self.id || self.id.is_none(),
            _ => true,
        }
    }

    fn step_of(&self, parcel: Parcel, event: Option<&Event>) -> Step {
        Step::of(self.id.as_ref(), parcel, event)
    }

    fn whole_heard(&mut self, body: Vec<u8>) {
        let (status, headers) = self.head.take().unwrap_or((200, HeaderMap::new()));
        let is_message = self.id.is_some() && answered(&body).is_some();
        let is_batch = self.owed && body.trim_ascii_start().first() == Some(&b'[');
        if let Some(clerk) = &mut self.clerk {
            clerk.see(&body);
        }
        if is_message || is_batch {
            let mut answers = Vec::new();
            let (hub, mailbox) = (Arc::clone(&self.hub), self.mailbox.clone());
            hub.porter
                .take(Side::Server, &body, &mut |order| match order {
                    Order::Send(parcel) if parcel.to == Side::Client && self.is_mine(&parcel) => {
                        answers.push(parcel.bytes);
                    }
                    order => hub.route(order, Some(&mailbox)),
                });
            let mut head = Some((status, headers));
            for answer in answers {
                self.ready.push(Step::Answer(answer, None, head.take()));
            }
            if self.ready.is_empty() {
                self.ended("the answer is none to this request");
            }
            return;
        }
        let Some(id) = self.id.clone().filter(|_| self.open) else {
            self.ready.push(Step::Status(status, headers, body));
            return;
        };
        let why = match status {
            200..=299 => "the answer is no JSON-RPC message".to_owned(),
            _ => format!("HTTP status {status}"),
        };
        let as_it_is = (400..500).contains(&status);
        self.fail(&id, &why, as_it_is);
        if as_it_is {
            // Refusals over HTTP (authorization, no session) are for the client to act on.
            self.ready.push(Step::Status(status, headers, body));
        }
    }

    /// The upstream's stream is over.
    fn ended(&mut self, why: &str) {
        self.ready.release();
        let place = self.flight.take().and_then(|flight| flight.place().0);
        match self.id.clone() {
            // The client of a legacy session takes it up again where it broke off.
            Some(_) if place.is_some() && !self.modern => self.ready.push(Step::Over),
            Some(id) if self.open => self.fail(&id, why, false),
            // A notification or an answer that did not arrive, or a stream that did not begin. One
            // that has begun just ends.
            None => self.ready.push(failure(None, why)),
            Some(_) => self.ready.push(Step::Over),
        }
    }

    /// Gives the request up; its answer is made here, unless something else is said.
    fn fail(&mut self, id: &IdKey, why: &str, silently: bool) {
        let (hub, mailbox) = (Arc::clone(&self.hub), self.mailbox.clone());
        let before = self.ready.len();
        hub.porter
            .request_failed(id, why, &mut |order| match order {
                Order::Send(parcel) if parcel.to == Side::Client && self.is_mine(&parcel) => {
                    if !silently {
                        let head = Some((502, HeaderMap::new()));
                        self.ready.push(Step::Answer(parcel.bytes, None, head));
                    }
                }
                order => hub.route(order, Some(&mailbox)),
            });
        if self.ready.len() == before && !silently {
            self.ready.push(failure(Some(id), why));
        }
    }

    /// The guard ends and the time to answer is over.
    fn expire(&mut self) {
        self.flight = None;
        self.ready.release();
        match self.id.clone().filter(|_| self.open) {
            Some(id) => self.fail(&id, "the guard is shutting down", false),
            None => self.ready.push(Step::Over),
        }
    }

    /// The head of the upstream's answer for the client.
    fn head_of(&self, upstream: &HeaderMap) -> Result<HeaderMap, Unnamed> {
        clerk::head(self.clerk.as_ref(), &self.hub, upstream, &self.headers)
    }

    /// The session that the upstream opened gets no name.
    fn nameless(&self, unnamed: Unnamed) -> Response<Outgoing> {
        let (status, text) = unnamed.told();
        error(status, self.id.as_ref(), INTERNAL_ERROR, &text)
    }

    fn name_session(&mut self, headers: &mut HeaderMap) {
        if let Some(name) = self.names.take() {
            headers.insert(crate::http::SESSION, name);
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.hub.taken.notify_waiters();
        let Some(id) = self.id.take().filter(|_| self.open) else {
            return;
        };
        self.hub.close(&id);
        // A modern client that leaves cancels; a legacy one does not.
        if self.owed && self.modern {
            let hub = Arc::clone(&self.hub);
            hub.porter
                .client_left(&id, &mut |order| hub.route(order, None));
        }
        drop(self.slot.take());
    }
}

const INTERNAL_ERROR: i64 = -32603;
const NO_BUFFER: HeaderName = HeaderName::from_static("x-accel-buffering");
