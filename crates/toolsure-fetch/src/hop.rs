//! One request: checks the URI and the addresses, then reads the answer within the limits.

use std::net::SocketAddr;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Response, Url};
use tokio::time::timeout;
use toolsure_json::quote;

use crate::dangerous::Dangerous;
use crate::error::FetchError;
use crate::host::Host;
use crate::limits::Limits;

/// The settings of all requests of a fetcher.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    pub(crate) hosts: Vec<Host>,
    pub(crate) limits: Limits,
    pub(crate) authorities: Vec<Certificate>,
    pub(crate) dangerous: Dangerous,
}

/// The answer to one request.
pub(crate) enum Answer {
    /// The document, and the address of its server.
    Body(Vec<u8>, SocketAddr),
    /// The target of a redirect.
    Redirect(Url),
}

impl Terms {
    /// Checks whether a URI may be requested. Returns its host and port.
    pub(crate) fn admit<'u>(&self, url: &'u Url) -> Result<(&'u str, u16), FetchError> {
        if url.scheme() != "https" {
            return Err(FetchError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(FetchError::UserInfo);
        }
        let host = url.domain().ok_or(FetchError::HostIsNoName)?;
        let port = url.port_or_known_default().ok_or(FetchError::Scheme)?;
        if !self.hosts.iter().any(|one| one.allows(host, port)) {
            return Err(FetchError::HostNotAllowed {
                host: quote(host, 200).to_string(),
                port,
            });
        }
        Ok((host, port))
    }

    /// Sends one request for a URI.
    pub(crate) async fn ask(&self, url: &Url) -> Result<Answer, FetchError> {
        let (host, port) = self.admit(url)?;
        let addresses = self.addresses(host, port).await?;
        let client = self.client(host, &addresses)?;
        let request = client
            .get(url.clone())
            .header(
                ACCEPT,
                "application/schema+json, application/json;q=0.9, */*;q=0.1",
            )
            .header(ACCEPT_ENCODING, "identity");
        let response = request.send().await.map_err(transfer)?;
        // The client was given only the checked addresses; this verifies that it used one of them.
        let peer = response.remote_addr().ok_or(FetchError::Peer)?;
        let checked = |one: &SocketAddr| one.ip() == peer.ip();
        if !addresses.iter().any(checked) || !self.dangerous.addresses.allows(peer.ip()) {
            return Err(FetchError::Peer);
        }
        match response.status().as_u16() {
            200 => Ok(Answer::Body(self.body(response).await?, peer)),
            301 | 302 | 303 | 307 | 308 => {
                let location = response.headers().get(LOCATION);
                let location = location.and_then(|location| location.to_str().ok());
                let target = location.and_then(|location| url.join(location).ok());
                target.map(Answer::Redirect).ok_or(FetchError::Redirect)
            }
            status => Err(FetchError::Status(status)),
        }
    }

    /// Resolves a host. It is an error if one of the addresses is not allowed.
    async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, FetchError> {
        let cannot = |reason: String| FetchError::Resolve {
            host: host.to_owned(),
            reason,
        };
        let resolving = self.dangerous.names.resolve(host, port);
        let addresses = match timeout(self.limits.connect, resolving).await {
            Ok(Ok(addresses)) => addresses,
            Ok(Err(error)) => return Err(cannot(quote(&error.to_string(), 200).to_string())),
            Err(_) => return Err(over("connect", &format!("{:?}", self.limits.connect))),
        };
        if addresses.is_empty() {
            return Err(cannot("it has no address".to_owned()));
        }
        let allowed = |one: &&SocketAddr| !self.dangerous.addresses.allows(one.ip());
        match addresses.iter().find(allowed) {
            Some(refused) => Err(FetchError::Address {
                host: host.to_owned(),
                address: refused.ip(),
            }),
            None => Ok(addresses),
        }
    }

    /// A client that resolves this host to these addresses.
    fn client(&self, host: &str, addresses: &[SocketAddr]) -> Result<Client, FetchError> {
        // Another part of the program may have set its own provider; either one works.
        let _already_set = rustls::crypto::ring::default_provider().install_default();
        Client::builder()
            .resolve_to_addrs(host, addresses)
            .https_only(true)
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .connect_timeout(self.limits.connect)
            .timeout(self.limits.document_time)
            .tls_certs_merge(self.authorities.iter().cloned())
            .user_agent(concat!("toolsure/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(transfer)
    }

    async fn body(&self, mut response: Response) -> Result<Vec<u8>, FetchError> {
        let plain =
            |encoding: &[u8]| encoding.is_empty() || encoding.eq_ignore_ascii_case(b"identity");
        if let Some(encoding) = response.headers().get(CONTENT_ENCODING)
            && !plain(encoding.as_bytes())
        {
            let name = String::from_utf8_lossy(encoding.as_bytes());
            return Err(FetchError::Encoded(quote(&name, 60).to_string()));
        }
        let most = self.limits.bytes;
        let announced = response.content_length().unwrap_or(0);
        if usize::try_from(announced).is_ok_and(|bytes| bytes > most) {
            return Err(over("bytes", &most.to_string()));
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(transfer)? {
            if body.len().saturating_add(chunk.len()) > most {
                return Err(over("bytes", &most.to_string()));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body)
    }
}

/// The error for a limit that was reached.
pub(crate) fn over(limit: &'static str, value: &str) -> FetchError {
    FetchError::Limit {
        limit,
        value: value.to_owned(),
    }
}

/// The error of a failed transfer with all its causes, without the URI.
fn transfer(error: reqwest::Error) -> FetchError {
    let error = error.without_url();
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    FetchError::Transfer(quote(&text, 300).to_string())
}
