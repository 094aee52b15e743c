//! The settings of a rate, for all tools or for some.

use std::time::Duration;

use toolsure_guard::policy::Rate;

/// A rate as configured; 0 calls mean no limit.
#[derive(Clone, Copy)]
pub(super) struct RateWords {
    pub(super) calls: usize,
    pub(super) per: Duration,
    pub(super) burst: usize,
}

impl Default for RateWords {
    fn default() -> Self {
        Self {
            calls: 0,
            per: Duration::from_secs(1),
            burst: 1,
        }
    }
}

impl RateWords {
    /// The limit; `None` without one.
    pub(super) fn rate(self) -> Option<Rate> {
        let narrow = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        (self.calls > 0).then(|| Rate {
            calls: narrow(self.calls),
            per: self.per,
            burst: narrow(self.burst),
        })
    }
}
