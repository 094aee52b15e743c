//! Several upstreams behind one guard: the pumps of a [`Junction`].
//!
//! ```text
//!   outer guard ─▶ input ─▶ read ─▶ junction ─▶ lane's queue ─▶ writer ─▶ guard of A ─▶ A
//!   outer guard ◀─ client's queue ◀─ junction ◀──────────── lane ◀──────  guard of A ◀─ A
//!                                       ▲ ▼
//!                                        …  a lane for each upstream
//! ```
//!
//! Each upstream has the guard, the bounds and the restarts that it would have alone; a lane that
//! is slow or gone holds up nobody else.

mod branch;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::DuplexStream;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, timeout};
use toolgate_guard::{
    Context, Dispatch, Junction, JunctionBounds, JunctionError, Member, ScopeKey,
};

pub use branch::Branch;

use super::child::Restarts;
use super::event::{Event, UpstreamState};
use super::inner::{Caller, Inner, InnerPeer};
use super::options::{Bounds, GuardOptions, Listener, Restart, Times, Upstream};
use super::{Exit, serve_client};
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::outbox::Outbox;
use crate::stdio::{Line, Lines};

/// Several upstreams with one listing of their tools: an [`Upstream::Inner`].
///
/// Its own guard, in front of it, should be for transport alone: each branch has a guard with the
/// policy of its upstream.
#[derive(Debug)]
pub struct Several {
    branches: Vec<Arc<Branch>>,
    bounds: Bounds,
    times: Times,
    junction: JunctionBounds,
    /// What is known of a server is kept for each of its connections apart.
    contexts: Arc<AtomicU64>,
}

impl Several {
    /// These upstreams, in this order.
    ///
    /// # Errors
    ///
    /// [`JunctionError`] if their prefixes cannot be told apart or are none.
    pub fn new(
        branches: Vec<Branch>,
        bounds: Bounds,
        times: Times,
        junction: JunctionBounds,
    ) -> Result<Self, JunctionError> {
        let several = Self {
            branches: branches.into_iter().map(Arc::new).collect(),
            bounds,
            times,
            junction,
            contexts: Arc::new(AtomicU64::new(1)),
        };
        several.junction()?;
        Ok(several)
    }

    fn junction(&self) -> Result<Junction, JunctionError> {
        let members = self.branches.iter().map(|branch| Member {
            name: branch.name.clone(),
            prefix: branch.prefix.clone(),
        });
        Junction::new(members.collect(), self.junction)
    }
}

impl Inner for Several {
    fn moves(&self) -> bool {
        let mut branches = self.branches.iter();
        branches.all(|branch| branch.upstream.moves())
    }

    fn open(&self, caller: &Caller) -> Result<InnerPeer, Fault> {
        let junction = self.junction().map_err(|error| {
            let text = error.to_string();
            Fault::new(Party::Operator, FaultKind::Config, Phase::Start, text)
        })?;
        let (to, input) = tokio::io::duplex(PIPE);
        let (output, from) = tokio::io::duplex(PIPE);
        let lanes = self.branches.iter().map(|branch| Lane {
            branch: Arc::clone(branch),
            queue: Mutex::new(None),
            wake: Notify::new(),
            taken: Notify::new(),
            stuck: Notify::new(),
        });
        let work = Arc::new(Work {
            junction: Mutex::new(junction),
            client: Outbox::new(output),
            lanes: lanes.collect(),
            caller: caller.clone(),
            bounds: self.bounds,
            times: self.times,
            contexts: Arc::clone(&self.contexts),
            begun: Instant::now(),
            armed: Notify::new(),
            stop: watch::Sender::new(false),
        });
        let task = Task(tokio::spawn(work.run(input)));
        Ok(InnerPeer {
            name: "several servers".to_owned(),
            from: Box::new(from),
            to: Box::new(to),
            ended: Box::pin(async move {
                let mut task = task;
                match (&mut task.0).await {
                    Ok(()) => "ended".to_owned(),
                    Err(_) => "broke".to_owned(),
                }
            }),
        })
    }
}

/// A task that ends with whoever holds it.
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// One junction at work.
struct Work {
    junction: Mutex<Junction>,
    client: Outbox<DuplexStream>,
    lanes: Vec<Lane>,
    caller: Caller,
    bounds: Bounds,
    times: Times,
    contexts: Arc<AtomicU64>,
    begun: Instant,
    /// The junction may have another deadline.
    armed: Notify,
    stop: watch::Sender<bool>,
}

/// The way to one upstream.
struct Lane {
    branch: Arc<Branch>,
    /// What it is sent, while it is there.
    queue: Mutex<Option<Arc<Queue>>>,
    /// There is something in the queue.
    wake: Notify,
    /// Something of the queue was taken.
    taken: Notify,
    /// It takes nothing.
    stuck: Notify,
}

type Queue = Outbox<DuplexStream>;

impl Lane {
    fn queue(&self) -> Option<Arc<Queue>> {
        self.held().clone()
    }

    fn held(&self) -> MutexGuard<'_, Option<Arc<Queue>>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting_bytes(&self) -> usize {
        self.queue().map_or(0, |queue| queue.waiting_bytes())
    }
}

impl Work {
    /// Works until the client's side is closed and every upstream has ended.
    async fn run(self: Arc<Self>, input: DuplexStream) {
        let mut lanes = JoinSet::new();
        for at in 0..self.lanes.len() {
            // Before anybody can ask for it.
            let first = self.start(at);
            lanes.spawn(Arc::clone(&self).lane(at, first));
        }
        let clock = Task(tokio::spawn(Arc::clone(&self).keep_time()));
        let mut lines = Lines::new(input, usize::MAX);
        while let Ok(line) = lines.next().await {
            let (line, last) = match line {
                Line::Full(line) | Line::TooLong(line) => (line, false),
                Line::End(rest) => (rest, true),
            };
            if !line.trim_ascii().is_empty() {
                self.turn(|junction, now| junction.from_client(&line, now));
                self.pause().await;
            }
            if last {
                break;
            }
        }
        self.stop.send_replace(true);
        while lanes.join_next().await.is_some() {}
        drop(clock);
        self.client.close().await;
    }

    /// Lets the junction decide and queues what it decided, in its order.
    fn turn(&self, decide: impl FnOnce(&mut Junction, Duration) -> Vec<Dispatch>) {
        let mut junction = self.junction.lock().unwrap_or_else(PoisonError::into_inner);
        let before = junction.next_deadline();
        for dispatch in decide(&mut junction, self.begun.elapsed()) {
            match dispatch {
                Dispatch::Client(line) => self.client.push(line),
                Dispatch::Server(at, line) => {
                    // To one that is gone nothing is sent.
                    if let Some(lane) = self.lanes.get(at)
                        && let Some(queue) = lane.queue()
                    {
                        queue.push(line);
                        lane.wake.notify_one();
                    }
                }
                Dispatch::Note {
                    member,
                    what,
                    detail,
                } => {
                    if let Some(lane) = self.lanes.get(member) {
                        let detail = detail.as_str();
                        lane.branch.observer.observe(&Event::Note { what, detail });
                    }
                }
            }
        }
        if junction.next_deadline() != before {
            self.armed.notify_one();
        }
    }

    /// Writes to the client, and waits while some lane has more than enough. One that takes
    /// nothing for too long is given up.
    async fn pause(&self) {
        let _client_is_gone = self.client.flush().await;
        for lane in &self.lanes {
            let room = async {
                loop {
                    let taken = lane.taken.notified();
                    if lane.waiting_bytes() <= self.bounds.message_bytes {
                        return;
                    }
                    taken.await;
                }
            };
            if timeout(self.times.notify, room).await.is_err() {
                lane.stuck.notify_one();
            }
        }
    }

    async fn keep_time(self: Arc<Self>) {
        loop {
            let next = {
                let junction = self.junction.lock();
                let junction = junction.unwrap_or_else(PoisonError::into_inner);
                junction.next_deadline()
            };
            let asleep = async {
                match next {
                    // The deadline has passed when the junction looks.
                    Some(at) => tokio::time::sleep_until(self.begun + at + TICK).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.armed.notified() => continue,
                () = asleep => {}
            }
            self.turn(Junction::tick);
            let _client_is_gone = self.client.flush().await;
        }
    }

    /// Starts an upstream's guard.
    fn start(&self, at: usize) -> Result<Started, String> {
        let Some(lane) = self.lanes.get(at) else {
            return Err("there is no such upstream".to_owned());
        };
        let branch = &lane.branch;
        let upstream = match branch.upstream.clone() {
            Upstream::Child { launch, .. } => Upstream::Child {
                launch,
                restart: Restart::NEVER,
            },
            Upstream::Http(target) => Upstream::Http(target.on_behalf_of(self.caller.clone())),
            inner @ Upstream::Inner(_) => inner,
        };
        let mut options = GuardOptions::new(branch.name.clone(), Listener::Stdio, upstream);
        options.bounds = self.bounds;
        options.times = self.times;
        options.clock = branch.clock;
        options.context = self.contexts.fetch_add(1, Ordering::Relaxed);
        options.caller = self.caller.clone();
        let context = options.context;
        let (to, input) = tokio::io::duplex(PIPE);
        let (output, from) = tokio::io::duplex(PIPE);
        let (guard, observer) = (branch.guard.clone(), Arc::clone(&branch.observer));
        let running = serve_client(input, output, options, guard, observer);
        let running = running.map_err(|fault| fault.to_string())?;
        *lane.held() = Some(Arc::new(Outbox::new(to)));
        Ok(Started {
            running,
            from,
            context,
        })
    }

    /// Keeps one upstream as long as there is a client.
    async fn lane(self: Arc<Self>, at: usize, first: Result<Started, String>) {
        let Some(lane) = self.lanes.get(at) else {
            return;
        };
        let restart = match &lane.branch.upstream {
            Upstream::Child { restart, .. } => *restart,
            Upstream::Http(_) | Upstream::Inner(_) => Restart::default(),
        };
        let mut restarts = Restarts::new(restart);
        let mut started = first;
        loop {
            let why = match started {
                Ok(started) => match self.attend(at, lane, started).await {
                    Some(why) => why,
                    None => return,
                },
                Err(why) => {
                    self.turn(|junction, now| junction.server_gone(at, &why, now));
                    let _client_is_gone = self.client.flush().await;
                    why
                }
            };
            let observer = &lane.branch.observer;
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
                self.turn(|junction, _| junction.server_here(at));
                let _client_is_gone = self.client.flush().await;
            }
        }
    }

    /// Carries what one upstream says until it has ended; says why it did, or nothing if the
    /// client has left.
    async fn attend(self: &Arc<Self>, at: usize, lane: &Lane, started: Started) -> Option<String> {
        let Started {
            mut running,
            from,
            context,
        } = started;
        let queue = lane.queue();
        let writer = queue.clone().map(|queue| {
            let work = Arc::clone(self);
            Task(tokio::spawn(async move { work.write(at, &queue).await }))
        });
        let mut lines = Lines::new(from, usize::MAX);
        let mut stop = self.stop.subscribe();
        let mut leaving = false;
        let mut stuck = false;
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                () = lane.stuck.notified() => {
                    // It may have been said of the one before.
                    if lane.waiting_bytes() <= self.bounds.message_bytes {
                        continue;
                    }
                    stuck = true;
                    break;
                }
                _ = stop.wait_for(|stop| *stop), if !leaving => {
                    leaving = true;
                    let Some(queue) = queue.clone() else { continue };
                    // Beside the reading, so that neither side waits for the other.
                    tokio::spawn(async move { queue.close().await });
                    continue;
                }
            };
            let (line, last) = match line {
                Ok(Line::Full(line) | Line::TooLong(line)) => (line, false),
                Ok(Line::End(rest)) => (rest, true),
                Err(_) => (Vec::new(), true),
            };
            if !line.trim_ascii().is_empty() {
                self.turn(|junction, now| junction.from_server(at, &line, now));
                let _client_is_gone = self.client.flush().await;
            }
            if last {
                break;
            }
        }
        *lane.held() = None;
        drop(writer);
        drop(lines);
        let takes_nothing = || "it takes no messages".to_owned();
        let mut why = None;
        if stuck {
            why = Some(takes_nothing());
            self.turn(|junction, now| junction.server_gone(at, &takes_nothing(), now));
            let _client_is_gone = self.client.flush().await;
            running.stop();
        }
        drop(queue);
        let exit = running.ended().await;
        lane.branch.guard.forget(&ScopeKey {
            upstream: lane.branch.name.as_str().into(),
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
            self.turn(|junction, now| junction.server_gone(at, &ended, now));
            let _client_is_gone = self.client.flush().await;
            why = Some(ended);
        }
        why
    }

    /// Writes what is queued for one upstream until it is gone.
    async fn write(&self, at: usize, queue: &Queue) {
        let Some(lane) = self.lanes.get(at) else {
            return;
        };
        loop {
            lane.wake.notified().await;
            let written = queue.flush().await;
            lane.taken.notify_waiters();
            if written.is_err() {
                return;
            }
        }
    }
}

/// An upstream's guard that was started.
struct Started {
    running: super::Running,
    from: DuplexStream,
    context: u64,
}

/// Bytes on their way between two guards; more wait in a queue.
const PIPE: usize = 64 << 10;
const TICK: Duration = Duration::from_millis(1);
