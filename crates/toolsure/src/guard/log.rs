//! Logs on standard error, for people or as JSON, at a level that a reload can change.

use std::io::{self, IsTerminal};
use std::str::FromStr;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::reload::{self, Handle};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use super::config::{Log, LogFormat};

/// The handle that changes the levels.
pub(super) struct Levels(Handle<Targets, Registry>);

/// Starts logging; called once in a process.
pub(super) fn start(log: &Log) -> Levels {
    let (targets, handle) = reload::Layer::new(targets(log));
    let layer = fmt::layer().with_writer(io::stderr).with_target(true);
    let layer = match log.format {
        LogFormat::Human => layer.with_ansi(colours()).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    let registry = Registry::default().with(targets).with(layer);
    // Fails only if a logger is already set, which then stays.
    let _already = registry.try_init();
    Levels(handle)
}

impl Levels {
    /// Replaces the levels.
    pub(super) fn set(&self, log: &Log) {
        // Fails only if logging has ended.
        let _gone = self.0.reload(targets(log));
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
