//! Decisions of the hub, and what is done about them.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use toolsure_guard::{
    Hub, HubEffect, HubEffects, IdKey, Message, NodeId, Recovered, Report, Side, ToolsEvent,
};

use super::driver::{Connected, Connection, HubDriver, Receivers};
use crate::fault::Fault;
use crate::guard::event::Event;
use crate::guard::messages::UNREAD_INPUT;
use crate::guard::running::Exit;

impl HubDriver {
    /// Decides under the lock, and queues the messages in the order of the decisions.
    pub(super) fn turn(
        self: &Arc<Self>,
        event: impl FnOnce(&mut Hub, Duration) -> HubEffects,
    ) -> Receivers {
        let mut receivers = Receivers::default();
        let mut hub = self.hub();
        for effect in event(&mut hub, self.clock.now()) {
            self.carry_out(effect, &mut receivers);
        }
        self.settle(&mut hub);
        receivers
    }

    /// Handles a message of the client.
    pub(super) fn from_client(self: &Arc<Self>, message: Message) -> Receivers {
        let owner = self.owner(0);
        // Read before the lock is taken.
        let message = match &owner {
            Some(owner) => owner.ctx.guard.read(message),
            None => message,
        };
        self.turn(|hub, now| hub.on_client(message, now))
    }

    /// Handles a message of a server, which is read already.
    pub(in crate::guard) fn from_server(
        self: &Arc<Self>,
        server: NodeId,
        message: Message,
    ) -> Receivers {
        self.turn(|hub, now| hub.on_server(server, message, now))
    }

    pub(in crate::guard) fn oversize(
        self: &Arc<Self>,
        server: Option<NodeId>,
        found: &Recovered,
    ) -> Receivers {
        self.turn(|hub, now| hub.oversize(server, found, now))
    }

    pub(in crate::guard) fn request_failed(
        self: &Arc<Self>,
        server: NodeId,
        request: (&IdKey, &str),
        alter: &mut dyn FnMut(&mut Message),
    ) -> Receivers {
        self.turn(|hub, now| hub.request_failed(server, request, alter, now))
    }

    /// Answers the open requests of a server with an error.
    pub(in crate::guard) fn fail_requests(
        self: &Arc<Self>,
        server: NodeId,
        why: &str,
    ) -> Receivers {
        self.turn(|hub, now| hub.fail_requests(server, why, now))
    }

    /// Holds the messages for a server back, because it has ended and may start anew.
    pub(in crate::guard) fn hold(self: &Arc<Self>, server: NodeId) -> Receivers {
        self.turn(|hub, now| {
            hub.hold(server);
            // A conversation in front must not check calls for the next process against the list of this one.
            hub.tools_event(server, ToolsEvent::SessionEnded, now)
        })
    }

    /// Lets the messages for a server go on.
    pub(in crate::guard) fn ready(self: &Arc<Self>, server: NodeId) -> Receivers {
        self.turn(|hub, now| hub.ready(server, now))
    }

    /// Begins a new conversation with a server that has started anew.
    pub(in crate::guard) fn renew(&self, server: NodeId) {
        self.hub().renew(server);
    }

    pub(in crate::guard) fn tools_event(
        self: &Arc<Self>,
        server: NodeId,
        event: ToolsEvent,
    ) -> Receivers {
        self.turn(|hub, now| hub.tools_event(server, event, now))
    }

    /// Lets the conversation with a server handle a message whose results are not for the client.
    pub(in crate::guard) fn handle_unseen(
        self: &Arc<Self>,
        server: NodeId,
        from: Side,
        message: impl Into<Message>,
    ) -> Vec<Message> {
        let message = message.into();
        let mut for_server = Vec::new();
        self.turn(|hub, now| {
            let mut rest = HubEffects::new();
            for effect in hub.handle_unseen(server, from, message, now) {
                match effect {
                    HubEffect::ToServer(to, message) if to == server => for_server.push(message),
                    other => rest.push(other),
                }
            }
            rest
        });
        for_server
    }

    /// Handles the permanent end of a server.
    pub(in crate::guard) fn gone(self: &Arc<Self>, server: NodeId, why: &str) -> Receivers {
        if self.is_leaving() {
            // Nothing comes in its place any more.
            return self.turn(|hub, now| {
                let mut out = hub.fail_requests(server, why, now);
                out.extend(hub.ready(server, now));
                out
            });
        }
        self.turn(|hub, now| hub.gone(server, why, now))
    }

    /// Handles a server that cannot be started, or whose connection cannot be set up.
    pub(in crate::guard) fn unusable(self: &Arc<Self>, server: NodeId, fault: Fault) -> Receivers {
        let why = fault.to_string();
        if self.owner(0).is_some_and(|it| it.upstream.is_server()) {
            *self.finished_state() = Some(Exit::Failed(fault));
        }
        self.gone(server, &why)
    }

    /// Whether no request waits for a server.
    pub(in crate::guard) fn is_idle(&self, server: NodeId) -> bool {
        self.hub().is_idle(Some(server))
    }

    fn carry_out(self: &Arc<Self>, effect: HubEffect, receivers: &mut Receivers) {
        match effect {
            HubEffect::ToClient(message) => {
                receivers.client = true;
                self.client.push(message);
            }
            HubEffect::ToServer(server, message) => {
                // The conversation with a server that is gone has answered.
                if let Some(connection) = self.connection(server) {
                    if connection.waiting_bytes() > self.most_unread {
                        self.refuse_unread(server, &message);
                    } else {
                        connection.push(message);
                    }
                    receivers.add(server, connection);
                }
            }
            HubEffect::Abandon(server, id) => {
                if let Some(connection) = self.connection(server) {
                    connection.abandon(&id);
                    // Other messages may have waited for that request.
                    receivers.add(server, connection);
                }
            }
            HubEffect::Open(server, owner) => self.open(server, owner),
            HubEffect::Close(server) => {
                let closed = self.connections().open.remove(&server);
                if let Some(closed) = closed {
                    closed.close();
                }
            }
            HubEffect::Finish(why) => self.finish(Exit::UpstreamGone(why)),
            HubEffect::MemberGone(at, why) => {
                if let Some(members) = &self.members {
                    members.add_gone(at, why);
                }
            }
            HubEffect::Tools(event) => self.client.tools_event(event),
            HubEffect::Received(owner, from, bytes) => {
                self.observe(owner, &Event::Message { from, bytes });
            }
            HubEffect::Report(owner, Report::Decision(record)) => {
                self.observe(owner, &Event::Verdict(&record));
            }
            HubEffect::Report(owner, Report::Note { what, detail, .. }) => {
                let detail = &toolsure_json::quote(&detail, DETAIL).to_string();
                self.observe(owner, &Event::Note { what, detail });
            }
        }
    }

    /// Answers a request in place of a server that takes no messages; drops another message.
    fn refuse_unread(self: &Arc<Self>, server: NodeId, message: &Message) {
        let envelope = message.envelope();
        let Some(id) = envelope.id.clone().filter(|_| envelope.is_request()) else {
            let what =
                toolsure_json::quote(envelope.method.as_deref().unwrap_or("an answer"), DETAIL);
            let detail = &format!("{UNREAD_INPUT}: `{what}` is dropped");
            let what = "undeliverable";
            if let Some(owner) = self.owner(0).or_else(|| self.owner(1)) {
                owner.ctx.observe(&Event::Detail { what, detail });
            }
            return;
        };
        // The caller holds the lock of the hub.
        let driver = Arc::clone(self);
        tokio::spawn(async move {
            let receivers = driver.request_failed(server, (&id, UNREAD_INPUT), &mut |_| {});
            driver.pass_on_in_background(receivers);
        });
    }

    fn observe(&self, owner: usize, event: &Event<'_>) {
        if let Some(owner) = self.owner(owner) {
            owner.ctx.observe(event);
        }
    }

    /// Starts the connection to a server. Called under the lock of the hub.
    pub(super) fn open(self: &Arc<Self>, server: NodeId, owner: usize) {
        let Some(owner) = self.owner(owner) else {
            return;
        };
        let mut connections = self.connections();
        while connections.tasks.try_join_next().is_some() {}
        match (self.connect)(self, server, &owner, &self.caller) {
            Ok(Connected { connection, task }) => {
                if self.is_leaving() {
                    connection.close();
                }
                connections.open.insert(server, connection);
                connections.tasks.spawn(task);
            }
            Err(fault) => {
                let driver = Arc::clone(self);
                connections.tasks.spawn(async move {
                    let receivers = driver.unusable(server, fault);
                    driver.pass_on_in_background(receivers);
                });
            }
        }
    }

    fn finish(&self, exit: Exit) {
        self.finished_state().get_or_insert(exit);
        self.has_finished.notify_one();
    }

    /// Why nothing serves the client any more, if that is so.
    pub(super) fn finished_state(&self) -> MutexGuard<'_, Option<Exit>> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nothing serves the client any more.
    pub(super) async fn finished(&self) {
        loop {
            let notified = self.has_finished.notified();
            if self.finished_state().is_some() {
                return;
            }
            notified.await;
        }
    }

    /// Starts to send what is queued for servers, without waiting.
    pub(in crate::guard) fn start_sending(receivers: &mut Receivers) {
        for (_, connection) in receivers.servers.drain(..) {
            if !Arc::clone(&connection).try_flush() {
                tokio::spawn(connection.flush());
            }
        }
    }

    /// Sends the results of a server's message, and waits for the client.
    pub(in crate::guard) async fn pass_on(&self, mut receivers: Receivers) {
        Self::start_sending(&mut receivers);
        self.client_flushed().await;
    }

    /// The same for a task that must not wait for a client that does not read.
    pub(super) fn pass_on_in_background(self: &Arc<Self>, mut receivers: Receivers) {
        Self::start_sending(&mut receivers);
        if receivers.client {
            let driver = Arc::clone(self);
            tokio::spawn(async move { driver.client_flushed().await });
        }
    }

    /// Waits until the client has taken most of what is queued for it.
    pub(in crate::guard) async fn client_flushed(&self) {
        // That it has left shows up where it is read.
        let _client_is_gone = self.client.flush().await;
    }

    /// Wakes the tasks that wait for a change, and sets the next deadline.
    fn settle(&self, hub: &mut Hub) {
        if hub.is_idle(None) {
            self.idle.notify_waiters();
        }
        if self.is_awaited.load(Ordering::Acquire) && !hub.is_crowded() {
            self.roomy.notify_waiters();
        }
        let list_changed_count = hub.list_changed_count();
        if self
            .list_changed_count
            .swap(list_changed_count, Ordering::AcqRel)
            != list_changed_count
        {
            self.alarm.look_again();
        }
        if let Some(next) = hub.next_deadline() {
            self.alarm.set(next);
        }
    }

    /// Waits until no request is open.
    pub(super) async fn idle(&self) {
        loop {
            let notified = self.idle.notified();
            if self.hub().is_idle(None) {
                return;
            }
            notified.await;
        }
    }

    /// Waits until no server has an open request.
    pub(super) async fn servers_idle(&self) {
        loop {
            let notified = self.idle.notified();
            if self.hub().are_servers_idle() {
                return;
            }
            notified.await;
        }
    }

    /// Drops the nodes of the hub: their servers have ended, and are observed so.
    pub(super) fn end(&self) {
        let nodes = std::mem::replace(&mut *self.hub(), Hub::new(0));
        drop(nodes);
    }

    /// Waits until the client's next message finds room.
    pub(super) async fn room(&self) {
        loop {
            let roomy = self.roomy.notified();
            {
                let hub = self.hub();
                let crowded = hub.is_crowded();
                // Under the lock, so that the task that makes room sees it.
                self.is_awaited.store(crowded, Ordering::Release);
                if !crowded {
                    return;
                }
            }
            roomy.await;
        }
    }

    /// Handles deadlines and new policies.
    pub(super) async fn keep_time(self: Arc<Self>) {
        loop {
            let receivers = tokio::select! {
                passed = self.alarm.passed(self.clock) => match passed {
                    true => self.turn(Hub::tick),
                    false => continue,
                },
                () = self.policy_replaced() => self.turn(Hub::policy_replaced),
            };
            // The timer must keep the next deadline.
            self.pass_on_in_background(receivers);
        }
    }

    /// Waits until the client may have to be told that its tools have changed.
    async fn policy_replaced(&self) {
        if self.list_changed_count.load(Ordering::Acquire) == 0 {
            return std::future::pending().await;
        }
        let guards = self.hub().list_changed_guards();
        let mut replaced: Vec<_> = guards.iter().map(toolsure_guard::Guard::replaced).collect();
        if self.hub().is_outdated() {
            return;
        }
        let any = |context: &mut std::task::Context<'_>| {
            let mut each = replaced.iter_mut();
            match each.any(|replaced| Pin::new(replaced).poll(context).is_ready()) {
                true => Poll::Ready(()),
                false => Poll::Pending,
            }
        };
        poll_fn(any).await;
    }
}

impl Receivers {
    fn add(&mut self, server: NodeId, connection: Arc<dyn Connection>) {
        if !self.servers.iter().any(|(known, _)| *known == server) {
            self.servers.push((server, connection));
        }
    }

    pub(in crate::guard) fn leave_out(&mut self, server: NodeId) {
        self.servers.retain(|(receivers, _)| *receivers != server);
    }
}

/// Maximum characters of a detail in a log line.
const DETAIL: usize = 256;
