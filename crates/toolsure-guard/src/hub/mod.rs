//! The hub of a guard: the conversations, translators and aggregators between one client and its servers,
//! as one value that takes messages and events and returns effects.
//!
//! ```text
//!   client ─► conversation ─────────────────────────────────────────────────► server
//!   client ─► conversation ─► translator ─┬─► conversation ─────────────────► server
//!                                         └─► …  one for each connection
//!   client ─► conversation ─► aggregator ─┬─► conversation ─────────────────► server
//!                                         └─► conversation ─► translator ─► …
//! ```
//!
//! Each node handles a message and returns effects; a message to another node is its next event, in the order
//! in which they were made, until only effects for the transport are left. The conversation in front of
//! a translator or of an aggregator's server has the filters; one behind a translator has none, and
//! answers the open requests of a connection that fails.

mod effect;
mod events;
mod node;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

use crate::aggregate::{Aggregator, Member};
use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, Effects, Report, ToolsEvent};
use crate::message::Message;
use crate::translate::Translator;
pub use effect::{HubEffect, HubEffects};
pub use node::{Begin, NodeId};
use node::{Machine, Node};

/// The nodes between one client and its servers.
///
/// It has no clock and no socket: each event comes with the time since a common starting point, and the
/// messages to send are returned as [`HubEffects`].
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
/// use toolsure_guard::{Context, Conversation, Guard, Hub, HubEffect, Link, Policy, ScopeKey};
///
/// let guard = Guard::new(Policy::new())?;
/// let begin = Arc::new(move || {
///     let scope = guard.scope(&ScopeKey { upstream: "demo".into(), context: Context::Session(1) });
///     Conversation::new(&guard, scope, Link::default())
/// });
/// let mut hub = Hub::new(usize::MAX);
/// let server = hub.add_conversation(None, 0, begin);
///
/// let ping = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#.to_vec();
/// let effects = hub.on_client(ping.into(), Duration::ZERO);
/// assert!(matches!(&effects[..], [HubEffect::Received(..), HubEffect::ToServer(to, _)] if *to == server));
/// # Ok::<(), toolsure_guard::PolicyError>(())
/// ```
#[derive(Debug)]
pub struct Hub {
    nodes: BTreeMap<NodeId, Node>,
    /// The node that receives the client's messages.
    first: Option<NodeId>,
    /// The number of the last node.
    last: usize,
    /// The bytes of messages that may wait in front of one node.
    most_waiting: usize,
    /// Whether one of the nodes is an aggregator.
    has_aggregator: bool,
    steps: VecDeque<Step>,
    out: HubEffects,
}

/// An event for one node, from one of its connections.
#[derive(Debug)]
struct Step {
    node: NodeId,
    from: Connection,
    event: Event,
}

#[derive(Debug)]
enum Event {
    Message(Message),
    /// A message that has waited.
    Released(Message),
    /// The node on this connection has ended.
    Ended(String),
    Tools(ToolsEvent),
    ClientVersion(Era),
}

impl Hub {
    /// A hub without nodes. At most `most_waiting` bytes of messages, and one message more, wait in front of a
    /// node; calls beyond are refused.
    #[must_use]
    pub fn new(most_waiting: usize) -> Self {
        Self {
            nodes: BTreeMap::new(),
            first: None,
            last: 0,
            most_waiting,
            has_aggregator: false,
            steps: VecDeque::new(),
            out: HubEffects::new(),
        }
    }

    /// Adds a conversation behind a node's connection, or as the first node, and returns the number by which
    /// effects name its server. `owner` receives its reports.
    pub fn add_conversation(
        &mut self,
        at: Option<(NodeId, ConnectionId)>,
        owner: usize,
        begin: Begin,
    ) -> NodeId {
        let machine = Machine::Conversation(Box::new(begin()));
        self.add(Node::new(machine, owner, at, Some(begin)))
    }

    /// Adds a translator. Its connections have the same owner; `begin` makes their conversations.
    pub fn add_translator(
        &mut self,
        at: Option<(NodeId, ConnectionId)>,
        owner: usize,
        translator: Translator,
        begin: Begin,
    ) -> NodeId {
        let machine = Machine::Translator(Box::new(translator));
        self.add(Node::new(machine, owner, at, Some(begin)))
    }

    /// Adds an aggregator. The nodes of its members are added behind its connections.
    pub fn add_aggregator(
        &mut self,
        at: Option<(NodeId, ConnectionId)>,
        owner: usize,
        aggregator: Aggregator,
    ) -> NodeId {
        let machine = Machine::Aggregator(Box::new(aggregator));
        self.has_aggregator = true;
        self.add(Node::new(machine, owner, at, None))
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.last += 1;
        let id = NodeId(self.last);
        match node.front {
            Some((front, connection)) => {
                if let Some(front) = self.nodes.get_mut(&front) {
                    front.behind.insert(connection, id);
                    if matches!(front.machine, Machine::Aggregator(_)) {
                        front.owners.insert(connection, node.owner);
                    }
                }
            }
            None => self.first = Some(id),
        }
        self.nodes.insert(id, node);
        id
    }

    /// Handles a message of the client.
    pub fn on_client(&mut self, message: Message, now: Duration) -> HubEffects {
        if let Some(first) = self.first {
            self.step(first, Connection::Client, Event::Message(message));
        }
        self.run(now)
    }

    /// Handles a message of a server.
    pub fn on_server(&mut self, server: NodeId, message: Message, now: Duration) -> HubEffects {
        let from = Connection::Server(ConnectionId::ONLY);
        self.step(server, from, Event::Message(message));
        self.run(now)
    }

    /// Adds a server to an aggregator, after the others. Its nodes must have been added.
    pub fn add_member(&mut self, aggregator: NodeId, member: Member, now: Duration) -> HubEffects {
        self.of_aggregator(aggregator, now, |it| it.add(member))
    }

    /// Handles the return of an aggregator's server. Its nodes must have been added.
    pub fn member_here(&mut self, aggregator: NodeId, at: usize, now: Duration) -> HubEffects {
        self.of_aggregator(aggregator, now, |it| it.server_here(at))
    }

    /// Handles an aggregator's server that cannot be started.
    pub fn member_gone(
        &mut self,
        aggregator: NodeId,
        at: usize,
        why: &str,
        now: Duration,
    ) -> HubEffects {
        let from = Connection::Server(ConnectionId::new(at));
        self.step(aggregator, from, Event::Ended(why.to_owned()));
        self.run(now)
    }

    fn of_aggregator(
        &mut self,
        id: NodeId,
        now: Duration,
        event: impl FnOnce(&mut Aggregator) -> Effects,
    ) -> HubEffects {
        if let Some(Node {
            machine: Machine::Aggregator(aggregator),
            ..
        }) = self.nodes.get_mut(&id)
        {
            let effects = event(aggregator);
            self.sort(id, effects);
        }
        self.run(now)
    }

    fn step(&mut self, node: NodeId, from: Connection, event: Event) {
        self.steps.push_back(Step { node, from, event });
    }

    /// Handles all events that are due. Each leads to a bounded number of others, because no node answers an
    /// answer.
    fn run(&mut self, now: Duration) -> HubEffects {
        while let Some(Step { node, from, event }) = self.steps.pop_front() {
            match event {
                Event::Message(message) => self.message(node, from, message, now),
                Event::Released(message) => self.deliver(node, from, message, now),
                Event::Ended(why) => self.connection_ended(node, from, &why, now),
                Event::Tools(event) => self.tools(node, event),
                Event::ClientVersion(era) => {
                    let node = self.nodes.get_mut(&node);
                    if let Some(conversation) = node.and_then(Node::conversation_mut) {
                        conversation.set_client_version(era);
                    }
                }
            }
        }
        std::mem::take(&mut self.out)
    }

    fn message(&mut self, id: NodeId, from: Connection, message: Message, now: Duration) {
        if from == Connection::Client
            && let Some(node) = self.nodes.get_mut(&id)
            && (node.is_full() || !node.waiting.is_empty())
            // One that finds no room to wait goes on. The conversation refuses it, or answers it when its
            // server turns out to be gone.
            && node.waiting_bytes < self.most_waiting
        {
            return node.wait(message);
        }
        self.deliver(id, from, message, now);
    }

    fn deliver(&mut self, id: NodeId, from: Connection, message: Message, now: Duration) {
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        let effects = match &mut node.machine {
            Machine::Conversation(conversation) => {
                let received = HubEffect::Received(node.owner, from.side(), message.bytes().len());
                self.out.push(received);
                conversation.on_message(from.side(), message, now)
            }
            Machine::Translator(translator) => translator.on_message(from, message, now),
            Machine::Aggregator(aggregator) => aggregator.on_message(from, message, now),
        };
        self.sort(id, effects);
        self.release(id);
    }

    /// Lets the next waiting message go on, if it need not wait any more.
    fn release(&mut self, id: NodeId) {
        let node = self.nodes.get_mut(&id);
        if let Some(message) = node.and_then(Node::next_waiting) {
            self.step(id, Connection::Client, Event::Released(message));
        }
    }

    fn tools(&mut self, id: NodeId, event: ToolsEvent) {
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        match &mut node.machine {
            Machine::Conversation(conversation) => conversation.tools_event(event),
            Machine::Translator(translator) => {
                let effects = translator.tools_event(event);
                self.sort(id, effects);
            }
            // Its members' conversations keep the lists.
            Machine::Aggregator(_) => {}
        }
    }

    /// Tells the node in front of one that it has ended.
    fn end(&mut self, id: NodeId, why: &str) {
        match self.front_of(id) {
            Some((front, connection)) => {
                let event = Event::Ended(why.to_owned());
                self.step(front, Connection::Server(connection), event);
            }
            None if self.nodes.contains_key(&id) => {
                self.out.push(HubEffect::Finish(why.to_owned()));
            }
            None => {}
        }
    }

    fn connection_ended(&mut self, id: NodeId, from: Connection, why: &str, now: Duration) {
        let Connection::Server(connection) = from else {
            return;
        };
        let Some(node) = self.nodes.get_mut(&id) else {
            return;
        };
        let behind = node.behind.get(&connection).copied();
        let effects = match &mut node.machine {
            Machine::Conversation(conversation) => conversation.server_gone(why, now),
            Machine::Translator(translator) => {
                if behind.is_some() {
                    let (what, detail) = ("server-gone", why.to_owned());
                    let note = Report::Note {
                        connection: None,
                        what,
                        detail,
                    };
                    self.out.push(HubEffect::Report(node.owner, note));
                }
                node.last_end = Some(why.to_owned());
                translator.server_gone(connection, why, now)
            }
            Machine::Aggregator(aggregator) => {
                let at = connection.number();
                self.out.push(HubEffect::MemberGone(at, why.to_owned()));
                aggregator.server_gone(at, why, now)
            }
        };
        let is_conversation = matches!(node.machine, Machine::Conversation(_));
        self.sort(id, effects);
        if is_conversation {
            return self.end(id, why);
        }
        if let Some(behind) = behind {
            if let Some(node) = self.nodes.get_mut(&id) {
                node.behind.remove(&connection);
            }
            self.remove(behind);
        }
    }

    /// Sorts the effects of a node: some are events of other nodes, the rest is for the transport.
    fn sort(&mut self, id: NodeId, effects: Effects) {
        for effect in effects {
            match effect {
                Effect::Send { to, message } => self.send(id, to, message),
                Effect::Abandon { id: request } => match self.is_server(id) {
                    true => self.out.push(HubEffect::Abandon(id, request)),
                    // Between two nodes there is no stream to close.
                    false => {
                        let cancelled = write::cancellation(&request.raw(), None);
                        let to = Connection::Server(ConnectionId::ONLY);
                        self.send(id, to, Message::new(cancelled));
                    }
                },
                Effect::Open(connection) => self.open(id, connection),
                Effect::Close(connection) => {
                    let node = self.nodes.get_mut(&id);
                    let closed = node.and_then(|node| node.behind.remove(&connection));
                    if let Some(closed) = closed {
                        self.remove(closed);
                    }
                }
                Effect::Finish => {
                    let node = self.nodes.get_mut(&id);
                    let last = node.and_then(|node| node.last_end.take());
                    let why = last.map_or_else(String::new, |why| format!(": {why}"));
                    self.end(id, &format!("no server is left{why}"));
                }
                Effect::Tools(event) => match self.front_of(id) {
                    Some((front, connection)) => {
                        let from = Connection::Server(connection);
                        self.step(front, from, Event::Tools(event));
                    }
                    None => self.out.push(HubEffect::Tools(event)),
                },
                Effect::ClientVersion(connection, era) => {
                    if let Some(behind) = self.behind(id, connection) {
                        let event = Event::ClientVersion(era);
                        self.step(behind, Connection::Client, event);
                    }
                }
                Effect::Report(report) => self.report(id, report),
            }
        }
    }

    fn send(&mut self, id: NodeId, to: Connection, message: Message) {
        let next = match to {
            Connection::Client => match self.front_of(id) {
                Some((front, connection)) => Some((front, Connection::Server(connection))),
                None => return self.out.push(HubEffect::ToClient(message)),
            },
            Connection::Server(_) if self.is_server(id) => {
                return self.out.push(HubEffect::ToServer(id, message));
            }
            Connection::Server(connection) => {
                let behind = self.behind(id, connection);
                behind.map(|behind| (behind, Connection::Client))
            }
        };
        // A message to a server that is gone is lost: its sender knows that, and has answered.
        if let Some((node, from)) = next {
            self.step(node, from, Event::Message(message));
        }
    }

    /// Opens a connection of a translator.
    fn open(&mut self, id: NodeId, connection: ConnectionId) {
        let node = self.nodes.get(&id);
        let Some((begin, owner)) = node.and_then(|node| Some((node.begin.clone()?, node.owner)))
        else {
            return;
        };
        let server = self.add_conversation(Some((id, connection)), owner, begin);
        self.out.push(HubEffect::Open(server, owner));
    }

    /// Reports to the owner of a node; to that of an aggregator's server, if it is about that.
    fn report(&mut self, id: NodeId, report: Report) {
        let Some(node) = self.nodes.get(&id) else {
            return;
        };
        let about = match &report {
            Report::Note { connection, .. } => connection.as_ref(),
            Report::Decision(_) => None,
        };
        let owner = about.and_then(|connection| node.owners.get(connection));
        let owner = owner.copied().unwrap_or(node.owner);
        self.out.push(HubEffect::Report(owner, report));
    }

    /// Removes a node and those behind it.
    fn remove(&mut self, id: NodeId) {
        let Some(node) = self.nodes.remove(&id) else {
            return;
        };
        if node.is_server() {
            self.out.push(HubEffect::Close(id));
        }
        for behind in node.behind.into_values() {
            self.remove(behind);
        }
    }

    fn is_server(&self, id: NodeId) -> bool {
        self.nodes.get(&id).is_some_and(Node::is_server)
    }

    fn front_of(&self, id: NodeId) -> Option<(NodeId, ConnectionId)> {
        self.nodes.get(&id)?.front
    }

    fn behind(&self, id: NodeId, connection: ConnectionId) -> Option<NodeId> {
        self.nodes.get(&id)?.behind.get(&connection).copied()
    }
}
