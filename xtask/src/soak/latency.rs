//! Call durations in buckets 3 % apart, so that a run of any length needs the same memory.

use std::time::Duration;

/// Counts of durations.
#[derive(Clone, Debug)]
pub(super) struct Latency {
    counts: Vec<u64>,
    total: u64,
}

impl Default for Latency {
    fn default() -> Self {
        Self {
            counts: vec![0; BUCKETS],
            total: 0,
        }
    }
}

impl Latency {
    pub(super) fn record(&mut self, took: Duration) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(count) = self.counts.get_mut(bucket(micros)) {
            *count += 1;
            self.total += 1;
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        for (own, more) in self.counts.iter_mut().zip(&other.counts) {
            *own += more;
        }
        self.total += other.total;
    }

    /// The time for `share` thousandths of the calls, rounded up to the end of a bucket.
    pub(super) fn within(&self, share: u64) -> Duration {
        let wanted = (self.total * share).div_ceil(1_000);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted {
                return Duration::from_micros(end(index));
            }
        }
        Duration::MAX
    }
}

/// Numbers below [`STEPS`] have a bucket each, and each power of two above has as many buckets.
fn bucket(micros: u64) -> usize {
    let power = micros.checked_ilog2().unwrap_or(0);
    let shift = power.saturating_sub(STEP_BITS);
    let step = usize::try_from(micros >> shift).unwrap_or(0);
    let shift = usize::try_from(shift).unwrap_or(0);
    (shift * STEPS + step).min(BUCKETS - 1)
}

/// The largest number in a bucket.
fn end(bucket: usize) -> u64 {
    // The first 2 * STEPS buckets have one number each.
    let shift = (bucket / STEPS).saturating_sub(1);
    let step = bucket - shift * STEPS;
    let step = u64::try_from(step).unwrap_or(0);
    ((step + 1) << shift) - 1
}

const STEP_BITS: u32 = 5;
const STEPS: usize = 1 << STEP_BITS;
/// Up to 2^40 microseconds.
const BUCKETS: usize = STEPS * 36;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_numbers_that_are_close() {
        for micros in (0..5_000).chain([10_000, 123_456, 30_000_000]) {
            let end = end(bucket(micros));
            assert!(
                end >= micros && end <= micros + micros / 31,
                "{micros} {end}"
            );
            assert_eq!(bucket(end), bucket(micros));
            assert_eq!(bucket(end + 1), bucket(micros) + 1);
        }
    }

    #[test]
    fn shares_are_counted_from_the_quickest() {
        let mut latency = Latency::default();
        for micros in 1..=30 {
            latency.record(Duration::from_micros(micros));
        }
        assert_eq!(latency.within(500), Duration::from_micros(15));
        assert_eq!(latency.within(999), Duration::from_micros(30));
    }
}
