//! A client's connection, which caches the sender of its requests: they mostly repeat the same
//! headers.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::sync::Notify;
use toolsure_guard::Peer;

use crate::guard::tickets::caller::{digest, shown};
use crate::http::SESSION;

/// A client's connection.
pub(in crate::guard) struct ClientConnection {
    pub(super) address: Arc<str>,
    last: Mutex<Option<Sender>>,
    /// Ends the connection, because its client reads too slowly.
    pub(super) close: Arc<Notify>,
}

/// The headers that identify a sender, and the sender for the records.
struct Sender {
    authorization: Option<HeaderValue>,
    session: Option<HeaderValue>,
    peer: Arc<Peer>,
}

impl ClientConnection {
    pub(super) fn new(from: SocketAddr) -> Self {
        Self {
            address: from.to_string().into(),
            last: Mutex::default(),
            close: Arc::default(),
        }
    }

    /// The sender of a request, for the records.
    pub(super) fn peer(&self, headers: &HeaderMap) -> Arc<Peer> {
        // Requests with two of either header were refused earlier.
        let (authorization, session) = (headers.get(AUTHORIZATION), headers.get(SESSION));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && last.authorization.as_ref() == authorization
            && last.session.as_ref() == session
        {
            return Arc::clone(&last.peer);
        }
        let peer = Arc::new(Peer {
            caller: shown(headers).map(Into::into),
            session: session.map(|session| digest(session.as_bytes()).into()),
            address: Some(Arc::clone(&self.address)),
        });
        *last = Some(Sender {
            authorization: authorization.cloned(),
            session: session.cloned(),
            peer: Arc::clone(&peer),
        });
        peer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_may_have_several_senders() {
        let connection = ClientConnection::new(([127, 0, 0, 1], 80).into());
        let named = |authorization: &'static str, session: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static(authorization));
            headers.insert(SESSION, HeaderValue::from_static(session));
            connection.peer(&headers)
        };
        let first = named("Bearer a", "s");
        assert_eq!(first.address.as_deref(), Some("127.0.0.1:80"));
        assert!(Arc::ptr_eq(&first, &named("Bearer a", "s")));
        let (other, moved) = (named("Bearer b", "s"), named("Bearer b", "t"));
        assert_ne!(first.caller, other.caller);
        assert_eq!(first.session, other.session);
        assert_ne!(other.session, moved.session);
        assert_eq!(connection.peer(&HeaderMap::new()).caller, None);
        assert_eq!(first, named("Bearer a", "s"));
    }
}
