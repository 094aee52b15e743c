//! Several servers behind one: lines of the client in, lines for each server out, no I/O.
//!
//! What a message of the client goes through:
//!
//! ```text
//!                      from_client
//!   ┌──────────────┬────────┴───────┬─────────────────┬──────────────┐
//!   ▼              ▼                ▼                 ▼              ▼
//! ping         a tool's or      a URI, a task     opening, lists,  listening
//!   │          prompt's name        │             log level          │
//!   │              │                ▼                 │              ▼
//!   │              │           known whose? ─no─► SOUGHT: asked    LISTENED: at all;
//!   │              ▼                │yes          of one after     one acknowledgement,
//!   │          the prefix ends ─────┤             the other until  whoever comes back
//!   │          in whose it is       │             one has it       is asked again
//!   │                               ▼                 │              │
//!   │                              SENT          GATHERED: at all ◄──┘
//!   │                               │                 │ all answered, or patience ended
//!   ▼                               ▼                 ▼
//! answered ◄── as it came, but ids ─┴──── merged; whoever is missing is noted
//! ```
//!
//! What a server goes through, for a client that opened a session (`initialize`, to 2025-11-25):
//!
//! ```text
//!   CLOSED ──client opens──► OPENING ──answered──► OPEN ──gone──► CLOSED
//!     ▲  comes back, late        │ error                            │ its requests are answered
//!     └──────────────────────────┴─► REFUSED ─pause─► OPENING       │ by an error that names it
//!                                                                   ▼
//!                     OPEN again: the client is told that its lists have changed
//! ```
//!
//! A request of 2026-07-28 needs no opening and goes to whoever is there.

mod answers;
mod client;
mod gather;
mod listen;
mod lists;
mod opening;
mod seek;
mod server;
mod way;

use std::collections::HashMap;
use std::time::Duration;

use toolgate_json::{Node as _, Reader, View};
use toolgate_mcp::message::{Edits, Incoming, Message};

use crate::id::IdKey;
use crate::reading::{self, Desks};
use gather::Gathering;
use listen::Listening;
use seek::{Known, Seeking};
use way::Way;
pub use way::{JunctionError, Member, default_prefix};

/// One listing of several servers, for one client or for clients of one authorization.
///
/// It has no clock and no pipe: every event is told the time since a moment that all events share,
/// and what is to be sent comes out as [`Dispatch`]es, in order.
#[derive(Debug)]
pub struct Junction {
    ways: Vec<Way>,
    bounds: JunctionBounds,
    desk: Desk,
    /// The number that was given last: requests, gatherings, seekings and listenings share them.
    last: i64,
    sent: HashMap<i64, Sent>,
    gatherings: HashMap<i64, Gathering>,
    seekings: HashMap<i64, Seeking>,
    listenings: HashMap<i64, Listening>,
    /// Requests of servers that the client has not answered.
    asked: HashMap<i64, Asked>,
    known: Known,
    /// The client's `initialize`, as it came.
    initialize: Option<String>,
    /// The client has said that it is ready.
    initialized: bool,
    /// The client's `logging/setLevel` that came last.
    level: Option<String>,
    out: Vec<Dispatch>,
}

/// What a junction may hold and how long it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "whoever makes one must say all of it"
)]
pub struct JunctionBounds {
    /// Requests that wait for their answers, in each direction. Over it there is an error.
    pub pending: usize,
    /// URIs, URI templates and tasks, each, whose server is remembered. Those beyond are asked for.
    pub known: usize,
    /// For an answer that is merged with others: then it is merged without the missing ones.
    pub patience: Duration,
}

impl Default for JunctionBounds {
    fn default() -> Self {
        Self {
            pending: 16_384,
            known: 10_000,
            patience: Duration::from_secs(30),
        }
    }
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who carries these out must carry out every kind of them"
)]
pub enum Dispatch {
    /// A line for the client.
    Client(Vec<u8>),
    /// A line for the server with this place among the members.
    Server(usize, Vec<u8>),
    /// Something worth a line in the log of a member.
    Note {
        /// The member's place.
        member: usize,
        /// A stable word.
        what: &'static str,
        /// One line; foreign text in it is escaped and cut.
        detail: String,
    },
}

/// A request that a server has and has not answered.
#[derive(Debug)]
struct Sent {
    way: usize,
    role: Role,
}

/// Why a server was asked.
#[derive(Debug)]
enum Role {
    /// The client asked.
    Whole(Client),
    /// One of several answers that are merged.
    Part(i64),
    /// One after the other is asked.
    Seek(i64),
    /// A stream of changes.
    Listen(i64),
    /// A session is opened as the client opened its own.
    Open,
    /// Told again what the client had told; nobody waits for the answer.
    Quiet,
}

/// The client's own terms for a request.
#[derive(Debug, Clone)]
struct Client {
    key: IdKey,
    /// The id and the progress token as JSON text.
    id: String,
    token: Option<String>,
}

/// A request of a server to the client.
#[derive(Debug)]
struct Asked {
    way: usize,
    key: IdKey,
    id: String,
    token: Option<String>,
}

#[derive(Debug, Default)]
struct Desk {
    first: Reader,
    second: Reader,
    spare: String,
}

impl Junction {
    /// A junction of these servers, all of which are there.
    ///
    /// # Errors
    ///
    /// [`JunctionError`] if prefixes cannot be told apart or are none.
    pub fn new(members: Vec<Member>, bounds: JunctionBounds) -> Result<Self, JunctionError> {
        Ok(Self {
            ways: way::ways(members)?,
            bounds,
            desk: Desk::default(),
            last: 0,
            sent: HashMap::new(),
            gatherings: HashMap::new(),
            seekings: HashMap::new(),
            listenings: HashMap::new(),
            asked: HashMap::new(),
            known: Known::new(bounds.known),
            initialize: None,
            initialized: false,
            level: None,
            out: Vec::new(),
        })
    }

    /// Takes a line of the client.
    pub fn from_client(&mut self, line: &[u8], now: Duration) -> Vec<Dispatch> {
        self.take(line, |it, text, message| match message {
            Message::Request(request) => it.client_request(text, &request, now),
            Message::Notification(note) => it.client_notification(text, &note),
            Message::Result(outcome) => it.client_answer(text, IdKey::of(outcome.id), outcome.view),
            Message::Error(Some(id), error) => {
                if let Some(view) = error.parent() {
                    it.client_answer(text, IdKey::of(id), view);
                }
            }
            // Whom it concerns nobody knows.
            Message::Error(None, _) => {}
        });
        std::mem::take(&mut self.out)
    }

    /// Takes a line of a server.
    pub fn from_server(&mut self, member: usize, line: &[u8], now: Duration) -> Vec<Dispatch> {
        if let Some(way) = self.ways.get_mut(member) {
            way.silent = false;
        }
        self.take(line, |it, text, message| match message {
            Message::Request(request) => it.server_request(member, text, &request),
            Message::Notification(note) => it.server_notification(member, text, &note),
            Message::Result(outcome) => {
                let result = Ok(outcome.result);
                it.server_answer(member, text, outcome.id, outcome.view, result, now);
            }
            Message::Error(Some(id), error) => {
                if let Some(view) = error.parent() {
                    it.server_answer(member, text, id, view, Err(error), now);
                }
            }
            Message::Error(None, _) => it.note(member, "unasked", "an error without an id"),
        });
        std::mem::take(&mut self.out)
    }

    /// When [`tick`](Self::tick) has something to do.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Duration> {
        let gatherings = self.gatherings.values().map(|gathering| gathering.deadline);
        let listenings = self.listenings.values().filter_map(Listening::deadline);
        let ways = self.ways.iter().filter_map(Way::retry_at);
        gatherings.chain(listenings).chain(ways).min()
    }

    /// Looks at what has waited long enough.
    pub fn tick(&mut self, now: Duration) -> Vec<Dispatch> {
        let due = |(number, gathering): (&i64, &Gathering)| {
            (gathering.deadline <= now).then_some(*number)
        };
        let late: Vec<i64> = self.gatherings.iter().filter_map(due).collect();
        for number in late {
            self.give_up(number);
        }
        self.acknowledge_late(now);
        self.open_again(now);
        std::mem::take(&mut self.out)
    }

    /// Reads a line, or each message of a batch, and hands it on with its very text.
    fn take(&mut self, line: &[u8], each: impl Fn(&mut Self, &str, Message<'_>)) {
        let Ok(text) = std::str::from_utf8(line) else {
            return;
        };
        let mut desk = std::mem::take(&mut self.desk);
        let desks = Desks {
            first: &mut desk.first,
            second: &mut desk.second,
            spare: &mut desk.spare,
        };
        // What is no message the guards on both sides have kept out.
        if let Ok(reading) = reading::read(desks, line, &reading::generous()) {
            match Incoming::of(reading.document) {
                Incoming::Single(view) => {
                    if let Ok(message) = Message::decode(view) {
                        each(self, text, message);
                    }
                }
                Incoming::Batch(batch) => {
                    for view in batch.items() {
                        if let Ok(message) = Message::decode(view) {
                            each(self, text, message);
                        }
                    }
                }
            }
        }
        self.desk = desk;
    }

    fn number(&mut self) -> i64 {
        self.last = self.last.saturating_add(1);
        self.last
    }

    fn tell_client(&mut self, line: String) {
        self.out.push(Dispatch::Client(line.into_bytes()));
    }

    fn tell_server(&mut self, way: usize, line: String) {
        self.out.push(Dispatch::Server(way, line.into_bytes()));
    }

    fn note(&mut self, member: usize, what: &'static str, detail: impl Into<String>) {
        let detail = detail.into();
        self.out.push(Dispatch::Note {
            member,
            what,
            detail,
        });
    }
}

/// One message of a line with its replacements made: that of a batch leaves alone.
fn spliced(edits: &Edits, text: &str, message: View<'_>) -> String {
    let span = message.span();
    edits.apply_within(text, span.start, span.end)
}

/// The progress token of a request.
fn token(params: Option<View<'_>>) -> Option<View<'_>> {
    params?.member("_meta")?.member("progressToken")
}

const INVALID_PARAMS: i64 = toolgate_mcp::message::INVALID_PARAMS;
const METHOD_NOT_FOUND: i64 = crate::fault::METHOD_NOT_FOUND;
const INTERNAL_ERROR: i64 = crate::fault::INTERNAL_ERROR;
