//! Room reserved for sessions that are being opened.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many sessions are being opened, by caller.
#[derive(Default)]
pub(super) struct Reservations(Arc<Mutex<HashMap<Arc<str>, usize>>>);

/// Room for one session that is being opened, until the session is stored or fails to open.
pub(in crate::guard::http_server) struct Reservation {
    opening: Arc<Mutex<HashMap<Arc<str>, usize>>>,
    counted: Arc<str>,
}

impl Reservations {
    /// How many sessions are being opened, by all callers and by one.
    pub(super) fn count(&self, counted: &Arc<str>) -> (usize, usize) {
        let opening = lock(&self.0);
        let all = opening.values().copied().fold(0, usize::saturating_add);
        (all, opening.get(counted).copied().unwrap_or(0))
    }

    pub(super) fn take(&self, counted: &Arc<str>) -> Reservation {
        let mut opening = lock(&self.0);
        let count = opening.entry(Arc::clone(counted)).or_default();
        *count = count.saturating_add(1);
        Reservation {
            opening: Arc::clone(&self.0),
            counted: Arc::clone(counted),
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut opening = lock(&self.opening);
        if let Some(count) = opening.get_mut(&self.counted) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                opening.remove(&self.counted);
            }
        }
    }
}

fn lock(opening: &Mutex<HashMap<Arc<str>, usize>>) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
    opening.lock().unwrap_or_else(PoisonError::into_inner)
}
