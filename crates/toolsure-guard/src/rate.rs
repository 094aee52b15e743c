//! Token buckets without a clock of their own.

use std::time::Duration;

use crate::policy::Rate;

/// The fill level of a bucket, as one time from which it follows (the generic cell rate algorithm of
/// ITU-T I.371).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Bucket {
    /// When the bucket will be full again.
    full_at: Duration,
}

impl Bucket {
    /// Takes one token.
    ///
    /// # Errors
    ///
    /// No token is left: the time until there is one.
    pub(crate) fn take(&mut self, rate: &Rate, now: Duration) -> Result<(), Duration> {
        self.cap(rate.interval().saturating_mul(rate.burst), now);
        self.check(rate, now)?;
        self.charge(rate, now);
        Ok(())
    }

    /// Whether there is a token.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub(crate) fn check(&self, rate: &Rate, now: Duration) -> Result<(), Duration> {
        let room = rate.interval().saturating_mul(rate.burst.saturating_sub(1));
        let ahead = self.full_at.saturating_sub(now);
        match ahead.checked_sub(room) {
            None | Some(Duration::ZERO) => Ok(()),
            Some(wait) => Err(wait),
        }
    }

    /// Takes a token even if there is none.
    pub(crate) fn charge(&mut self, rate: &Rate, now: Duration) {
        let start = self.full_at.max(now);
        self.full_at = start.saturating_add(rate.interval());
    }

    /// Sets the time when the bucket will be full again.
    pub(crate) fn set(&mut self, full_at: Duration) {
        self.full_at = full_at;
    }

    /// Limits how far ahead the bucket is to `most`: more can only come from an earlier, slower rate.
    pub(crate) fn cap(&mut self, most: Duration, now: Duration) {
        self.full_at = self.full_at.min(now.saturating_add(most));
    }

    /// Whether the bucket is full, and can be forgotten without loss.
    pub(crate) fn is_full(&self, now: Duration) -> bool {
        self.full_at <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn so_many_at_once_and_then_one_each_interval() {
        let rate = Rate {
            calls: 10,
            per: ms(1_000),
            burst: 3,
        };
        let mut bucket = Bucket::default();
        // Tokens that were taken under a slower rate do not block for longer than an empty bucket.
        let slow = Rate {
            calls: 1,
            per: ms(1_000_000),
            burst: 1,
        };
        assert_eq!(bucket.take(&slow, ms(0)), Ok(()));
        assert_eq!(bucket.take(&rate, ms(1_000)), Err(ms(100)));
        assert_eq!(bucket.take(&rate, ms(1_100)), Ok(()));
        let taken: Vec<_> = (0..4).map(|_| bucket.take(&rate, ms(5_000))).collect();
        assert_eq!(taken, [Ok(()), Ok(()), Ok(()), Err(ms(100))]);
        assert_eq!(bucket.take(&rate, ms(5_099)), Err(ms(1)));
        assert_eq!(bucket.take(&rate, ms(5_100)), Ok(()));
        assert_eq!(bucket.take(&rate, ms(5_101)), Err(ms(99)));
        assert!(!bucket.is_full(ms(5_101)));
        assert!(bucket.is_full(ms(6_000)));
        let rested: Vec<_> = (0..4)
            .map(|_| bucket.take(&rate, ms(9_000)).is_ok())
            .collect();
        assert_eq!(rested, [true, true, true, false]);
    }
}
