//! A child of the guard: a process or a peer in this process. Starts it, reads its messages, and
//! always ends it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, timeout};
use toolsure_json::quote;

use super::context::GuardContext;
use super::event::{Event, UpstreamState};
use super::in_process::{Caller, InProcessUpstream};
use super::messages::{MessageReader, MessageWriter, Received};
use super::options::Restart;
use crate::fault::Fault;
use crate::stdio::{Launch, Process, Tail, describe, spawn_fault};

/// How children are started.
#[derive(Clone, Debug)]
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
        let messages = MessageReader::server_lines(pipes.stdout, ctx.bounds.message_bytes);
        let input = MessageWriter::lines(pipes.stdin);
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
        let input = MessageWriter::Memory(peer.to);
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
        };
        (child, input)
    }

    /// The child's next message; the end once it has closed its standard output.
    ///
    /// Its messages are read even if it does not read ours: it may read nothing until its own
    /// output has been read, and waiting for it would be a deadlock. A child that leaves too many
    /// bytes unread for too long is given up, so the bytes that wait for it are bounded.
    pub(super) async fn next(&mut self) -> Received {
        if let Some(input) = self.input.upgrade()
            && !input
                .drains_to(self.most_unread, self.ctx.times.notify)
                .await
        {
            let detail = "the server writes but does not read what it is sent";
            self.ctx.note("server-given-up", detail);
            return Received::End;
        }
        let received = self.messages.next().await;
        if !std::mem::replace(&mut self.has_begun, true) && self.messages.dropped_byte_order_mark()
        {
            self.ctx.observe(&Event::Detail {
                what: "byte-order-mark",
                detail: "the server began its output with a byte order mark, which was dropped",
            });
        }
        received
    }

    /// Ends the child and returns how it ended. Its standard input must be closed. A process gets
    /// `grace`, SIGTERM, `grace` again, then SIGKILL; the signals go to its process group. A peer
    /// in this process may have a child of its own to end, so it is dropped only after a multiple
    /// of `grace`.
    pub(super) async fn end(self, grace: Duration) -> String {
        let Self {
            ctx,
            name,
            body,
            messages,
            ..
        } = self;
        let how = match body {
            Body::Process { process, stderr } => reap(*process, &stderr, grace).await,
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

async fn reap(mut process: Process, stderr: &Tail, grace: Duration) -> String {
    let by_itself = process.ended_by(Instant::now()).await;
    let status = process.end(grace).await;
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
/// How many times `grace` a peer may take to end, because it may have to end a process itself.
const PATIENCE: u32 = 4;
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
