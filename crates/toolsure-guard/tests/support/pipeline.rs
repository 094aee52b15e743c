//! Several machines of a guard as one, without I/O and channels: the composition that the proxy makes
//! of whole guards.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::Duration;

use toolsure_guard::translate::Translator;
use toolsure_guard::{
    Aggregator, Connection, ConnectionId, Conversation, Effect, Effects, Guard, IdKey, Message,
    ToolsEvent,
};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

/// A machine between one client and its servers.
pub(crate) trait Stage: fmt::Debug {
    fn on_message(&mut self, from: Connection, message: Message, now: Duration) -> Effects;
    fn on_closed(&mut self, connection: Connection, why: &str, now: Duration) -> Effects;
    fn on_tools_event(&mut self, event: ToolsEvent) -> Effects;
    fn on_client_version(&mut self, version: Era);
    fn on_timer(&mut self, now: Duration) -> Effects;
    fn next_deadline(&mut self) -> Option<Duration>;
}

impl Stage for Conversation {
    fn on_message(&mut self, from: Connection, message: Message, now: Duration) -> Effects {
        Self::on_message(self, from.side(), message, now)
    }

    fn on_closed(&mut self, connection: Connection, why: &str, now: Duration) -> Effects {
        match connection {
            Connection::Client => self.client_gone(now),
            Connection::Server(_) => self.server_gone(why, now),
        }
    }

    fn on_tools_event(&mut self, event: ToolsEvent) -> Effects {
        self.tools_event(event);
        Effects::default()
    }

    fn on_client_version(&mut self, version: Era) {
        self.set_client_version(version);
    }

    fn on_timer(&mut self, now: Duration) -> Effects {
        self.tick(now)
    }

    fn next_deadline(&mut self) -> Option<Duration> {
        Self::next_deadline(self)
    }
}

impl Stage for Translator {
    fn on_message(&mut self, from: Connection, message: Message, now: Duration) -> Effects {
        Self::on_message(self, from, message, now)
    }

    fn on_closed(&mut self, connection: Connection, why: &str, now: Duration) -> Effects {
        match connection {
            // No client waits any more, and the connections to the server end with the client's.
            Connection::Client => Effects::default(),
            Connection::Server(connection) => self.server_gone(connection, why, now),
        }
    }

    fn on_tools_event(&mut self, event: ToolsEvent) -> Effects {
        self.tools_event(event)
    }

    fn on_client_version(&mut self, _: Era) {}

    fn on_timer(&mut self, now: Duration) -> Effects {
        self.tick(now)
    }

    fn next_deadline(&mut self) -> Option<Duration> {
        Self::next_deadline(self)
    }
}

impl Stage for Aggregator {
    fn on_message(&mut self, from: Connection, message: Message, now: Duration) -> Effects {
        Self::on_message(self, from, message, now)
    }

    fn on_closed(&mut self, connection: Connection, why: &str, now: Duration) -> Effects {
        match connection {
            Connection::Client => Effects::default(),
            Connection::Server(at) => self.server_gone(at.number(), why, now),
        }
    }

    fn on_tools_event(&mut self, _: ToolsEvent) -> Effects {
        Effects::default()
    }

    fn on_client_version(&mut self, _: Era) {}

    fn on_timer(&mut self, now: Duration) -> Effects {
        self.tick(now)
    }

    fn next_deadline(&mut self) -> Option<Duration> {
        Self::next_deadline(self)
    }
}

/// A chain of machines between a client and its servers. Each connection of the last one may have its own
/// branch after it.
///
/// ```text
///   client ─► [ filters │ translation ] ─► server
///
///                               ┌─► [ filters ] ─► server 0
///   client ─► [ aggregation ] ──┼─► [ filters ] ─► server 1
///                               └─► server 2
/// ```
#[derive(Debug)]
pub(crate) struct Pipeline {
    guard: Guard,
    stages: Vec<Box<dyn Stage>>,
    branches: BTreeMap<ConnectionId, Box<dyn Stage>>,
}

/// One part of a pipeline.
#[derive(Clone, Copy)]
enum At {
    Stage(usize),
    Branch(ConnectionId),
}

/// An event for one part.
struct Step {
    at: At,
    from: Connection,
    event: Event,
}

enum Event {
    Message(Message),
    Closed(String),
    Tools(ToolsEvent),
    ClientVersion(Era),
}

impl Pipeline {
    /// A pipeline without stages, which sends everything to the other side unchanged.
    pub(crate) fn new(guard: &Guard) -> Self {
        Self {
            guard: guard.clone(),
            stages: Vec::new(),
            branches: BTreeMap::new(),
        }
    }

    /// Adds a stage after the existing ones, on the servers' side.
    pub(crate) fn stage(mut self, stage: impl Stage + 'static) -> Self {
        self.stages.push(Box::new(stage));
        self
    }

    /// Puts a stage between the last stage and one of its connections.
    pub(crate) fn branch(mut self, connection: ConnectionId, stage: impl Stage + 'static) -> Self {
        self.branches.insert(connection, Box::new(stage));
        self
    }

    /// The part that a connection's messages reach first, and how that part names the connection.
    fn entry(&self, from: Connection) -> Option<(At, Connection)> {
        let last = self.stages.len().checked_sub(1)?;
        Some(match from {
            Connection::Client => (At::Stage(0), from),
            Connection::Server(at) if self.branches.contains_key(&at) => {
                (At::Branch(at), Connection::Server(ConnectionId::ONLY))
            }
            Connection::Server(_) => (At::Stage(last), from),
        })
    }

    /// The part that receives a part's message, and how that part names the message's source; `None` if
    /// the message leaves the pipeline.
    fn next(&self, at: At, to: Connection) -> Option<(At, Connection)> {
        let back = Connection::Server(ConnectionId::ONLY);
        match (at, to) {
            (At::Stage(stage), Connection::Client) => {
                let before = stage.checked_sub(1)?;
                Some((At::Stage(before), back))
            }
            (At::Stage(stage), Connection::Server(connection)) => {
                let after = stage.saturating_add(1);
                if after < self.stages.len() {
                    return Some((At::Stage(after), Connection::Client));
                }
                let branch = self.branches.contains_key(&connection);
                branch.then_some((At::Branch(connection), Connection::Client))
            }
            (At::Branch(connection), Connection::Client) => {
                let last = self.stages.len().checked_sub(1)?;
                Some((At::Stage(last), Connection::Server(connection)))
            }
            (At::Branch(_), Connection::Server(_)) => None,
        }
    }

    fn part(&mut self, at: At) -> Option<&mut Box<dyn Stage>> {
        match at {
            At::Stage(stage) => self.stages.get_mut(stage),
            At::Branch(connection) => self.branches.get_mut(&connection),
        }
    }

    /// Sorts the effects of a part: some are steps for other parts, the rest leave the pipeline.
    fn sort(&self, at: At, effects: Effects, steps: &mut VecDeque<Step>, out: &mut Vec<Effect>) {
        for effect in effects {
            let (to, event) = match effect {
                Effect::Send { to, message } => match self.next(at, to) {
                    Some(_) => (to, Event::Message(message)),
                    None => {
                        let to = left(at, to);
                        out.push(Effect::Send { to, message });
                        continue;
                    }
                },
                // Between two stages there is no stream to close.
                Effect::Abandon { id } => {
                    let to = Connection::Server(ConnectionId::ONLY);
                    match self.next(at, to) {
                        Some(_) => (to, Event::Message(Message::new(cancelled(&id)))),
                        None => {
                            out.push(Effect::Abandon { id });
                            continue;
                        }
                    }
                }
                Effect::Finish if self.next(at, Connection::Client).is_some() => {
                    (Connection::Client, Event::Closed("it ended".to_owned()))
                }
                Effect::Tools(event) if self.next(at, Connection::Client).is_some() => {
                    (Connection::Client, Event::Tools(event))
                }
                Effect::ClientVersion(connection, era)
                    if self.next(at, Connection::Server(connection)).is_some() =>
                {
                    (Connection::Server(connection), Event::ClientVersion(era))
                }
                other => {
                    out.push(other);
                    continue;
                }
            };
            if let Some((at, from)) = self.next(at, to) {
                steps.push_back(Step { at, from, event });
            }
        }
    }

    /// Carries out all steps. Each leads to a bounded number of others, because no stage answers an answer.
    fn run(&mut self, mut steps: VecDeque<Step>, now: Duration, out: &mut Vec<Effect>) {
        while let Some(Step { at, from, event }) = steps.pop_front() {
            let Some(part) = self.part(at) else {
                continue;
            };
            let effects = match event {
                Event::Message(message) => part.on_message(from, message, now),
                Event::Closed(why) => part.on_closed(from, &why, now),
                Event::ClientVersion(era) => {
                    part.on_client_version(era);
                    continue;
                }
                Event::Tools(event) => part.on_tools_event(event),
            };
            self.sort(at, effects, &mut steps, out);
        }
    }

    pub(crate) fn on_message(
        &mut self,
        from: Connection,
        message: Message,
        now: Duration,
    ) -> Vec<Effect> {
        let mut out = Vec::new();
        match self.entry(from) {
            Some((at, from)) => {
                let event = Event::Message(self.guard.read(message));
                self.run([Step { at, from, event }].into(), now, &mut out);
            }
            None => out.push(Effect::Send {
                to: from.side().other().into(),
                message,
            }),
        }
        out
    }

    pub(crate) fn on_closed(
        &mut self,
        connection: Connection,
        why: &str,
        now: Duration,
    ) -> Vec<Effect> {
        let mut steps = VecDeque::new();
        let mut close = |at, from| {
            let event = Event::Closed(why.to_owned());
            steps.push_back(Step { at, from, event });
        };
        match connection {
            Connection::Client => {
                (0..self.stages.len()).for_each(|at| close(At::Stage(at), connection));
                let branches = self.branches.keys();
                branches.for_each(|at| close(At::Branch(*at), connection));
            }
            Connection::Server(at) => {
                if self.branches.contains_key(&at) {
                    close(At::Branch(at), Connection::Server(ConnectionId::ONLY));
                }
                if let Some(last) = self.stages.len().checked_sub(1) {
                    close(At::Stage(last), connection);
                }
            }
        }
        let mut out = Vec::new();
        self.run(steps, now, &mut out);
        out
    }

    pub(crate) fn on_timer(&mut self, now: Duration) -> Vec<Effect> {
        let stages = (0..self.stages.len()).map(At::Stage);
        let branches = self.branches.keys().copied().map(At::Branch);
        let parts: Vec<At> = stages.chain(branches).collect();
        let mut out = Vec::new();
        for at in parts {
            let Some(part) = self.part(at) else {
                continue;
            };
            let effects = part.on_timer(now);
            let mut steps = VecDeque::new();
            self.sort(at, effects, &mut steps, &mut out);
            self.run(steps, now, &mut out);
        }
        out
    }

    pub(crate) fn next_deadline(&mut self) -> Option<Duration> {
        let parts = self.stages.iter_mut().chain(self.branches.values_mut());
        parts.filter_map(|part| part.next_deadline()).min()
    }
}

/// Where a message goes that leaves the pipeline: a branch knows one server, which is one of several.
fn left(at: At, to: Connection) -> Connection {
    match (at, to) {
        (At::Branch(connection), Connection::Server(_)) => Connection::Server(connection),
        _ => to,
    }
}

/// The message with the same meaning as [`Effect::Abandon`], which closes a stream.
fn cancelled(id: &IdKey) -> Vec<u8> {
    write::cancellation(&id.raw(), None).into_bytes()
}
