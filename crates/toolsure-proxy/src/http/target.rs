//! An HTTP server: its URL, the certificate authorities to trust for it, and the operator's own
//! headers.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Client, Url};
use toolsure_json::{quote, shown_url};

use super::caller::Caller;
use super::client::http_client;
use super::connections::{CONNECT, Connections};
use super::fault::cause;
use super::health::Health;
use super::resource_metadata::MetadataCache;
use crate::fault::{Fault, FaultKind, Party, Phase};

/// The URL of a Streamable HTTP endpoint and the operator's own headers.
///
/// Header values are secrets: no message and no `Debug` output contains them.
#[derive(Clone)]
pub struct HttpTarget {
    url: Url,
    headers: HeaderMap,
    caller: Caller,
    authorities: Vec<Certificate>,
    /// Whether the server gets the `Authorization` of callers.
    passes_authorization: bool,
    /// Shared by clones: connections, and the trust store, which is read only once.
    clients: Arc<OnceLock<Clients>>,
    health: Health,
    metadata: MetadataCache,
}

/// A client, and the connections to a server that does not need it.
type Clients = (Client, Option<Arc<Connections>>);

impl std::fmt::Debug for HttpTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpTarget")
            .field("origin", &self.url.origin().ascii_serialization())
            .finish_non_exhaustive()
    }
}

impl HttpTarget {
    /// Parses an `http` or `https` URL.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] for anything else.
    pub fn new(url: &str) -> Result<Self, Fault> {
        let parsed = Url::parse(url)
            .map_err(|error| config(format!("`{}` is not a URL: {error}", shown_url(url))))?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
            return Err(config(format!(
                "`{}` is not an http or https URL",
                shown_url(url)
            )));
        }
        Ok(Self {
            url: parsed,
            headers: HeaderMap::new(),
            caller: Caller::default(),
            authorities: Vec::new(),
            passes_authorization: true,
            clients: Arc::default(),
            health: Health::default(),
            metadata: MetadataCache::default(),
        })
    }

    /// Another URL, with the same certificate authorities and without the operator's headers.
    pub(crate) fn at(&self, url: &str) -> Result<Self, Fault> {
        let mut other = Self::new(url)?;
        other.authorities.clone_from(&self.authorities);
        Ok(other)
    }

    /// Trusts the certificate authorities in a PEM file, in addition to those of the platform.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] if the file cannot be read, is larger than 1 MiB, or holds no
    /// certificate.
    pub fn trusting(mut self, authorities: &Path) -> Result<Self, Fault> {
        let shown = quote(&authorities.to_string_lossy(), 200).to_string();
        let cannot = |why: &dyn std::fmt::Display| {
            config(format!(
                "the certificate authorities `{shown}` cannot be used: {why}"
            ))
        };
        let pem = read(authorities).map_err(|error| cannot(&error))?;
        let found = Certificate::from_pem_bundle(&pem).map_err(|error| cannot(&cause(&error)))?;
        if found.is_empty() {
            return Err(cannot(&"there is no PEM certificate in it"));
        }
        self.authorities.extend(found);
        // The shared clients do not trust the new authorities.
        self.clients = Arc::default();
        let _read = self.clients()?;
        Ok(self)
    }

    /// Adds a header to every request.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] if HTTP does not allow the name or the value, or the header is one
    /// that the protocol sets itself.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Fault> {
        let shown = quote(name, 60).to_string();
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| config(format!("`{shown}` is not a header name")))?;
        if OURS.contains(&name.as_str()) {
            return Err(config(format!(
                "the header `{shown}` is set by the protocol"
            )));
        }
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            config(format!(
                "the value of the header `{shown}` is not allowed in HTTP"
            ))
        })?;
        value.set_sensitive(true);
        self.headers.append(name, value);
        Ok(self)
    }

    /// The same endpoint, which never gets the `Authorization` of callers.
    #[must_use]
    pub fn without_authorization_of_callers(mut self) -> Self {
        self.passes_authorization = false;
        self
    }

    /// The same endpoint for a client, whose `Authorization` is sent with every request unless the
    /// operator has set one.
    #[must_use]
    pub fn on_behalf_of(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    /// The HTTP clients of this target and its clones.
    pub(super) fn clients(&self) -> Result<Clients, Fault> {
        if let Some(clients) = self.clients.get() {
            return Ok(clients.clone());
        }
        let built = http_client()
            .connect_timeout(CONNECT)
            .tls_certs_merge(self.authorities.iter().cloned())
            .build()
            .map_err(|error| config(format!("no HTTP client: {}", cause(&error))))?;
        let clients = (built, Connections::to(&self.url));
        Ok(self.clients.get_or_init(|| clients).clone())
    }

    /// Whether the operator's headers authorize all requests, so that no client has to.
    pub(crate) fn has_authorization(&self) -> bool {
        self.headers.contains_key(AUTHORIZATION) || !self.passes_authorization
    }

    pub(super) fn metadata(&self) -> MetadataCache {
        self.metadata.clone()
    }

    /// Whether the server gets the `Authorization` of callers.
    pub(super) fn passes_authorization(&self) -> bool {
        self.passes_authorization
    }

    pub(super) fn into_parts(self) -> (Url, HeaderMap, Caller, Health) {
        (self.url, self.headers, self.caller, self.health)
    }
}

fn read(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    file.take(PEM_BYTES.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).is_ok_and(|length| length > PEM_BYTES) {
        let message = format!("it has more than {PEM_BYTES} bytes");
        return Err(std::io::Error::other(message));
    }
    Ok(bytes)
}

fn config(message: String) -> Fault {
    Fault::new(Party::Operator, FaultKind::Config, Phase::Start, message)
}

/// Maximum bytes of a PEM file. A bundle of all public authorities has about a quarter of that.
const PEM_BYTES: u64 = 1 << 20;
const OURS: [&str; 7] = [
    "accept",
    "content-type",
    "content-length",
    "host",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_reached_over_http_is_refused() {
        for url in [
            "",
            "localhost:3000",
            "ftp://a/",
            "file:///etc/passwd",
            "http://",
        ] {
            assert_eq!(
                HttpTarget::new(url).unwrap_err().kind(),
                FaultKind::Config,
                "{url}"
            );
        }
    }

    #[test]
    fn a_refused_url_is_shown_without_secrets() {
        for url in [
            "http://u:hush@host:99999999/mcp?hush",
            "hush@",
            "u:hush@host",
            "http://u:hu/sh@h:x",
        ] {
            let wrong = HttpTarget::new(url).unwrap_err();
            assert!(!format!("{wrong:?}").contains("hu"), "{wrong:?}");
        }
    }

    #[test]
    fn headers_are_checked_and_their_values_never_shown() {
        let target = HttpTarget::new("http://127.0.0.1/mcp").unwrap();
        let target = target.header("Authorization", "Bearer hush").unwrap();
        assert!(!format!("{target:?}").contains("hush"));
        let error = target.clone().header("X-A", "hush\nX-B: c").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the value of the header `X-A` is not allowed in HTTP"
        );
        assert_eq!(
            target.clone().header("a b", "c").unwrap_err().to_string(),
            "`a b` is not a header name"
        );
        assert!(target.header("Mcp-Session-Id", "1").is_err());
    }
}
