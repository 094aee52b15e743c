//! Replaces the upstream's session id in responses by the client's.

use std::sync::Arc;

use hyper::header::{
    ALT_SVC, HeaderMap, HeaderName, HeaderValue, SERVER, SET_COOKIE, STRICT_TRANSPORT_SECURITY,
};
use toolsure_guard::Message;

use super::identity::Identity;
use super::reply::passed_on;
use super::session_router::{SessionIds, SessionRouter};
use super::tickets::{NoSessionId, TicketIssuer};
use crate::http::{SESSION, VERSION};

/// Rewrites the session ids in the responses of one exchange.
pub(super) struct SessionIdRewriter {
    tickets: Arc<TicketIssuer>,
    sender: Arc<Identity>,
    /// Whether the exchange is an `initialize`.
    pub(super) opens: bool,
    /// The version that its answer agrees on.
    version: Option<String>,
    /// Whether the answer to `initialize` is none that opens a session.
    is_unopened: bool,
}

impl SessionIdRewriter {
    pub(super) fn new(tickets: &Arc<TicketIssuer>, opens: bool, sender: &Arc<Identity>) -> Self {
        Self {
            tickets: Arc::clone(tickets),
            sender: Arc::clone(sender),
            opens,
            version: None,
            is_unopened: false,
        }
    }

    /// Reads a message of the upstream, which may be the answer to `initialize`.
    pub(super) fn see(&mut self, message: &Message) {
        if self.opens && self.version.is_none() {
            let envelope = message.envelope();
            self.version = envelope.agreed.as_deref().map(str::to_owned);
            self.is_unopened |= envelope.is_answer() && self.version.is_none();
        }
    }

    /// The client's session id for the upstream's; a new ticket, unless it has one.
    fn rename(
        &self,
        router: &SessionRouter,
        upstream_id: HeaderValue,
        client: &HeaderMap,
    ) -> Result<HeaderValue, NoSessionId> {
        let session_ids = router.session_ids();
        if let Some(session_ids) = &session_ids
            && session_ids.upstream_id == upstream_id
        {
            return Ok(session_ids.client_id.clone());
        }
        let header = client.get(VERSION).and_then(|value| value.to_str().ok());
        let version = self.version.as_deref().or(header);
        let client_id = self
            .tickets
            .of_upstream(&upstream_id, version, &self.sender)?;
        if session_ids.is_none() {
            let client_id = client_id.clone();
            router.set_session_ids(SessionIds {
                upstream_id,
                client_id,
            });
        }
        Ok(client_id)
    }
}

/// The headers of an upstream's response as the client gets them; `client` are the headers of its
/// request. Without a rewriter, the session id is removed.
pub(super) fn head(
    rewriter: Option<&SessionIdRewriter>,
    router: &SessionRouter,
    upstream: HeaderMap,
    client: &HeaderMap,
) -> Result<HeaderMap, NoSessionId> {
    let mut headers = passed_on(upstream);
    for name in OF_ITS_ORIGIN {
        headers.remove(name);
    }
    if let Some(upstream_id) = headers.remove(SESSION)
        && let Some(rewriter) = rewriter.filter(|rewriter| !rewriter.is_unopened)
    {
        headers.insert(SESSION, rewriter.rename(router, upstream_id, client)?);
    }
    Ok(headers)
}

/// Response headers that say something of the upstream's origin, and would be false for ours.
const OF_ITS_ORIGIN: [HeaderName; 4] = [ALT_SVC, SERVER, SET_COOKIE, STRICT_TRANSPORT_SECURITY];
