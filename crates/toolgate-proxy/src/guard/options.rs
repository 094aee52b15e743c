//! Options of a guard: its listener, its upstream, its bounds and timeouts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use toolgate_guard::policy::Limits;

use super::clock::Clock;
use super::in_process::{Caller, InProcessUpstream};
use super::tickets::Sessions;
use crate::http::HttpTarget;
use crate::stdio::Launch;
use crate::web::ServerCertificate;

/// Everything a guard needs beside its policy.
#[derive(Clone, Debug)]
pub struct GuardOptions {
    /// The upstream's name: part of the key under which its tools are known.
    pub name: String,
    /// The side of the clients.
    pub listener: Listener,
    /// The side of the server.
    pub upstream: Upstream,
    /// Bounds on what peers may cost.
    pub bounds: Bounds,
    /// Timeouts.
    pub times: Times,
    /// The number under which [`serve_client`](super::serve_client) keeps what it learns about the
    /// server: guards that run side by side on one policy must have different ones. Default 0.
    pub context: u64,
    /// The moment that the times of this guard are counted from. Default that of `new`.
    pub clock: Clock,
    /// On whose behalf `serve_client` opens an upstream in this process. Default nobody's.
    pub caller: Caller,
    /// How sessions over HTTP are named; without use for one client on stdio.
    pub sessions: Sessions,
}

impl GuardOptions {
    /// A guard with default bounds.
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
        }
    }
}

/// The side of the clients.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Listener {
    /// One client on our own standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http(HttpListener),
}

/// The address that HTTP is served on, and the clients that may connect.
#[derive(Clone, Debug)]
pub struct HttpListener {
    /// The address to bind; port 0 takes a free one.
    pub address: SocketAddr,
    /// The path of the endpoint. Default `/mcp`.
    pub path: String,
    /// Host names (without port) that requests may be for, besides the bound address and, on a
    /// loopback address, `localhost`. Default none.
    pub hosts: Vec<String>,
    /// Origins (`https://app.example`) whose pages may call from a browser and read the answers
    /// (CORS). Of others only those are let in whose host is allowed by name. Default none.
    pub origins: Vec<String>,
    /// Serve HTTPS with this certificate. Default none: plain HTTP.
    pub tls: Option<ServerCertificate>,
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
        }
    }
}

/// The side of the server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Upstream {
    /// A child process on stdio: one for a client on stdio and for each legacy HTTP session, one
    /// shared by all modern HTTP clients.
    Child {
        /// How it is started.
        launch: Launch,
        /// What happens when it ends by itself.
        restart: Restart,
    },
    /// A Streamable HTTP endpoint.
    Http(HttpTarget),
    /// Something in this process that speaks in lines. It is not opened again for a client on
    /// stdio or in a legacy session when it ends by itself.
    InProcess(Arc<dyn InProcessUpstream>),
}

impl Upstream {
    /// Whether nothing of it lives beside this process.
    pub(super) fn moves(&self) -> bool {
        match self {
            Self::Child { .. } => false,
            Self::Http(_) => true,
            Self::InProcess(in_process) => in_process.moves(),
        }
    }
}

/// What happens when a child ends by itself. Its open requests are answered with an error first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Restart {
    /// How many times it is started again within `window`; 0 is never.
    pub most: u32,
    /// The window.
    pub window: Duration,
}

impl Restart {
    /// It is not started again: with a client on stdio the guard ends with it, a legacy session
    /// ends with it.
    pub const NEVER: Self = Self {
        most: 0,
        window: Duration::ZERO,
    };
}

impl Default for Restart {
    /// Five times in a minute.
    fn default() -> Self {
        Self {
            most: 5,
            window: Duration::from_secs(60),
        }
    }
}

/// Bounds on what peers may cost. Each is on by default; a request over a bound gets a clear error
/// and the rest goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of one message. HTTP answers 413, stdio a JSON-RPC error. Default 16 MiB.
    pub message_bytes: usize,
    /// Bytes of the head of an HTTP request. HTTP answers 431. Default 64 KiB.
    pub head_bytes: usize,
    /// TCP connections open at once; more wait in the system's queue. Default 1,024.
    pub connections: usize,
    /// HTTP requests at work at once, event streams included. HTTP answers 503. Default 16,384.
    pub requests: usize,
    /// Bytes of the bodies of all those requests together, from the first byte until the answer is
    /// complete. HTTP answers 503. Default 256 MiB.
    pub request_bytes: usize,
    /// Legacy HTTP sessions. A new one gets 503. Default 1,024.
    pub sessions: usize,
    /// Child processes, the one that modern clients share among them. A new session, or a modern
    /// request without a process, gets 503. Default 64.
    pub children: usize,
    /// Events waiting for a client that reads slowly, for each stream. Default 16: then the
    /// stream's upstream waits too.
    pub waiting_events: usize,
    /// Bytes kept from the end of a child's standard error. Default 8 KiB.
    pub stderr_bytes: usize,
}

impl Bounds {
    /// How many bytes may wait for a server that writes and does not read: the calls that waited for
    /// its list of tools, which are sent at once, a message of the client and one of the guard.
    pub(super) fn most_unread(&self, limits: &Limits) -> usize {
        let messages = self.message_bytes.saturating_mul(2);
        limits.parked_bytes.saturating_add(messages)
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            // why: the largest message that rmcp and the TypeScript SDK admit.
            message_bytes: 16 << 20,
            head_bytes: 64 << 10,
            connections: 1_024,
            requests: 16_384,
            request_bytes: 256 << 20,
            sessions: 1_024,
            children: 64,
            waiting_events: 16,
            stderr_bytes: 8 << 10,
        }
    }
}

/// How long to wait. The time for a call to be answered is the policy's `request_timeout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// For the head of an HTTP request, and for a connection to wait for its next one.
    /// Default 10 s.
    pub head: Duration,
    /// For the body of an HTTP request. HTTP answers 408. Default 30 s.
    pub body: Duration,
    /// For a client to take bytes that are ready; then its connection is closed. Default 60 s.
    pub write: Duration,
    /// For a legacy session without a request. Default 30 min.
    pub idle: Duration,
    /// For an upstream to take a notification or an answer. Default 30 s.
    pub notify: Duration,
    /// For open calls to be answered once the guard is to end; then they get an error.
    /// Default 30 s.
    pub drain: Duration,
    /// For a child to end after its standard input is closed, and again after SIGTERM, before
    /// SIGKILL. Default 2 s.
    pub grace: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            write: Duration::from_secs(60),
            idle: Duration::from_secs(30 * 60),
            notify: Duration::from_secs(30),
            drain: Duration::from_secs(30),
            grace: Duration::from_secs(2),
        }
    }
}
