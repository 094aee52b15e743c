//! Sessions that are opened with a child, and sessions that are looked up.

use std::sync::Arc;

use hyper::header::{HeaderMap, HeaderValue};
use toolsure_guard::{Context, Peer};

use super::reservations::Reservation;
use super::{Session, SessionTable, transfers};
use crate::fault::Fault;
use crate::guard::http_server::limit::Limit;
use crate::guard::http_server::process_pool::{ProcessPool, UpstreamPool};
use crate::guard::identity::Identity;
use crate::guard::in_process::Caller;
use crate::guard::reply::onward;
use crate::guard::session_driver::SessionDriver;
use crate::guard::session_router::{SessionIds, SessionRouter, SessionUpstream};
use crate::guard::tickets::caller::digest;
use crate::guard::tickets::{NoSession, NoSessionId, SessionLocation};
use crate::http::{SESSION, Standing, VERSION};

/// A session that was opened with a child of its own.
pub(in crate::guard::http_server) struct OpenedChild {
    pub(in crate::guard::http_server) router: Arc<SessionRouter>,
    pub(in crate::guard::http_server) name: HeaderValue,
    pub(in crate::guard::http_server) caller: Caller,
}

/// Why no session was opened.
pub(in crate::guard::http_server) enum NotOpened {
    Limit(Limit),
    /// There is no id for it.
    Nameless(NoSessionId),
    /// Its child cannot be started.
    Failed(Fault),
    Invalid(NoSession),
}

impl SessionTable {
    /// Opens a session with a child of its own, for a client's `initialize`. `place` is held until the session
    /// is stored.
    pub(in crate::guard::http_server) async fn open_child(
        self: &Arc<Self>,
        pool: &ProcessPool,
        place: Reservation,
        (sender, counted, peer): (&Identity, Arc<str>, Peer),
        initialize: &[u8],
    ) -> Result<OpenedChild, NotOpened> {
        let permit = self.permit(pool, &counted).await;
        let permit = permit.map_err(NotOpened::Limit)?;
        let opening = pool.moves().then(|| transfers::opening(initialize));
        let name = match opening.flatten() {
            Some(opening) => self.tickets.of_opening(opening, sender),
            None => self.tickets.of_child(sender),
        };
        let name = name.map_err(NotOpened::Nameless)?;
        let known_as = name.to_str().unwrap_or_default();
        let (driver, number) = self.begin(sender);
        driver.stand_for_session(known_as.as_bytes());
        let who = Peer {
            session: Some(digest(known_as.as_bytes()).into()),
            ..peer
        };
        let caller = sender.caller();
        let caller = caller.standing_for(Standing::Session(known_as.into()));
        let caller = caller.recorded_as(Arc::new(who));
        let started = pool.start(&self.ctx, &caller);
        let (child, input) = started.map_err(NotOpened::Failed)?;
        let router = SessionRouter::new(driver, SessionUpstream::Child(input));
        let opened = (Arc::clone(&router), number, caller.clone(), counted);
        let is_stored = self.add_session(&name, sender, opened);
        drop(place);
        let reading = Arc::clone(self);
        tokio::spawn(reading.read_child(Arc::clone(&router), child, known_as.to_owned(), permit));
        if !is_stored {
            router.end();
            return Err(NotOpened::Invalid(NoSession::OpeningFailed));
        }
        Ok(OpenedChild {
            router,
            name,
            caller,
        })
    }

    /// The session of a request; `None` if it has no session id. A session of an HTTP upstream that
    /// is unknown here is adopted: its id contains all that is needed.
    pub(in crate::guard::http_server) fn session_of(
        &self,
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
        let number = self.next_number();
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
}
