//! The next deadline of something behind a lock, and the task that waits for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use super::clock::Clock;

/// The next deadline of a conversation or a hub.
pub(super) struct Alarm {
    /// In milliseconds since the clock began.
    at: AtomicU64,
    rearmed: Notify,
}

impl Default for Alarm {
    fn default() -> Self {
        Self {
            at: AtomicU64::new(u64::MAX),
            rearmed: Notify::new(),
        }
    }
}

impl Alarm {
    /// Wakes the task that waits at this time, or earlier.
    pub(super) fn set(&self, at: Duration) {
        // Rounded up, so that the deadline has passed when the task wakes.
        let at = u64::try_from(at.as_millis()).map_or(u64::MAX, |ms| ms.saturating_add(1));
        if self.at.fetch_min(at, Ordering::AcqRel) > at {
            self.rearmed.notify_one();
        }
    }

    /// Makes the task look at its other reasons to wake.
    pub(super) fn look_again(&self) {
        self.rearmed.notify_one();
    }

    /// Waits until the deadline has passed. `false` if the task must look at its other reasons.
    pub(super) async fn passed(&self, clock: Clock) -> bool {
        let at = self.at.load(Ordering::Acquire);
        let wake = clock.at(Duration::from_millis(at));
        let asleep = async {
            match wake.filter(|_| at != u64::MAX) {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.rearmed.notified() => return false,
            () = asleep => {}
        }
        self.at.store(u64::MAX, Ordering::Release);
        true
    }
}
