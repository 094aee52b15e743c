//! Options of a guard, and its listener.

use std::net::SocketAddr;

use reqwest::Url;
use toolsure_guard::Guard;

use super::auth::Authenticator;
use super::bounds::{Bounds, Times};
use super::clock::Clock;
use super::http_server::TrustedProxies;
use super::in_process::Caller;
use super::tickets::Sessions;
use super::upstream::Upstream;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::message_memory::MessageMemory;
use crate::web::{ClientAuthorities, ServerCertificate};

/// Everything that a guard needs besides its policy.
#[derive(Clone, Debug)]
pub struct GuardOptions {
    /// The upstream's name, which is part of the key of its scopes.
    pub name: String,
    /// How clients connect.
    pub listener: Listener,
    /// The server behind the guard.
    pub upstream: Upstream,
    /// Limits on what clients and servers may use.
    pub bounds: Bounds,
    /// Timeouts.
    pub times: Times,
    /// The number of the context in which [`serve_client`](super::serve_client) keeps what it
    /// learns about the server. Guards that share a policy and run at the same time need different
    /// ones. Default 0.
    pub context: u64,
    /// The clock of this guard. Default: a clock that starts in `new`.
    pub clock: Clock,
    /// The caller that `serve_client` connects to HTTP servers for. Default none.
    pub caller: Caller,
    /// How session ids over HTTP are made; not used for one client on stdio.
    pub sessions: Sessions,
    /// The bytes in flight of this guard and of others that have a clone of it. Default: of this guard
    /// alone.
    pub message_memory: MessageMemory,
    /// The guard that checks calls before a translator passes them to this one.
    pub(super) in_front: Option<Guard>,
}

impl GuardOptions {
    /// Options with default bounds and times.
    pub fn new(name: impl Into<String>, listener: Listener, upstream: Upstream) -> Self {
        Self {
            name: name.into(),
            listener,
            upstream,
            bounds: Bounds::default(),
            times: Times::default(),
            context: 0,
            clock: Clock::start(),
            caller: Caller::default(),
            sessions: Sessions::default(),
            message_memory: MessageMemory::default(),
            in_front: None,
        }
    }
}

/// How clients connect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Listener {
    /// One client on our own standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http(HttpListener),
}

/// The address to serve HTTP on, and the clients that may connect.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpListener {
    /// The address to bind; port 0 takes a free one.
    pub address: SocketAddr,
    /// The path of the endpoint. Default `/mcp`.
    pub path: String,
    /// Host names (without port) that requests may be for, besides the bound address and, on a
    /// loopback address, `localhost`. Default none.
    pub hosts: Vec<String>,
    /// Origins (`https://app.example`) whose pages may call from a browser and read the responses
    /// (CORS). Requests of other origins are admitted only if their host is allowed. Default none.
    pub origins: Vec<String>,
    /// Serve HTTPS with this certificate. Default none: plain HTTP.
    pub tls: Option<ServerCertificate>,
    /// The URL under which clients know this endpoint, such as `https://mcp.example/mcp`: it is the
    /// resource that tokens are for, and requests may be for its host. Default none: the address
    /// that a request is sent to, by its `Host`.
    pub public_url: Option<String>,
    /// The addresses and networks (`192.0.2.0/24`) of proxies whose `X-Forwarded-For` is believed: the
    /// client's address is the last one in it that is none of these. It is in records, and what
    /// [`Policy::address_rate`](toolsure_guard::Policy::address_rate) and limits of clients without an
    /// authorization count by. Default none: the address of the connection.
    pub trusted_proxies: Vec<String>,
    /// How callers prove who they are. Default none: everybody who reaches the listener may send requests, and
    /// servers get the `Authorization` that comes with them.
    pub authenticator: Option<Authenticator>,
    /// The authorities whose certificates clients may show, over HTTPS. Default none: no certificate is asked for.
    pub client_authorities: Option<ClientAuthorities>,
}

impl HttpListener {
    /// Plain HTTP on an address.
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            path: "/mcp".to_owned(),
            hosts: Vec::new(),
            origins: Vec::new(),
            tls: None,
            public_url: None,
            trusted_proxies: Vec::new(),
            authenticator: None,
            client_authorities: None,
        }
    }

    /// Checks that [`public_url`](Self::public_url) can be this.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] if it is not the HTTP URL of a host and a path.
    pub fn check_public_url(text: &str) -> Result<(), Fault> {
        public_url(text).map(drop)
    }

    /// Checks that [`trusted_proxies`](Self::trusted_proxies) can be these.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] for the first that is neither an address nor a network.
    pub fn check_trusted_proxies(texts: &[String]) -> Result<(), Fault> {
        TrustedProxies::read(texts).map(drop)
    }
}

/// Reads the guard's own URL.
///
/// # Errors
///
/// [`FaultKind::Config`] if it is not an HTTP URL of a host and a path.
pub(super) fn public_url(text: &str) -> Result<Url, Fault> {
    let is_plain = |url: &Url| {
        matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    };
    let url = Url::parse(text).ok().filter(is_plain);
    url.ok_or_else(|| {
        let why = format!(
            "`{}` is not the http or https URL of a host and a path",
            toolsure_json::shown_url(text)
        );
        Fault::new(Party::Operator, FaultKind::Config, Phase::Start, why)
    })
}
