//! The interface that filters, translation and aggregation have in common.

use std::fmt;
use std::time::Duration;

use toolsure_mcp::era::Era;

use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effects, ToolsEvent};
use crate::incoming::IncomingMessage;

/// A state machine between one client and its servers, without I/O: a
/// [`Conversation`](crate::Conversation) filters, a
/// [`Translator`](crate::translate::Translator) translates between protocol versions, an
/// [`Aggregator`](crate::Aggregator) presents several servers as one.
///
/// A stage is called for each event, with the time since a common starting point, and appends the
/// effects to `out`, in order. If a stage changes nothing in a message, it sends the original bytes,
/// borrowed.
///
/// ```
/// use std::time::Duration;
/// use toolsure_guard::translate::{Clients, Translate, Translator};
/// use toolsure_guard::{Connection, Effect, Effects, Guard, Policy, Side, Stage};
///
/// let guard = Guard::new(Policy::new())?;
/// let seed = [7; 32]; // in earnest from the system's source of randomness
/// let stage: &mut dyn Stage =
///     &mut Translator::new(Translate::LegacyClients, Clients::One, seed, &guard.policy());
///
/// let ping = guard.read(br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#);
/// let mut out = Effects::default();
/// stage.on_message(Connection::Client, &ping, Duration::ZERO, &mut out);
/// let effects: Vec<_> = out.into_iter().collect();
/// assert!(matches!(&effects[..], [Effect::Send(pong)] if pong.to == Side::Client));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Stage: fmt::Debug + Send {
    /// Handles a message.
    fn on_message<'m>(
        &mut self,
        from: Connection,
        message: &IncomingMessage<'m>,
        now: Duration,
        out: &mut Effects<'m>,
    );

    /// Handles the end of a connection, or its failure to open; `why` is one line.
    fn on_closed(
        &mut self,
        connection: Connection,
        why: &str,
        now: Duration,
        out: &mut Effects<'_>,
    );

    /// Handles an event of the server's tools that a stage on the server's side reports.
    fn on_tools_event(
        &mut self,
        connection: ConnectionId,
        event: ToolsEvent,
        now: Duration,
        out: &mut Effects<'_>,
    );

    /// Learns the protocol version of the client's session, if a stage on the client's side has negotiated
    /// another one than this stage's server.
    fn on_client_version(&mut self, version: Era);

    /// Handles the time: the [`next_deadline`](Self::next_deadline) has passed.
    fn on_timer(&mut self, now: Duration, out: &mut Effects<'_>);

    /// When [`on_timer`](Self::on_timer) has something to do.
    fn next_deadline(&mut self) -> Option<Duration>;
}
