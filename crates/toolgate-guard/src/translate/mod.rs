//! Between the eras: clients of one with a server of the other.
//!
//! A [`Translator`] takes the place of a server's connection. It takes the messages
//! of a client and returns what to send where, as [`Effects`]; like a
//! [`Conversation`](crate::Conversation) it has no socket and no clock. A message
//! whose two ends speak the same era passes as it came, and each message says its
//! era itself. Judging messages is the work of a conversation, not of a translator.
//!
//! [`Translate::LegacyClients`] and [`Translate::ModernClients`] have a folder
//! each, with the state machine drawn at the top of its first file.

mod legacy_clients;
mod modern_clients;
mod refusal;
mod splice;
mod words;

use std::time::Duration;

use toolgate_json::{ReadLimits, Reader, View};
use toolgate_mcp::message::Message;

use crate::connection::{Connection, ConnectionId};
use crate::effect::Effects;
use crate::error_reply::ErrorReply;
use crate::incoming::IncomingMessage;
use crate::policy::Policy;
use crate::reading::generous;
use crate::stage::Stage;
use legacy_clients::LegacyClients;
use modern_clients::ModernClients;
use refusal::Refusal;

/// Which clients a server of the other era is made usable for.
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

/// How many clients use the translator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a connection belongs to one client, or to several"
)]
pub enum Clients {
    /// One client.
    #[default]
    One,
    /// Several clients whose messages come together. What a legacy server asks
    /// in the middle of a call does not say which call that is, so such calls
    /// have a session of the server's to themselves.
    Many,
}

/// A translator between one side of clients and one server.
///
/// ```
/// use std::time::Duration;
/// use toolgate_guard::translate::{Clients, Translate, Translator};
/// use toolgate_guard::{Effect, Policy, Side};
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

/// What may wait, and how long.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// Requests that are open at the same time.
    pending: usize,
    /// Messages that are kept until something else has happened.
    held: usize,
    /// Bytes of those.
    held_bytes: usize,
    /// How long a person may take to answer, and a session to open.
    patience: Duration,
}

/// A message that was read.
struct ParsedMessage<'a> {
    /// As it came.
    text: &'a str,
    /// The whole of it.
    view: View<'a>,
    message: Message<'a>,
}

impl<'a> ParsedMessage<'a> {
    /// A value of it as it came.
    fn raw(&self, view: View<'_>) -> &'a str {
        let span = view.span();
        self.text.get(span.start..span.end).unwrap_or_default()
    }
}

impl Translator {
    /// A new translator. `seed` must be 32 bytes that cannot be guessed; the limits
    /// and the timeout are the policy's.
    #[must_use]
    pub fn new(translate: Translate, clients: Clients, seed: [u8; 32], policy: &Policy) -> Self {
        let limits = &policy.limits;
        let bounds = Bounds {
            pending: limits.pending,
            held: limits.parked,
            held_bytes: limits.parked_bytes,
            patience: policy.request_timeout.unwrap_or(PATIENCE),
        };
        Self {
            reader: Reader::new(),
            limits: limits.read(),
            machine: match translate {
                Translate::LegacyClients => Machine::Legacy(LegacyClients::new(bounds)),
                Translate::ModernClients => {
                    Machine::Modern(ModernClients::new(bounds, clients, seed))
                }
            },
        }
    }

    /// Takes a message of the client.
    pub fn from_client<'m>(&mut self, message: &'m [u8], now: Duration) -> Effects<'m> {
        self.take(Connection::Client, message, now)
    }

    /// Takes a message of the server.
    pub fn from_server<'m>(
        &mut self,
        connection: ConnectionId,
        message: &'m [u8],
        now: Duration,
    ) -> Effects<'m> {
        self.take(Connection::Server(connection), message, now)
    }

    /// A connection to the server has ended, or could not be made.
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

    /// When [`tick`](Self::tick) has something to do.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        match &self.machine {
            Machine::Legacy(machine) => machine.next_deadline(),
            Machine::Modern(machine) => machine.next_deadline(),
        }
    }

    /// Time has passed.
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
    /// Answers a message that is not one, or lets an error take its place.
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
                let mut made = Effects::new();
                self.take_one(from, &kept(error.as_bytes()), now, &mut made);
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

    fn on_timer(&mut self, now: Duration, out: &mut Effects<'_>) {
        out.append(self.tick(now));
    }

    fn next_deadline(&mut self) -> Option<Duration> {
        Self::next_deadline(self)
    }
}

impl<'r> ParsedMessage<'r> {
    /// What was read of one message.
    ///
    /// # Errors
    ///
    /// Why it is not a message, in one line.
    fn of(incoming: &'r IncomingMessage<'_>) -> Result<Self, String> {
        let reading = incoming.reading().map_err(ToString::to_string)?;
        let view = reading.document.root();
        let message = Message::decode(view).map_err(|error| error.to_string())?;
        if let Some((_, why)) = reading.broken_envelope(incoming.bytes(), &message) {
            return Err(why);
        }
        Ok(Self {
            text: incoming.text(),
            view,
            message,
        })
    }
}

/// A message that was kept is read again without limits: it was read within them when it came.
fn kept(message: &[u8]) -> IncomingMessage<'_> {
    IncomingMessage::read(Reader::new(), message, &generous())
}

/// Patience where the policy has none. As [`Policy`]'s default.
const PATIENCE: Duration = Duration::from_secs(300);
/// Bytes of a message after which the memory for reading it is given back.
const KEPT: usize = 1 << 20;
