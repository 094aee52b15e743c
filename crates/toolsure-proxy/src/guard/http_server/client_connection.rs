//! A client's connection, which caches the sender of its requests: they mostly repeat the same
//! headers.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use tokio::sync::Notify;
use toolsure_guard::Peer;

use super::trusted_proxies::TrustedProxies;
use crate::guard::identity::Identity;
use crate::guard::tickets::caller::digest;
use crate::http::SESSION;

/// A client's connection.
pub(in crate::guard) struct ClientConnection {
    pub(super) address: Arc<str>,
    /// The address, if it is that of a trusted proxy.
    proxy: Option<IpAddr>,
    /// The names in its certificate, which one of the authorities for clients has signed.
    pub(super) certificates: Vec<Arc<str>>,
    last: Mutex<Option<Sender>>,
    /// The last sender whom nobody verified, and its `Authorization`.
    unverified: Mutex<Option<(Option<HeaderValue>, Arc<Identity>)>>,
    /// Ends the connection, because its client reads too slowly.
    pub(super) close: Arc<Notify>,
}

/// The sender of the last request, for the records.
struct Sender {
    identity: Arc<Identity>,
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
            certificates: Vec::new(),
            last: Mutex::default(),
            unverified: Mutex::default(),
            close: Arc::default(),
        }
    }

    /// Whether it is the connection of a trusted proxy.
    pub(super) fn is_from_proxy(&self) -> bool {
        self.proxy.is_some()
    }

    /// The sender of a request, whom nobody verifies.
    pub(super) fn unverified(&self, headers: &HeaderMap) -> Arc<Identity> {
        // Requests with two of them were refused earlier.
        let authorization = headers.get(AUTHORIZATION);
        let mut last = self
            .unverified
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((known, identity)) = &*last
            && known.as_ref() == authorization
        {
            return Arc::clone(identity);
        }
        let identity = Identity::unverified(headers);
        *last = Some((authorization.cloned(), Arc::clone(&identity)));
        identity
    }

    /// The sender of a request, for the records.
    pub(super) fn peer(
        &self,
        headers: &HeaderMap,
        trusted: &TrustedProxies,
        identity: &Arc<Identity>,
    ) -> Arc<Peer> {
        let client = self.proxy.map(|proxy| trusted.client(proxy, headers));
        let session = headers.get(SESSION);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && Arc::ptr_eq(&last.identity, identity)
            && last.session.as_ref() == session
            && last.client == client
        {
            return Arc::clone(&last.peer);
        }
        let peer = Arc::new(Peer {
            caller: identity.name.clone(),
            session: session.map(|session| digest(session.as_bytes()).into()),
            address: Some(match client {
                Some(client) => client.to_string().into(),
                None => Arc::clone(&self.address),
            }),
            verified: identity.verified.clone(),
        });
        *last = Some(Sender {
            identity: Arc::clone(identity),
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
            connection.peer(&headers, &nobody, &connection.unverified(&headers))
        };
        let first = named("Bearer a", "s");
        assert_eq!(first.address.as_deref(), Some("127.0.0.1:80"));
        assert!(Arc::ptr_eq(&first, &named("Bearer a", "s")));
        let (other, moved) = (named("Bearer b", "s"), named("Bearer b", "t"));
        assert_ne!(first.caller, other.caller);
        assert_eq!(first.session, other.session);
        assert_ne!(other.session, moved.session);
        let none = HeaderMap::new();
        let peer = connection.peer(&none, &nobody, &connection.unverified(&none));
        assert_eq!(peer.caller, None);
        assert_eq!(first, named("Bearer a", "s"));
    }

    #[test]
    fn a_trusted_proxy_says_whose_request_it_is() {
        let trusted = TrustedProxies::read(&["127.0.0.1".to_owned()]).unwrap();
        let forwarded = |from: [u8; 4], client: &'static str| {
            let connection = ClientConnection::new((from, 80).into(), &trusted);
            let mut headers = HeaderMap::new();
            headers.insert(FORWARDED_FOR, HeaderValue::from_static(client));
            let sender = connection.unverified(&headers);
            let first = connection.peer(&headers, &trusted, &sender).address.clone();
            headers.insert(FORWARDED_FOR, HeaderValue::from_static("192.0.2.2"));
            let other = connection.peer(&headers, &trusted, &sender);
            (first, other.address.clone())
        };
        let (first, other) = forwarded([127, 0, 0, 1], "192.0.2.1");
        assert_eq!(first.as_deref(), Some("192.0.2.1"));
        assert_eq!(other.as_deref(), Some("192.0.2.2"));
        let (first, other) = forwarded([127, 0, 0, 2], "192.0.2.1");
        assert_eq!(first.as_deref(), Some("127.0.0.2:80"));
        assert_eq!(first, other);
    }
}
