//! Quarantine: all guards refuse, for a while, the tools that one guard found changed.
//!
//! A guard with an older list of tools, or with the list of another replica of the server, would let
//! calls of such a tool pass until it lists again. An entry is a tool *with its pin*, so that a guard
//! with a newer lock ignores the findings of a guard with an older one.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::store_key::{field, short_hex};
use super::waker::Waker;
use crate::lock::Pin;

/// The quarantined tools of one upstream.
pub(super) struct Quarantine {
    upstream: Arc<str>,
    waker: Arc<Waker>,
    /// Whether the guards on the store quarantine tools at all.
    is_on: bool,
    state: Mutex<State>,
    /// Whether tools are compared with pins here.
    watched: AtomicBool,
    /// Whether any tool is quarantined.
    any: AtomicBool,
}

#[derive(Default)]
struct State {
    /// The entries that the store reported last.
    heard: HashSet<String>,
    /// Entries that are not sent yet.
    add: BTreeSet<String>,
    next: Duration,
}

impl Quarantine {
    pub(super) fn new(upstream: Arc<str>, waker: Arc<Waker>, is_on: bool) -> Self {
        Self {
            upstream,
            waker,
            is_on,
            state: Mutex::default(),
            watched: AtomicBool::new(false),
            any: AtomicBool::new(false),
        }
    }

    /// Quarantines a tool that differs from its pin and is refused.
    pub(super) fn add(&self, tool: &str, pinned: &Pin) {
        if !self.is_on {
            return;
        }
        let mut state = self.state();
        if state.add.len() < MOST {
            state.add.insert(entry(tool, pinned));
        }
        drop(state);
        self.waker.wake();
    }

    /// Whether a guard quarantined a tool that has the same pin here.
    pub(super) fn contains(&self, tool: &str, pinned: &Pin) -> bool {
        self.watched.store(true, Ordering::Relaxed);
        self.any.load(Ordering::Acquire) && self.state().heard.contains(&entry(tool, pinned))
    }

    /// The update to send, which also queries the entries, if it is due.
    pub(super) fn update(self: &Arc<Self>, now: Duration) -> Option<QuarantineUpdate> {
        if !self.is_on {
            return None;
        }
        let watched = self.watched.load(Ordering::Relaxed);
        let mut state = self.state();
        if state.add.is_empty() && (!watched || now < state.next) {
            return None;
        }
        state.next = now.saturating_add(EACH);
        Some(QuarantineUpdate {
            key: format!("quarantine:{}", self.upstream),
            add: std::mem::take(&mut state.add).into_iter().collect(),
            quarantine: Arc::clone(self),
            settled: false,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tools of one upstream to quarantine, and the query for the tools in quarantine.
pub struct QuarantineUpdate {
    quarantine: Arc<Quarantine>,
    key: String,
    add: Vec<String>,
    settled: bool,
}

impl QuarantineUpdate {
    /// The maximum number of entries of an upstream.
    pub const MOST: usize = MOST;
    /// Bytes of the longest entry.
    pub const LONGEST: usize = 256;

    /// Its key in the store, without the store's prefix.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The entries to add; each of them expires.
    #[must_use]
    pub fn add(&self) -> &[String] {
        &self.add
    }

    /// Completes the update; `entries` are in quarantine now. Entries that no guard wrote match no tool.
    pub fn settle(mut self, entries: impl IntoIterator<Item = String>) {
        self.settled = true;
        let mut state = self.quarantine.state();
        state.heard = entries
            .into_iter()
            .filter(|entry| entry.len() <= Self::LONGEST)
            .take(MOST)
            .collect();
        let any = !state.heard.is_empty();
        self.quarantine.any.store(any, Ordering::Release);
    }
}

impl Drop for QuarantineUpdate {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let mut state = self.quarantine.state();
        for entry in self.add.drain(..) {
            if state.add.len() < MOST {
                state.add.insert(entry);
            }
        }
    }
}

impl fmt::Debug for QuarantineUpdate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QuarantineUpdate({}, {} more)", self.key, self.add.len())
    }
}

fn entry(tool: &str, pinned: &Pin) -> String {
    let contract = short_hex(pinned.contract.bytes(), SHORT);
    let description = short_hex(pinned.description.bytes(), SHORT);
    format!("{} {contract}.{description}", field(tool))
}

/// Maximum entries of one upstream.
const MOST: usize = 1_000;
/// How often the tools in quarantine are read.
const EACH: Duration = Duration::from_secs(1);
/// Bytes of a digest in an entry.
const SHORT: usize = 16;
