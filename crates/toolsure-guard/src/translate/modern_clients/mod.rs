//! Clients of 2026-07-28 with a server of 2025-11-25 or older.
//!
//! The server requires sessions, and a session has one set of client capabilities, while each modern
//! request declares its own set. So there is one session for each set, opened by the first request that
//! declares it:
//!
//! ```text
//!   client                       here                               server
//!   initialize, and all that follows it without a declared version ─ own connection, as it came ─►
//!   what the era has not ──────► answered: error
//!   any modern request ────────► WAITING for a session with its capabilities
//!                                  │ none, and room ── initialize, initialized ───►
//!                                  │ none, no room ─── an idle one of others is closed
//!                                  │ it refuses, does not open in time ► answered: error
//!                                  ▼
//!   server/discover ◄──────────── answered from what `initialize` said
//!   subscriptions/listen ──────► SUBSCRIBED: acknowledged; list_changed is sent under it
//!   any other ─────────────────► PENDING, without `_meta`, under a number of ours ►
//!                                  │
//!                                  ├─ answered ─► answered, with the modern tags
//!                                  ├─ notifications/cancelled ─► forgotten, sent ─►
//!                                  └─ the server asks something ◄─────────────────
//!                                       │ not declared, no call, too many ─ error ►
//!   ◄ input_required, requestState ── PARKED
//!   ─ the call again, inputResponses ►  ├─ PENDING, the answer is passed on ──────►
//!                                       ├─ the server has answered meanwhile ► answered
//!                                       └─ not in time ─ error, cancelled ────────►
//! ```
//!
//! A question of the server does not say which call it belongs to. With one client, any of its calls
//! can carry the question, because the answer reaches the server through any of them. With several
//! clients, each call that allows questions has its own session.
//!
//! [`ModernClients`] is one type in several files, because each message of either side may move a request
//! between the states of the diagram: `client.rs` and `server.rs` take the messages, `sessions.rs` gives
//! waiting requests their sessions, `awaits_input.rs` parks calls. What a request declares, what a call or a
//! session knows and how an answer is written are in types and functions of their own.

mod answers;
mod awaits_input;
mod call;
mod client;
mod declared;
mod handles;
mod server;
mod session;
mod sessions;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use super::bounds::Bounds;
use super::clients::Clients;
use super::held_bytes::HeldBytes;
use super::refusal::Refusal;
use super::turn::Turn;
use crate::connection::ConnectionId;
use crate::effect::Effect;
use crate::id::IdKey;
use handles::Handles;
use session::{Session, Stage};

#[derive(Debug)]
pub(super) struct ModernClients {
    bounds: Bounds,
    clients: Clients,
    /// The connection of a client that opens a session itself.
    through: Option<ConnectionId>,
    sessions: BTreeMap<ConnectionId, Session>,
    /// Where each request of the client is, by the client's id.
    places: HashMap<IdKey, Place>,
    /// Requests that wait for a session, in order.
    waiting: VecDeque<Waiting>,
    held: HeldBytes,
    handles: Handles,
    /// How many connections were opened.
    connections: usize,
    /// How many requests of our own were sent.
    numbers: i64,
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Waiting,
    /// The server has it, under a number of ours.
    Pending(ConnectionId, i64),
    Subscribed(ConnectionId),
}

#[derive(Debug)]
struct Waiting {
    key: IdKey,
    id: String,
    text: Vec<u8>,
    /// The session that is being opened for it.
    opening: Option<ConnectionId>,
}

impl ModernClients {
    pub(super) fn new(bounds: Bounds, clients: Clients, seed: [u8; 32]) -> Self {
        Self {
            held: HeldBytes::new(bounds.held_bytes),
            bounds,
            clients,
            through: None,
            sessions: BTreeMap::new(),
            places: HashMap::new(),
            waiting: VecDeque::new(),
            handles: Handles::new(seed),
            connections: 0,
            numbers: 0,
        }
    }

    pub(in crate::translate) fn server_gone(
        &mut self,
        connection: ConnectionId,
        why: &str,
        turn: &mut Turn,
    ) {
        if self.through == Some(connection) {
            self.through = None;
            return turn.out.push(Effect::Finish);
        }
        self.lost(connection, &Refusal::gone(why), turn);
    }

    pub(in crate::translate) fn next_deadline(&self) -> Option<Duration> {
        let of_session = |session: &Session| match session.stage {
            Stage::Opening(_, until) => Some(until),
            // No call waits for the client.
            Stage::Ready(_) if self.handles.is_empty() => None,
            Stage::Ready(_) => {
                let shown = session
                    .calls
                    .values()
                    .filter_map(|call| call.shown.as_ref());
                shown.map(|shown| shown.until).min()
            }
        };
        self.sessions.values().filter_map(of_session).min()
    }

    pub(in crate::translate) fn tick(&mut self, turn: &mut Turn) {
        let late = |session: &Session| matches!(session.stage, Stage::Opening(_, until) if until <= turn.now);
        let sessions = self.sessions.iter();
        let late: Vec<ConnectionId> = sessions
            .filter(|(_, one)| late(one))
            .map(|(connection, _)| *connection)
            .collect();
        for connection in late {
            let text = "the server did not open a session in time";
            self.close(
                connection,
                &Refusal::other_era("server-not-legacy", text),
                turn,
            );
        }
        let mut expired = Vec::new();
        for (connection, session) in &self.sessions {
            for (number, call) in &session.calls {
                if call
                    .shown
                    .as_ref()
                    .is_some_and(|shown| shown.until <= turn.now)
                {
                    expired.push((*connection, *number));
                }
            }
        }
        for (connection, number) in expired {
            self.drop_call(
                connection,
                number,
                "the client did not come back in time",
                turn,
            );
        }
        self.admit(turn);
    }
}
