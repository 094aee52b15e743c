//! The moment that guards count time from.

use std::time::Duration;

use tokio::time::Instant;

/// The moment that times are counted from. What several conversations know together is dated, so
/// all guards at work on one policy, or on one store, have the same.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Counts from now.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> Duration {
        self.0.elapsed()
    }

    /// The moment at which `now` gives `time`; none if no clock goes so far.
    pub(crate) fn at(self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time)
    }
}
