//! A client's connection, which caches the sender of its requests: they mostly repeat the same
//! headers.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::sync::Notify;
use toolsure_guard::Peer;

use super::trusted_proxies::TrustedProxies;
use crate::guard::tickets::caller::{digest, shown};
use crate::http::SESSION;

/// A client's connection.
pub(in crate::guard) struct ClientConnection {
    pub(super) address: Arc<str>,
    /// The address, if it is that of a trusted proxy.
    proxy: Option<IpAddr>,
    last: Mutex<Option<Sender>>,
    /// Ends the connection, because its client reads too slowly.
    pub(super) close: Arc<Notify>,
}

/// The headers that identify a sender, and the sender for the records.
struct Sender {
    authorization: Option<HeaderValue>,
    session: Option<HeaderValue>,
    /// The client's address, if a trusted proxy reports it.
    client: Option<IpAddr>,
    peer: Arc<Peer>,
}

impl ClientConnection {
    pub(super) fn new(from: SocketAddr, trusted: &TrustedProxies) -> Self {
        Self {
            address: from.to_string().into(),
            proxy: Some(from.ip()).filter(|ip| trusted.contains(*ip)),
            last: Mutex::default(),
            close: Arc::default(),
        }
    }

    /// The sender of a request, for the records.
    pub(super) fn peer(&self, headers: &HeaderMap, trusted: &TrustedProxies) -> Arc<Peer> {
        let client = self.proxy.map(|proxy| trusted.client(proxy, headers));
        // Requests with two of either header were refused earlier.
        let (authorization, session) = (headers.get(AUTHORIZATION), headers.get(SESSION));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && last.authorization.as_ref() == authorization
            && last.session.as_ref() == session
            && last.client == client
        {
            return Arc::clone(&last.peer);
        }
        let peer = Arc::new(Peer {
            caller: shown(headers).map(Into::into),
            session: session.map(|session| digest(session.as_bytes()).into()),
            address: Some(match client {
                Some(client) => client.to_string().into(),
                None => Arc::clone(&self.address),
            }),
        });
        *last = Some(Sender {
            authorization: authorization.cloned(),
            session: session.cloned(),
            client,
            peer: Arc::clone(&peer),
        });
        peer
    }
}

#[cfg(test)]
mod tests {
    use super::super::trusted_proxies::FORWARDED_FOR;
    use super::*;

    #[test]
    fn a_connection_may_have_several_senders() {
        let nobody = TrustedProxies::default();
        let connection = ClientConnection::new(([127, 0, 0, 1], 80).into(), &nobody);
        let named = |authorization: &'static str, session: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, HeaderValue::from_static(authorization));
            headers.insert(SESSION, HeaderValue::from_static(session));
            connection.peer(&headers, &nobody)
        };
        let first = named("Bearer a", "s");
        assert_eq!(first.address.as_deref(), Some("127.0.0.1:80"));
        assert!(Arc::ptr_eq(&first, &named("Bearer a", "s")));
        let (other, moved) = (named("Bearer b", "s"), named("Bearer b", "t"));
        assert_ne!(first.caller, other.caller);
        assert_eq!(first.session, other.session);
        assert_ne!(other.session, moved.session);
        assert_eq!(connection.peer(&HeaderMap::new(), &nobody).caller, None);
        assert_eq!(first, named("Bearer a", "s"));
    }

    #[test]
    fn a_trusted_proxy_says_whose_request_it_is() {
        let trusted = TrustedProxies::read(&["127.0.0.1".to_owned()]).unwrap();
        let forwarded = |from: [u8; 4], client: &'static str| {
            let connection = ClientConnection::new((from, 80).into(), &trusted);
            let mut headers = HeaderMap::new();
            headers.insert(FORWARDED_FOR, HeaderValue::from_static(client));
            let first = connection.peer(&headers, &trusted).address.clone();
            headers.insert(FORWARDED_FOR, HeaderValue::from_static("192.0.2.2"));
            (first, connection.peer(&headers, &trusted).address.clone())
        };
        let (first, other) = forwarded([127, 0, 0, 1], "192.0.2.1");
        assert_eq!(first.as_deref(), Some("192.0.2.1"));
        assert_eq!(other.as_deref(), Some("192.0.2.2"));
        let (first, other) = forwarded([127, 0, 0, 2], "192.0.2.1");
        assert_eq!(first.as_deref(), Some("127.0.0.2:80"));
        assert_eq!(first, other);
    }
}
