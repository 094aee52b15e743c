//! Several stages as one.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

use crate::connection::{Connection, ConnectionId};
use crate::effect::{Effect, Effects, HttpRefusal, Outgoing, ToolsEvent};
use crate::guard::Guard;
use crate::incoming::IncomingMessage;
use crate::stage::Stage;

/// A chain of stages between a client and its servers. Each connection of the last stage may have its
/// own branch after it.
///
/// ```text
///   client ─► [ filters │ translation ] ─► server
///
///                               ┌─► [ filters ] ─► server 0
///   client ─► [ aggregation ] ──┼─► [ filters ] ─► server 1
///                               └─► server 2
/// ```
///
/// A message that a stage passes on unchanged is not parsed again by the next; a message that a stage
/// made or altered is parsed once. Messages, records and notes that leave the chain are the effects of
/// the pipeline, and so is each connection that the last stage opens or closes.
///
/// ```
/// use std::time::Duration;
/// use toolsure_guard::translate::{Clients, Translate, Translator};
/// use toolsure_guard::{
///     Connection, Context, Conversation, Effects, Guard, Link, Pipeline, Policy, ScopeKey, Stage,
/// };
///
/// let guard = Guard::new(Policy::new())?;
/// let scope = guard.scope(&ScopeKey { upstream: "demo".into(), context: Context::Session(1) });
/// let seed = [7; 32]; // in earnest from the system's source of randomness
/// let policy = guard.policy();
/// let translator = Translator::new(Translate::LegacyClients, Clients::One, seed, &policy);
/// let mut pipeline = Pipeline::new(&guard)
///     .stage(Conversation::new(&guard, scope, Link::default()))
///     .stage(translator);
///
/// let ping = guard.read(br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#);
/// let mut out = Effects::default();
/// pipeline.on_message(Connection::Client, &ping, Duration::ZERO, &mut out);
/// assert_eq!(out.len(), 1); // the answer, which the translator gives
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Pipeline {
    /// Holds the memory for parsing, and its limits.
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
struct Step<'m> {
    at: At,
    from: Connection,
    event: Event<'m>,
}

enum Event<'m> {
    Message(Cow<'m, [u8]>, Facts),
    Closed(String),
    Tools(ToolsEvent),
    ClientVersion(Era),
}

/// What goes with a message from stage to stage.
#[derive(Default)]
struct Facts {
    refusal: Option<Arc<HttpRefusal>>,
    ttl: Option<Duration>,
}

impl Pipeline {
    /// Creates a pipeline without stages, which sends everything to the other side unchanged. Messages that
    /// its stages make are parsed within the limits of `guard`.
    #[must_use]
    pub fn new(guard: &Guard) -> Self {
        Self {
            guard: guard.clone(),
            stages: Vec::new(),
            branches: BTreeMap::new(),
        }
    }

    /// Adds a stage after the existing ones, on the servers' side.
    #[must_use]
    pub fn stage(mut self, stage: impl Stage + 'static) -> Self {
        self.stages.push(Box::new(stage));
        self
    }

    /// Puts a stage between the last stage and one of its connections.
    #[must_use]
    pub fn branch(mut self, connection: ConnectionId, stage: impl Stage + 'static) -> Self {
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
    fn sort<'m>(
        &self,
        at: At,
        effects: Effects<'m>,
        steps: &mut VecDeque<Step<'m>>,
        out: &mut Effects<'m>,
    ) {
        for effect in effects {
            match effect {
                Effect::Send(outgoing) => match self.next(at, outgoing.to) {
                    Some((at, from)) => steps.push_back(Step {
                        at,
                        from,
                        event: Event::Message(
                            outgoing.bytes,
                            Facts {
                                refusal: outgoing.refusal,
                                ttl: outgoing.ttl,
                            },
                        ),
                    }),
                    None => out.send(Outgoing {
                        to: left(at, outgoing.to),
                        ..outgoing
                    }),
                },
                Effect::Abandon { id } => {
                    let to = Connection::Server(ConnectionId::ONLY);
                    // Between two stages there is no stream to close.
                    match self.next(at, to) {
                        Some((at, from)) => steps.push_back(Step {
                            at,
                            from,
                            event: Event::Message(Cow::Owned(cancelled(&id)), Facts::default()),
                        }),
                        None => out.push(Effect::Abandon { id }),
                    }
                }
                Effect::Finish => match self.next(at, Connection::Client) {
                    Some((at, from)) => steps.push_back(Step {
                        at,
                        from,
                        event: Event::Closed("it ended".to_owned()),
                    }),
                    None => out.push(Effect::Finish),
                },
                Effect::Tools(event) => match self.next(at, Connection::Client) {
                    Some((at, from)) => steps.push_back(Step {
                        at,
                        from,
                        event: Event::Tools(event),
                    }),
                    None => out.push(Effect::Tools(event)),
                },
                Effect::ClientVersion(connection, era) => {
                    match self.next(at, Connection::Server(connection)) {
                        Some((at, from)) => steps.push_back(Step {
                            at,
                            from,
                            event: Event::ClientVersion(era),
                        }),
                        None => out.push(Effect::ClientVersion(connection, era)),
                    }
                }
                other => out.push(other),
            }
        }
    }

    /// Carries out all steps. Each leads to a bounded number of others, because no stage answers an answer.
    fn run<'m>(
        &mut self,
        incoming: Option<&IncomingMessage<'m>>,
        mut steps: VecDeque<Step<'m>>,
        now: Duration,
        out: &mut Effects<'m>,
    ) {
        let guard = self.guard.clone();
        while let Some(Step { at, from, event }) = steps.pop_front() {
            let Some(part) = self.part(at) else {
                continue;
            };
            let mut effects = Effects::new();
            match (event, incoming) {
                (Event::Message(Cow::Borrowed(bytes), _), Some(message))
                    if std::ptr::eq(bytes, message.bytes()) =>
                {
                    part.on_message(from, message, now, &mut effects);
                }
                (Event::Message(bytes, facts), _) => {
                    let message = guard.read(&bytes).refused(facts.refusal);
                    let message = message.cacheable_for(facts.ttl);
                    let mut made = Effects::new();
                    part.on_message(from, &message, now, &mut made);
                    effects.adopt(made);
                    guard.done_with(message);
                }
                (Event::Closed(why), _) => part.on_closed(from, &why, now, &mut effects),
                (Event::ClientVersion(era), _) => part.on_client_version(era),
                (Event::Tools(event), _) => {
                    let Connection::Server(connection) = from else {
                        continue;
                    };
                    part.on_tools_event(connection, event, now, &mut effects);
                }
            }
            self.sort(at, effects, &mut steps, out);
        }
    }
}

impl Stage for Pipeline {
    fn on_message<'m>(
        &mut self,
        from: Connection,
        message: &IncomingMessage<'m>,
        now: Duration,
        out: &mut Effects<'m>,
    ) {
        if let ([only], true) = (self.stages.as_mut_slice(), self.branches.is_empty()) {
            return only.on_message(from, message, now, out);
        }
        let Some((at, heard)) = self.entry(from) else {
            let to = from.side().other();
            return out.pass(to.into(), message.bytes());
        };
        let mut effects = Effects::new();
        if let Some(part) = self.part(at) {
            part.on_message(heard, message, now, &mut effects);
        }
        let mut steps = VecDeque::new();
        self.sort(at, effects, &mut steps, out);
        self.run(Some(message), steps, now, out);
    }

    fn on_closed(
        &mut self,
        connection: Connection,
        why: &str,
        now: Duration,
        out: &mut Effects<'_>,
    ) {
        let mut steps = VecDeque::new();
        let mut close = |at, from| {
            steps.push_back(Step {
                at,
                from,
                event: Event::Closed(why.to_owned()),
            });
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
        let mut effects = Effects::new();
        self.run(None, steps, now, &mut effects);
        out.append(effects);
    }

    fn on_tools_event(
        &mut self,
        connection: ConnectionId,
        event: ToolsEvent,
        now: Duration,
        out: &mut Effects<'_>,
    ) {
        let Some((at, from)) = self.entry(Connection::Server(connection)) else {
            return out.push(Effect::Tools(event));
        };
        let event = Event::Tools(event);
        let mut effects = Effects::new();
        self.run(None, [Step { at, from, event }].into(), now, &mut effects);
        out.append(effects);
    }

    fn on_client_version(&mut self, version: Era) {
        if let Some(first) = self.stages.first_mut() {
            first.on_client_version(version);
        }
    }

    fn on_timer(&mut self, now: Duration, out: &mut Effects<'_>) {
        let stages = (0..self.stages.len()).map(At::Stage);
        let branches = self.branches.keys().copied().map(At::Branch);
        let parts: Vec<At> = stages.chain(branches).collect();
        for at in parts {
            let mut effects = Effects::new();
            if let Some(part) = self.part(at) {
                part.on_timer(now, &mut effects);
            }
            let (mut steps, mut left) = (VecDeque::new(), Effects::new());
            self.sort(at, effects, &mut steps, &mut left);
            self.run(None, steps, now, &mut left);
            out.append(left);
        }
    }

    fn next_deadline(&mut self) -> Option<Duration> {
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
fn cancelled(id: &crate::IdKey) -> Vec<u8> {
    write::cancellation(&id.raw(), None).into_bytes()
}
