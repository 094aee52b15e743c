//! What the tasks of one client share: the session, and the messages for the server.

use std::sync::{MutexGuard, PoisonError};

use hyper::header::{HeaderMap, HeaderValue};
use toolsure_guard::Message;

use super::queue::Queue;
use super::{State, ToHttp};
use crate::guard::hub::{HubDriver, Receivers};
use crate::http::{SESSION, VERSION};

impl ToHttp {
    /// Handles a message of the server.
    pub(super) fn heard(&self, message: impl Into<Message>) {
        let message = self.ctx.guard.read(message);
        let receivers = self.driver.from_server(self.server, message);
        self.start_sending_to_others(receivers);
    }

    /// Starts to send what other servers get. The task that has heard of it sends what this one gets.
    pub(super) fn start_sending_to_others(&self, mut receivers: Receivers) {
        receivers.leave_out(self.server);
        HubDriver::start_sending(&mut receivers);
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

    pub(super) fn queue(&self) -> MutexGuard<'_, Queue> {
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
        self.driver.client_flushed().await;
    }
}
