//! Logs on standard error, for people or as JSON, at a level that a reload can change.
//!
//! Lines go through a queue of [`QUEUE`] lines to one thread: whoever started the guard may never read its
//! standard error, and then lines are lost and counted, and calls continue.

use std::io::{self, IsTerminal, Write};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use super::config::{Log, LogFormat};

/// The running log. Dropping it waits until what is queued is written, for at most a second.
pub(super) struct Logging {
    levels: Handle<Targets, Registry>,
    queue: Queue,
}

/// Queues lines for the thread, and counts those that find no room.
#[derive(Clone)]
struct Queue {
    commands: SyncSender<Command>,
    lost: Arc<AtomicUsize>,
}

/// What the thread should do.
enum Command {
    Write(Vec<u8>),
    /// Answer: what came before is written.
    Flush(SyncSender<()>),
}

/// Starts logging; called once in a process.
pub(super) fn start(log: &Log) -> Logging {
    let (targets, levels) = reload::Layer::new(targets(log));
    let (commands, received) = sync_channel(QUEUE);
    let queue = Queue {
        commands,
        lost: Arc::default(),
    };
    // Without it every line is lost and counted.
    let thread = std::thread::Builder::new().name("log".to_owned());
    let _running = thread.spawn(move || write(&received));
    let lines = queue.clone();
    let layer = fmt::layer()
        .with_writer(move || lines.clone())
        .with_target(true);
    let layer = match log.format {
        LogFormat::Human => layer.with_ansi(colours()).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    let registry = Registry::default().with(targets).with(layer);
    // Fails only if a logger is already set, which then stays.
    let _already = registry.try_init();
    Logging { levels, queue }
}

/// Writes lines until there are no more senders. A reader that has left is no reason to end.
fn write(received: &Receiver<Command>) {
    for command in received {
        match command {
            Command::Write(line) => {
                let _nobody_reads = io::stderr().write_all(&line);
            }
            Command::Flush(done) => {
                let _gave_up = done.send(());
            }
        }
    }
}

impl Write for Queue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self
            .commands
            .try_send(Command::Write(line.to_vec()))
            .is_err()
        {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Logging {
    fn drop(&mut self) {
        let until = Instant::now() + LAST_LINES;
        let (done, flushed) = sync_channel(1);
        // A full queue has room again when the thread has written a line.
        while self
            .queue
            .commands
            .try_send(Command::Flush(done.clone()))
            .is_err()
        {
            if Instant::now() >= until {
                return;
            }
            std::thread::sleep(FULL);
        }
        let _written = flushed.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}

impl Logging {
    /// Replaces the levels.
    pub(super) fn set_levels(&self, log: &Log) {
        // Fails only if logging has ended.
        let _gone = self.levels.reload(targets(log));
    }

    /// Counts the lines that were lost, because standard error was not read.
    pub(super) fn lost(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.queue.lost)
    }
}

/// The current time in UTC, as in RFC 3339.
pub(super) fn now() -> String {
    let mut text = String::new();
    let mut writer = fmt::format::Writer::new(&mut text);
    // Writing to a string cannot fail.
    let _infallible = SystemTime.format_time(&mut writer);
    text
}

/// The levels. The settings were checked, so the fallback is never needed.
fn targets(log: &Log) -> Targets {
    let level = log.level.as_deref().unwrap_or("info");
    Targets::from_str(level).unwrap_or_else(|_| Targets::new().with_default(LevelFilter::INFO))
}

fn colours() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The target of warnings that tools wait for approval.
pub(super) const APPROVAL: &str = "approval";
/// The levels with `--quiet`: whoever could approve has to hear of it.
pub(super) const QUIET: &str = "error,approval=warn";
/// Lines that may wait to be written.
const QUEUE: usize = 4_096;
/// How long the end waits for them.
const LAST_LINES: Duration = Duration::from_secs(1);
const FULL: Duration = Duration::from_millis(10);
