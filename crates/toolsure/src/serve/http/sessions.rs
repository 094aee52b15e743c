//! The demo server's sessions with legacy clients: unguessable ids, and a bounded number of them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::HeaderValue;
use toolsure_mcp::era::Era;

/// Open sessions by id.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Book>);

#[derive(Debug, Default)]
struct Book {
    open: HashMap<String, Entry>,
    /// Counts every use, to find the least recently used session.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    era: Era,
    used: u64,
}

impl Sessions {
    /// Opens a session; at the limit, the least recently used one is closed. `None` if the system
    /// provides no randomness.
    pub(super) fn open(&self, era: Era) -> Option<HeaderValue> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).ok()?;
        let id = toolsure_guard::hex(&bytes);
        let value = HeaderValue::from_str(&id).ok()?;
        let mut book = self.book();
        if book.open.len() >= SESSIONS {
            let oldest = book
                .open
                .iter()
                .min_by_key(|(_, entry)| entry.used)
                .map(|(id, _)| id.clone());
            oldest.and_then(|id| book.open.remove(&id));
        }
        let used = book.tick();
        book.open.insert(id, Entry { era, used });
        Some(value)
    }

    /// The protocol version of a session. The call counts as a use.
    pub(super) fn era(&self, id: &str) -> Option<Era> {
        let mut book = self.book();
        let used = book.tick();
        let entry = book.open.get_mut(id)?;
        entry.used = used;
        Some(entry.era)
    }

    /// Closes a session; `false` if it is not open.
    pub(super) fn close(&self, id: &str) -> bool {
        self.book().open.remove(id).is_some()
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn tick(&mut self) -> u64 {
        self.clock = self.clock.saturating_add(1);
        self.clock
    }
}

const SESSIONS: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_session_makes_room() {
        let sessions = Sessions::default();
        let ids: Vec<String> = (0..SESSIONS)
            .map(|_| {
                sessions
                    .open(Era::V2025_11_25)
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert_eq!(sessions.era(&ids[0]), Some(Era::V2025_11_25));
        sessions.open(Era::V2025_11_25).unwrap();
        assert_eq!(
            (sessions.era(&ids[0]), sessions.era(&ids[1])),
            (Some(Era::V2025_11_25), None)
        );
        assert!(sessions.close(&ids[0]) && !sessions.close(&ids[0]));
    }
}
