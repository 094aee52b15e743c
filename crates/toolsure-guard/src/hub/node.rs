//! One node of a hub: a conversation, a translator or an aggregator, and what is on both sides of it.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use crate::aggregate::Aggregator;
use crate::connection::ConnectionId;
use crate::conversation::Conversation;
use crate::message::Message;
use crate::translate::Translator;

/// A node of a hub. A conversation without a node behind it is the connection to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) usize);

/// Makes a conversation: when a node or a connection is added, and when a server starts anew.
pub type Begin = Arc<dyn Fn() -> Conversation + Send + Sync>;

pub(super) struct Node {
    pub(super) machine: Machine,
    /// The number of its owner, which receives its reports.
    pub(super) owner: usize,
    /// The node on the client's side, and that node's connection to this one.
    pub(super) front: Option<(NodeId, ConnectionId)>,
    /// The nodes on the servers' side.
    pub(super) behind: BTreeMap<ConnectionId, NodeId>,
    /// The owners of an aggregator's servers, also of those that are gone.
    pub(super) owners: BTreeMap<ConnectionId, usize>,
    /// Why the last of a translator's connections ended.
    pub(super) last_end: Option<String>,
    /// Makes its conversation, or the conversations of a translator's connections.
    pub(super) begin: Option<Begin>,
    /// Messages of the client's side that wait: the server is not ready, or the conversation has no room for
    /// another call.
    pub(super) waiting: VecDeque<Message>,
    /// The bytes of those messages.
    pub(super) waiting_bytes: usize,
    /// Whether the server is not ready.
    pub(super) is_held: bool,
}

pub(super) enum Machine {
    Conversation(Box<Conversation>),
    Translator(Box<Translator>),
    Aggregator(Box<Aggregator>),
}

impl Node {
    pub(super) fn new(
        machine: Machine,
        owner: usize,
        front: Option<(NodeId, ConnectionId)>,
        begin: Option<Begin>,
    ) -> Self {
        Self {
            machine,
            owner,
            front,
            behind: BTreeMap::new(),
            owners: BTreeMap::new(),
            last_end: None,
            begin,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            is_held: false,
        }
    }

    pub(super) fn conversation(&self) -> Option<&Conversation> {
        match &self.machine {
            Machine::Conversation(conversation) => Some(conversation),
            Machine::Translator(_) | Machine::Aggregator(_) => None,
        }
    }

    pub(super) fn conversation_mut(&mut self) -> Option<&mut Conversation> {
        match &mut self.machine {
            Machine::Conversation(conversation) => Some(conversation),
            Machine::Translator(_) | Machine::Aggregator(_) => None,
        }
    }

    /// Whether it is the connection to a server.
    pub(super) fn is_server(&self) -> bool {
        self.behind.is_empty() && self.conversation().is_some()
    }

    /// Whether messages of the client's side must wait. The first node refuses calls for which it has no
    /// room: only its client can repeat them.
    pub(super) fn is_full(&self) -> bool {
        let crowded = || self.conversation().is_some_and(Conversation::is_crowded);
        self.is_held || self.front.is_some() && crowded()
    }

    pub(super) fn wait(&mut self, message: Message) {
        // What was read of a message is not kept while it waits.
        let message = message.unread();
        self.waiting_bytes = self.waiting_bytes.saturating_add(message.bytes().len());
        self.waiting.push_back(message);
    }

    /// The next message that need not wait any more.
    pub(super) fn next_waiting(&mut self) -> Option<Message> {
        if self.waiting.is_empty() || self.is_full() {
            return None;
        }
        let message = self.waiting.pop_front()?;
        self.waiting_bytes = self.waiting_bytes.saturating_sub(message.bytes().len());
        Some(message)
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let machine: &dyn fmt::Debug = match &self.machine {
            Machine::Conversation(conversation) => conversation,
            Machine::Translator(translator) => translator,
            Machine::Aggregator(aggregator) => aggregator,
        };
        f.debug_struct("Node")
            .field("machine", machine)
            .field("front", &self.front)
            .field("behind", &self.behind)
            .finish_non_exhaustive()
    }
}
