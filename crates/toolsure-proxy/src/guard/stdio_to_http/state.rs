//! What the tasks of one client share: the session, and the messages for the server.

use std::collections::VecDeque;
use std::sync::{MutexGuard, PoisonError};

use hyper::header::{HeaderMap, HeaderValue};
use toolsure_guard::{Message, Side};

use super::{State, StdioToHttp};
use crate::guard::session_driver::Output;
use crate::http::{SESSION, VERSION};

impl StdioToHttp {
    pub(super) fn take(&self, from: Side, message: impl Into<Message>) {
        self.driver
            .take(from, message, &mut |output| self.deliver(output));
    }

    pub(super) fn deliver(&self, output: Output) {
        match output {
            Output::ToClient(message) => self.client.push(message),
            Output::ToServer(message) => self.queue().push_back(message),
            Output::Abandon(id) => {
                if let Some(upstream_request) = self.state().remove_request(&id) {
                    upstream_request.abort();
                }
            }
        }
    }

    /// The headers of a legacy session.
    pub(super) fn common(&self) -> HeaderMap {
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

    /// The id of the session that an answer opens.
    pub(super) fn session_of(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let mut session = headers.get(SESSION).cloned()?;
        session.set_sensitive(true);
        self.endpoint.caller().keep();
        Some(session)
    }

    pub(super) fn queue(&self) -> MutexGuard<'_, VecDeque<Message>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the messages for the server that may be sent now are sent, and the client has read those
    /// for it.
    pub(super) async fn sent(&self) {
        if !self.queue().is_empty() {
            let dispatched = self.dispatched.notified();
            self.queued.notify_one();
            dispatched.await;
        }
        let _client_is_gone = self.client.flush().await;
    }
}
