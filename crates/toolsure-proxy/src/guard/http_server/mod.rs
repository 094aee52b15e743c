//! The HTTP server for clients: admits requests, finds the conversation of each, and keeps the
//! sessions of the older protocol versions.

mod caller_check;
mod child_permits;
mod client_connection;
mod cors;
mod delete;
mod limit;
mod listeners;
mod open;
mod process_pool;
mod protected_resource;
mod refusals;
mod session_table;
mod trusted_proxies;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::header::{ALLOW, HOST, HeaderMap, HeaderValue, TRANSFER_ENCODING};
use hyper::{Method, Request, Response};
use rustls::pki_types::CertificateDer;
use tokio::sync::Semaphore;
use toolsure_guard::{Context, Envelope, Message, MessageKind, Recovery};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST};

use super::auth::{Authenticator, certificate_names};
use super::context::GuardContext;
use super::event::Event;
use super::http_exchange::HttpExchange;
use super::identity::Identity;
use super::reply::{SERVER_GONE, closing, error, error_text, onward, respond};
use super::request_permit::RequestPermit;
use super::session_driver::SessionDriver;
use super::session_router::{SessionRouter, SessionUpstream};
use super::shared_child::SharedChild;
use super::tickets::TicketIssuer;
use crate::http::header_mirroring::{given_of_arguments, mirrored_headers, mismatch};
use crate::http::{SESSION, VERSION};
use crate::web::{Admission, ResponseBody, Service, TooLarge, Wanted, late_timeout, read};
use caller_check::CallerCheck;
pub(super) use child_permits::ChildPermit;
use client_connection::ClientConnection;
pub(super) use limit::Limit;
pub use limit::limit_of;
use listeners::Listeners;
use process_pool::NoChild;
pub(super) use process_pool::{ProcessPool, UpstreamPool};
pub(super) use protected_resource::{ProtectedResource, Whose};
use refusals::Refusals;
use session_table::SessionTable;
pub(super) use trusted_proxies::TrustedProxies;

pub(super) struct HttpServer {
    ctx: Arc<GuardContext>,
    admission: Admission,
    trusted: TrustedProxies,
    slots: Arc<Semaphore>,
    sessions: Arc<SessionTable>,
    /// The streams that callers listen on.
    listeners: Listeners,
    callers: CallerCheck,
    refusals: Arc<Refusals>,
}

impl HttpServer {
    pub(super) fn new(
        ctx: Arc<GuardContext>,
        (admission, trusted): (Admission, TrustedProxies),
        upstream_pool: UpstreamPool,
        tickets: TicketIssuer,
        (protected, authenticator): (Option<ProtectedResource>, Option<Authenticator>),
    ) -> Arc<Self> {
        let refusals = Refusals::new(&ctx);
        Arc::new(Self {
            slots: Arc::new(Semaphore::new(ctx.bounds.requests)),
            sessions: SessionTable::new(&ctx, upstream_pool, tickets),
            listeners: Listeners::new(ctx.bounds.caller_streams),
            callers: CallerCheck {
                ctx: Arc::clone(&ctx),
                authenticator,
                protected,
                refusals: Arc::clone(&refusals),
            },
            refusals,
            ctx,
            admission,
            trusted,
        })
    }

    /// Ends sessions that are idle or expired, until the guard ends.
    pub(super) async fn maintain_sessions(self: Arc<Self>) {
        self.sessions.maintain().await;
    }

    /// Makes all sessions refuse new requests, and ends their listening streams.
    pub(super) fn stop_sessions(&self) {
        for session in self.sessions.all() {
            session.router.driver.stop();
            session.router.close_listeners();
        }
        // Those without a session too.
        self.listeners.close();
    }

    pub(super) async fn close(&self) {
        self.sessions.close().await;
    }

    async fn receive(
        &self,
        request: Request<Incoming>,
        client: &ClientConnection,
    ) -> Response<ResponseBody> {
        let wanted = match self.admission.check(&request) {
            Ok(wanted) => wanted,
            Err(refusal) => return self.refusals.turn_away(refusal, request.headers()),
        };
        if request.method() == Method::OPTIONS {
            return cors::preflight(request.headers());
        }
        let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() else {
            return self.refusals.limited(Limit::Requests, None);
        };
        if wanted == Wanted::Metadata
            && let Some(protected) = &self.callers.protected
        {
            return protected.metadata(request.headers()).await;
        }
        let (mut head, body) = request.into_parts();
        let sender = match self.callers.identify(&mut head.headers, client).await {
            Ok(sender) => sender,
            Err(refused) => return refused,
        };
        let peer = client.peer(&head.headers, &self.trusted, &sender);
        if !self.ctx.guard.admits(sender.verified.as_deref()) {
            return self.callers.not_admitted(peer);
        }
        let close = Arc::clone(&client.close);
        let counted = sender.counted_as(Some(&peer));
        let holder = self.ctx.message_memory.of(Arc::clone(&counted), close);
        let slot = RequestPermit {
            _slot: slot,
            bytes: holder.request(),
            holder,
            peer: Some(peer),
            sender,
            counted,
        };
        if head.method != Method::POST
            && let Some(refused) = self
                .refusals
                .unsupported(&head.headers, &Envelope::default())
        {
            return refused;
        }
        let mut response = match head.method {
            Method::GET => self.listen(head.headers, slot).await,
            Method::DELETE => self.delete(&head.headers, &slot).await,
            _ => self.post(head.headers, body, slot).await,
        };
        self.callers.keep_to_itself(&mut response);
        response
    }

    async fn post(
        &self,
        headers: HeaderMap,
        body: Incoming,
        mut slot: RequestPermit,
    ) -> Response<ResponseBody> {
        let limit = self.ctx.bounds.message_bytes;
        let reading = read(body, limit, &mut slot.bytes);
        let message = match late_timeout(self.ctx.times.body, reading).await {
            Ok(Ok(message)) => message,
            Ok(Err(TooLarge::Full)) => {
                let text = "the open requests have too many bytes in total (limits.message_memory)";
                return closing(self.refusals.unavailable("request-bytes", None, text));
            }
            Ok(Err(TooLarge::Broken)) => {
                return respond(400, HeaderMap::new(), ResponseBody::empty());
            }
            Ok(Err(TooLarge::Limit(part))) => {
                let mut recovery = Recovery::new();
                recovery.feed(&part);
                let router = self.passing(
                    (&HeaderMap::new(), &slot.sender),
                    &Arc::default(),
                    true,
                    None,
                );
                let exchange = HttpExchange::new(router, onward(&headers), true, slot);
                return exchange.oversize(&recovery.finish()).await;
            }
            Err(_) => {
                self.refusals.rejected(408, "body");
                let text = "the body did not arrive in time";
                return closing(error(408, None, ("body", INVALID_REQUEST), text));
            }
        };
        let message = self.ctx.guard.read(message);
        let envelope = &message.envelope().clone();
        // Nothing has seen the request yet, so a load balancer can send it to another replica.
        if envelope.is_request() && self.ctx.is_stopping() {
            return self
                .refusals
                .unavailable("stopping", envelope.id.as_ref(), STOPPING);
        }
        let is_array = message.bytes().trim_ascii_start().first() == Some(&b'[');
        if envelope.kind == MessageKind::Unknown && !is_array {
            // The conversation answers it with an error, and needs no state of its caller.
            let router = self.passing(
                (&HeaderMap::new(), &slot.sender),
                &Arc::default(),
                true,
                None,
            );
            let exchange = HttpExchange::new(router, onward(&headers), true, slot);
            return exchange.post(envelope, message).await;
        }
        if let Some(refused) = self.refusals.unsupported(&headers, envelope) {
            return refused;
        }
        if is_modern(envelope, &headers) {
            self.modern(headers, envelope, message, slot).await
        } else {
            self.legacy(headers, envelope, message, slot).await
        }
    }

    async fn modern(
        &self,
        headers: HeaderMap,
        envelope: &Envelope,
        message: Message,
        slot: RequestPermit,
    ) -> Response<ResponseBody> {
        // The conversation answers everything that is not a message.
        if envelope.method.is_some()
            && envelope.version.is_some()
            && let Some(wrong) = mismatch(&mirrored_headers(&message, None), &headers)
        {
            self.refusals.rejected(400, "headers");
            return error(
                400,
                envelope.id.as_ref(),
                ("headers", HEADER_MISMATCH),
                &wrong,
            );
        }
        if envelope.is_request() && envelope.version.is_none() {
            self.refusals.rejected(400, "headers");
            let text = "the version in the header `MCP-Protocol-Version` must be in `params._meta` too, and is not";
            return error(400, envelope.id.as_ref(), ("headers", INVALID_PARAMS), text);
        }
        let shared = match &self.sessions.upstream_pool {
            UpstreamPool::Endpoint(_) => None,
            UpstreamPool::Children(pool) => match self.sessions.shared(pool, &slot).await {
                Ok(shared) => Some(shared),
                Err(NoChild::Limit(limit)) => {
                    return self.refusals.limited(limit, envelope.id.as_ref());
                }
                Err(why) => {
                    let id = envelope.id.as_ref();
                    return error(503, id, (SERVER_GONE, INTERNAL_ERROR), &why.to_string());
                }
            },
        };
        let caller = shared.as_ref().map(|shared| shared.caller.clone());
        let passed = onward(&headers);
        let router = self.passing((&headers, &slot.sender), &passed, true, shared);
        let mut exchange = HttpExchange::new(router, passed, true, slot);
        exchange.keeps_time = true;
        exchange.caller = caller;
        exchange.post(envelope, message).await
    }

    async fn legacy(
        &self,
        headers: HeaderMap,
        envelope: &Envelope,
        message: Message,
        slot: RequestPermit,
    ) -> Response<ResponseBody> {
        let opens = envelope.is_request() && envelope.method.as_deref() == Some("initialize");
        if opens {
            return self.open(headers, envelope, message, slot).await;
        }
        let passed = onward(&headers);
        let mut caller = None;
        let router = match self.sessions.session_for(&headers, &slot).await {
            Ok(Some(session)) => {
                if let Some(refused) =
                    self.refusals
                        .of_other_version(&session.router, &headers, envelope)
                {
                    return refused;
                }
                session.caller.renew(slot.sender.authorization.as_ref());
                caller = Some(session.caller);
                session.router
            }
            // Some servers keep no sessions; they decide about the message themselves.
            Ok(None) if matches!(self.sessions.upstream_pool, UpstreamPool::Endpoint(_)) => {
                self.passing((&headers, &slot.sender), &passed, false, None)
            }
            Ok(None) => {
                let text = "send `Mcp-Session-Id`, or open a session with `initialize`";
                return error(
                    400,
                    envelope.id.as_ref(),
                    ("session", INVALID_REQUEST),
                    text,
                );
            }
            Err(why) => return self.refusals.no_session(why, envelope),
        };
        // A client may repeat a call that finds no room to wait for the tool list.
        if envelope.is_request()
            && envelope.method.as_deref() == Some("tools/call")
            && router.driver.is_crowded()
        {
            let text = "too many calls wait for the list of tools (parked)";
            return self
                .refusals
                .unavailable("parked", envelope.id.as_ref(), text);
        }
        let rewriter = self.sessions.session_id_rewriter(false, &slot.sender);
        let mut exchange = HttpExchange::new(router, passed, false, slot);
        exchange.rewriter = rewriter;
        exchange.caller = caller;
        exchange.keeps_time = !headers.contains_key(SESSION);
        let response = exchange.post(envelope, message).await;
        self.sessions.forget_if_gone(&headers, &response);
        response
    }

    async fn listen(&self, headers: HeaderMap, slot: RequestPermit) -> Response<ResponseBody> {
        let passed = onward(&headers);
        let router = match self.sessions.session_for(&headers, &slot).await {
            Ok(Some(session)) => {
                let no_message = Envelope::default();
                if let Some(refused) =
                    self.refusals
                        .of_other_version(&session.router, &headers, &no_message)
                {
                    return refused;
                }
                session.router
            }
            Ok(None) if matches!(self.sessions.upstream_pool, UpstreamPool::Endpoint(_)) => {
                self.passing((&headers, &slot.sender), &passed, false, None)
            }
            Ok(None) => {
                // Without a session there is nothing to listen to (RFC 9110 section 15.5.6).
                let allow = (ALLOW, HeaderValue::from_static("POST"));
                return respond(405, HeaderMap::from_iter([allow]), ResponseBody::empty());
            }
            Err(why) => return self.refusals.no_session(why, &Envelope::default()),
        };
        let rewriter = self.sessions.session_id_rewriter(false, &slot.sender);
        let mut exchange = HttpExchange::new(router, passed, false, slot);
        exchange.rewriter = rewriter;
        // First, so that a stream that the session ends itself does not count.
        exchange.register();
        self.listeners.add(exchange.listener(), exchange.mailbox());
        // A guard that stops ends it at once.
        if self.ctx.is_stopping() {
            self.listeners.close();
        }
        let response = exchange.listen().await;
        self.sessions.forget_if_gone(&headers, &response);
        response
    }

    /// A conversation for one request; `passed` are its headers as forwarded to an HTTP upstream.
    fn passing(
        &self,
        (headers, sender): (&HeaderMap, &Identity),
        passed: &Arc<HeaderMap>,
        modern: bool,
        shared: Option<Arc<SharedChild>>,
    ) -> Arc<SessionRouter> {
        let version = headers.get(VERSION).and_then(|value| value.to_str().ok());
        let version = version.filter(|_| !modern);
        let identity = shared.as_ref().map(|shared| shared.identity.clone());
        let (context, upstream) = match (&self.sessions.upstream_pool, shared) {
            (_, Some(shared)) => (
                shared.context.clone(),
                SessionUpstream::Shared(
                    shared,
                    given_of_arguments(headers),
                    sender.context.clone(),
                ),
            ),
            (UpstreamPool::Endpoint(endpoint), None) => (
                sender.context.clone(),
                SessionUpstream::Endpoint(
                    Arc::clone(endpoint),
                    Arc::clone(passed),
                    sender.caller(),
                ),
            ),
            // Only for messages that cannot be read completely; nothing is sent.
            (UpstreamPool::Children(_), None) => (Context::Anonymous, SessionUpstream::None),
        };
        let driver = SessionDriver::new(&self.ctx, context, self.sessions.link(version));
        if let Some(identity) = identity {
            driver.stand_for(&identity);
        }
        driver.count_for(sender);
        SessionRouter::new(driver, upstream)
    }
}

impl Service for HttpServer {
    type Connection = ClientConnection;

    fn connected(&self, from: SocketAddr) -> ClientConnection {
        self.ctx.observe(&Event::Connected);
        ClientConnection::new(from, &self.trusted)
    }

    fn certified(&self, client: &mut ClientConnection, certificate: &CertificateDer<'_>) {
        client.certificates = certificate_names(certificate);
    }

    async fn given_up(&self, client: &ClientConnection) {
        client.close.notified().await;
        self.ctx.observe(&Event::GivenUp { why: "slow-reader" });
        if self.refusals.is_first_in_a_while("slow-reader") {
            let detail = format!(
                "the connection from {} was closed in the middle of an answer, because it read too slowly and others waited for memory (`limits.message_memory`, `limits.caller_memory`; reported at most once a minute)",
                client.address
            );
            self.ctx.note("slow-reader", &detail);
        }
    }

    fn disconnected(&self, lasted: Duration) {
        self.ctx.observe(&Event::Disconnected { lasted });
    }

    fn full(&self) -> String {
        self.refusals.rejected(503, "connections");
        let text = "too many connections are open (limits.connections)";
        error_text(("connections", INTERNAL_ERROR), text)
    }

    fn stopping(&self) -> String {
        self.refusals.rejected(503, "stopping");
        error_text(("stopping", INTERNAL_ERROR), STOPPING)
    }

    async fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: Arc<ClientConnection>,
    ) -> Response<ResponseBody> {
        let reader = self.admission.listed_origin(request.headers()).cloned();
        let is_chunked = request.headers().contains_key(TRANSFER_ENCODING);
        let host = request.headers().get(HOST).cloned();
        let mut response = self.receive(request, &client).await;
        if let Some(protected) = &self.callers.protected {
            protected.rename(response.headers_mut(), host.as_ref());
        }
        if let Some(origin) = reader {
            cors::allow(&mut response, origin);
        }
        // The HTTP reader may have ignored a `Content-Length` beside it, so that the bytes that
        // follow cannot be trusted to be a request (RFC 9112 section 6.1).
        if is_chunked {
            closing(response)
        } else {
            response
        }
    }
}

/// Whether a message is modern. Its own version decides; without one, the HTTP header does.
fn is_modern(envelope: &Envelope, headers: &HeaderMap) -> bool {
    let header = headers.get(VERSION).and_then(|value| value.to_str().ok());
    // `initialize` opens a session of an older version, whatever the header says.
    let opens = envelope.is_request() && envelope.method.as_deref() == Some("initialize");
    envelope.version.is_some() || !opens && header.is_some_and(Era::is_modern_version)
}

const STOPPING: &str = "the guard is shutting down; the request was not passed on, send it again";
