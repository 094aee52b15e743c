//! The legacy sessions of a desk: how they begin, are found again, idle and end.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::Response;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout};
use toolgate_guard::{Context, ScopeKey, Side};

use super::{Desk, Far, Session};
use crate::guard::child::{Child, Said};
use crate::guard::event::Event;
use crate::guard::hub::{Hub, Named, Way};
use crate::guard::inner::Caller;
use crate::guard::names::{NoSession, Place};
use crate::guard::porter::Porter;
use crate::guard::reply::onward;
use crate::http::{SESSION, VERSION};
use crate::web::Outgoing;

impl Desk {
    /// Looks after the sessions until the desk is dropped or the guard ends.
    pub(in crate::guard) async fn look_after(self: Arc<Self>) {
        let idle = self.house.times.idle;
        let each = (idle / 8).clamp(SHORTEST_ROUND, LONGEST_ROUND);
        loop {
            tokio::time::sleep(each).await;
            let now = Instant::now();
            let stale: Vec<String> = {
                let sessions = self.sessions();
                let stale = sessions.iter().filter(|(name, session)| {
                    let since = session.hub.idle_since();
                    since.is_some_and(|since| now.saturating_duration_since(since) >= idle)
                        || self.names.is_over(name, &session.told)
                });
                stale.map(|(name, _)| name.clone()).collect()
            };
            for name in stale {
                self.end_session(&name).await;
            }
            if let Far::Children(nursery) = &self.far {
                nursery.sweep(idle).await;
            }
        }
    }

    /// Ends what has no request to answer: listening streams, and, once all is answered, sessions.
    pub(in crate::guard) fn hush(&self) {
        for session in self.all() {
            session.hub.porter.stop();
            session.hub.close_listener();
        }
    }

    pub(in crate::guard) async fn close(&self) {
        let names: Vec<String> = self.sessions().keys().cloned().collect();
        for name in names {
            self.end_session(&name).await;
        }
        if let Far::Children(nursery) = &self.far {
            // Each may be asked twice before it is killed; one more is for the one behind it.
            let patience = self.house.times.grace.saturating_mul(3);
            nursery.close(patience).await;
        }
    }

    pub(super) fn all(&self) -> Vec<Session> {
        self.sessions().values().cloned().collect()
    }

    /// Reads the child of a session until it has nothing more to say.
    pub(super) async fn talk(
        self: Arc<Self>,
        hub: Arc<Hub>,
        mut child: Child,
        name: String,
        _place: OwnedSemaphorePermit,
    ) {
        let house = Arc::clone(&self.house);
        loop {
            match child.listen().await {
                Said::Line(line) => hub.take(Side::Server, &line, None),
                Said::TooLong(found) => {
                    let deliver = &mut |order| hub.route(order, None);
                    hub.porter.oversize(Side::Server, &found, deliver);
                }
                Said::Nothing => break,
            }
            hub.room(house.bounds.waiting_events).await;
        }
        if let Way::Child(input) = &hub.way {
            input.close().await;
        }
        let how = child.end(house.times.grace).await;
        let deliver = &mut |order| hub.route(order, None);
        hub.porter.server_gone(&how, deliver);
        hub.gone.store(true, Ordering::Release);
        self.end_session(&name).await;
    }

    /// The session that a request names: `None` without a name. A session of an HTTP upstream
    /// that is not known here goes on here: its name tells how.
    pub(super) fn session_of(&self, headers: &HeaderMap) -> Result<Option<Session>, NoSession> {
        let Some(value) = headers.get(SESSION) else {
            return Ok(None);
        };
        let name = value.to_str().map_err(|_| NoSession::Unknown)?;
        let known = self.sessions().get(name).cloned();
        let before = known.as_ref().map(|session| &session.told);
        let told = self.names.read(name, before, headers)?;
        if let Some(known) = known {
            return Ok(Some(self.keep(name, Session { told, ..known })));
        }
        let (Place::Upstream { id, version }, Far::Endpoint(endpoint)) =
            (&told.claim.place, &self.far)
        else {
            return Err(self.names.absent(&told.claim.place));
        };
        let theirs = HeaderValue::from_bytes(id).map_err(|_| NoSession::Unknown)?;
        if !self.has_room() {
            return Err(NoSession::NoRoom);
        }
        let number = self.contexts.fetch_add(1, Ordering::Relaxed);
        let header = headers.get(VERSION).and_then(|value| value.to_str().ok());
        let link = self.link(version.as_deref().or(header));
        let porter = Porter::adopt(&self.house, Context::Session(number), link);
        porter.stand_for_session(id);
        let caller = Caller::new(headers.get(AUTHORIZATION));
        let way = Way::Endpoint(Arc::clone(endpoint), onward(headers), caller.clone());
        let hub = Hub::new(porter, way);
        let ours = value.clone();
        hub.name(Named { theirs, ours });
        let session = Session {
            hub,
            number,
            caller,
            told,
        };
        Ok(Some(self.keep(name, session)))
    }

    /// Room for one more session; the one that was idle longest makes it, if need be.
    pub(super) fn has_room(&self) -> bool {
        let mut sessions = self.sessions();
        if sessions.len() < self.house.bounds.sessions {
            return true;
        }
        // A child's session holds state that only its client may give up.
        if matches!(self.far, Far::Children(_)) {
            return false;
        }
        let idle = sessions
            .iter()
            .filter_map(|(name, session)| Some((session.hub.idle_since()?, name.clone())))
            .min();
        idle.is_some_and(|(_, name)| sessions.remove(&name).is_some())
    }

    /// A session that was opened here, by whoever sent `headers`.
    pub(super) fn enter(
        &self,
        name: &HeaderValue,
        headers: &HeaderMap,
        hub: Arc<Hub>,
        number: u64,
        caller: Caller,
    ) {
        let Ok(name) = name.to_str() else { return };
        // Fails only if the keys were replaced this very moment; then the name opens nothing.
        if let Ok(told) = self.names.read(name, None, headers) {
            if let Place::Upstream { id, .. } = &told.claim.place {
                hub.porter.stand_for_session(id);
            }
            let session = Session {
                hub,
                number,
                caller,
                told,
            };
            self.keep(name, session);
        }
    }

    /// Keeps a session under its name; gives the one that is kept, which another request may have
    /// brought first.
    pub(super) fn keep(&self, name: &str, session: Session) -> Session {
        let mut sessions = self.sessions();
        if let Some(kept) = sessions.get_mut(name) {
            kept.told = session.told;
            return kept.clone();
        }
        sessions.insert(name.to_owned(), session.clone());
        drop(sessions);
        self.house.observe(&Event::SessionOpened);
        // The clock of a session ends with it.
        let weak = Arc::downgrade(&session.hub);
        tokio::spawn(async move {
            while let Some(hub) = weak.upgrade() {
                let ticking = Arc::clone(&hub);
                let mut deliver = move |order| ticking.route(order, None);
                let tick = hub.porter.clock(&mut deliver);
                let _none_for_a_while = timeout(LONGEST_ROUND, tick).await;
            }
        });
        session
    }

    /// `false`: there is none.
    pub(super) async fn end_session(&self, name: &str) -> bool {
        let Some(session) = self.sessions().remove(name) else {
            return false;
        };
        let lasted = session.hub.begun.elapsed();
        self.dismiss(&session).await;
        self.house.observe(&Event::SessionClosed { lasted });
        true
    }

    /// Lets go of what a session has.
    pub(super) async fn dismiss(&self, session: &Session) {
        session.hub.close_listener();
        if let Way::Child(input) = &session.hub.way {
            let _slow_reader = timeout(self.house.times.grace, input.close()).await;
        }
        self.house.guard.forget(&ScopeKey {
            upstream: Arc::clone(&self.house.name),
            context: Context::Session(session.number),
        });
    }

    /// The upstream does not know the session any more.
    pub(super) fn forget_if_gone(&self, headers: &HeaderMap, response: &Response<Outgoing>) {
        let name = headers.get(SESSION).and_then(|name| name.to_str().ok());
        if response.status().as_u16() == 404
            && matches!(self.far, Far::Endpoint(_))
            && let Some(name) = name
            && let Some(session) = self.sessions().remove(name)
        {
            let lasted = session.hub.begun.elapsed();
            self.house.observe(&Event::SessionClosed { lasted });
        }
    }

    pub(super) fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const SHORTEST_ROUND: Duration = Duration::from_millis(100);
const LONGEST_ROUND: Duration = Duration::from_secs(30);
