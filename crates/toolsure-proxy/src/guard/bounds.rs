//! Limits, timeouts and restarts.

use std::time::Duration;

use toolsure_guard::policy::Limits;

/// What happens when a child ends by itself. Its open requests are answered with an error first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a number in a window, and nothing else"
)]
pub struct Restart {
    /// How many times it is started again within `window`; 0 means never.
    pub most: u32,
    /// The window.
    pub window: Duration,
}

impl Restart {
    /// The child is not started again: the guard of a client on stdio ends with it, and so does a
    /// legacy session.
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

/// Limits on what clients and servers may use. All are on by default; a request over a limit gets a
/// clear error, and the others go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write some fields and `..Bounds::default()`; a new field breaks only those that write all"
)]
pub struct Bounds {
    /// Bytes of one message. HTTP answers 413, stdio a JSON-RPC error. Default 16 MiB.
    pub message_bytes: usize,
    /// Bytes of the head of an HTTP request. HTTP answers 431. Default 64 KiB.
    pub head_bytes: usize,
    /// TCP connections open at once. Further ones wait for a second in the system's queue; then each
    /// gets 503 with `Retry-After` and is closed, over TLS without an answer. Each
    /// client of an SDK has one for its stream and one for its requests. Default 1,024.
    pub connections: usize,
    /// Streams that one legacy session listens on with GET. A further one ends the oldest. Default
    /// 8.
    pub session_streams: usize,
    /// Streams that all sessions of one caller listen on with GET: of one `Authorization`, or
    /// without one, of one address. A further one ends the oldest. Default 512.
    pub caller_streams: usize,
    /// Concurrent HTTP requests, event streams included. HTTP answers 503. Default 16,384.
    pub requests: usize,
    /// Bytes of messages in memory between clients and servers. Requests over HTTP may use half of
    /// them, and get 503 beyond. At the limit servers are not read, and if that lasts, the
    /// clients that read slowest lose their connections. Default 64 MiB.
    pub memory_bytes: usize,
    /// The part of it that one caller may use: one `Authorization`, or without one, one address.
    /// Default 32 MiB.
    pub caller_memory_bytes: usize,
    /// Legacy HTTP sessions. A new one gets 503, unless an idle session with an HTTP upstream can
    /// make room. Default 1,024.
    pub sessions: usize,
    /// Legacy HTTP sessions of one caller: of one verified caller, of one `Authorization`, or without one, of
    /// one address. A further one gets 429, unless an idle one of the caller can make room. 0 is half of
    /// `sessions`, the default.
    pub caller_sessions: usize,
    /// Child processes, including the one that modern clients share. A new session, or a modern
    /// request without a process, gets 503. Default 64.
    pub children: usize,
    /// Child processes of one caller, without the one that modern clients share. A further one gets 429, unless
    /// an idle one of the caller can make room. 0 is half of `children`, the default.
    pub caller_children: usize,
    /// Events that may wait for a slow client, for each stream; then the stream's upstream waits
    /// too. Default 16.
    pub waiting_events: usize,
    /// Bytes of a child's standard error that are kept, from its beginning and its end. Default 8
    /// KiB.
    pub stderr_bytes: usize,
}

impl Bounds {
    /// The maximum bytes that may wait for a server that writes but does not read: the calls that
    /// waited for its tool list, which are sent at once, a message of the client and one of the
    /// guard.
    pub(super) fn most_unread(&self, limits: &Limits) -> usize {
        let messages = self.message_bytes.saturating_mul(2);
        limits.parked_bytes.saturating_add(messages)
    }

    /// The legacy sessions that one caller may have.
    pub(super) fn sessions_of_one(&self) -> usize {
        of_one(self.caller_sessions, self.sessions)
    }

    /// The child processes that one caller may have.
    pub(super) fn children_of_one(&self) -> usize {
        of_one(self.caller_children, self.children)
    }
}

/// The part of one caller: what is set, or half of all, so that one caller leaves room for others.
fn of_one(set: usize, all: usize) -> usize {
    match set {
        0 => all.div_ceil(2),
        set => set.min(all),
    }
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            // why: the largest message that rmcp and the TypeScript SDK admit.
            message_bytes: 16 << 20,
            head_bytes: 64 << 10,
            // why: the number of descriptors that most systems give a process.
            connections: 1_024,
            session_streams: 8,
            // why: a gateway in front may be the address of a few hundred clients.
            caller_streams: 512,
            requests: 16_384,
            memory_bytes: 64 << 20,
            caller_memory_bytes: 32 << 20,
            sessions: 1_024,
            caller_sessions: 0,
            children: 64,
            caller_children: 0,
            waiting_events: 16,
            stderr_bytes: 8 << 10,
        }
    }
}

/// Timeouts. The timeout for a call is the policy's `request_timeout`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write some fields and `..Times::default()`; a new field breaks only those that write all"
)]
pub struct Times {
    /// For a TLS handshake, for the head of an HTTP request, and for a new connection without a
    /// request. Default 10 s.
    pub head: Duration,
    /// For a connection to wait for its next request; at least `head`. Proxies in front must close
    /// theirs earlier, or a request may reach a connection that is being closed. Default 75 s.
    pub reuse: Duration,
    /// For the body of an HTTP request. HTTP answers 408. Default 30 s.
    pub body: Duration,
    /// For a client to read bytes that are ready; then its connection is closed. Default 60 s.
    pub write: Duration,
    /// How long an event stream to a client may be silent: then it gets a comment, which tells load
    /// balancers that it is in use, and this guard whether the client is there. A connection that
    /// is silent for as long is probed (TCP keepalive). Default 15 s.
    pub keepalive: Duration,
    /// For a legacy session without a message from its client, or a shared peer in this process
    /// without a request. Open streams do not count, open requests do. Default 30 min.
    pub idle: Duration,
    /// For an upstream to accept a notification or an answer. Default 30 s.
    pub notify: Duration,
    /// For a child that modern HTTP clients share to answer its first `server/discover`. Then the
    /// clients are told that it does not know the method. Default 5 s.
    pub discovery: Duration,
    /// How long open calls may take once the guard stops, or once their client has ended the session; then they get
    /// an error. Default 30 s.
    pub drain: Duration,
    /// For a child to end after its standard input is closed, and again after SIGTERM, before
    /// SIGKILL. Default 2 s.
    pub grace: Duration,
    /// For a request to wait without a message of the server after the process that was started has
    /// ended, while another process still holds its standard output. Then the server is given up. A
    /// message that comes after the end shows that the process was a wrapper, and its server lives on.
    /// Default 10 s.
    pub after_exit: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            // why: common load balancers keep connections for 60 s.
            reuse: Duration::from_secs(75),
            body: Duration::from_secs(30),
            write: Duration::from_secs(60),
            // why: common load balancers end connections that are silent for 60 s, some after 30 s.
            keepalive: Duration::from_secs(15),
            idle: Duration::from_secs(30 * 60),
            notify: Duration::from_secs(30),
            discovery: Duration::from_secs(5),
            drain: Duration::from_secs(30),
            grace: Duration::from_secs(2),
            // why: a server that a wrapper starts in the background may take some seconds to begin.
            after_exit: Duration::from_secs(10),
        }
    }
}
