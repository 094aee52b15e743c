//! Tools that one guard found changed, and that all set aside for a while.
//!
//! A guard whose list of tools is older, or is another replica's of the server,
//! would let calls of such a tool pass until it lists anew. What is set aside is
//! a tool *with its pin*, so that a guard which was given a newer lock is not
//! held to what one with the older finds wrong.

use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Board, field, hex};
use crate::lock::Pin;

/// What is set aside of one upstream.
#[derive(Default)]
pub(super) struct Aside {
    state: Mutex<State>,
    /// Whether somebody holds tools to pins here.
    watched: AtomicBool,
    /// Whether anything is set aside.
    any: AtomicBool,
}

#[derive(Default)]
struct State {
    /// As it was heard last.
    heard: HashSet<String>,
    /// To be told.
    add: BTreeSet<String>,
    next: Duration,
}

impl Board {
    /// A tool is not what it is pinned to be, and is refused.
    pub(crate) fn put_aside(&self, tool: &str, pinned: &Pin) {
        if !self.share.0.terms.set_aside {
            return;
        }
        let mut state = self.aside.state();
        if state.add.len() < MOST {
            state.add.insert(entry(tool, pinned));
        }
        drop(state);
        self.share.wake();
    }

    /// Whether some guard put a tool aside that is held to the same here.
    pub(crate) fn is_aside(&self, tool: &str, pinned: &Pin) -> bool {
        self.aside.watched.store(true, Ordering::Relaxed);
        self.aside.any.load(Ordering::Acquire)
            && self.aside.state().heard.contains(&entry(tool, pinned))
    }

    /// What is to be told and asked, if it is time.
    pub(super) fn set_aside(self: &Arc<Self>, now: Duration) -> Option<SetAside> {
        if !self.share.0.terms.set_aside {
            return None;
        }
        let watched = self.aside.watched.load(Ordering::Relaxed);
        let mut state = self.aside.state();
        if state.add.is_empty() && (!watched || now < state.next) {
            return None;
        }
        state.next = now.saturating_add(EACH);
        Some(SetAside {
            key: format!("aside:{}", self.upstream),
            add: std::mem::take(&mut state.add).into_iter().collect(),
            board: Arc::clone(self),
            settled: false,
        })
    }
}

impl Aside {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tools of one upstream that are to be set aside, and the question which are.
pub struct SetAside {
    board: Arc<Board>,
    key: String,
    add: Vec<String>,
    settled: bool,
}

impl SetAside {
    /// The most entries that an upstream has.
    pub const MOST: usize = MOST;
    /// Bytes of the longest entry.
    pub const LONGEST: usize = 256;

    /// Where it is told, without the prefix of the store.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is to be put there, each for a while.
    #[must_use]
    pub fn add(&self) -> &[String] {
        &self.add
    }

    /// It was told, and now this is set aside. Entries that no guard wrote are
    /// of no tool.
    pub fn settle(mut self, entries: impl IntoIterator<Item = String>) {
        self.settled = true;
        let mut state = self.board.aside.state();
        state.heard = entries
            .into_iter()
            .filter(|entry| entry.len() <= Self::LONGEST)
            .take(MOST)
            .collect();
        let any = !state.heard.is_empty();
        self.board.aside.any.store(any, Ordering::Release);
    }
}

impl Drop for SetAside {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let mut state = self.board.aside.state();
        for entry in self.add.drain(..) {
            if state.add.len() < MOST {
                state.add.insert(entry);
            }
        }
    }
}

impl fmt::Debug for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SetAside({}, {} more)", self.key, self.add.len())
    }
}

fn entry(tool: &str, pinned: &Pin) -> String {
    let contract = hex(pinned.contract.bytes().iter().take(SHORT));
    let description = hex(pinned.description.bytes().iter().take(SHORT));
    format!("{} {contract}.{description}", field(tool))
}

/// Entries of one upstream.
const MOST: usize = 1_000;
/// How often it is asked what is set aside.
const EACH: Duration = Duration::from_secs(1);
/// Bytes of a digest in an entry.
const SHORT: usize = 16;
