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
mod held_bytes;
mod legacy_clients;
mod modern_clients;
mod parsed_message;
mod refusal;
mod rewrite;
mod turn;
mod words;

use std::time::Duration;

use toolsure_json::ReadLimits;

use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, Effects, ToolsEvent};
use crate::error_reply::ErrorReply;
use crate::message::{Message, kept};
use crate::policy::Policy;
use bounds::Bounds;
pub use clients::Clients;
use legacy_clients::LegacyClients;
use modern_clients::ModernClients;
use parsed_message::ParsedMessage;
use turn::Turn;

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
/// use toolsure_guard::{Connection, Effect, Policy, Side};
///
/// let seed = [7; 32]; // in earnest from the system's source of randomness
/// let mut translator =
///     Translator::new(Translate::LegacyClients, Clients::One, seed, &Policy::new());
/// let ping = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
/// let steps: Vec<_> = translator.on_message(Connection::Client, ping, Duration::ZERO).into_iter().collect();
/// // The modern era has no `ping`, so the server never hears of it.
/// assert!(matches!(&steps[..], [Effect::Send { to, message }]
///     if *to == Side::Client && message.bytes().ends_with(b"\"result\":{}}")));
/// ```
#[derive(Debug)]
pub struct Translator {
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
            limits: policy.limits.read(),
            machine: match translate {
                Translate::LegacyClients => Machine::Legacy(LegacyClients::new(bounds)),
                Translate::ModernClients => {
                    Machine::Modern(ModernClients::new(bounds, clients, seed))
                }
            },
        }
    }

    /// Handles a message of one side.
    pub fn on_message(
        &mut self,
        from: Connection,
        message: impl Into<Message>,
        now: Duration,
    ) -> Effects {
        let mut turn = Turn::new(now);
        let message = message.into().read_as_sent(&self.limits);
        match message.elements() {
            None => {
                self.take_one(from, &message, &mut turn);
                turn.out.carry(message.refusal.as_ref(), 0);
            }
            Some(elements) => {
                for element in elements {
                    let element = Message::new(element).read(&self.limits, None);
                    self.take_one(from, &element, &mut turn);
                }
            }
        }
        turn.out
    }

    /// Handles the end of a connection to the server, or its failure to open.
    pub fn server_gone(&mut self, connection: ConnectionId, why: &str, now: Duration) -> Effects {
        let mut turn = Turn::new(now);
        match &mut self.machine {
            Machine::Legacy(machine) => machine.server_gone(why, &mut turn),
            Machine::Modern(machine) => machine.server_gone(connection, why, &mut turn),
        }
        turn.out
    }

    /// Handles an event of the server's tools, which a connection to the server reports.
    pub fn tools_event(&mut self, event: ToolsEvent) -> Effects {
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
    pub fn tick(&mut self, now: Duration) -> Effects {
        let mut turn = Turn::new(now);
        match &mut self.machine {
            Machine::Legacy(machine) => machine.tick(&mut turn),
            Machine::Modern(machine) => machine.tick(&mut turn),
        }
        turn.out
    }

    fn take_one(&mut self, from: Connection, message: &Message, turn: &mut Turn) {
        let parsed = match ParsedMessage::of(message) {
            Ok(parsed) => parsed,
            Err(why) => return self.unreadable(from, message, &why, turn),
        };
        match (&mut self.machine, from) {
            (Machine::Legacy(machine), Connection::Client) => machine.client(&parsed, turn),
            (Machine::Legacy(machine), Connection::Server(_)) => machine.server(&parsed, turn),
            (Machine::Modern(machine), Connection::Client) => machine.client(&parsed, turn),
            (Machine::Modern(machine), Connection::Server(connection)) => {
                machine.server(connection, &parsed, turn);
            }
        }
    }

    /// Answers a message that cannot be read, or sends an error in its place.
    fn unreadable(&mut self, from: Connection, message: &Message, why: &str, turn: &mut Turn) {
        let is_json = message.document().is_ok() && message.flaw().is_none();
        match ErrorReply::of(from.side(), message.bytes(), is_json, why) {
            ErrorReply::ToSender(error) => turn.out.send(from, Message::new(error)),
            ErrorReply::InPlace(error) => {
                let error = kept(error.as_bytes());
                // Under an id that no request can have, it answers nothing.
                match error.is_clear() {
                    true => self.take_one(from, &error, turn),
                    false => turn.out.note("unreadable", why),
                }
            }
            ErrorReply::NotNeeded => turn.out.note("unreadable", why),
        }
    }
}
