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

use super::{SharedState, field, short_hex};
use crate::lock::Pin;

/// The quarantined tools of one upstream.
#[derive(Default)]
pub(super) struct Quarantine {
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

impl SharedState {
    /// Quarantines a tool that differs from its pin and is refused.
    pub(crate) fn quarantine(&self, tool: &str, pinned: &Pin) {
        if !self.share.0.terms.quarantine {
            return;
        }
        let mut state = self.quarantine.state();
        if state.add.len() < MOST {
            state.add.insert(entry(tool, pinned));
        }
        drop(state);
        self.share.wake();
    }

    /// Whether a guard quarantined a tool that has the same pin here.
    pub(crate) fn is_quarantined(&self, tool: &str, pinned: &Pin) -> bool {
        self.quarantine.watched.store(true, Ordering::Relaxed);
        self.quarantine.any.load(Ordering::Acquire)
            && self.quarantine.state().heard.contains(&entry(tool, pinned))
    }

    /// The update to send, which also queries the entries, if it is due.
    pub(super) fn quarantine_update(self: &Arc<Self>, now: Duration) -> Option<QuarantineUpdate> {
        if !self.share.0.terms.quarantine {
            return None;
        }
        let watched = self.quarantine.watched.load(Ordering::Relaxed);
        let mut state = self.quarantine.state();
        if state.add.is_empty() && (!watched || now < state.next) {
            return None;
        }
        state.next = now.saturating_add(EACH);
        Some(QuarantineUpdate {
            key: format!("quarantine:{}", self.upstream),
            add: std::mem::take(&mut state.add).into_iter().collect(),
            shared: Arc::clone(self),
            settled: false,
        })
    }
}

impl Quarantine {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tools of one upstream to quarantine, and the query for the tools in quarantine.
pub struct QuarantineUpdate {
    shared: Arc<SharedState>,
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
        let mut state = self.shared.quarantine.state();
        state.heard = entries
            .into_iter()
            .filter(|entry| entry.len() <= Self::LONGEST)
            .take(MOST)
            .collect();
        let any = !state.heard.is_empty();
        self.shared.quarantine.any.store(any, Ordering::Release);
    }
}

impl Drop for QuarantineUpdate {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let mut state = self.shared.quarantine.state();
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
