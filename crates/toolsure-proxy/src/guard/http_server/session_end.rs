//! The table of sessions, and how one of them ends.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use toolsure_guard::{Context, ScopeKey};

use super::{HttpServer, Session};
use crate::guard::event::Event;
use crate::guard::session_router::SessionRouter;

impl HttpServer {
    pub(super) fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a session; `false` if there is none. Does not wait for its child.
    pub(super) fn end_session(&self, name: &str) -> bool {
        let ended = self.sessions().remove(name);
        self.ended(ended)
    }

    /// The same, unless another session has the name by now.
    pub(super) fn end_session_of(&self, name: &str, router: &Arc<SessionRouter>) -> bool {
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
    pub(super) fn release_session(&self, session: &Session) {
        session.router.end();
        self.ctx.guard.forget(&ScopeKey {
            upstream: Arc::clone(&self.ctx.name),
            context: Context::Session(session.number),
        });
    }
}
