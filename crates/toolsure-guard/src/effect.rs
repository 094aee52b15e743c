//! Effects of a stage: messages to send, connections to open, records to write.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use smallvec::SmallVec;
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::Era;

use crate::connection::{Connection, ConnectionId};
use crate::envelope::Envelope;
use crate::id::IdKey;
use crate::record::Record;
use crate::side::Side;
use crate::trace::TraceContext;

/// One thing to do. Effects are carried out in the order they were made.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who carries effects out must carry out every kind of them"
)]
pub enum Effect<'m> {
    /// Send a message.
    Send(Outgoing<'m>),
    /// Close the stream of a request at a modern HTTP server, which cancels it
    /// (2026-07-28, basic/patterns/cancellation).
    Abandon {
        /// The request.
        id: IdKey,
    },
    /// Write a line of the audit log.
    Audit(Box<Record>),
    /// Open a connection to the server. Messages for it may follow at once.
    Open(ConnectionId),
    /// Close a connection to the server. Messages that still arrive from it are ignored.
    Close(ConnectionId),
    /// Close the client's connection, because nothing serves it any more.
    Finish,
    /// Tell the stage on the client's side what happened to the server's tools.
    Tools(ToolsEvent),
    /// Tell the stage behind this connection the protocol version of the client's session. It may be older
    /// than the one that the stage's own server has agreed on.
    ClientVersion(ConnectionId, Era),
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
/// says. A stage on the server's side reports it to the stage that keeps a list of the tools.
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

/// A message to send: one JSON-RPC message or batch, without framing.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outgoing<'m> {
    /// Its receiver.
    pub to: Connection,
    /// The message. It is borrowed if it is the text that came in.
    pub bytes: Cow<'m, [u8]>,
    /// Who made the message, and why.
    pub purpose: Purpose,
    /// The envelope, if the stage that sends the message knows it; otherwise the first reader that needs
    /// it reads it from the bytes.
    pub envelope: Option<Envelope>,
    /// The contract of the tool that a `tools/call` to the server calls, if it is known. It determines
    /// what HTTP headers repeat of the call.
    pub call: Option<Arc<ToolContract>>,
    /// Whether the client was shown a form of that tool without the annotations of arguments that headers
    /// repeat, so that it does not know of the headers.
    pub headers_unknown: bool,
    /// The trace context that was put into the message, for transports that
    /// carry one of their own.
    pub trace: Option<Box<TraceContext>>,
    /// If this message is the error for a request that the server refused over HTTP, how the server
    /// refused it. For other messages it means nothing.
    pub refusal: Option<Arc<HttpRefusal>>,
    /// If this message is a result that may be cached, and the client's protocol version has no member
    /// for that: how long the server allows it to be cached.
    pub ttl: Option<Duration>,
}

/// How a server refused a client over HTTP (401, 403). The client must see the status and the
/// challenges, or it cannot authorize itself (2025-11-25, basic/authorization), so they are passed from
/// stage to stage with the error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a transport that makes one must set every field"
)]
pub struct HttpRefusal {
    /// The status.
    pub status: u16,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<Vec<u8>>,
    /// The number of the authorization that the client used, as the transport counts them: a client that
    /// has renewed its authorization must not see the refusal of an older one.
    pub authorization: u64,
}

/// Who made a message, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// A message of the other side, unchanged or altered.
    Forward,
    /// The guard's own answer to a request.
    Answer,
    /// The guard's own request.
    Ask,
    /// The guard's own notification.
    Notice,
}

/// Effects, in order. Most messages lead to one or two.
#[derive(Debug, Default)]
pub struct Effects<'m>(SmallVec<[Effect<'m>; 2]>);

impl<'m> Effects<'m> {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn push(&mut self, effect: Effect<'m>) {
        self.0.push(effect);
    }

    pub(crate) fn send(&mut self, outgoing: Outgoing<'m>) {
        self.push(Effect::Send(outgoing));
    }

    /// Sends a message of one side to the other, unchanged or altered.
    pub(crate) fn forward(&mut self, to: Side, bytes: impl Into<Cow<'m, [u8]>>, of: Envelope) {
        self.send(Outgoing::new(to, bytes, Purpose::Forward, of));
    }

    /// Sends a message as received, or one made from it, without an envelope.
    pub(crate) fn pass(&mut self, to: Connection, bytes: impl Into<Cow<'m, [u8]>>) {
        self.send(Outgoing {
            to,
            bytes: bytes.into(),
            purpose: Purpose::Forward,
            envelope: None,
            call: None,
            headers_unknown: false,
            trace: None,
            refusal: None,
            ttl: None,
        });
    }

    /// Adds a refusal to the messages for the client from `start` on, if there is one.
    pub(crate) fn carry(&mut self, refusal: Option<&Arc<HttpRefusal>>, start: usize) {
        let Some(refusal) = refusal else { return };
        for effect in self.since(start) {
            if let Effect::Send(outgoing) = effect
                && outgoing.to == Side::Client
                && outgoing.refusal.is_none()
            {
                outgoing.refusal = Some(Arc::clone(refusal));
            }
        }
    }

    /// Sends a message to the client.
    pub(crate) fn client(&mut self, message: impl Into<Vec<u8>>) {
        self.pass(Connection::Client, message.into());
    }

    /// Sends a result to the client that may be cached for `ttl`, which the result does not say.
    pub(crate) fn client_for(&mut self, message: impl Into<Vec<u8>>, ttl: Option<Duration>) {
        let start = self.len();
        self.client(message);
        if let [Effect::Send(outgoing)] = self.since(start) {
            outgoing.ttl = ttl;
        }
    }

    /// Sends a message to a server.
    pub(crate) fn server(&mut self, connection: ConnectionId, message: impl Into<Vec<u8>>) {
        self.pass(Connection::Server(connection), message.into());
    }

    pub(crate) fn note(&mut self, what: &'static str, detail: impl Into<String>) {
        self.push(Effect::Note {
            connection: None,
            what,
            detail: detail.into(),
        });
    }

    /// Appends effects that borrow nothing.
    pub(crate) fn append(&mut self, effects: Effects<'static>) {
        for effect in effects {
            self.push(effect);
        }
    }

    pub(crate) fn audit(&mut self, record: Record) {
        self.push(Effect::Audit(Box::new(record)));
    }

    /// The effects from index `start` on.
    pub(crate) fn since(&mut self, start: usize) -> &mut [Effect<'m>] {
        self.0.get_mut(start..).unwrap_or_default()
    }

    /// Appends the effects of a message that is not kept.
    pub(crate) fn adopt(&mut self, effects: Effects<'_>) {
        for effect in effects {
            self.push(effect.into_owned());
        }
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
    pub fn iter(&self) -> std::slice::Iter<'_, Effect<'m>> {
        self.0.iter()
    }

    /// The same effects, independent of the message that led to them.
    #[must_use]
    pub fn into_owned(self) -> Effects<'static> {
        Effects(self.0.into_iter().map(Effect::into_owned).collect())
    }
}

impl<'m> IntoIterator for Effects<'m> {
    type Item = Effect<'m>;
    type IntoIter = smallvec::IntoIter<[Effect<'m>; 2]>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, 'm> IntoIterator for &'a Effects<'m> {
    type Item = &'a Effect<'m>;
    type IntoIter = std::slice::Iter<'a, Effect<'m>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Effect<'_> {
    /// The same effect, independent of the message that led to it.
    #[must_use]
    pub fn into_owned(self) -> Effect<'static> {
        match self {
            Self::Send(outgoing) => Effect::Send(outgoing.into_owned()),
            Self::Abandon { id } => Effect::Abandon { id },
            Self::Audit(record) => Effect::Audit(record),
            Self::Open(connection) => Effect::Open(connection),
            Self::Close(connection) => Effect::Close(connection),
            Self::Finish => Effect::Finish,
            Self::Tools(event) => Effect::Tools(event),
            Self::ClientVersion(connection, era) => Effect::ClientVersion(connection, era),
            Self::Note {
                connection,
                what,
                detail,
            } => Effect::Note {
                connection,
                what,
                detail,
            },
        }
    }
}

impl<'m> Outgoing<'m> {
    pub(crate) fn new(
        to: impl Into<Connection>,
        bytes: impl Into<Cow<'m, [u8]>>,
        purpose: Purpose,
        envelope: Envelope,
    ) -> Self {
        Self {
            to: to.into(),
            bytes: bytes.into(),
            purpose,
            envelope: Some(envelope),
            call: None,
            headers_unknown: false,
            trace: None,
            refusal: None,
            ttl: None,
        }
    }

    fn into_owned(self) -> Outgoing<'static> {
        Outgoing {
            to: self.to,
            bytes: Cow::Owned(self.bytes.into_owned()),
            purpose: self.purpose,
            envelope: self.envelope,
            call: self.call,
            headers_unknown: self.headers_unknown,
            trace: self.trace,
            refusal: self.refusal,
            ttl: self.ttl,
        }
    }
}
