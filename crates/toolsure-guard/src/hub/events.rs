//! What happens to a hub besides its messages: deadlines, lost servers, reloads, the shutdown.

use std::time::Duration;

use super::node::{Machine, Node};
use super::{Event, Hub, HubEffects, NodeId};
use crate::connection::Connection;
use crate::conversation::Conversation;
use crate::effect::{Effect, Effects, ToolsEvent};
use crate::guard::Guard;
use crate::id::IdKey;
use crate::message::Message;
use crate::side::Side;
use crate::unparsable::Recovered;

impl Hub {
    /// Calls the conversation of a node, and handles its effects.
    fn of_conversation(
        &mut self,
        id: NodeId,
        now: Duration,
        event: impl FnOnce(&mut Conversation) -> Effects,
    ) -> HubEffects {
        let node = self.nodes.get_mut(&id);
        if let Some(conversation) = node.and_then(Node::conversation_mut) {
            let effects = event(conversation);
            self.sort(id, effects);
            self.release(id);
        }
        self.run(now)
    }

    /// Handles the remains of a message of a server that is larger than the limit; `None` is the client.
    pub fn oversize(
        &mut self,
        server: Option<NodeId>,
        found: &Recovered,
        now: Duration,
    ) -> HubEffects {
        let (node, from) = match server {
            Some(server) => (Some(server), Side::Server),
            None => (self.first, Side::Client),
        };
        match node {
            Some(node) => self.of_conversation(node, now, |it| it.oversize(from, found, now)),
            None => HubEffects::new(),
        }
    }

    /// Handles a request that will get no answer because its HTTP exchange failed. `alter` may change the
    /// error that answers it.
    pub fn request_failed(
        &mut self,
        server: NodeId,
        (id, why): (&IdKey, &str),
        alter: &mut dyn FnMut(&mut Message),
        now: Duration,
    ) -> HubEffects {
        self.of_conversation(server, now, |it| {
            let mut effects = it.request_failed(id, why, now);
            for effect in effects.since(0) {
                if let Effect::Send { to, message } = effect
                    && *to == Side::Client
                {
                    alter(message);
                }
            }
            effects
        })
    }

    /// Answers the open requests of a server with an error: it has ended, and may start anew.
    pub fn fail_requests(&mut self, server: NodeId, why: &str, now: Duration) -> HubEffects {
        self.of_conversation(server, now, |it| it.server_gone(why, now))
    }

    /// Holds back the messages for a server until it is ready.
    pub fn hold(&mut self, server: NodeId) {
        if let Some(node) = self.nodes.get_mut(&server) {
            node.is_held = true;
        }
    }

    /// Lets the messages for a server go on.
    pub fn ready(&mut self, server: NodeId, now: Duration) -> HubEffects {
        if let Some(node) = self.nodes.get_mut(&server) {
            node.is_held = false;
        }
        self.release(server);
        self.run(now)
    }

    /// Begins a new conversation with a server that starts anew.
    pub fn renew(&mut self, server: NodeId) {
        if let Some(node) = self.nodes.get_mut(&server)
            && let Some(begin) = &node.begin
        {
            node.machine = Machine::Conversation(Box::new(begin()));
        }
    }

    /// Lets a server's conversation handle a message whose results are not for the client: the opening of
    /// another session in place of a lost one. Returns the messages to the server.
    pub fn handle_unseen(
        &mut self,
        server: NodeId,
        from: Side,
        message: Message,
        now: Duration,
    ) -> HubEffects {
        self.of_conversation(server, now, |it| {
            let mut kept = Effects::new();
            for effect in it.on_message(from, message, now) {
                let is_for_client =
                    matches!(&effect, Effect::Send { to, .. } if *to == Side::Client);
                if !is_for_client {
                    kept.push(effect);
                }
            }
            kept
        })
    }

    /// Handles an event of a server's tools.
    pub fn tools_event(&mut self, server: NodeId, event: ToolsEvent, now: Duration) -> HubEffects {
        if let Some((front, connection)) = self.front_of(server) {
            self.step(front, Connection::Server(connection), Event::Tools(event));
        }
        self.run(now)
    }

    /// Handles the permanent end of a server. Every open request is answered with an error. A translator may
    /// open another connection, and an aggregator goes on without the server.
    pub fn gone(&mut self, server: NodeId, why: &str, now: Duration) -> HubEffects {
        let mut out = self.fail_requests(server, why, now);
        out.extend(self.ready(server, now));
        self.end(server, why);
        out.extend(self.run(now));
        out
    }

    /// Whether anything waits for a server of the hub, or for one of this one alone.
    #[must_use]
    pub fn is_idle(&self, server: Option<NodeId>) -> bool {
        let node = server.or(self.first).and_then(|id| self.nodes.get(&id));
        node.is_none_or(|node| {
            let is_idle = node.conversation().is_none_or(Conversation::is_idle);
            is_idle && node.waiting.is_empty()
        })
    }

    /// Whether no server has an open request.
    #[must_use]
    pub fn are_servers_idle(&self) -> bool {
        let mut conversations = self.nodes.values().filter_map(Node::conversation);
        conversations.all(Conversation::is_idle)
    }

    /// Whether the client's next message may find no room.
    #[must_use]
    pub fn is_crowded(&self) -> bool {
        let crowded = |node: &Node| {
            let crowded = node.conversation().is_some_and(Conversation::is_crowded);
            crowded || !node.waiting.is_empty()
        };
        match self.has_aggregator {
            // One server must not hold up the messages for the others.
            true => self
                .first
                .and_then(|id| self.nodes.get(&id))
                .is_some_and(crowded),
            false => self.nodes.values().any(crowded),
        }
    }

    /// The bytes of messages that wait for a server, from the aggregator on.
    #[must_use]
    pub fn waiting_bytes(&self, server: NodeId) -> usize {
        let mut bytes: usize = 0;
        let mut at = Some(server);
        while let Some(node) = at.and_then(|id| self.nodes.get(&id)) {
            bytes = bytes.saturating_add(node.waiting_bytes);
            at = node.front.map(|(front, _)| front);
        }
        bytes
    }

    /// When [`tick`](Self::tick) has something to do.
    #[must_use]
    pub fn next_deadline(&mut self) -> Option<Duration> {
        let deadlines = self.nodes.values_mut();
        let deadlines = deadlines.filter_map(|node| match &mut node.machine {
            Machine::Conversation(conversation) => conversation.next_deadline(),
            Machine::Translator(translator) => translator.next_deadline(),
            Machine::Aggregator(aggregator) => aggregator.next_deadline(),
        });
        deadlines.min()
    }

    /// Handles deadlines that have passed.
    pub fn tick(&mut self, now: Duration) -> HubEffects {
        self.all(now, |machine| match machine {
            Machine::Conversation(conversation) => conversation.tick(now),
            Machine::Translator(translator) => translator.tick(now),
            Machine::Aggregator(aggregator) => aggregator.tick(now),
        })
    }

    /// Handles a new policy of one or more guards, as
    /// [`Conversation::policy_replaced`](crate::Conversation::policy_replaced).
    pub fn policy_replaced(&mut self, now: Duration) -> HubEffects {
        self.all(now, |machine| match machine {
            Machine::Conversation(it) if it.is_outdated() => it.policy_replaced(now),
            _ => Effects::new(),
        })
    }

    fn all(&mut self, now: Duration, mut event: impl FnMut(&mut Machine) -> Effects) -> HubEffects {
        let mut out = HubEffects::new();
        let ids: Vec<NodeId> = self.nodes.keys().copied().collect();
        for id in ids {
            let Some(node) = self.nodes.get_mut(&id) else {
                continue;
            };
            let effects = event(&mut node.machine);
            self.sort(id, effects);
            self.release(id);
            out.extend(self.run(now));
        }
        out
    }

    /// Whether a policy was replaced and [`policy_replaced`](Self::policy_replaced) was not called since.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.with_list_changed().any(Conversation::is_outdated)
    }

    /// The number of conversations whose clients get news of a new policy.
    #[must_use]
    pub fn list_changed_count(&self) -> usize {
        self.with_list_changed().count()
    }

    /// Their guards.
    #[must_use]
    pub fn list_changed_guards(&self) -> Vec<Guard> {
        let guards = self.with_list_changed();
        guards.map(|it| it.guard().clone()).collect()
    }

    fn with_list_changed(&self) -> impl Iterator<Item = &Conversation> {
        let conversations = self.nodes.values().filter_map(Node::conversation);
        conversations.filter(|it| it.gets_list_changed())
    }

    /// Starts the shutdown of the guard: open requests continue, new ones are refused.
    pub fn stop(&mut self) {
        let first = self.first.and_then(|id| self.nodes.get_mut(&id));
        if let Some(conversation) = first.and_then(Node::conversation_mut) {
            conversation.stop();
        }
    }
}
