//! The stdio transport: a child process that speaks newline-delimited JSON-RPC.

mod child;
mod lines;
mod tail;

use std::collections::{HashSet, VecDeque};
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::{Instant, timeout_at};
use toolsure_json::quote;
use toolsure_mcp::message::write;

pub use child::Launch;
pub use lines::{Line, Lines};

use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::http::{CANCELLED, CANCELLED_AFTER};
use crate::limits::Limits;
use crate::message::{Answer, Incoming, Shape, Unreadable, answer_to};
use crate::notes::{Notes, excerpt};
pub(crate) use child::{Process, has_unread, may_be_read};
pub(crate) use tail::Tail;

/// A client on the pipes of one child.
#[derive(Debug)]
pub(crate) struct Stdio {
    name: String,
    process: Process,
    stdin: ChildStdin,
    lines: Lines<ChildStdout>,
    /// Messages of a batch that are not handled yet.
    waiting: VecDeque<Incoming>,
    /// Our requests without an answer. A request that was given up may still be answered; that
    /// answer is ignored.
    owed: HashSet<i64>,
    /// Our requests that were cancelled. They may be answered, even twice: with a result and for the cancellation.
    cancelled: HashSet<i64>,
    stderr: Tail,
    limits: Limits,
    notes: Notes,
}

impl Stdio {
    pub(crate) fn start(launch: &Launch, limits: Limits) -> Result<Self, Fault> {
        let name = quote(&launch.program().to_string_lossy(), 64).to_string();
        let (process, pipes) =
            Process::start(launch).map_err(|error| spawn_fault(&name, &error))?;
        Ok(Self {
            name,
            process,
            stdin: pipes.stdin,
            lines: Lines::new(pipes.stdout, limits.message_bytes).without_byte_order_mark(),
            waiting: VecDeque::new(),
            owed: HashSet::new(),
            cancelled: HashSet::new(),
            stderr: Tail::follow(pipes.stderr, limits.stderr_bytes),
            limits,
            notes: Notes::default(),
        })
    }

    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    pub(crate) fn notes_mut(&mut self) -> &mut Notes {
        &mut self.notes
    }

    /// The first and last lines of the child's standard error.
    pub(crate) fn stderr(&self) -> Vec<String> {
        self.stderr.lines()
    }

    /// Sends one message.
    pub(crate) async fn send(
        &mut self,
        phase: Phase,
        text: &str,
        until: Instant,
    ) -> Result<(), Fault> {
        let mut line = text.to_owned();
        line.push('\n');
        let write = async {
            self.stdin.write_all(line.as_bytes()).await?;
            self.stdin.flush().await
        };
        match timeout_at(until, write).await {
            Ok(Ok(())) => Ok(()),
            // A broken pipe: the cause is how the child ended.
            Ok(Err(_)) => Err(self.ended(phase, "before it read our request").await),
            Err(_) => Err(Fault::new(
                Party::Server,
                FaultKind::Timeout,
                phase,
                format!("`{}` does not read its standard input", self.name),
            )),
        }
    }

    /// Waits for the answer to one of the requests `ids`; meanwhile answers the server's own
    /// requests and ignores noise. `None` at the deadline.
    pub(crate) async fn answer(
        &mut self,
        phase: Phase,
        ids: &[i64],
        until: Instant,
    ) -> Result<Option<(i64, Answer)>, Fault> {
        self.owed.extend(ids);
        loop {
            let Some(message) = self.message(phase, until).await? else {
                return Ok(None);
            };
            match message.shape() {
                Shape::Notification => self.notes.notified(message.method()),
                Shape::Request => {
                    if message.method() != "ping" {
                        self.notes.declined(message.method());
                    }
                    self.send(phase, &answer_to(&message), until).await?;
                }
                Shape::Answer => {
                    let answered = self.owed.iter().copied().find(|id| message.answers(*id));
                    // An error without an id is about the oldest request that is awaited.
                    let meant = match ids.iter().min() {
                        Some(oldest) if message.is_anonymous_error() => Some(*oldest),
                        _ => answered,
                    };
                    match meant {
                        None if self.cancelled.iter().any(|id| message.answers(*id)) => {}
                        None => self.notes.stray(message.raw_id()),
                        Some(id) => {
                            self.owed.remove(&id);
                            if ids.contains(&id) {
                                return Ok(Some((id, message.into_answer())));
                            }
                        }
                    }
                }
            }
        }
    }

    /// Sends a request that nobody waits for, and cancels it. Its answer, if there is one, is ignored.
    pub(crate) async fn send_and_cancel(
        &mut self,
        phase: Phase,
        (id, text): (i64, &str),
        until: Instant,
    ) -> Result<(), Fault> {
        self.cancelled.insert(id);
        self.send(phase, text, until).await?;
        tokio::time::sleep(CANCELLED_AFTER).await;
        let params = format!(r#"{{"requestId":{id},"reason":"no longer needed"}}"#);
        let cancelled = write::notification(CANCELLED, Some(&params));
        self.send(phase, &cancelled, until).await
    }

    /// Closes the child's standard input, and ends the child and its group.
    pub(crate) async fn close(self, grace: Duration) -> Option<ExitStatus> {
        let Self {
            stdin,
            process,
            lines,
            stderr,
            ..
        } = self;
        drop(stdin);
        // The pipes stay open until the child has ended, because a broken pipe could kill a server
        // before it has cleaned up. Nobody reads what the server still writes.
        let status = process.end(grace).await;
        drop((lines, stderr));
        status
    }

    async fn message(&mut self, phase: Phase, until: Instant) -> Result<Option<Incoming>, Fault> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Ok(Some(message));
            }
            let line = match timeout_at(until, self.lines.next()).await {
                Err(_) => return Ok(None),
                Ok(Err(_)) => return Err(self.ended(phase, "before it answered").await),
                Ok(Ok(line)) => line,
            };
            match line {
                Line::Full(line) => self.sort(phase, line)?,
                Line::TooLong(head) => {
                    let what = format!(
                        "a line of `{}` that begins with `{}`",
                        self.name,
                        excerpt(&head)
                    );
                    return Err(Fault::too_large(
                        phase,
                        &what,
                        "message bytes",
                        self.limits.message_bytes,
                    ));
                }
                Line::End(rest) => {
                    if !rest.is_empty() {
                        self.notes.noise(&rest);
                    }
                    return Err(self.ended(phase, "before it answered").await);
                }
            }
        }
    }

    /// Sorts a line: queues a message, counts noise, or returns a fault for a broken message.
    fn sort(&mut self, phase: Phase, line: Vec<u8>) -> Result<(), Fault> {
        if line.iter().all(u8::is_ascii_whitespace) {
            return Ok(());
        }
        // A line that was meant as a message must not count as noise: the request that it answers
        // would wait in vain.
        let meant = line.trim_ascii_start().starts_with(b"{")
            && line.windows(MARK.len()).any(|part| part == MARK);
        let head = line.get(..KEPT_OF_LINE).unwrap_or(&line).to_vec();
        match Incoming::read(line) {
            Ok(messages) => self.waiting.extend(messages),
            Err(Unreadable::Json(error)) if meant => {
                let what = format!(
                    "`{}` sent a message that is not valid JSON ({error})",
                    self.name
                );
                return Err(Fault::nonsense(phase, &what, &head));
            }
            Err(_) => self.notes.noise(&head),
        }
        Ok(())
    }

    /// The fault for a child that closed its pipes: how it ended, and its standard error.
    async fn ended(&mut self, phase: Phase, when: &str) -> Fault {
        let ended = self.process.ended_by(Instant::now() + LAST_WORDS).await;
        // Another task reads standard error; let it catch up.
        tokio::time::sleep(Duration::from_millis(20)).await;
        let how = if ended {
            self.process
                .status()
                .await
                .map_or("ended".to_owned(), describe)
        } else {
            "closed its standard output".to_owned()
        };
        let why = self.notes.why_silent();
        Fault::new(Party::Server, FaultKind::Exited, phase, format!("`{}` {how} {when}{why}", self.name))
            .with_help("run the command by hand: it must stay alive and speak JSON-RPC on standard input and output")
            .with_stderr(self.stderr())
    }
}

/// The fault for a command that could not be started.
pub(crate) fn spawn_fault(name: &str, error: &std::io::Error) -> Fault {
    let fault = Fault::new(
        Party::Operator,
        FaultKind::Spawn,
        Phase::Start,
        format!("cannot start `{name}`: {}", quote(&error.to_string(), 200)),
    );
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            fault.with_help("is it installed and on `PATH`? no shell reads the command; write `sh -c '…'` if one should")
        }
        std::io::ErrorKind::PermissionDenied => fault.with_help("is the file executable?"),
        _ => fault,
    }
}

/// How a child ended, in words.
pub(crate) fn describe(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("was killed by signal {signal}");
    }
    status.code().map_or("ended".to_owned(), |code| {
        format!("exited with status {code}")
    })
}

const MARK: &[u8] = b"\"jsonrpc\"";
const KEPT_OF_LINE: usize = 512;
const LAST_WORDS: Duration = Duration::from_millis(500);
