//! The starting point of a guard's times.

use std::time::Duration;

use tokio::time::Instant;

/// The starting point that times are counted from. Conversations share state with times in it, so
/// all guards with one policy, or with one store, must have the same clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// A clock that starts now.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> Duration {
        self.0.elapsed()
    }

    /// The moment when `now` returns `time`; `None` if that is out of range.
    pub(crate) fn at(self, time: Duration) -> Option<Instant> {
        self.0.checked_add(time)
    }
}
