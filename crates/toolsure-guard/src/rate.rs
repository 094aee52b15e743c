//! Token buckets without a clock of their own.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
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

/// The buckets of network addresses.
#[derive(Debug, Default)]
pub(crate) struct AddressBuckets {
    buckets: HashMap<IpAddr, Bucket>,
    /// When full buckets are looked for again.
    next_sweep: Duration,
}

impl AddressBuckets {
    /// Takes one token of the bucket of a [`Peer::network`](crate::Peer::network). If there are too many, new
    /// ones share a bucket.
    ///
    /// # Errors
    ///
    /// As [`Bucket::take`].
    pub(crate) fn take(
        &mut self,
        mut network: IpAddr,
        rate: &Rate,
        now: Duration,
    ) -> Result<(), Duration> {
        if self.buckets.len() >= ADDRESSES && !self.buckets.contains_key(&network) {
            if now >= self.next_sweep {
                self.buckets.retain(|_, bucket| !bucket.is_full(now));
                self.next_sweep = now.saturating_add(SWEEP);
            }
            if self.buckets.len() >= ADDRESSES {
                network = SHARED;
            }
        }
        self.buckets.entry(network).or_default().take(rate, now)
    }
}

/// The bucket of addresses that have none of their own. No client has this address.
const SHARED: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
const ADDRESSES: usize = 65_536;
const SWEEP: Duration = Duration::from_secs(1);

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

    #[test]
    fn addresses_have_buckets_of_their_own_and_not_too_many() {
        let rate = Rate {
            calls: 1,
            per: ms(1_000),
            burst: 1,
        };
        let mut buckets = AddressBuckets::default();
        let one = IpAddr::from([192, 0, 2, 1]);
        let mut take = |ip: IpAddr, at| buckets.take(ip, &rate, ms(at));
        assert!(take(one, 0).is_ok());
        assert_eq!(take(one, 999), Err(ms(1)));
        assert!(take([192, 0, 2, 2].into(), 999).is_ok() && take(one, 1_000).is_ok());
        // Full buckets are forgotten, others are not: then the newest addresses share one.
        for ip in 0..66_000_u32 {
            let _first_of_many = take(Ipv4Addr::from_bits(ip + (10 << 24)).into(), 10_000);
        }
        assert_eq!(buckets.buckets.len(), ADDRESSES + 1);
        let late = IpAddr::from([192, 0, 2, 9]);
        assert!(buckets.take(late, &rate, ms(10_500)).is_err());
        assert!(buckets.take(late, &rate, ms(11_000)).is_ok());
    }
}
