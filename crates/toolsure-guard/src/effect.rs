//! Effects: messages to send, connections to open, reports to the operator.

use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;
use toolsure_mcp::era::Era;

use crate::connection::{Connection, ConnectionId};
use crate::envelope::Envelope;
use crate::id::IdKey;
use crate::message::{HttpRefusal, Message, Purpose};
use crate::record::Record;
use crate::side::Side;

/// One thing to do. Effects are carried out in the order they were made.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who carries effects out must carry out every kind of them"
)]
pub enum Effect {
    /// Send a message.
    Send {
        /// Its receiver.
        to: Connection,
        /// The message.
        message: Message,
    },
    /// Close the stream of a request at a modern HTTP server, which cancels it
    /// (2026-07-28, basic/patterns/cancellation).
    Abandon {
        /// The request.
        id: IdKey,
    },
    /// Open a connection to the server. Messages for it may follow at once.
    Open(ConnectionId),
    /// Close a connection to the server. Messages that still arrive from it are ignored.
    Close(ConnectionId),
    /// Close the client's connection, because nothing serves it any more.
    Finish,
    /// Tell the part on the client's side what happened to the server's tools.
    Tools(ToolsEvent),
    /// Tell the part behind this connection the protocol version of the client's session. It may be older
    /// than the one that that part's server has agreed on.
    ClientVersion(ConnectionId, Era),
    /// Report something to the operator.
    Report(Report),
}

/// Something for the operator, which no peer waits for.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who carries effects out must know where every kind of report goes"
)]
pub enum Report {
    /// A line of the audit log.
    Decision(Box<Record>),
    /// A note for an operator's log.
    Note {
        /// The connection that the note is about, if there are several servers.
        connection: Option<ConnectionId>,
        /// A stable code.
        what: &'static str,
        /// One line without any value of a message. Foreign text in it is not escaped.
        detail: String,
    },
}

/// Something that happened to the tools of a server, and that no message of the client's protocol version
/// says. The part on the server's side reports it to the one that keeps a list of the tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who keeps a list must handle every event"
)]
pub enum ToolsEvent {
    /// The tools may have changed: a list from before must be requested again.
    Changed,
    /// A session or process of the server has ended: the next one may have other tools.
    SessionEnded,
}

/// Effects, in order. Most messages lead to one or two.
#[derive(Debug, Default)]
pub struct Effects(SmallVec<[Effect; 2]>);

impl Effects {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    pub(crate) fn send(&mut self, to: impl Into<Connection>, message: Message) {
        let to = to.into();
        self.push(Effect::Send { to, message });
    }

    /// Sends a text that was made from a message of the other side.
    pub(crate) fn altered(&mut self, to: Side, text: String, envelope: Envelope) {
        self.send(to, Message::made(text, Purpose::Forward, envelope));
    }

    /// Sends a message to the client, whose envelope is read when it is needed.
    pub(crate) fn client(&mut self, message: impl Into<Message>) {
        self.send(Connection::Client, message.into());
    }

    /// Sends a message to a server, whose envelope is read when it is needed.
    pub(crate) fn server(&mut self, connection: ConnectionId, message: impl Into<Message>) {
        self.send(Connection::Server(connection), message.into());
    }

    /// Adds a refusal to the messages for the client from `start` on, if there is one.
    pub(crate) fn carry(&mut self, refusal: Option<&Arc<HttpRefusal>>, start: usize) {
        let Some(refusal) = refusal else { return };
        for effect in self.since(start) {
            if let Effect::Send { to, message } = effect
                && *to == Side::Client
                && message.refusal.is_none()
            {
                message.refusal = Some(Arc::clone(refusal));
            }
        }
    }

    /// Sends a result to the client that may be cached for `ttl`, which the result does not say.
    pub(crate) fn client_for(&mut self, mut message: Message, ttl: Option<Duration>) {
        message.ttl = ttl;
        self.send(Connection::Client, message);
    }

    pub(crate) fn note(&mut self, what: &'static str, detail: impl Into<String>) {
        self.push(Effect::Report(Report::Note {
            connection: None,
            what,
            detail: detail.into(),
        }));
    }

    pub(crate) fn audit(&mut self, record: Record) {
        self.push(Effect::Report(Report::Decision(Box::new(record))));
    }

    /// The effects from index `start` on.
    pub(crate) fn since(&mut self, start: usize) -> &mut [Effect] {
        self.0.get_mut(start..).unwrap_or_default()
    }

    /// Removes and returns the effects from index `start` on.
    pub(crate) fn split_off(&mut self, start: usize) -> Self {
        Self(self.0.drain(start.min(self.0.len())..).collect())
    }

    /// The number of effects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no effects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The effects, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Effect> {
        self.0.iter()
    }
}

impl IntoIterator for Effects {
    type Item = Effect;
    type IntoIter = smallvec::IntoIter<[Effect; 2]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Effects {
    type Item = &'a Effect;
    type IntoIter = std::slice::Iter<'a, Effect>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
