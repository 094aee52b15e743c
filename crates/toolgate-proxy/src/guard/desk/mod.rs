//! The HTTP side of the clients: who is let in, which conversation a request belongs to, and the
//! sessions of the legacy era.

mod cors;
mod moving;
mod nursery;
mod refuse;
mod sessions;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, TRANSFER_ENCODING};
use hyper::{Method, Request, Response};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use toolgate_guard::{Carrier, Context, Peer, Recovery};

use super::clerk::Clerk;
use super::event::Event;
use super::exchange::Exchange;
use super::facts::Facts;
use super::hub::{Hub, Way};
use super::inner::Caller;
use super::mirror::{given_of_arguments, mirrored, mismatch};
use super::mux::Shared;
use super::names::caller::{digest, shown};
use super::names::{Names, NoSession, Told};
use super::place::Place;
use super::porter::{House, Porter, bearer, link};
use super::reply::{error, onward, respond};
use crate::era::MODERN;
use crate::http::{Endpoint, SESSION, Standing, VERSION};
use crate::web::{Admission, Budget, Outgoing, Service, TooLarge, read};
pub(super) use nursery::Nursery;
use refuse::closing;

/// What is behind the desk.
pub(super) enum Far {
    Endpoint(Arc<Endpoint>),
    Children(Nursery),
}

pub(super) struct Desk {
    house: Arc<House>,
    admission: Admission,
    far: Far,
    sessions: Mutex<HashMap<String, Session>>,
    slots: Arc<Semaphore>,
    bytes: Budget,
    /// The operator was told that requests come for a name that is not let in.
    host_told: AtomicBool,
    contexts: AtomicU64,
    names: Arc<Names>,
    moving: moving::Moving,
}

#[derive(Clone)]
struct Session {
    hub: Arc<Hub>,
    number: u64,
    /// On whose behalf a peer in this process works; its authorization may be renewed.
    caller: Caller,
    /// What its name says.
    told: Told,
}

impl Desk {
    pub(super) fn new(
        house: Arc<House>,
        admission: Admission,
        far: Far,
        names: Names,
    ) -> Arc<Self> {
        Arc::new(Self {
            slots: Arc::new(Semaphore::new(house.bounds.requests)),
            bytes: Budget::new(house.bounds.request_bytes),
            host_told: AtomicBool::new(false),
            house,
            admission,
            far,
            sessions: Mutex::default(),
            contexts: AtomicU64::new(1),
            names: Arc::new(names),
            moving: moving::Moving::default(),
        })
    }

    async fn receive(
        self: &Arc<Self>,
        request: Request<Incoming>,
        from: SocketAddr,
    ) -> Response<Outgoing> {
        if let Err(refusal) = self.admission.check(&request) {
            return self.turn_away(refusal, request.headers());
        }
        if request.method() == Method::OPTIONS {
            return cors::preflight(request.headers());
        }
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            return self.busy("requests");
        };
        let slot = Place {
            _slot: slot,
            bytes: self.bytes.share(),
            peer: Some(peer(request.headers(), from)),
        };
        let (head, body) = request.into_parts();
        if head.method != Method::POST
            && let Some(refused) = self.unsupported(&head.headers, &Facts::default())
        {
            return refused;
        }
        match head.method {
            Method::GET => self.listen(head.headers, slot).await,
            Method::DELETE => self.delete(&head.headers).await,
            _ => self.post(head.headers, body, slot).await,
        }
    }

    async fn post(
        self: &Arc<Self>,
        headers: HeaderMap,
        body: Incoming,
        mut slot: Place,
    ) -> Response<Outgoing> {
        let limit = self.house.bounds.message_bytes;
        let reading = read(body, limit, &mut slot.bytes);
        let message = match timeout(self.house.times.body, reading).await {
            Ok(Ok(message)) => message,
            Ok(Err(TooLarge::Full)) => {
                let text = "the requests at work have too many bytes together (request_bytes)";
                return closing(self.unavailable("request-bytes", None, text));
            }
            Ok(Err(TooLarge::Broken)) => return respond(400, HeaderMap::new(), Outgoing::empty()),
            Ok(Err(TooLarge::Limit(part))) => {
                let mut recovery = Recovery::new();
                recovery.feed(&part);
                let hub = self.passing(&headers, true, None);
                let exchange = Exchange::new(hub, onward(&headers), true, slot);
                return exchange.oversize(&recovery.finish()).await;
            }
            Err(_) => {
                self.rejected(408, "body");
                let text = "the body did not come in time";
                return closing(error(408, None, INVALID_REQUEST, text));
            }
        };
        let facts = Facts::read(&message);
        // A balancer sends it elsewhere: nothing has seen it yet.
        if facts.is_request() && self.house.is_stopping() {
            return self.unavailable("stopping", facts.id.as_ref(), STOPPING);
        }
        if facts == Facts::default() {
            // No message at all, or a batch: what is to be said the conversation says.
            let text = message.trim_ascii_start();
            if text.first() != Some(&b'[') {
                let hub = self.passing(&headers, true, None);
                let exchange = Exchange::new(hub, onward(&headers), true, slot);
                return exchange.post(&facts, &message).await;
            }
        }
        if let Some(refused) = self.unsupported(&headers, &facts) {
            return refused;
        }
        if is_modern(&facts, &headers) {
            self.modern(headers, &facts, &message, slot).await
        } else {
            self.legacy(headers, &facts, &message, slot).await
        }
    }

    async fn modern(
        self: &Arc<Self>,
        headers: HeaderMap,
        facts: &Facts,
        message: &[u8],
        slot: Place,
    ) -> Response<Outgoing> {
        // What is no message at all gets its answer from the conversation.
        if facts.method.is_some()
            && facts.version.is_some()
            && let Some(wrong) = mismatch(&mirrored(facts, message, None), &headers)
        {
            self.rejected(400, "headers");
            return error(400, facts.id.as_ref(), HEADER_MISMATCH, &wrong);
        }
        let shared = match &self.far {
            Far::Endpoint(_) => None,
            Far::Children(nursery) => match self.shared(nursery, &headers).await {
                Ok(shared) => Some(shared),
                Err(why) if why == nursery::TOO_MANY => {
                    return self.unavailable("children", facts.id.as_ref(), &why);
                }
                Err(why) => return error(503, facts.id.as_ref(), INTERNAL_ERROR, &why),
            },
        };
        let caller = shared.as_ref().map(|shared| shared.caller.clone());
        let hub = self.passing(&headers, true, shared);
        let mut exchange = Exchange::new(hub, onward(&headers), true, slot);
        exchange.keeps_time = true;
        exchange.caller = caller;
        exchange.post(facts, message).await
    }

    async fn legacy(
        self: &Arc<Self>,
        headers: HeaderMap,
        facts: &Facts,
        message: &[u8],
        slot: Place,
    ) -> Response<Outgoing> {
        let opens = facts.is_request() && facts.method.as_deref() == Some("initialize");
        if opens {
            return self.open(headers, facts, message, slot).await;
        }
        let mut caller = None;
        let hub = match self.session_for(&headers).await {
            Ok(Some(session)) => {
                session.caller.renew(headers.get(AUTHORIZATION));
                caller = Some(session.caller);
                session.hub
            }
            // Some servers keep no sessions; what they think of the message they say themselves.
            Ok(None) if matches!(self.far, Far::Endpoint(_)) => self.passing(&headers, false, None),
            Ok(None) => {
                let text = "send `Mcp-Session-Id`, or open a session with `initialize`";
                return error(400, facts.id.as_ref(), INVALID_REQUEST, text);
            }
            Err(why) => return self.no_session(why, facts),
        };
        // What finds no place to wait for the list of tools may come again.
        if facts.is_request()
            && facts.method.as_deref() == Some("tools/call")
            && hub.porter.is_crowded()
        {
            let text = "too many calls wait for the list of tools (parked)";
            return self.unavailable("parked", facts.id.as_ref(), text);
        }
        let mut exchange = Exchange::new(hub, onward(&headers), false, slot);
        exchange.clerk = self.clerk(false);
        exchange.caller = caller;
        exchange.keeps_time = !headers.contains_key(SESSION);
        let response = exchange.post(facts, message).await;
        self.forget_if_gone(&headers, &response);
        response
    }

    /// `initialize` opens a session.
    async fn open(
        self: &Arc<Self>,
        headers: HeaderMap,
        facts: &Facts,
        message: &[u8],
        slot: Place,
    ) -> Response<Outgoing> {
        if self.house.is_stopping() || !self.has_room() {
            return self.busy("sessions");
        }
        let number = self.contexts.fetch_add(1, Ordering::Relaxed);
        let porter = Porter::new(&self.house, Context::Session(number), self.link(None));
        let caller = Caller::new(headers.get(AUTHORIZATION));
        match &self.far {
            Far::Endpoint(endpoint) => {
                let way = Way::Endpoint(Arc::clone(endpoint), onward(&headers), caller.clone());
                let hub = Hub::new(porter, way);
                let mut exchange = Exchange::new(Arc::clone(&hub), onward(&headers), false, slot);
                exchange.clerk = self.clerk(true);
                // The session, which has a clock, begins with the answer.
                exchange.keeps_time = true;
                let response = exchange.post(facts, message).await;
                if let Some(named) = hub.named() {
                    self.enter(&named.ours, &headers, hub, number, caller);
                }
                response
            }
            Far::Children(nursery) => {
                let Some(place) = nursery.place() else {
                    return self.busy("children");
                };
                let opening = nursery.moves().then(|| moving::opening(message));
                let name = match opening.flatten() {
                    Some(opening) => self.names.of_opening(opening, &headers),
                    None => self.names.of_child(&headers),
                };
                let name = match name {
                    Ok(name) => name,
                    Err(unnamed) => {
                        let (status, text) = unnamed.told();
                        return error(status, facts.id.as_ref(), INTERNAL_ERROR, &text);
                    }
                };
                let known_as = name.to_str().unwrap_or_default().to_owned();
                porter.stand_for_session(known_as.as_bytes());
                let who = Peer {
                    session: Some(digest(known_as.as_bytes()).into()),
                    ..slot.peer.as_deref().cloned().unwrap_or_default()
                };
                let caller = caller.standing_for(Standing::Session(known_as.as_str().into()));
                let caller = caller.recorded_as(Arc::new(who));
                let (child, input) = match nursery.start(&self.house, &caller) {
                    Ok(started) => started,
                    Err(fault) => {
                        let text = fault.to_string();
                        return error(502, facts.id.as_ref(), INTERNAL_ERROR, &text);
                    }
                };
                let hub = Hub::new(porter, Way::Child(input));
                self.enter(&name, &headers, Arc::clone(&hub), number, caller.clone());
                let desk = Arc::clone(self);
                tokio::spawn(desk.talk(Arc::clone(&hub), child, known_as.clone(), place));
                let mut exchange = Exchange::new(hub, onward(&headers), false, slot);
                exchange.names = Some(name);
                exchange.caller = Some(caller);
                let response = exchange.post(facts, message).await;
                if response.status().is_client_error() {
                    self.end_session(&known_as).await;
                }
                response
            }
        }
    }

    async fn listen(self: &Arc<Self>, headers: HeaderMap, slot: Place) -> Response<Outgoing> {
        let hub = match self.session_for(&headers).await {
            Ok(Some(session)) => session.hub,
            Ok(None) if matches!(self.far, Far::Endpoint(_)) => self.passing(&headers, false, None),
            Ok(None) => return respond(405, HeaderMap::new(), Outgoing::empty()),
            Err(why) => return self.no_session(why, &Facts::default()),
        };
        let mut exchange = Exchange::new(hub, onward(&headers), false, slot);
        exchange.clerk = self.clerk(false);
        let response = exchange.listen().await;
        self.forget_if_gone(&headers, &response);
        response
    }

    async fn delete(self: &Arc<Self>, headers: &HeaderMap) -> Response<Outgoing> {
        let session = match self.session_of(headers) {
            Ok(session) => session,
            // Nothing of it is here; and what is deleted here is not opened here again.
            Err(NoSession::Asleep) => {
                self.moving.over(headers);
                return respond(204, HeaderMap::new(), Outgoing::empty());
            }
            Err(why) => return self.no_session(why, &Facts::default()),
        };
        let name = headers.get(SESSION).and_then(|name| name.to_str().ok());
        match &self.far {
            Far::Endpoint(endpoint) => {
                let mut passed = onward(headers);
                if let Some(named) = session.and_then(|session| session.hub.named()) {
                    passed.insert(SESSION, named.theirs);
                }
                let sent = endpoint.send(
                    crate::fault::Phase::Request,
                    Method::DELETE,
                    passed,
                    bytes::Bytes::new(),
                );
                let answer = timeout(self.house.times.notify, sent).await;
                if let Some(name) = name {
                    self.end_session(name).await;
                }
                match answer {
                    Ok(Ok(answer)) => {
                        let status = answer.status().as_u16();
                        respond(status, HeaderMap::new(), Outgoing::empty())
                    }
                    Ok(Err(fault)) => error(502, None, INTERNAL_ERROR, &fault.to_string()),
                    Err(_) => error(504, None, INTERNAL_ERROR, "the upstream did not answer"),
                }
            }
            Far::Children(_) => match name {
                None => error(400, None, INVALID_REQUEST, "send `Mcp-Session-Id`"),
                Some(name) if self.end_session(name).await => {
                    self.moving.over(headers);
                    respond(204, HeaderMap::new(), Outgoing::empty())
                }
                Some(_) => self.no_session(NoSession::Unknown, &Facts::default()),
            },
        }
    }

    /// Who renames sessions in the answers of an upstream that names them.
    fn clerk(&self, opens: bool) -> Option<Clerk> {
        let names = matches!(self.far, Far::Endpoint(_)).then_some(&self.names);
        names.map(|names| Clerk::new(names, opens))
    }

    /// A conversation of one request.
    fn passing(&self, headers: &HeaderMap, modern: bool, shared: Option<Arc<Shared>>) -> Arc<Hub> {
        let version = headers.get(VERSION).and_then(|value| value.to_str().ok());
        let version = version.filter(|_| !modern);
        let whose = shared.as_ref().map(|shared| shared.whose.clone());
        let (context, way) = match (&self.far, shared) {
            (_, Some(shared)) => (
                shared.context.clone(),
                Way::Shared(shared, given_of_arguments(headers)),
            ),
            (Far::Endpoint(endpoint), None) => (
                bearer(headers.get(AUTHORIZATION)),
                Way::Endpoint(
                    Arc::clone(endpoint),
                    onward(headers),
                    Caller::new(headers.get(AUTHORIZATION)),
                ),
            ),
            // Only for messages that cannot be read whole; nothing is sent.
            (Far::Children(_), None) => (Context::Anonymous, Way::None),
        };
        let porter = Porter::new(&self.house, context, self.link(version));
        if let Some(whose) = whose {
            porter.stand_for(&whose);
        }
        Hub::new(porter, way)
    }

    async fn shared(&self, nursery: &Nursery, headers: &HeaderMap) -> Result<Arc<Shared>, String> {
        let number = self.contexts.fetch_add(1, Ordering::Relaxed);
        nursery.shared(&self.house, headers, number).await
    }

    fn link(&self, version: Option<&str>) -> toolgate_guard::Link {
        let server = match self.far {
            Far::Endpoint(_) => Carrier::Http,
            Far::Children(_) => Carrier::Stdio,
        };
        link(Carrier::Http, server, version)
    }
}

impl Service for Desk {
    fn connected(&self) {
        self.house.observe(&Event::Connected);
    }

    fn disconnected(&self, lasted: Duration) {
        self.house.observe(&Event::Disconnected { lasted });
    }

    async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        from: SocketAddr,
    ) -> Response<Outgoing> {
        let reader = self.admission.listed_origin(request.headers()).cloned();
        let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
        let mut response = self.receive(request, from).await;
        if let Some(origin) = reader {
            cors::allow(&mut response, origin);
        }
        // The reader may have dropped a `Content-Length` beside it, so that what follows is no
        // request that can be believed (RFC 9112 section 6.1).
        if is_chunked {
            closing(response)
        } else {
            response
        }
    }
}

/// Who sends a request, for the records.
fn peer(headers: &HeaderMap, from: SocketAddr) -> Arc<Peer> {
    let session = headers.get(SESSION).map(HeaderValue::as_bytes);
    Arc::new(Peer {
        caller: shown(headers).map(Into::into),
        session: session.map(|session| digest(session).into()),
        address: Some(from.to_string().into()),
    })
}

/// The era is read of each message; a message that does not tell is of its header's era.
fn is_modern(facts: &Facts, headers: &HeaderMap) -> bool {
    let header = headers.get(VERSION).and_then(|value| value.to_str().ok());
    // Versions are dates and sort as text.
    facts.version.is_some() || header.is_some_and(|version| version >= MODERN)
}

const INVALID_REQUEST: i64 = -32600;
const INTERNAL_ERROR: i64 = -32603;
const HEADER_MISMATCH: i64 = -32020;
const STOPPING: &str = "the guard is shutting down; the request went nowhere, send it again";
