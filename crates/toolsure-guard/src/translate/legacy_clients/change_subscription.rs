//! The state of the subscription to the server's changes.

use std::time::Duration;

use crate::pause::Pause;

/// The state of the subscription.
#[derive(Debug, Default)]
pub(super) struct ChangeSubscription {
    /// Whether the subscription is in use, because the client is ready for it.
    wanted: bool,
    /// When to ask again.
    again: Option<Duration>,
    /// Before it is asked for again; from the start once it was acknowledged.
    pause: Pause,
    /// Whether something may have been missed since the last time.
    missed: bool,
}

impl ChangeSubscription {
    /// Begins, unless it has begun. Returns whether it begins now.
    pub(super) fn begin(&mut self, now: Duration) -> bool {
        if std::mem::replace(&mut self.wanted, true) {
            return false;
        }
        self.again = Some(now);
        true
    }

    /// Handles the acknowledgement. Returns whether something may have been missed before it.
    pub(super) fn acknowledged(&mut self) -> bool {
        self.pause = Pause::default();
        std::mem::take(&mut self.missed)
    }

    /// Handles the end: it is asked for again, after pauses that grow.
    pub(super) fn ended(&mut self, now: Duration) {
        self.missed = true;
        self.again = Some(self.pause.next(now));
    }

    /// When to ask again.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.again
    }

    /// Whether to ask again now, which is said once.
    pub(super) fn is_due(&mut self, now: Duration) -> bool {
        self.again.take_if(|again| *again <= now).is_some()
    }
}
