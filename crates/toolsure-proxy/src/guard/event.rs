//! Events of a running guard, for metrics, logs and the audit log.

use std::sync::Arc;
use std::time::Duration;

use toolsure_guard::{Link, Record, Side, Tracer};

use crate::fault::Fault;

/// Receives the events of a guard. The tasks that carry messages call it, some of them under a
/// lock: it must return at once and must not call the guard.
pub trait Observer: Send + Sync + 'static {
    /// Handles one event.
    fn observe(&self, event: &Event<'_>);

    /// The tracer for the requests of a new conversation. Default none.
    fn tracer(&self, _link: &Link) -> Option<Arc<dyn Tracer>> {
        None
    }
}

/// An observer that ignores all events.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "it has no fields")]
pub struct Unobserved;

impl Observer for Unobserved {
    fn observe(&self, _: &Event<'_>) {}
}

/// One event. No event contains a message, a header or a token.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A client connected: stdio once, HTTP for each TCP connection.
    Connected,
    /// A client disconnected.
    Disconnected {
        /// How long it was connected.
        lasted: Duration,
    },
    /// A client's connection was closed by the guard before its answer was complete.
    GivenUp {
        /// The reason: a stable code such as `slow-reader`.
        why: &'static str,
    },
    /// A legacy HTTP session began.
    SessionOpened,
    /// A legacy HTTP session ended: for example by DELETE, because it was idle, or with its child.
    SessionClosed {
        /// How long it was open.
        lasted: Duration,
    },
    /// An HTTP request was refused before a filter saw its message.
    Rejected {
        /// The HTTP status.
        status: u16,
        /// The reason: a stable code such as `origin`.
        why: &'static str,
    },
    /// A filter decided; this is the audit record.
    Verdict(&'a Record),
    /// A message was received.
    Message {
        /// The sender's side.
        from: Side,
        /// Its length in bytes.
        bytes: usize,
    },
    /// The state of the upstream has changed.
    Upstream(UpstreamState<'a>),
    /// Bytes that the child wrote to its standard error, not necessarily whole lines.
    Stderr(&'a [u8]),
    /// Something unusual, for the log. It has no audit record.
    Note {
        /// A stable code such as `undeliverable`.
        what: &'static str,
        /// One line; untrusted text in it is escaped and cut.
        detail: &'a str,
    },
    /// A detail that helps to diagnose a problem, for the log at the level `debug`.
    Detail {
        /// A stable code such as `byte-order-mark`.
        what: &'static str,
        /// One line; untrusted text in it is escaped and cut.
        detail: &'a str,
    },
}

/// The state of the upstream.
#[derive(Debug)]
#[non_exhaustive]
pub enum UpstreamState<'a> {
    /// A child was started.
    Started,
    /// A child ended.
    Ended {
        /// How it ended, one line.
        how: &'a str,
    },
    /// A child could not be started, or an endpoint could not be reached.
    Failed(&'a Fault),
    /// One of several servers is gone; the others go on without it.
    Gone {
        /// Why, one line.
        how: &'a str,
    },
    /// An endpoint can be reached again, or a server that was gone is no longer needed.
    Here,
}
