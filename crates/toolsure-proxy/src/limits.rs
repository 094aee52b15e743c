//! Limits on what an untrusted server may use: bytes ([`Limits`]) and time ([`Deadlines`]).

use std::time::Duration;

/// Limits on reading from a server. All are on by default.
///
/// They bound memory, not time; time is bounded by [`Deadlines`].
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write some fields and `..Limits::default()`; a new field breaks only those that write all"
)]
pub struct Limits {
    /// Bytes of one JSON-RPC message: a line on stdio, a body or one event on HTTP. Default 16 MiB.
    pub message_bytes: usize,
    /// Bytes of one whole event stream, keep-alive comments included. Default 64 MiB.
    pub stream_bytes: usize,
    /// Bytes of all pages of one listing. Default 64 MiB.
    pub listing_bytes: usize,
    /// Pages of one listing. Default 200.
    pub pages: usize,
    /// Tools of one listing. Default 20,000.
    pub tools: usize,
    /// Bytes of the child's standard error that are kept, from its beginning and its end. Default 8
    /// KiB.
    pub stderr_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // why: the largest message that rmcp and the TypeScript SDK admit.
            message_bytes: 16 << 20,
            stream_bytes: 64 << 20,
            listing_bytes: 64 << 20,
            pages: 200,
            // why: the largest published listing known to us has under 500 tools.
            tools: 20_000,
            stderr_bytes: 8 << 10,
        }
    }
}

/// How long to wait for a server.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write some fields and `..Deadlines::default()`; a new field breaks only those that write all"
)]
pub struct Deadlines {
    /// For an answer to the first `server/discover`, before a legacy `initialize` is sent. A later
    /// answer is still accepted. Default 3 s.
    pub probe: Duration,
    /// For one answer after the session is open. Default 30 s.
    pub request: Duration,
    /// For the whole session, until the last answer. Opening may take all of it, because launchers
    /// such as `npx` download the server first. A child that answers neither `server/discover` nor
    /// `initialize` is started again after half of it. Default 60 s.
    pub overall: Duration,
    /// For a child to end after its standard input is closed, and again after SIGTERM, before
    /// SIGKILL; for the closing DELETE on HTTP. Not part of `overall`. Default 2 s.
    pub grace: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            probe: Duration::from_secs(3),
            request: Duration::from_secs(30),
            overall: Duration::from_secs(60),
            grace: Duration::from_secs(2),
        }
    }
}
