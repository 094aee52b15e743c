//! The table of sessions, and how one of them ends.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use tokio::time::timeout;
use toolsure_guard::{Context, ScopeKey};

use super::{HttpServer, Session};
use crate::guard::event::Event;
use crate::guard::session_router::SessionUpstream;

impl HttpServer {
    pub(super) fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a session; `false` if there is none.
    pub(super) async fn end_session(&self, name: &str) -> bool {
        let Some(session) = self.sessions().remove(name) else {
            return false;
        };
        let lasted = session.router.begun.elapsed();
        self.release_session(&session).await;
        self.ctx.observe(&Event::SessionClosed { lasted });
        true
    }

    /// Closes the streams and the child of a session, and forgets its scope.
    pub(super) async fn release_session(&self, session: &Session) {
        session.router.close_listeners();
        if let SessionUpstream::Child(input) = &session.router.upstream {
            let _slow_reader = timeout(self.ctx.times.grace, input.close()).await;
        }
        self.ctx.guard.forget(&ScopeKey {
            upstream: Arc::clone(&self.ctx.name),
            context: Context::Session(session.number),
        });
    }
}
