//! The tasks that drive one translator.
//!
//! Each task reads a message, passes it to the translator under its lock, and queues the results.
//! The task that reads the client then waits until both sides have read most of them; a task that
//! reads the server waits for the client only.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;
use toolsure_guard::translate::Translator;
use toolsure_guard::{Connection, ConnectionId, Effect, Effects, Message, Report};

use super::connector::Connector;
use crate::guard::event::Event;
use crate::guard::messages::{ChannelItem, MessageReceiver, MessageSender};
use crate::guard::running::{Exit, Running};

pub(super) struct TranslationDriver {
    translator: Mutex<Translator>,
    begun: Instant,
    connector: Connector,
    client: MessageSender,
    connections: Mutex<Connections>,
    /// Signalled when the translator's deadline may have changed.
    rearmed: Notify,
    /// Signalled when no server is left for the client.
    finished: Notify,
}

#[derive(Default)]
struct Connections {
    open: HashMap<ConnectionId, Arc<MessageSender>>,
    /// One task for each connection that is open or about to end.
    tasks: JoinSet<()>,
}

impl TranslationDriver {
    /// Translates until the client leaves or no server is left. Dropping the future ends all
    /// connections at once.
    pub(super) async fn run(
        translator: Translator,
        connector: Connector,
        input: MessageReceiver,
        output: MessageSender,
    ) -> String {
        let driver = Arc::new(Self {
            translator: Mutex::new(translator),
            begun: Instant::now(),
            connector,
            client: output,
            connections: Mutex::default(),
            rearmed: Notify::new(),
            finished: Notify::new(),
        });
        let _ending = Ending(Arc::clone(&driver));
        let reading = pin!(driver.read_client(input));
        let clock = pin!(driver.keep_time());
        let finished = pin!(driver.finished.notified());
        let how = tokio::select! {
            () = reading => "was closed",
            () = clock => "was closed",
            () = finished => "has no server left",
        };
        driver.close_all().await;
        driver.client.close();
        how.to_owned()
    }

    async fn read_client(self: &Arc<Self>, mut messages: MessageReceiver) {
        while let Some(message) = messages.next().await {
            for input in self.message(Connection::Client, message) {
                // An ended connection shows up where its other end is read.
                let _server_is_gone = input.flush().await;
            }
            let _client_is_gone = self.client.flush().await;
        }
    }

    /// Reads one connection to the server until it ends.
    ///
    /// It never waits until the server has read the results of its own messages: the guard behind
    /// stops reading the server while these messages are not read here, and both would wait for
    /// ever. A server that writes but does not read is given up, so the bytes that wait for it are
    /// bounded.
    async fn read_server(
        self: Arc<Self>,
        connection: ConnectionId,
        mut from: MessageReceiver,
        running: Running,
    ) {
        let mut given_up = false;
        while let Some(item) = from.next_item().await {
            match item {
                ChannelItem::Message(message) => {
                    self.message(Connection::Server(connection), message);
                }
                ChannelItem::Tools(event) => {
                    self.decide(|it, _| it.tools_event(event));
                }
                // A server reports none.
                ChannelItem::ClientVersion(_) => {}
            }
            let _client_is_gone = self.client.flush().await;
            if !self.connector.drains_to(self.input(connection)).await {
                given_up = true;
                running.stop();
                break;
            }
        }
        drop(from);
        let how = match running.finished().await {
            _ if given_up => "it writes but does not read what it is sent".to_owned(),
            Exit::UpstreamGone(how) => how,
            Exit::Failed(fault) => fault.to_string(),
            _ => "the connection was closed".to_owned(),
        };
        let was_wanted = self.connections().open.remove(&connection).is_some();
        if was_wanted {
            self.note("server-gone", &how);
        }
        self.event(|it, now| it.server_gone(connection, &how, now))
            .await;
    }

    async fn keep_time(self: &Arc<Self>) {
        loop {
            let rearmed = self.rearmed.notified();
            let deadline = self.translator().next_deadline();
            let wake = deadline.and_then(|deadline| self.begun.checked_add(deadline));
            let asleep = async {
                match wake {
                    Some(at) => tokio::time::sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = rearmed => {}
                () = asleep => self.event(Translator::tick).await,
            }
        }
    }

    /// Passes a message to the translator. Returns the connections to the server that have new
    /// messages queued.
    fn message(self: &Arc<Self>, from: Connection, message: Message) -> Vec<Arc<MessageSender>> {
        self.decide(|it, now| it.on_message(from, message, now))
    }

    async fn event(
        self: &Arc<Self>,
        event: impl FnOnce(&mut Translator, std::time::Duration) -> Effects,
    ) {
        self.decide(event);
        let _client_is_gone = self.client.flush().await;
    }

    /// Calls the translator and carries out the effects. Returns the same as `message`.
    fn decide(
        self: &Arc<Self>,
        event: impl FnOnce(&mut Translator, std::time::Duration) -> Effects,
    ) -> Vec<Arc<MessageSender>> {
        let mut touched = Vec::new();
        let mut translator = self.translator();
        let before = translator.next_deadline();
        for effect in event(&mut translator, self.begun.elapsed()) {
            self.carry_out(effect, &mut touched);
        }
        if translator.next_deadline() != before {
            self.rearmed.notify_one();
        }
        touched
    }

    /// Called under the translator's lock, so that messages are queued in the order of decisions.
    fn carry_out(self: &Arc<Self>, effect: Effect, touched: &mut Vec<Arc<MessageSender>>) {
        match effect {
            Effect::Open(connection) => self.open(connection),
            Effect::Close(connection) => {
                let mut connections = self.connections();
                if let Some(input) = connections.open.remove(&connection) {
                    input.close();
                }
            }
            Effect::Send { to, message } => match to {
                Connection::Client => self.client.push(message),
                Connection::Server(connection) => {
                    // A connection that could not be opened reports that itself.
                    if let Some(input) = self.connections().open.get(&connection) {
                        push(input, message, touched);
                    }
                }
            },
            Effect::Finish => self.finished.notify_one(),
            Effect::Tools(event) => self.client.tools_event(event),
            Effect::Report(Report::Note { what, detail, .. }) => self.note(what, &detail),
            // A translator checks nothing, negotiates no version, and cancels with messages.
            Effect::Report(Report::Decision(_))
            | Effect::ClientVersion(..)
            | Effect::Abandon { .. } => {}
        }
    }

    fn open(self: &Arc<Self>, connection: ConnectionId) {
        let mut connections = self.connections();
        while connections.tasks.try_join_next().is_some() {}
        match self.connector.connect() {
            Ok((to, from, running)) => {
                connections.open.insert(connection, Arc::new(to));
                let driver = Arc::clone(self);
                connections
                    .tasks
                    .spawn(driver.read_server(connection, from, running));
            }
            Err(fault) => {
                let (driver, why) = (Arc::clone(self), fault.to_string());
                connections.tasks.spawn(async move {
                    driver
                        .event(|it, now| it.server_gone(connection, &why, now))
                        .await;
                });
            }
        }
    }

    /// Ends all connections and waits until they have ended.
    async fn close_all(&self) {
        for (_, input) in self.connections().open.drain() {
            input.close();
        }
        loop {
            // The lock is not held meanwhile: an ending connection needs it.
            let mut tasks = std::mem::take(&mut self.connections().tasks);
            if tasks.is_empty() {
                return;
            }
            while tasks.join_next().await.is_some() {}
        }
    }

    fn input(&self, connection: ConnectionId) -> Option<Arc<MessageSender>> {
        self.connections().open.get(&connection).cloned()
    }

    fn note(&self, what: &'static str, detail: &str) {
        let detail = &toolsure_json::quote(detail, DETAIL).to_string();
        self.connector
            .observer
            .observe(&Event::Note { what, detail });
    }

    fn translator(&self) -> MutexGuard<'_, Translator> {
        self.translator
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the connections of a driver that was dropped. A connection ends when all its senders are
/// dropped.
struct Ending(Arc<TranslationDriver>);

impl Drop for Ending {
    fn drop(&mut self) {
        let mut connections = self.0.connections();
        connections.open.clear();
        connections.tasks.abort_all();
    }
}

fn push(input: &Arc<MessageSender>, message: Message, touched: &mut Vec<Arc<MessageSender>>) {
    input.push(message);
    if !touched.iter().any(|known| Arc::ptr_eq(known, input)) {
        touched.push(Arc::clone(input));
    }
}

/// Maximum characters of a detail in a log line.
const DETAIL: usize = 256;
