//! The legacy sessions of the HTTP server: opening, lookup, idle timeout and end.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hyper::Response;
use hyper::header::{HeaderMap, HeaderValue};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};
use toolsure_guard::{Carrier, Context, Envelope, Message, Peer, Side};
use toolsure_mcp::message::INTERNAL_ERROR;

use super::{ChildPermit, HttpServer, STOPPING, Session, UpstreamPool, transfers};
use crate::guard::child::{Child, PATIENCE, read_until_closed};
use crate::guard::event::Event;
use crate::guard::http_exchange::HttpExchange;
use crate::guard::identity::Identity;
use crate::guard::in_process::Caller;
use crate::guard::messages::Received;
use crate::guard::reply::{SERVER_GONE, error, onward};
use crate::guard::request_permit::RequestPermit;
use crate::guard::session_driver::{SessionDriver, link};
use crate::guard::session_id_rewriter::SessionIdRewriter;
use crate::guard::session_router::{SessionIds, SessionRouter, SessionUpstream};
use crate::guard::tickets::caller::digest;
use crate::guard::tickets::{NoSession, SessionLocation};
use crate::http::{SESSION, Standing, VERSION};
use crate::web::ResponseBody;

impl HttpServer {
    /// Opens a session, with the client's `initialize`.
    pub(super) async fn open(
        self: &Arc<Self>,
        headers: HeaderMap,
        envelope: &Envelope,
        message: Message,
        slot: RequestPermit,
    ) -> Response<ResponseBody> {
        if self.ctx.is_stopping() {
            return self.unavailable("stopping", envelope.id.as_ref(), STOPPING);
        }
        let counted = Arc::clone(&slot.counted);
        // Until the session is stored.
        let place = match self.room(&counted) {
            Ok(place) => place,
            Err(limit) => return self.limited(limit, envelope.id.as_ref()),
        };
        let number = self.contexts.fetch_add(1, Ordering::Relaxed);
        let driver = SessionDriver::new(&self.ctx, Context::Session(number), self.link(None));
        let sender = Arc::clone(&slot.sender);
        driver.count_for(&sender);
        let caller = sender.caller();
        match &self.upstream_pool {
            UpstreamPool::Endpoint(endpoint) => {
                let passed = onward(&headers);
                let upstream = SessionUpstream::Endpoint(
                    Arc::clone(endpoint),
                    Arc::clone(&passed),
                    caller.clone(),
                );
                let router = SessionRouter::new(driver, upstream);
                let mut exchange = HttpExchange::new(Arc::clone(&router), passed, false, slot);
                exchange.rewriter = self.session_id_rewriter(true, &sender);
                // The session, which has a clock, begins only with the answer.
                exchange.keeps_time = true;
                let response = exchange.post(envelope, message).await;
                if let Some(session_ids) = router.session_ids() {
                    let opened = (router, number, caller, counted);
                    self.add_session(&session_ids.client_id, &sender, opened);
                }
                drop(place);
                response
            }
            UpstreamPool::Children(pool) => {
                let permit = match self.permit(pool, &counted).await {
                    Ok(permit) => permit,
                    Err(limit) => return self.limited(limit, envelope.id.as_ref()),
                };
                let opening = pool.moves().then(|| transfers::opening(message.bytes()));
                let name = match opening.flatten() {
                    Some(opening) => self.tickets.of_opening(opening, &sender),
                    None => self.tickets.of_child(&sender),
                };
                let name = match name {
                    Ok(name) => name,
                    Err(no_session_id) => {
                        let (status, text) = no_session_id.response();
                        return error(
                            status,
                            envelope.id.as_ref(),
                            ("session-unopened", INTERNAL_ERROR),
                            &text,
                        );
                    }
                };
                let known_as = name.to_str().unwrap_or_default().to_owned();
                driver.stand_for_session(known_as.as_bytes());
                let who = Peer {
                    session: Some(digest(known_as.as_bytes()).into()),
                    ..slot.peer.as_deref().cloned().unwrap_or_default()
                };
                let caller = caller.standing_for(Standing::Session(known_as.as_str().into()));
                let caller = caller.recorded_as(Arc::new(who));
                let (child, input) = match pool.start(&self.ctx, &caller) {
                    Ok(started) => started,
                    Err(fault) => {
                        let text = fault.to_string();
                        return error(
                            502,
                            envelope.id.as_ref(),
                            (SERVER_GONE, INTERNAL_ERROR),
                            &text,
                        );
                    }
                };
                let router = SessionRouter::new(driver, SessionUpstream::Child(input));
                let opened = (Arc::clone(&router), number, caller.clone(), counted);
                let is_stored = self.add_session(&name, &sender, opened);
                drop(place);
                let server = Arc::clone(self);
                tokio::spawn(server.read_child(
                    Arc::clone(&router),
                    child,
                    known_as.clone(),
                    permit,
                ));
                if !is_stored {
                    router.end();
                    return self.no_session(NoSession::OpeningFailed, envelope);
                }
                let mut exchange = HttpExchange::new(router, onward(&headers), false, slot);
                exchange.session_id = Some(name);
                exchange.caller = Some(caller);
                let (opened, was_opened) = oneshot::channel();
                exchange.opened = Some(opened);
                let server = Arc::clone(self);
                tokio::spawn(async move {
                    // The client has left, or got an answer that opens no session.
                    if was_opened.await.is_err() {
                        server.end_session(&known_as);
                    }
                });
                exchange.post(envelope, message).await
            }
        }
    }

    /// Ends sessions that are idle or expired, until the guard ends.
    pub(in crate::guard) async fn maintain_sessions(self: Arc<Self>) {
        let idle = self.ctx.times.idle;
        let each = (idle / 8).clamp(SHORTEST_ROUND, LONGEST_ROUND);
        loop {
            tokio::time::sleep(each).await;
            let now = Instant::now();
            let stale: Vec<String> = {
                let sessions = self.sessions();
                let stale = sessions.iter().filter(|(name, session)| {
                    let since = session.router.idle_since();
                    since.is_some_and(|since| now.saturating_duration_since(since) >= idle)
                        || self.tickets.is_over(name, &session.ticket)
                });
                stale.map(|(name, _)| name.clone()).collect()
            };
            for name in stale {
                self.end_session(&name);
            }
            if let UpstreamPool::Children(pool) = &self.upstream_pool {
                pool.sweep(idle);
            }
        }
    }

    /// Makes all sessions refuse new requests, and ends their listening streams.
    pub(in crate::guard) fn stop_sessions(&self) {
        for session in self.all() {
            session.router.driver.stop();
            session.router.close_listeners();
        }
        // Those without a session too.
        let mut listeners = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.close();
    }

    pub(in crate::guard) async fn close(&self) {
        let names: Vec<String> = self.sessions().keys().cloned().collect();
        for name in names {
            self.end_session(&name);
        }
        if let UpstreamPool::Children(pool) = &self.upstream_pool {
            let patience = self.ctx.times.grace.saturating_mul(PATIENCE);
            pool.close(patience).await;
        }
    }

    pub(super) fn all(&self) -> Vec<Session> {
        self.sessions().values().cloned().collect()
    }

    /// Reads the child of a session until its output ends, or the session; then ends the child.
    pub(super) async fn read_child(
        self: Arc<Self>,
        router: Arc<SessionRouter>,
        mut child: Child,
        name: String,
        _permit: ChildPermit,
    ) {
        let SessionUpstream::Child(input) = &router.upstream else {
            return;
        };
        let linger = child.linger();
        let is_awaited = || !router.driver.is_idle();
        let reading = async {
            loop {
                match child.next(is_awaited).await {
                    Received::Message(message) => {
                        router.take(Side::Server, message, None);
                    }
                    Received::Tools(event) => router.driver.tools_event(event),
                    Received::TooLong(found) => {
                        let deliver = &mut |output| router.route(output, None);
                        router.driver.oversize(Side::Server, &found, deliver);
                    }
                    Received::End => break,
                }
                router.room(self.ctx.bounds.waiting_events).await;
            }
        };
        let input = (&**input, self.ctx.times.grace);
        let (_, until) =
            read_until_closed(reading, router.ended(), input, (linger, is_awaited)).await;
        let how = child.end(until).await;
        let deliver = &mut |output| router.route(output, None);
        router.driver.server_gone(&how, deliver);
        router.gone.store(true, Ordering::Release);
        self.end_session_of(&name, &router);
    }

    pub(super) fn link(&self, version: Option<&str>) -> toolsure_guard::Link {
        let server = match self.upstream_pool {
            UpstreamPool::Endpoint(_) => Carrier::Http,
            UpstreamPool::Children(_) => Carrier::Stdio,
        };
        link(Carrier::Http, server, version)
    }

    /// Rewrites session ids in the responses of an HTTP upstream.
    pub(super) fn session_id_rewriter(
        &self,
        opens: bool,
        sender: &Arc<Identity>,
    ) -> Option<SessionIdRewriter> {
        let names =
            matches!(self.upstream_pool, UpstreamPool::Endpoint(_)).then_some(&self.tickets);
        names.map(|names| SessionIdRewriter::new(names, opens, sender))
    }

    /// The session of a request; `None` if it has no session id. A session of an HTTP upstream that
    /// is unknown here is adopted: its id contains all that is needed.
    pub(super) async fn session_of(
        self: &Arc<Self>,
        headers: &HeaderMap,
        sender: &Identity,
        counted: &Arc<str>,
    ) -> Result<Option<Session>, NoSession> {
        let Some(value) = headers.get(SESSION) else {
            return Ok(None);
        };
        let name = value.to_str().map_err(|_| NoSession::Unknown)?;
        let known = self.sessions().get(name).cloned();
        let before = known.as_ref().map(|session| &session.ticket);
        let ticket = self.tickets.read(name, before, sender)?;
        if let Some(known) = known {
            // The stored ticket is the same one, read with the same keys.
            if known.ticket.is(&ticket) {
                return Ok(Some(known));
            }
            if let Some(kept) = self.sessions().get_mut(name) {
                kept.ticket = ticket;
                return Ok(Some(kept.clone()));
            }
            // It has ended in the meantime.
        }
        let (SessionLocation::Upstream { id, version }, UpstreamPool::Endpoint(endpoint)) =
            (&ticket.contents.location, &self.upstream_pool)
        else {
            return Err(self.tickets.absent(&ticket.contents.location));
        };
        let upstream_id = HeaderValue::from_bytes(id).map_err(|_| NoSession::Unknown)?;
        let _place = self.room(counted).map_err(NoSession::Limit)?;
        let number = self.contexts.fetch_add(1, Ordering::Relaxed);
        let header = headers.get(VERSION).and_then(|value| value.to_str().ok());
        let link = self.link(version.as_deref().or(header));
        let driver = SessionDriver::adopt(&self.ctx, Context::Session(number), link);
        driver.stand_for_session(id);
        driver.count_for(sender);
        let caller = sender.caller();
        let upstream =
            SessionUpstream::Endpoint(Arc::clone(endpoint), onward(headers), caller.clone());
        let router = SessionRouter::new(driver, upstream);
        let client_id = value.clone();
        router.set_session_ids(SessionIds {
            upstream_id,
            client_id,
        });
        let session = Session {
            router,
            number,
            caller,
            counted: Arc::clone(counted),
            ticket,
        };
        Ok(Some(self.insert_session(name, session)))
    }

    /// Stores a session that was opened here by `sender`. `false` if its id became invalid meanwhile.
    pub(super) fn add_session(
        &self,
        name: &HeaderValue,
        sender: &Identity,
        (router, number, caller, counted): (Arc<SessionRouter>, u64, Caller, Arc<str>),
    ) -> bool {
        let Ok(name) = name.to_str() else {
            return false;
        };
        // Fails if the keys were replaced in the meantime.
        let Ok(ticket) = self.tickets.read(name, None, sender) else {
            return false;
        };
        if let SessionLocation::Upstream { id, .. } = &ticket.contents.location {
            router.driver.stand_for_session(id);
        }
        let session = Session {
            router,
            number,
            caller,
            counted,
            ticket,
        };
        self.insert_session(name, session);
        true
    }

    /// Stores a session under its id. Returns the stored session, which another request may have
    /// stored first.
    pub(super) fn insert_session(&self, name: &str, session: Session) -> Session {
        // Fails if it has the name already.
        let _named = session.router.name.set(digest(name.as_bytes()));
        let mut sessions = self.sessions();
        if let Some(kept) = sessions.get_mut(name) {
            kept.ticket = session.ticket;
            return kept.clone();
        }
        sessions.insert(name.to_owned(), session.clone());
        drop(sessions);
        self.ctx.observe(&Event::SessionOpened);
        // The clock task ends with the session.
        let weak = Arc::downgrade(&session.router);
        tokio::spawn(async move {
            while let Some(router) = weak.upgrade() {
                let ticking = Arc::clone(&router);
                let mut deliver = move |output| ticking.route(output, None);
                let tick = router.driver.clock(&mut deliver);
                let _none_for_a_while = timeout(LONGEST_ROUND, tick).await;
            }
        });
        session
    }

    /// Removes a session that the upstream does not know any more.
    pub(super) fn forget_if_gone(&self, headers: &HeaderMap, response: &Response<ResponseBody>) {
        let name = headers.get(SESSION).and_then(|name| name.to_str().ok());
        if response.status().as_u16() == 404
            && matches!(self.upstream_pool, UpstreamPool::Endpoint(_))
            && let Some(name) = name
        {
            self.end_session(name);
        }
    }
}

const SHORTEST_ROUND: Duration = Duration::from_millis(100);
const LONGEST_ROUND: Duration = Duration::from_secs(30);
