//! Events of a running guard, for metrics, logs and the audit log.

use std::sync::Arc;
use std::time::Duration;

use toolgate_guard::{Link, Record, Side, Tracer};

use crate::fault::Fault;

/// Gets what happens. It is called from the pumps, some of them under a lock: it must return at
/// once and must not call back.
pub trait Observer: Send + Sync + 'static {
    /// Takes note of one event.
    fn observe(&self, event: &Event<'_>);

    /// The tracer for the requests of a conversation that begins. Default none.
    fn tracer(&self, _link: &Link) -> Option<Arc<dyn Tracer>> {
        None
    }
}

/// An observer that takes no notice.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn observe(&self, _: &Event<'_>) {}
}

/// One event. None holds a message, a header or a token.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A client connected: stdio once, HTTP for each TCP connection.
    Connected,
    /// It left.
    Disconnected {
        /// After how long.
        lasted: Duration,
    },
    /// A legacy HTTP session began.
    SessionOpened,
    /// It ended: by DELETE, idle, with its child, or with the guard.
    SessionClosed {
        /// After how long.
        lasted: Duration,
    },
    /// An HTTP request was refused before its body was looked at.
    Rejected {
        /// The status it got.
        status: u16,
        /// Why, a stable code such as `origin`.
        why: &'static str,
    },
    /// A filter decided: the audit record.
    Verdict(&'a Record),
    /// A message came in.
    Message {
        /// The sender's side.
        from: Side,
        /// Its length in bytes.
        bytes: usize,
    },
    /// The upstream is up, or is not any more.
    Upstream(UpstreamState<'a>),
    /// What the child wrote to its standard error: some bytes, not whole lines.
    Stderr(&'a [u8]),
    /// Something unusual for the log that has no record.
    Note {
        /// A stable code such as `undeliverable`.
        what: &'static str,
        /// One line; foreign text in it is escaped and cut.
        detail: &'a str,
    },
    /// Something usual that helps to find a fault, for the log at the level `debug`.
    Detail {
        /// A stable code such as `byte-order-mark`.
        what: &'static str,
        /// One line; foreign text in it is escaped and cut.
        detail: &'a str,
    },
}

/// How the upstream is.
#[derive(Debug)]
#[non_exhaustive]
pub enum UpstreamState<'a> {
    /// A child is started.
    Started,
    /// A child ended.
    Ended {
        /// How, one line.
        how: &'a str,
    },
    /// A child could not be started or an endpoint not be reached.
    Failed(&'a Fault),
    /// A server of several has gone by itself, and its client waits for it to be there again.
    Gone {
        /// Why, one line.
        how: &'a str,
    },
    /// An endpoint can be reached again, or a server that was gone is not needed any more.
    Here,
}
