//! The places of sessions that are being opened.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many sessions are being opened, by caller.
#[derive(Default)]
pub(super) struct Places(Arc<Mutex<HashMap<Arc<str>, usize>>>);

/// The place of a session that is being opened, until the session is stored or fails to open.
pub(super) struct Place {
    places: Arc<Mutex<HashMap<Arc<str>, usize>>>,
    counted: Arc<str>,
}

impl Places {
    /// How many sessions are being opened, by all callers and by one.
    pub(super) fn count(&self, counted: &Arc<str>) -> (usize, usize) {
        let places = lock(&self.0);
        let all = places.values().copied().fold(0, usize::saturating_add);
        (all, places.get(counted).copied().unwrap_or(0))
    }

    pub(super) fn take(&self, counted: &Arc<str>) -> Place {
        let mut places = lock(&self.0);
        let count = places.entry(Arc::clone(counted)).or_default();
        *count = count.saturating_add(1);
        Place {
            places: Arc::clone(&self.0),
            counted: Arc::clone(counted),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = lock(&self.places);
        if let Some(count) = places.get_mut(&self.counted) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                places.remove(&self.counted);
            }
        }
    }
}

fn lock(places: &Mutex<HashMap<Arc<str>, usize>>) -> MutexGuard<'_, HashMap<Arc<str>, usize>> {
    places.lock().unwrap_or_else(PoisonError::into_inner)
}
