//! One conversation between a client and a server, with the guard between them.
//!
//! What a request of the client goes through, and what ends it:
//!
//! ```text
//!            a message of the client
//!                         │ not JSON, no message, id in use,
//!                         │ too many, stopping ──────────────────► answered: error
//!                         ▼
//!           ┌──────── is it tools/call? ────────┐
//!         no│                                   │yes
//!           │              list unknown, gone, or refused by a stale one
//!           │                 ┌─────────────────┤
//!           │                 ▼                 │
//!           │              PARKED ──cancelled──►│ (forgotten, never sent)
//!           │                 │ the guard asks  │
//!           │                 │ tools/list      │
//!           │                 ▼                 ▼
//!           │            the filters: admission, drift, rate, arguments
//!           │                 │ violation ──────────────────────────► answered: refusal
//!           ▼                 ▼
//!          OPEN ◄─────────────┘  sent to the server
//!           │
//!           ├─ an answer of the server ─► results, listing ─► answered: as it came, altered, or replaced
//!           ├─ notifications/progress ─► OPEN, patience begins anew
//!           ├─ patience ends (tick) ───► answered: error; cancelled at the server
//!           ├─ server_gone, request_failed ► answered: error
//!           ├─ client_gone, client_left ───► cancelled at the server
//!           └─ notifications/cancelled ─► CANCELLED ─ an answer is still judged and passed on,
//!                                                   ─ silence is forgotten after a while
//! ```
//!
//! Requests of the server (2025-11-25 and older) are counted and passed on, and
//! answered by an error when the client is gone. Everything else passes as it
//! came, in the order it came.

mod access;
mod approved;
mod batch;
mod call;
mod client;
mod dispatch;
mod end;
mod fetch;
mod held;
mod list;
mod list_changed;
mod mapped_call;
mod open;
mod own_answers;
mod parked_calls;
mod reload;
mod result;
mod result_faults;
mod result_repair;
mod result_size;
mod result_text;
mod server;
mod server_requests;
mod traces;
mod trouble;
mod turn;

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Node as _, View, quote};
use toolsure_mcp::era::Era;

use crate::effect::{Effect, Report, ToolsEvent};
use crate::guard::Guard;
use crate::policy::Rules;
use crate::record::Peer;
use crate::scope::{ClientKind, Scope, ScopeKey};
use crate::share::Identity;
use crate::side::Side;
use crate::trace::Tracer;
use fetch::Fetch;
use open::{Answered, OpenTable};
use parked_calls::ParkedCalls;
use server_requests::ServerRequests;
use traces::Traces;
use turn::Turn;

/// The transport of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the protocol has these two transports"
)]
pub enum Carrier {
    /// Lines.
    #[default]
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// The transports on both sides of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a transport that makes one must set every field"
)]
pub struct Link {
    /// What carries the client's messages.
    pub client: Carrier,
    /// What carries the server's messages.
    pub server: Carrier,
    /// The protocol version that the transport names (`MCP-Protocol-Version`), or that was negotiated
    /// earlier, if the session continues one from elsewhere.
    pub version: Option<String>,
}

/// One conversation: messages in, effects out.
///
/// It has no clock: each event comes with the time since a common starting point. It has no socket:
/// the messages to send are returned as [`Effects`](crate::Effects).
///
/// ```
/// use std::time::Duration;
/// use toolsure_guard::{Context, Conversation, Effect, Guard, Link, Policy, ScopeKey, Side};
///
/// let guard = Guard::new(Policy::new())?;
/// let scope = guard.scope(&ScopeKey { upstream: "demo".into(), context: Context::Session(1) });
/// let mut conversation = Conversation::new(&guard, scope, Link::default());
///
/// let ping = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
/// let effects = conversation.on_message(Side::Client, ping, Duration::ZERO);
/// let sent: Vec<_> = effects.into_iter().collect();
/// assert!(matches!(&sent[..], [Effect::Send { message, .. }] if message.bytes() == ping.as_slice()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Conversation {
    guard: Guard,
    scope: Scope,
    /// Where the client's calls are counted, if not in its scope.
    caller: Option<ScopeKey>,
    /// The scope for `caller`, created when a rate first needs it.
    caller_scope: Option<Scope>,
    link: Link,
    /// Settled by `initialize`, or by the transport.
    era: Option<Era>,
    /// Whether the server has answered `initialize` with a session.
    opened: bool,
    /// Whether the messages of a batch are handled.
    in_batch: bool,
    /// The version of the client's session, if it was negotiated with more servers than this one.
    client_version: Option<Era>,
    /// Whether a request declared a version itself.
    modern: bool,
    open: OpenTable,
    /// Requests whose answers may arrive again.
    answered: Answered,
    /// Requests of the server that have no answer yet.
    server_requests: ServerRequests,
    fetch: Option<Fetch>,
    /// How many requests the guard has made.
    asks: u64,
    /// The prefix of their ids.
    mark: Box<str>,
    /// Whether the session began in another process.
    adopted: bool,
    parked: ParkedCalls,
    list_changed: ListChanged,
    stopping: bool,
    server_gone: Option<String>,
    /// What kind of client it is, as its last request says.
    client_kind: ClientKind,
    /// The peer on the client's side.
    peer: Option<Arc<Peer>>,
    /// Boxed, because most conversations have none.
    traces: Option<Box<Traces>>,
}

/// Whether the client gets `notifications/tools/list_changed`, and the rules that it was last sent for.
#[derive(Debug, Default)]
struct ListChanged {
    /// Whether the client's session gets it.
    session: bool,
    /// The rules by which the client's tools are shown. `None` if it gets no notification.
    rules: Option<Arc<Rules>>,
}

impl Conversation {
    /// Creates a conversation that has not begun.
    #[must_use]
    pub fn new(guard: &Guard, scope: Scope, link: Link) -> Self {
        let era = link.version.as_deref().map(nearest);
        Self {
            guard: guard.clone(),
            scope,
            caller: None,
            caller_scope: None,
            link,
            era: era.filter(|era| era.has_sessions()),
            opened: false,
            in_batch: false,
            client_version: None,
            modern: era.is_some_and(Era::declares_version),
            open: OpenTable::default(),
            answered: Answered::default(),
            server_requests: ServerRequests::default(),
            fetch: None,
            asks: 0,
            mark: OWN.into(),
            adopted: false,
            parked: ParkedCalls::default(),
            list_changed: ListChanged::default(),
            stopping: false,
            server_gone: None,
            client_kind: ClientKind::default(),
            peer: None,
            traces: None,
        }
    }

    /// Puts `mark` into the ids of the guard's own requests. Several processes may take part in one
    /// session, and no two of them may use the same id.
    #[must_use]
    pub fn marked(mut self, mark: &str) -> Self {
        self.mark = format!("{OWN}{mark}-").into();
        self
    }

    /// Sets the identity of this conversation's scope for guards that share state with this one. Only the
    /// first call for a scope has an effect, and only with shared state.
    pub fn stand_for(&self, who: Identity<'_>) {
        self.scope.stand_for(who);
    }

    /// Sets the scope in which the client's calls are counted for rate limits. It belongs to a caller that
    /// may have several conversations, or share one with others. The first call with a rate limit creates
    /// it.
    pub fn count_in(&mut self, caller: ScopeKey) {
        self.caller = Some(caller);
    }

    /// The guard that it belongs to.
    pub(crate) fn guard(&self) -> &Guard {
        &self.guard
    }

    /// The scope in which a call with a rate limit is counted.
    fn counting_scope(&mut self) -> &Scope {
        match &self.caller {
            Some(caller) => {
                let make = || self.guard.scope(caller);
                self.caller_scope.get_or_insert_with(make)
            }
            None => &self.scope,
        }
    }

    /// Sets the sender of the client's next messages, for their records, unless a message names its own.
    pub fn set_peer(&mut self, peer: Option<Arc<Peer>>) {
        self.peer = peer;
    }

    /// Lets a tracer follow the requests of the client from now on.
    pub fn trace(&mut self, tracer: Arc<dyn Tracer>) {
        self.traces = Some(Box::new(Traces::new(tracer)));
    }

    /// Handles an event of the server's tools that its messages do not tell.
    pub fn tools_event(&mut self, event: ToolsEvent) {
        match event {
            ToolsEvent::Changed => self.scope.outdate(),
            ToolsEvent::SessionEnded => self.scope.begin_session(),
        }
    }

    /// Sets the version of the client's session. If it is older than the one that the server agreed on, lists
    /// and results are adapted to it.
    pub fn set_client_version(&mut self, version: Era) {
        self.client_version = Some(version);
    }

    /// When [`tick`](Self::tick) has something to do.
    #[must_use]
    pub fn next_deadline(&mut self) -> Option<Duration> {
        let own = self.fetch.as_ref().map(Fetch::deadline);
        self.open.next_deadline().into_iter().chain(own).min()
    }

    /// How many requests have no answer yet, in both directions.
    #[must_use]
    pub fn open_requests(&self) -> usize {
        self.open.len() + self.server_requests.len()
    }

    /// Whether no request is open. Cancelled requests do not count, nor do
    /// subscriptions, which end with their client.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.open.awaited() + self.server_requests.len() == 0 && self.fetch.is_none()
    }

    /// The version that `initialize` settled, or the transport named.
    #[must_use]
    pub fn era(&self) -> Option<Era> {
        self.era
    }

    /// Adds the client's peer to the records from `start` on that have no peer, and to the messages for the
    /// server, behind which may be other conversations.
    fn sign(&self, turn: &mut Turn<'_>, start: usize) {
        for effect in turn.out.since(start) {
            let peer = match effect {
                Effect::Report(Report::Decision(record)) => &mut record.peer,
                Effect::Send { to, message } if *to == Side::Server => &mut message.peer,
                _ => continue,
            };
            if peer.is_none() {
                peer.clone_from(&self.peer);
            }
        }
    }

    /// The era of messages that do not belong to a request with its own declaration.
    fn settled(&self) -> Era {
        match self.era {
            Some(era) => self.client_version.map_or(era, |client| client.min(era)),
            None if self.modern => Era::NEWEST,
            None => Era::NEWEST_WITH_SESSIONS,
        }
    }

    /// Remembers which program lists the tools; `info` is what it says of itself.
    fn listed_by(&self, info: Option<View<'_>>) {
        let text = |name: &str| {
            let text = info.and_then(|info| info.member(name));
            text.map_or("", |text| text.string())
        };
        let server = format!("{} {}", text("name"), text("version"));
        let server = Some(server.trim()).filter(|server| !server.is_empty());
        let server = server.map(|server| quote(server, SHOWN).to_string());
        let is_process = self.link.server == Carrier::Stdio;
        self.scope.listed_by(server, is_process, self.client_kind);
    }

    /// Whether HTTP headers may repeat parts of calls.
    fn mirrors_headers(&self) -> bool {
        self.link.client == Carrier::Http || self.link.server == Carrier::Http
    }
}

/// The era of a version that may be unknown: the newest era that is not newer than the version.
fn nearest(version: &str) -> Era {
    let older = |era: &Era| era.version() <= version;
    let mut eras = Era::ALL.into_iter().rev();
    eras.find(older).unwrap_or(Era::V2024_11_05)
}

/// What kind of client has these capabilities.
fn client_kind(capabilities: Option<View<'_>>, is_modern: bool) -> ClientKind {
    let has = |path: &&[&str]| {
        let mut names = path.iter();
        names
            .try_fold(capabilities?, |at, name| at.member(name))
            .map(drop)
    };
    let bits = CAPABILITIES
        .iter()
        .fold(0, |bits, path| (bits << 1) | u8::from(has(path).is_some()));
    ClientKind {
        is_modern,
        capabilities: bits,
    }
}

/// The capabilities of clients that decide which tools servers list.
const CAPABILITIES: [&[&str]; 6] = [
    &["roots"],
    &["sampling"],
    &["elicitation"],
    &["elicitation", "url"],
    &["tasks"],
    &["extensions"],
];
/// Maximum characters of a server's name and version.
const SHOWN: usize = 128;
/// The member of `_meta` with the capabilities of a client (2026-07-28).
const CLIENT: &str = "io.modelcontextprotocol/clientCapabilities";
/// The member of `_meta` with what a server says of itself (2026-07-28).
const SERVER: &str = "io.modelcontextprotocol/serverInfo";
/// The prefix of the ids of the guard's own requests.
const OWN: &str = "toolsure-";
