//! Faults of a session with a server: who must act, what happened, when, and what may help.

use std::fmt;
use std::time::Duration;

use crate::notes::excerpt;

/// The failure of a session, as one line with optional help.
///
/// `Display` is one line, with untrusted text escaped and cut. [`Fault::help`] says what the user
/// can do; [`Fault::stderr`] has the first and last lines that a child wrote to its standard error.
#[derive(Debug)]
pub struct Fault(Box<Inner>);

#[derive(Debug)]
struct Inner {
    by: Party,
    kind: FaultKind,
    phase: Phase,
    message: String,
    help: Option<String>,
    stderr: Vec<String>,
}

/// Who has to act for the fault to go away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every caller must decide what each of the three means to it"
)]
pub enum Party {
    /// The author of the command line or the configuration.
    Operator,
    /// The author of the server.
    Server,
    /// The network between us and the server.
    Network,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The configuration cannot be used, such as a URL, a header, a file or an address.
    Config,
    /// The command could not be started.
    Spawn,
    /// The child ended, or closed its standard output, before it answered.
    Exited,
    /// The server did not answer, or did not read our message, before the deadline.
    Timeout,
    /// An answer that breaks JSON-RPC or MCP.
    Protocol,
    /// A page of a list gives a cursor that was given before.
    RepeatedCursor,
    /// A message, stream or listing over its limit; see [`crate::Limits`].
    TooLarge,
    /// An HTTP status other than 200, without a JSON-RPC answer.
    Status(u16),
    /// HTTP 401 or 403.
    Auth(u16),
    /// No connection, or a lost one: name resolution, TCP, TLS.
    Unreachable,
    /// A redirect that is not followed.
    Redirect,
    /// A JSON-RPC error with this code.
    Refused(i64),
    /// No protocol version in common.
    Version,
}

/// When it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// Before the first byte was exchanged.
    Start,
    /// While the protocol version was negotiated: `server/discover`, `initialize`.
    Negotiate,
    /// While paging through `tools/list`.
    List,
    /// During any other request.
    Request,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::Negotiate => "negotiate",
            Self::List => "list",
            Self::Request => "request",
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// A file or another part of the configuration that cannot be used, so that no session is opened.
    #[must_use]
    pub fn config(message: impl Into<String>, help: Option<String>) -> Self {
        let fault = Self::new(Party::Operator, FaultKind::Config, Phase::Start, message);
        match help {
            Some(help) => fault.with_help(help),
            None => fault,
        }
    }

    /// Who has to act.
    pub fn by(&self) -> Party {
        self.0.by
    }

    /// What happened.
    pub fn kind(&self) -> FaultKind {
        self.0.kind
    }

    /// When it happened.
    pub fn phase(&self) -> Phase {
        self.0.phase
    }

    /// What the user can do about it, in one line.
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// The first and last lines of the child's standard error, escaped and cut; empty for HTTP.
    pub fn stderr(&self) -> &[String] {
        &self.0.stderr
    }

    pub(crate) fn new(
        by: Party,
        kind: FaultKind,
        phase: Phase,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(Inner {
            by,
            kind,
            phase,
            message: message.into(),
            help: None,
            stderr: Vec::new(),
        }))
    }

    pub(crate) fn protocol(phase: Phase, message: impl Into<String>) -> Self {
        Self::new(Party::Server, FaultKind::Protocol, phase, message)
    }

    pub(crate) fn nonsense(phase: Phase, what: &str, bytes: &[u8]) -> Self {
        Self::protocol(phase, format!("{what}: `{}`", excerpt(bytes)))
    }

    pub(crate) fn too_large(phase: Phase, what: &str, limit: &str, allowed: usize) -> Self {
        Self::new(
            Party::Server,
            FaultKind::TooLarge,
            phase,
            format!("{what} is over the limit of {allowed} ({limit})"),
        )
    }

    /// No answer within a limit; `why` follows it.
    pub(crate) fn timeout(phase: Phase, method: &str, limit: Duration, why: &str) -> Self {
        Self::new(
            Party::Server,
            FaultKind::Timeout,
            phase,
            format!("no answer to `{method}` within {}{why}", seconds(limit)),
        )
        .with_help("a server that is slow to start needs a longer `--timeout`")
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    pub(crate) fn with_stderr(mut self, lines: Vec<String>) -> Self {
        self.0.stderr = lines;
        self
    }
}

/// Formats a duration for a message: `2 s`, `0.5 s`.
fn seconds(duration: Duration) -> String {
    let tenths = duration.as_millis().saturating_add(50) / 100;
    if tenths.is_multiple_of(10) {
        format!("{} s", tenths / 10)
    } else {
        format!("{}.{} s", tenths / 10, tenths % 10)
    }
}
