//! A child of the guard: a process or a peer in this process. Starts it, reads its messages, and
//! always ends it.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};
use toolsure_json::quote;

use super::bounds::Restart;
use super::context::GuardContext;
use super::counted_output::CountedOutput;
use super::event::{Event, UpstreamState};
use super::in_process::{Caller, InProcessUpstream};
use super::messages::{MessageReader, MessageWriter, Received};

use crate::fault::Fault;
use crate::stdio::{Launch, Process, Tail, describe, spawn_fault};

/// How children are started.
#[derive(Clone)]
pub(super) enum Source {
    /// A program.
    Launch(Launch),
    /// An upstream in this process.
    InProcess(Arc<dyn InProcessUpstream>),
}

/// A running child, without its standard input.
pub(super) struct Child {
    ctx: Arc<GuardContext>,
    name: String,
    body: Body,
    messages: MessageReader,
    /// The child's input, which other tasks own and close.
    input: Weak<MessageWriter>,
    /// The maximum bytes that may wait for the child while its own messages are read.
    most_unread: usize,
    /// Whether its first message was read.
    has_begun: bool,
    leader: Leader,
}

/// What is known of the process that was started. Other processes may hold its standard output: the
/// server that a wrapper started, or a child that a server left behind.
enum Leader {
    Running,
    /// It has ended. Its last messages may still be in the pipe.
    Ended,
    /// It has ended, and the pipe has been empty since: the next message is from another process.
    /// With the time since which a request has waited.
    Silent(Option<Instant>),
    /// It has ended, and the server is another process.
    Wrapper,
}

/// The part of a child that must be ended.
enum Body {
    Process { process: Box<Process>, stderr: Tail },
    InProcess(Pin<Box<dyn Future<Output = String> + Send>>),
}

impl Child {
    pub(super) fn start(
        ctx: &Arc<GuardContext>,
        source: &Source,
        caller: &Caller,
    ) -> Result<(Self, Arc<MessageWriter>), Fault> {
        let started = match source {
            Source::Launch(launch) => Self::launch(ctx, launch),
            Source::InProcess(in_process) => Self::open(ctx, in_process.as_ref(), caller),
        };
        ctx.observe(&Event::Upstream(match &started {
            Ok(_) => UpstreamState::Started,
            Err(fault) => UpstreamState::Failed(fault),
        }));
        started
    }

    fn launch(
        ctx: &Arc<GuardContext>,
        launch: &Launch,
    ) -> Result<(Self, Arc<MessageWriter>), Fault> {
        let name = quote(&launch.program().to_string_lossy(), 64).to_string();
        let (process, pipes) =
            Process::start(launch).map_err(|error| spawn_fault(&name, &error))?;
        let heard = Arc::clone(ctx);
        let stderr = Tail::tee(pipes.stderr, ctx.bounds.stderr_bytes, move |bytes| {
            heard.observe(&Event::Stderr(bytes));
        });
        let body = Body::Process {
            process: Box::new(process),
            stderr,
        };
        let output = CountedOutput::new(pipes.stdout, &ctx.read_limit());
        let messages = MessageReader::server_lines(output, ctx.bounds.message_bytes);
        let input = MessageWriter::to_process(pipes.stdin);
        Ok(Self::new(ctx, name, body, messages, input))
    }

    fn open(
        ctx: &Arc<GuardContext>,
        in_process: &dyn InProcessUpstream,
        caller: &Caller,
    ) -> Result<(Self, Arc<MessageWriter>), Fault> {
        let peer = in_process.open(caller)?;
        let name = quote(&peer.name, 64).to_string();
        let body = Body::InProcess(peer.ended);
        let messages = MessageReader::Memory(peer.from);
        let input = peer.to;
        Ok(Self::new(ctx, name, body, messages, input))
    }

    fn new(
        ctx: &Arc<GuardContext>,
        name: String,
        body: Body,
        messages: MessageReader,
        input: MessageWriter,
    ) -> (Self, Arc<MessageWriter>) {
        let input = Arc::new(input);
        let child = Self {
            ctx: Arc::clone(ctx),
            name,
            body,
            messages,
            input: Arc::downgrade(&input),
            most_unread: ctx.bounds.most_unread(&ctx.guard.policy().limits),
            has_begun: false,
            leader: Leader::Running,
        };
        (child, input)
    }

    /// The child's next message; the end once it has closed its standard output.
    ///
    /// Its messages are read even if it does not read ours: it may read nothing until its own
    /// output has been read, and waiting for it would be a deadlock. A child that leaves too many
    /// bytes unread for too long is given up, so the bytes that wait for it are bounded.
    ///
    /// `is_awaited` says whether a request waits for the child. If its process has ended, and a request
    /// has waited for `after_exit` without a message, it is given up, although another process holds its
    /// standard output. If no process can read its standard input any more, that is done while no
    /// request waits. A process that closes its standard input with messages unread is given up once it is
    /// silent.
    pub(super) async fn next(&mut self, is_awaited: impl Fn() -> bool) -> Received {
        if let Some(input) = self.input.upgrade()
            && !input
                .drains_to(self.most_unread, self.ctx.times.notify)
                .await
        {
            let detail = "the server writes but does not read what it is sent";
            self.ctx.note("server-given-up", detail);
            return Received::End;
        }
        let received = match self.received(is_awaited).await {
            Ok(received) => received,
            Err(why) => {
                self.ctx.note("server-given-up", why);
                return Received::End;
            }
        };
        if !std::mem::replace(&mut self.has_begun, true) && self.messages.dropped_byte_order_mark()
        {
            self.ctx.observe(&Event::Detail {
                what: "byte-order-mark",
                detail: "the server began its output with a byte order mark, which was dropped",
            });
        }
        received
    }

    /// The next message; an error if no answer can be expected any more.
    async fn received(&mut self, is_awaited: impl Fn() -> bool) -> Result<Received, &'static str> {
        let after_exit = self.ctx.times.after_exit;
        let each = (after_exit / 4).clamp(SHORTEST_LOOK, LONGEST_LOOK);
        let leader = &mut self.leader;
        let mut was_lost = false;
        let mut next = pin!(self.messages.next());
        loop {
            let Body::Process { process, .. } = &mut self.body else {
                return Ok(next.await);
            };
            if let Ok(received) = timeout(each, next.as_mut()).await {
                if matches!(leader, Leader::Silent(_)) {
                    *leader = Leader::Wrapper;
                }
                return Ok(received);
            }
            // Two looks in a row, so that its last messages are read first.
            let is_lost = self.input.upgrade().is_some_and(|input| input.is_lost());
            if std::mem::replace(&mut was_lost, is_lost) {
                return Err(TAKES_NOTHING);
            }
            *leader = match leader {
                Leader::Wrapper => continue,
                Leader::Running if process.has_ended() => Leader::Ended,
                Leader::Running => continue,
                Leader::Silent(Some(since)) if is_awaited() => {
                    if since.elapsed() >= after_exit {
                        return Err(LEFT_BEHIND);
                    }
                    continue;
                }
                Leader::Silent(None) if !is_awaited() && !may_be_read(&self.input) => {
                    return Err(LEFT_BEHIND);
                }
                _ => Leader::Silent(is_awaited().then(Instant::now)),
            };
        }
    }

    /// How long the child may go on writing after its input was closed. A peer in this process ends by
    /// itself, and has children of its own to end.
    pub(super) fn linger(&self) -> Linger {
        let times = &self.ctx.times;
        match &self.body {
            Body::Process { .. } => Linger {
                idle: times.grace,
                awaited: times.drain,
            },
            Body::InProcess(_) => {
                let longest = times.grace.saturating_mul(PATIENCE);
                let longest = longest.saturating_add(times.drain);
                Linger {
                    idle: longest,
                    awaited: longest,
                }
            }
        }
    }

    /// Ends the child and returns how it ended. Its standard input must be closed. A process has until
    /// `until`, then SIGTERM, the time `grace`, then SIGKILL; the signals go to its process group. A peer
    /// in this process may have a child of its own to end, so it is dropped only after a multiple
    /// of `grace`.
    pub(super) async fn end(self, until: Instant) -> String {
        let Self {
            ctx,
            name,
            body,
            messages,
            ..
        } = self;
        let grace = ctx.times.grace;
        let how = match body {
            Body::Process { process, stderr } => reap(*process, &stderr, until, grace).await,
            Body::InProcess(ended) => match timeout(grace.saturating_mul(PATIENCE), ended).await {
                Ok(how) => quote(&how, 200).to_string(),
                Err(_) => "did not end in time".to_owned(),
            },
        };
        let how = format!("`{name}` {how}");
        drop(messages);
        ctx.observe(&Event::Upstream(UpstreamState::Ended { how: &how }));
        how
    }
}

/// How long a child may go on writing after its input was closed: `awaited` if a request is open, `idle` if
/// none is.
pub(super) struct Linger {
    pub(super) idle: Duration,
    awaited: Duration,
}

impl Linger {
    pub(super) fn of(&self, is_awaited: bool) -> Duration {
        if is_awaited { self.awaited } else { self.idle }
    }
}

/// Reads a child until its output ends, with `reading`, or until `closing` ends. Then its input is closed, and
/// the rest of its output is read for as long as it lingers.
///
/// Returns what `reading` has returned first, `None` if `closing` ended before, and until when the child
/// may end by itself ([`Child::end`]).
pub(super) async fn read_until_closed<T>(
    reading: impl Future<Output = T>,
    closing: impl Future<Output = ()>,
    (input, grace): (&MessageWriter, Duration),
    lingers: impl FnOnce() -> Duration,
) -> (Option<T>, Instant) {
    let mut reading = pin!(reading);
    let read = tokio::select! {
        read = reading.as_mut() => Some(read),
        () = closing => None,
    };
    if read.is_some() {
        // It has ended, so nobody waits for what was not sent.
        input.abandon();
        return (read, Instant::now() + grace);
    }
    let lasts = lingers();
    let closed = async {
        if timeout(grace, input.close()).await.is_err() {
            input.abandon();
        }
        let until = Instant::now() + lasts;
        sleep_until(until).await;
        until
    };
    let until = tokio::select! {
        _ = reading.as_mut() => Instant::now() + grace,
        until = closed => until,
    };
    // It may have ended before its input was closed.
    input.abandon();
    (None, until)
}

/// Whether another process may read what is sent to the child.
fn may_be_read(input: &Weak<MessageWriter>) -> bool {
    let input = input.upgrade();
    input.is_none_or(|input| input.may_be_read())
}

async fn reap(mut process: Process, stderr: &Tail, until: Instant, grace: Duration) -> String {
    let by_itself = process.ended_by(Instant::now()).await;
    let status = process.end_from(until, grace).await;
    // The pipe may still contain output from before the end.
    let last_words = timeout(LAST_WORDS, stderr.ended()).await;
    let how = status.map_or_else(|| "ended".to_owned(), describe);
    let last = stderr
        .lines()
        .pop()
        .filter(|_| by_itself && last_words.is_ok());
    let last = last.map_or_else(String::new, |line| {
        format!(", its last line on standard error: `{line}`")
    });
    format!("{how}{last}")
}

/// Counts restarts against the number that is allowed.
pub(super) struct Restarts {
    allowed: Restart,
    recent: Vec<Instant>,
}

impl Restarts {
    pub(super) fn new(allowed: Restart) -> Self {
        Self {
            allowed,
            recent: Vec::new(),
        }
    }

    /// The pause before the next restart; `None` if there were too many.
    pub(super) fn next(&mut self) -> Option<Duration> {
        let now = Instant::now();
        let window = self.allowed.window;
        self.recent
            .retain(|at| now.saturating_duration_since(*at) < window);
        let before = u32::try_from(self.recent.len()).unwrap_or(u32::MAX);
        if before >= self.allowed.most {
            return None;
        }
        self.recent.push(now);
        // At once, then 0.1 s, 0.2 s, 0.4 s, …
        let doubled = FIRST_PAUSE.saturating_mul(1 << before.min(10)) / 2;
        Some(if before == 0 { Duration::ZERO } else { doubled }.min(LONGEST_PAUSE))
    }
}

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How many times `grace` a child may take to end: a process whose input is not read gets one for that, one
/// after its input was closed, and one after SIGTERM. A peer may have to end such a process itself.
pub(super) const PATIENCE: u32 = 4;
/// How often a silent child's process is looked at.
const SHORTEST_LOOK: Duration = Duration::from_millis(10);
const LONGEST_LOOK: Duration = Duration::from_millis(500);
const TAKES_NOTHING: &str = "the server has closed its standard input, and does not answer";
const LEFT_BEHIND: &str = "the server's process has ended, and a process that it left behind holds its standard output and does not answer";
const LAST_WORDS: Duration = Duration::from_millis(200);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn restarts_are_counted_in_their_window() {
        let mut restarts = Restarts::new(Restart {
            most: 3,
            window: Duration::from_secs(60),
        });
        let pauses: Vec<_> = (0..4).map(|_| restarts.next()).collect();
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(pauses, [ms(0), ms(100), ms(200), None]);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(restarts.next(), ms(0));
        assert_eq!(Restarts::new(Restart::NEVER).next(), None);
    }
}
