//! The sessions that are being opened here, and those that were deleted here.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::header::HeaderMap;

use crate::http::SESSION;

/// Sessions that are being opened here, and sessions that were deleted.
#[derive(Default)]
pub(super) struct SessionTransfers {
    /// One lock for each session id: the first request opens the session, the others wait.
    turns: Mutex<HashMap<String, Turn>>,
    /// Session ids that were deleted here, the newest last.
    over: Mutex<VecDeque<String>>,
}

type Turn = Arc<tokio::sync::Mutex<()>>;

impl SessionTransfers {
    /// Remembers that the client has deleted its session.
    pub(super) fn over(&self, headers: &HeaderMap) {
        let name = headers.get(SESSION).and_then(|name| name.to_str().ok());
        if let Some(name) = name {
            let mut over = self.names_over();
            if over.len() >= REMEMBERED {
                over.pop_front();
            }
            over.push_back(name.to_owned());
        }
    }

    pub(super) fn is_over(&self, name: &str) -> bool {
        self.names_over().iter().any(|over| over == name)
    }

    pub(super) fn turn(&self, name: &str) -> Turn {
        Arc::clone(self.turns().entry(name.to_owned()).or_default())
    }

    /// Releases a turn; the last user removes it from the map.
    pub(super) fn done(&self, name: &str, turn: Turn) {
        let mut turns = self.turns();
        drop(turn);
        if turns
            .get(name)
            .is_some_and(|kept| Arc::strong_count(kept) == 1)
        {
            turns.remove(name);
        }
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<String, Turn>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn names_over(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum number of deleted sessions that are remembered.
const REMEMBERED: usize = 1_024;
