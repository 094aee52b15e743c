//! Pauses before something is tried again.

use std::time::Duration;

/// The pause before the next attempt. It doubles with each attempt, from 1 s to 60 s.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pause(Duration);

impl Pause {
    const LONGEST: Duration = Duration::from_secs(60);

    /// Whether what has begun at `since` has lasted for longer than the next pause.
    pub(crate) fn is_over(self, since: Duration, now: Duration) -> bool {
        now.saturating_sub(since) > self.0
    }

    /// When the next attempt is due. The one after it waits longer.
    pub(crate) fn next(&mut self, now: Duration) -> Duration {
        let due = now.saturating_add(self.0);
        self.0 = self.0.saturating_mul(2).min(Self::LONGEST);
        due
    }
}

impl Default for Pause {
    fn default() -> Self {
        Self(Duration::from_secs(1))
    }
}
