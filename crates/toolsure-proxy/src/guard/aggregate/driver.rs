//! The tasks that drive one aggregator: one for its client, and one for each upstream.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;
use toolsure_guard::{
    Aggregator, Connection, ConnectionId, Context, Effect, Effects, Message, Report, ScopeKey,
};

use super::member::{AggregateMember, MemberConnection};
use crate::guard::child::Restarts;
use crate::guard::event::{Event, UpstreamState};
use crate::guard::in_process::Caller;
use crate::guard::messages::{
    Client, MessageReader, MessageReceiver, MessageSender, MessageWriter, message_channel,
};
use crate::guard::options::{Bounds, GuardOptions, Listener, Restart, Times, Upstream};
use crate::guard::running::{Exit, Running};
use crate::guard::serve_messages;
use crate::message_memory::MessageMemory;

/// A task that is aborted when this is dropped.
pub(super) struct Task(pub(super) JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Drives one aggregator.
pub(super) struct AggregateDriver {
    pub(super) aggregator: Mutex<Aggregator>,
    pub(super) client: MessageSender,
    pub(super) connections: RwLock<Vec<Arc<MemberConnection>>>,
    pub(super) caller: Caller,
    pub(super) bounds: Bounds,
    pub(super) times: Times,
    pub(super) message_memory: MessageMemory,
    pub(super) contexts: Arc<AtomicU64>,
    pub(super) begun: Instant,
    /// The deadline of the aggregator may have changed.
    pub(super) armed: Notify,
    pub(super) stop: watch::Sender<bool>,
}

impl AggregateDriver {
    /// Runs until the client's side is closed and every upstream has ended.
    pub(super) async fn run(
        self: Arc<Self>,
        mut input: MessageReceiver,
        mut members: watch::Receiver<Vec<Arc<AggregateMember>>>,
    ) {
        let mut connections = JoinSet::new();
        let present = self.connections().len();
        for at in 0..present {
            // Start it before messages can be routed to it.
            let first = self.start(at);
            connections.spawn(Arc::clone(&self).connection(at, first));
        }
        let clock = Task(tokio::spawn(Arc::clone(&self).keep_time()));
        loop {
            let message = tokio::select! {
                message = input.next() => message,
                // It fails if there will be no more members.
                Ok(()) = members.changed() => {
                    let all = members.borrow_and_update().clone();
                    let present = self.connections().len();
                    for member in all.into_iter().skip(present) {
                        let (at, first) = self.add(member);
                        connections.spawn(Arc::clone(&self).connection(at, first));
                    }
                    let _client_is_gone = self.client.flush().await;
                    continue;
                }
            };
            let Some(message) = message else { break };
            // Wait for the client only if something was sent to it: it may be waiting itself until
            // this message is taken.
            if self.message(Connection::Client, message) {
                let _client_is_gone = self.client.flush().await;
            }
            self.pause().await;
        }
        self.stop.send_replace(true);
        while connections.join_next().await.is_some() {}
        drop(clock);
        self.client.close();
    }

    /// Starts a member that was added, and routes messages to it.
    fn add(&self, member: Arc<AggregateMember>) -> (usize, Result<Started, String>) {
        let named = member.named();
        let at = {
            let mut connections = self.write_connections();
            connections.push(MemberConnection::new(member));
            connections.len() - 1
        };
        let first = self.start(at);
        self.turn(|aggregator, _| aggregator.add(named));
        (at, first)
    }

    /// Passes a message to the aggregator. Returns whether something is sent to the client.
    fn message(&self, from: Connection, message: Message) -> bool {
        self.turn(|aggregator, now| aggregator.on_message(from, message, now))
    }

    /// Calls `decide` on the aggregator under its lock, and carries out the effects in order.
    /// Returns whether something is sent to the client.
    fn turn(&self, decide: impl FnOnce(&mut Aggregator, Duration) -> Effects) -> bool {
        let mut sends_to_client = false;
        let mut aggregator = self
            .aggregator
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let before = aggregator.next_deadline();
        for effect in decide(&mut aggregator, self.begun.elapsed()) {
            match effect {
                Effect::Send { to, message } => match to {
                    Connection::Client => {
                        sends_to_client = true;
                        self.client.push(message);
                    }
                    Connection::Server(at) => self.send(at, message),
                },
                // Each member has one connection, which is kept open.
                Effect::Open(_) | Effect::Close(_) | Effect::Finish => {}
                Effect::ClientVersion(at, version) => {
                    let member = self.connection_at(at.number());
                    if let Some(input) = member.and_then(|member| member.input()) {
                        input.client_version(version);
                    }
                }
                // The members' guards keep the lists of tools.
                Effect::Tools(_) => {}
                // An aggregator checks nothing, and cancels with messages.
                Effect::Report(Report::Decision(_)) | Effect::Abandon { .. } => {}
                Effect::Report(Report::Note {
                    connection,
                    what,
                    detail,
                }) => {
                    let member = connection.and_then(|at| self.connection_at(at.number()));
                    if let Some(connection) = member {
                        let detail = detail.as_str();
                        connection
                            .member
                            .observer
                            .observe(&Event::Note { what, detail });
                    }
                }
            }
        }
        if aggregator.next_deadline() != before {
            self.armed.notify_one();
        }
        sends_to_client
    }

    /// Sends a message to a member, or drops it if the member is gone.
    fn send(&self, at: ConnectionId, message: Message) {
        if let Some(connection) = self.connection_at(at.number())
            && let Some(input) = connection.input()
        {
            input.push(message);
        }
    }

    /// Waits while more bytes wait for a member than the limit allows. A member that does not read
    /// in time is given up.
    async fn pause(&self) {
        let connections = self.connections().clone();
        for connection in connections {
            let Some(input) = connection.input() else {
                continue;
            };
            let most = self.bounds.message_bytes;
            if !input.drains_to(most, self.times.notify).await {
                connection.stuck.notify_one();
            }
        }
    }

    async fn keep_time(self: Arc<Self>) {
        loop {
            let next = {
                let aggregator = self.aggregator.lock();
                let aggregator = aggregator.unwrap_or_else(PoisonError::into_inner);
                aggregator.next_deadline()
            };
            let asleep = async {
                match next {
                    // One millisecond more, so that the deadline has passed when the aggregator
                    // checks.
                    Some(at) => tokio::time::sleep_until(self.begun + at + TICK).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.armed.notified() => continue,
                () = asleep => {}
            }
            self.turn(Aggregator::tick);
            let _client_is_gone = self.client.flush().await;
        }
    }

    /// Starts an upstream's guard.
    fn start(&self, at: usize) -> Result<Started, String> {
        let Some(connection) = self.connection_at(at) else {
            return Err("there is no such upstream".to_owned());
        };
        let member = &connection.member;
        let upstream = match member.upstream.clone() {
            Upstream::Child { launch, .. } => Upstream::Child {
                launch,
                restart: Restart::NEVER,
            },
            Upstream::Http(target) => Upstream::Http(target.on_behalf_of(self.caller.clone())),
            inner @ Upstream::InProcess(_) => inner,
        };
        let mut options = GuardOptions::new(member.name.clone(), Listener::Stdio, upstream);
        options.bounds = self.bounds;
        options.times = self.times;
        options.message_memory = self.message_memory.clone();
        options.clock = member.clock;
        options.context = self.contexts.fetch_add(1, Ordering::Relaxed);
        options.caller = self.caller.clone();
        let context = options.context;
        let (to, input) = message_channel();
        let (output, from) = message_channel();
        let client = Client {
            from: MessageReader::Memory(input),
            to: MessageWriter::Memory(output),
        };
        let (guard, observer) = (member.guard.clone(), Arc::clone(&member.observer));
        let running = serve_messages(client, options, guard, observer);
        let running = running.map_err(|fault| fault.to_string())?;
        *connection.held() = Some(Arc::new(to));
        Ok(Started {
            running,
            from,
            context,
        })
    }

    /// Runs one upstream, with its restarts, until the client leaves.
    async fn connection(self: Arc<Self>, at: usize, first: Result<Started, String>) {
        let Some(connection) = self.connection_at(at) else {
            return;
        };
        let restart = match &connection.member.upstream {
            Upstream::Child { restart, .. } => *restart,
            Upstream::Http(_) | Upstream::InProcess(_) => Restart::default(),
        };
        let mut restarts = Restarts::new(restart);
        let mut started = first;
        loop {
            let why = match started {
                Ok(started) => match self.read_member(at, &connection, started).await {
                    Some(why) => why,
                    None => return,
                },
                Err(why) => {
                    self.turn(|aggregator, now| aggregator.server_gone(at, &why, now));
                    let _client_is_gone = self.client.flush().await;
                    why
                }
            };
            let observer = &connection.member.observer;
            observer.observe(&Event::Upstream(UpstreamState::Gone { how: &why }));
            let pause = match restart.most {
                0 => {
                    observer.observe(&Event::Note {
                        what: "server-not-restarted",
                        detail: &why,
                    });
                    None
                }
                _ => Some(restarts.next().unwrap_or(restart.window)),
            };
            let paused = async {
                match pause {
                    Some(pause) => tokio::time::sleep(pause).await,
                    None => std::future::pending().await,
                }
            };
            let mut stop = self.stop.subscribe();
            tokio::select! {
                _ = stop.wait_for(|stop| *stop) => {
                    observer.observe(&Event::Upstream(UpstreamState::Here));
                    return;
                }
                () = paused => {}
            }
            started = self.start(at);
            if started.is_ok() {
                self.turn(|aggregator, _| aggregator.server_here(at));
                let _client_is_gone = self.client.flush().await;
            }
        }
    }

    fn connection_at(&self, at: usize) -> Option<Arc<MemberConnection>> {
        self.connections().get(at).cloned()
    }

    fn connections(&self) -> RwLockReadGuard<'_, Vec<Arc<MemberConnection>>> {
        self.connections
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn write_connections(&self) -> RwLockWriteGuard<'_, Vec<Arc<MemberConnection>>> {
        self.connections
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes on the messages of one upstream until it ends. Returns why it ended, or `None` if the
    /// client has left.
    async fn read_member(
        self: &Arc<Self>,
        at: usize,
        connection: &MemberConnection,
        started: Started,
    ) -> Option<String> {
        let Started {
            mut running,
            mut from,
            context,
        } = started;
        let mut stop = self.stop.subscribe();
        let mut leaving = false;
        let mut stuck = false;
        loop {
            let message = tokio::select! {
                message = from.next() => message,
                () = connection.stuck.notified() => {
                    // The signal may be about the connection before this one.
                    if connection.waiting_bytes() <= self.bounds.message_bytes {
                        continue;
                    }
                    stuck = true;
                    break;
                }
                _ = stop.wait_for(|stop| *stop), if !leaving => {
                    leaving = true;
                    if let Some(input) = connection.input() {
                        input.close();
                    }
                    continue;
                }
            };
            let Some(message) = message else { break };
            self.message(Connection::Server(ConnectionId::new(at)), message);
            let _client_is_gone = self.client.flush().await;
        }
        *connection.held() = None;
        drop(from);
        let takes_nothing = || "it takes no messages".to_owned();
        let mut why = None;
        if stuck {
            why = Some(takes_nothing());
            self.turn(|aggregator, now| aggregator.server_gone(at, &takes_nothing(), now));
            let _client_is_gone = self.client.flush().await;
            running.stop();
        }
        let exit = running.ended().await;
        connection.member.guard.forget(&ScopeKey {
            upstream: connection.member.name.as_str().into(),
            context: Context::Session(context),
        });
        if leaving {
            return None;
        }
        if why.is_none() {
            let ended = match exit {
                Exit::UpstreamGone(how) => how,
                Exit::Failed(fault) => fault.to_string(),
                Exit::ClientGone | Exit::Stopped => "it ended".to_owned(),
            };
            self.turn(|aggregator, now| aggregator.server_gone(at, &ended, now));
            let _client_is_gone = self.client.flush().await;
            why = Some(ended);
        }
        why
    }
}

/// A running guard of an upstream.
struct Started {
    running: Running,
    from: MessageReceiver,
    context: u64,
}

const TICK: Duration = Duration::from_millis(1);
