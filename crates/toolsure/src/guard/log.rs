//! Logs on standard error, for people or as JSON, at a level that a reload can change.
//!
//! Lines go through a queue of [`QUEUE`] lines to one thread: whoever started the guard may never read its
//! standard error, and then lines are lost and counted, and calls continue.

use std::io::{self, IsTerminal};
use std::str::FromStr;

use tracing_appender::non_blocking::{ErrorCounter, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use super::config::{Log, LogFormat};

/// The running log. Dropping it writes what is queued, for at most a second.
pub(super) struct Logging {
    levels: Handle<Targets, Registry>,
    lost: ErrorCounter,
    _thread: WorkerGuard,
}

/// Starts logging; called once in a process.
pub(super) fn start(log: &Log) -> Logging {
    let (targets, levels) = reload::Layer::new(targets(log));
    let queue = NonBlockingBuilder::default()
        .thread_name("log")
        .buffered_lines_limit(QUEUE);
    let (writer, thread) = queue.finish(io::stderr());
    let lost = writer.error_counter();
    let layer = fmt::layer().with_writer(writer).with_target(true);
    let layer = match log.format {
        LogFormat::Human => layer.with_ansi(colours()).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    let registry = Registry::default().with(targets).with(layer);
    // Fails only if a logger is already set, which then stays.
    let _already = registry.try_init();
    Logging {
        levels,
        lost,
        _thread: thread,
    }
}

impl Logging {
    /// Replaces the levels.
    pub(super) fn set_levels(&self, log: &Log) {
        // Fails only if logging has ended.
        let _gone = self.levels.reload(targets(log));
    }

    /// Counts the lines that were lost, because standard error was not read.
    pub(super) fn lost(&self) -> ErrorCounter {
        self.lost.clone()
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

/// Lines that may wait to be written.
const QUEUE: usize = 4_096;
