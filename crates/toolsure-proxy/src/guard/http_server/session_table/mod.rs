//! The sessions of the older protocol versions: the table, idle timeout and end.

mod opening;
mod reservations;
mod room;
mod session_transfers;
mod transfers;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::Response;
use hyper::header::{HeaderMap, HeaderValue};
use tokio::time::{Instant, timeout};
use toolsure_guard::{Carrier, Context, Link, ScopeKey, Side};

use super::child_permits::ChildPermit;
use super::process_pool::UpstreamPool;
use crate::guard::child::{Child, PATIENCE, read_until_closed};
use crate::guard::context::GuardContext;
use crate::guard::event::Event;
use crate::guard::identity::Identity;
use crate::guard::in_process::Caller;
use crate::guard::messages::Received;
use crate::guard::session_driver::{SessionDriver, link};
use crate::guard::session_id_rewriter::SessionIdRewriter;
use crate::guard::session_router::{SessionRouter, SessionUpstream};
use crate::guard::tickets::caller::digest;
use crate::guard::tickets::{SessionLocation, TicketIssuer, VerifiedTicket};
use crate::http::SESSION;
use crate::web::ResponseBody;
pub(super) use opening::NotOpened;
use reservations::Reservations;
use session_transfers::SessionTransfers;

/// The sessions, by id, and where their messages go.
pub(super) struct SessionTable {
    ctx: Arc<GuardContext>,
    pub(super) upstream_pool: UpstreamPool,
    sessions: Mutex<HashMap<String, Session>>,
    /// Sessions that are being opened.
    reservations: Reservations,
    contexts: AtomicU64,
    tickets: Arc<TicketIssuer>,
    transfers: SessionTransfers,
}

#[derive(Clone)]
pub(super) struct Session {
    pub(super) router: Arc<SessionRouter>,
    number: u64,
    /// The caller that the session works for; its authorization may be renewed.
    pub(super) caller: Caller,
    /// What the sessions of its caller are counted by.
    counted: Arc<str>,
    /// The ticket in its session id.
    ticket: VerifiedTicket,
}

impl SessionTable {
    pub(super) fn new(
        ctx: &Arc<GuardContext>,
        upstream_pool: UpstreamPool,
        tickets: TicketIssuer,
    ) -> Arc<Self> {
        Arc::new(Self {
            ctx: Arc::clone(ctx),
            upstream_pool,
            sessions: Mutex::default(),
            reservations: Reservations::default(),
            contexts: AtomicU64::new(1),
            tickets: Arc::new(tickets),
            transfers: SessionTransfers::default(),
        })
    }

    /// The number of a context that no session has had.
    fn next_number(&self) -> u64 {
        self.contexts.fetch_add(1, Ordering::Relaxed)
    }

    /// The conversation of a new session of `sender`, and its number.
    pub(super) fn begin(&self, sender: &Identity) -> (SessionDriver, u64) {
        let number = self.next_number();
        let driver = SessionDriver::new(&self.ctx, Context::Session(number), self.link(None));
        driver.count_for(sender);
        (driver, number)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a session; `false` if there is none. Does not wait for its child.
    pub(super) fn end_session(&self, name: &str) -> bool {
        let ended = self.sessions().remove(name);
        self.ended(ended)
    }

    /// The same, unless another session has the name by now.
    fn end_session_of(&self, name: &str, router: &Arc<SessionRouter>) -> bool {
        let ended = {
            let mut sessions = self.sessions();
            let is_it = |session: &Session| Arc::ptr_eq(&session.router, router);
            let is_known = sessions.get(name).is_some_and(is_it);
            is_known.then(|| sessions.remove(name)).flatten()
        };
        self.ended(ended)
    }

    fn ended(&self, session: Option<Session>) -> bool {
        let Some(session) = session else { return false };
        self.release_session(&session);
        let lasted = session.router.begun.elapsed();
        self.ctx.observe(&Event::SessionClosed { lasted });
        true
    }

    /// Ends the streams and the child of a session, and forgets its scope.
    fn release_session(&self, session: &Session) {
        session.router.end();
        self.ctx.guard.forget(&ScopeKey {
            upstream: Arc::clone(&self.ctx.name),
            context: Context::Session(session.number),
        });
    }

    /// Ends sessions that are idle or expired, until the guard ends.
    pub(super) async fn maintain(&self) {
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

    /// Ends all sessions and their children, and waits until the children have ended.
    pub(super) async fn close(&self) {
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

    /// Remembers that a client has deleted its session.
    pub(super) fn deleted(&self, headers: &HeaderMap) {
        self.transfers.over(headers);
    }

    /// Reads the child of a session until its output ends, or the session; then ends the child.
    async fn read_child(
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
        // Nobody answers the child's own requests any more, and the guard has waited before it stops.
        let lingers = || linger.of(!self.ctx.is_stopping() && router.driver.is_awaited());
        let (_, until) = read_until_closed(reading, router.ended(), input, lingers).await;
        let how = child.end(until).await;
        let deliver = &mut |output| router.route(output, None);
        router.driver.server_gone(&how, deliver);
        router.gone.store(true, Ordering::Release);
        self.end_session_of(&name, &router);
    }

    pub(super) fn link(&self, version: Option<&str>) -> Link {
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
    fn insert_session(&self, name: &str, session: Session) -> Session {
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
