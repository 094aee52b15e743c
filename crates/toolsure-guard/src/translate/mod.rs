//! Translation between the eras: clients of one era with a server of the other.
//!
//! A [`Translator`] takes the place of a server's connection. It takes the messages of a client and
//! returns the messages to send, as [`Effects`]; like a [`Conversation`](crate::Conversation) it has no
//! socket and no clock. Each message shows its own era, and a message between two sides of the same era
//! passes unchanged. A translator does not check messages; a conversation does.
//!
//! [`Translate::LegacyClients`] and [`Translate::ModernClients`] have a folder each; its first file
//! starts with a diagram of the state machine.

mod bounds;
mod clients;
mod legacy_clients;
mod modern_clients;
mod parsed_message;
mod refusal;
mod splice;
mod words;

use std::time::Duration;

use toolsure_json::{ReadLimits, Reader};
use toolsure_mcp::era::Era;

use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, Effects, ToolsEvent};
use crate::error_reply::ErrorReply;
use crate::incoming::IncomingMessage;
use crate::policy::Policy;
use crate::stage::Stage;
use bounds::Bounds;
pub use clients::Clients;
use legacy_clients::LegacyClients;
use modern_clients::ModernClients;
use parsed_message::{ParsedMessage, kept};

/// The clients that can use a server of the other era through the translator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "there are two ways of speaking, and so two ways across"
)]
pub enum Translate {
    /// Clients of 2025-11-25 and older use a server of 2026-07-28.
    LegacyClients,
    /// Clients of 2026-07-28 use a server of 2025-11-25 or older.
    ModernClients,
}

/// A translator between one side of clients and one server.
///
/// ```
/// use std::time::Duration;
/// use toolsure_guard::translate::{Clients, Translate, Translator};
/// use toolsure_guard::{Effect, Policy, Side};
///
/// let seed = [7; 32]; // in earnest from the system's source of randomness
/// let mut translator =
///     Translator::new(Translate::LegacyClients, Clients::One, seed, &Policy::new());
/// let ping = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
/// let steps: Vec<_> = translator.from_client(ping, Duration::ZERO).into_iter().collect();
/// // The modern era has no `ping`, so the server never hears of it.
/// assert!(matches!(&steps[..], [Effect::Send(pong)]
///     if pong.to == Side::Client && pong.bytes.ends_with(b"\"result\":{}}")));
/// ```
#[derive(Debug)]
pub struct Translator {
    reader: Reader,
    limits: ReadLimits,
    machine: Machine,
}

#[derive(Debug)]
enum Machine {
    Legacy(LegacyClients),
    Modern(ModernClients),
}

impl Translator {
    /// Creates a translator. `seed` must be 32 bytes that cannot be guessed; the limits and the timeout are
    /// those of the policy.
    #[must_use]
    pub fn new(translate: Translate, clients: Clients, seed: [u8; 32], policy: &Policy) -> Self {
        let bounds = Bounds::of(policy);
        Self {
            reader: Reader::new(),
            limits: policy.limits.read(),
            machine: match translate {
                Translate::LegacyClients => Machine::Legacy(LegacyClients::new(bounds)),
                Translate::ModernClients => {
                    Machine::Modern(ModernClients::new(bounds, clients, seed))
                }
            },
        }
    }

    /// Handles a message of the client.
    pub fn from_client<'m>(&mut self, message: &'m [u8], now: Duration) -> Effects<'m> {
        self.take(Connection::Client, message, now)
    }

    /// Handles a message of the server.
    pub fn from_server<'m>(
        &mut self,
        connection: ConnectionId,
        message: &'m [u8],
        now: Duration,
    ) -> Effects<'m> {
        self.take(Connection::Server(connection), message, now)
    }

    /// Handles the end of a connection to the server, or its failure to open.
    pub fn server_gone(
        &mut self,
        connection: ConnectionId,
        why: &str,
        now: Duration,
    ) -> Effects<'static> {
        let mut out = Effects::new();
        match &mut self.machine {
            Machine::Legacy(machine) => machine.server_gone(why, &mut out),
            Machine::Modern(machine) => machine.server_gone(connection, why, now, &mut out),
        }
        out
    }

    /// Handles an event of the server's tools, which a connection to the server reports.
    pub fn tools_event(&mut self, event: ToolsEvent) -> Effects<'static> {
        let mut out = Effects::new();
        out.push(Effect::Tools(event));
        out
    }

    /// When [`tick`](Self::tick) has something to do.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        match &self.machine {
            Machine::Legacy(machine) => machine.next_deadline(),
            Machine::Modern(machine) => machine.next_deadline(),
        }
    }

    /// Handles deadlines that have passed.
    pub fn tick(&mut self, now: Duration) -> Effects<'static> {
        let mut out = Effects::new();
        match &mut self.machine {
            Machine::Legacy(machine) => machine.tick(now, &mut out),
            Machine::Modern(machine) => machine.tick(now, &mut out),
        }
        out
    }

    fn take<'m>(&mut self, from: Connection, message: &'m [u8], now: Duration) -> Effects<'m> {
        let mut out = Effects::new();
        let message = self.read(message);
        self.on_message(from, &message, now, &mut out);
        self.done_with(message);
        out
    }

    fn read<'m>(&mut self, message: &'m [u8]) -> IncomingMessage<'m> {
        IncomingMessage::read(std::mem::take(&mut self.reader), message, &self.limits)
    }

    /// Takes back the memory that a message was read into, unless the message was large.
    fn done_with(&mut self, message: IncomingMessage<'_>) {
        if message.bytes().len() <= KEPT {
            self.reader = message.into_reader().unwrap_or_default();
        }
    }

    fn take_one<'m>(
        &mut self,
        from: Connection,
        incoming: &IncomingMessage<'m>,
        now: Duration,
        out: &mut Effects<'m>,
    ) {
        let message = incoming.bytes();
        let parsed = match ParsedMessage::of(incoming) {
            Ok(parsed) => parsed,
            Err(why) => return self.unreadable(from, incoming, &why, now, out),
        };
        match (&mut self.machine, from) {
            (Machine::Legacy(machine), Connection::Client) => {
                machine.client(&parsed, message, now, out);
            }
            (Machine::Legacy(machine), Connection::Server(_)) => {
                machine.server(&parsed, message, now, out);
            }
            (Machine::Modern(machine), Connection::Client) => {
                machine.client(&parsed, message, now, out);
            }
            (Machine::Modern(machine), Connection::Server(connection)) => {
                machine.server(connection, &parsed, message, now, out);
            }
        }
    }
}

impl Translator {
    /// Answers a message that cannot be read, or sends an error in its place.
    fn unreadable(
        &mut self,
        from: Connection,
        message: &IncomingMessage<'_>,
        why: &str,
        now: Duration,
        out: &mut Effects<'_>,
    ) {
        let is_json = message
            .reading()
            .is_ok_and(|reading| reading.flaw.is_none());
        match ErrorReply::of(from.side(), message.bytes(), is_json, why) {
            ErrorReply::ToSender(error) => out.pass(from, error.into_bytes()),
            ErrorReply::InPlace(error) => {
                let error = kept(error.as_bytes());
                // Under an id that no request can have, it answers nothing.
                if !error.is_clear() {
                    return out.note("unreadable", why);
                }
                let mut made = Effects::new();
                self.take_one(from, &error, now, &mut made);
                out.adopt(made);
            }
            ErrorReply::NotNeeded => out.note("unreadable", why),
        }
    }
}

impl Stage for Translator {
    fn on_message<'m>(
        &mut self,
        from: Connection,
        message: &IncomingMessage<'m>,
        now: Duration,
        out: &mut Effects<'m>,
    ) {
        let Some(elements) = message.elements() else {
            let start = out.len();
            self.take_one(from, message, now, out);
            return out.carry(message.refusal(), start);
        };
        for element in elements {
            let element = self.read(element);
            self.take_one(from, &element, now, out);
            self.done_with(element);
        }
    }

    fn on_closed(
        &mut self,
        connection: Connection,
        why: &str,
        now: Duration,
        out: &mut Effects<'_>,
    ) {
        match connection {
            // No client waits any more, and the connections to the server end with the client's.
            Connection::Client => {}
            Connection::Server(connection) => out.append(self.server_gone(connection, why, now)),
        }
    }

    fn on_tools_event(
        &mut self,
        _: ConnectionId,
        event: ToolsEvent,
        _: Duration,
        out: &mut Effects<'_>,
    ) {
        out.append(self.tools_event(event));
    }

    fn on_client_version(&mut self, _: Era) {
        // A conversation on the client's side has adapted the messages to it.
    }

    fn on_timer(&mut self, now: Duration, out: &mut Effects<'_>) {
        out.append(self.tick(now));
    }

    fn next_deadline(&mut self) -> Option<Duration> {
        Self::next_deadline(self)
    }
}

/// The largest message after which the memory for parsing is kept.
const KEPT: usize = 1 << 20;
