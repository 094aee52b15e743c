//! Clients that have bytes to read, and which of them are too slow.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;

/// A client that has bytes to read.
pub(super) struct Reader {
    pub(super) caller: Arc<str>,
    /// What it has not taken completely.
    pub(super) bytes: usize,
    since: Instant,
    taken: RecentBytes,
    /// Ends its connection.
    close: Arc<Notify>,
    /// Whether its connection is to end.
    pub(super) is_closing: bool,
}

impl Reader {
    pub(super) fn new(caller: Arc<str>, close: Arc<Notify>, now: Instant) -> Self {
        Self {
            caller,
            bytes: 0,
            since: now,
            taken: RecentBytes::new(now),
            close,
            is_closing: false,
        }
    }

    pub(super) fn take(&mut self, bytes: usize, now: Instant) {
        self.taken.add(bytes, now);
    }

    /// The bytes that it has taken in about the last [`WINDOW`]; `None` if it has had no such time yet.
    pub(super) fn speed(&self, now: Instant) -> Option<usize> {
        let age = now.saturating_duration_since(self.since);
        (age >= WINDOW && !self.is_closing).then(|| self.taken.sum(now))
    }

    pub(super) fn close(&mut self) {
        self.is_closing = true;
        self.close.notify_one();
    }
}

/// How many bytes a client must take in a [`WINDOW`] to keep its connection if others have waited
/// for so long. From half a minute on it is always the same: who reads that fast is never closed.
pub(super) fn slowest_allowed(waited: Duration) -> usize {
    let windows = waited.as_secs() / WINDOW.as_secs();
    let windows = usize::try_from(windows.clamp(1, 6)).unwrap_or(1);
    windows.saturating_mul(1 << 20)
}

/// Bytes of the last [`WINDOW`], in seconds.
struct RecentBytes {
    begun: Instant,
    /// The second of the last bytes.
    second: u64,
    seconds: [usize; SECONDS],
}

impl RecentBytes {
    fn new(now: Instant) -> Self {
        Self {
            begun: now,
            second: 0,
            seconds: [0; SECONDS],
        }
    }

    fn second_of(&self, now: Instant) -> u64 {
        now.saturating_duration_since(self.begun).as_secs()
    }

    fn add(&mut self, bytes: usize, now: Instant) {
        let second = self.second_of(now);
        self.forget_before(second);
        if let Some(latest) = self.seconds.last_mut() {
            *latest = latest.saturating_add(bytes);
        }
    }

    /// Moves the seconds so that the last one is `second`.
    fn forget_before(&mut self, second: u64) {
        let passed = second.saturating_sub(self.second);
        let passed = usize::try_from(passed).unwrap_or(usize::MAX);
        let passed = passed.min(self.seconds.len());
        self.seconds.rotate_left(passed);
        for forgotten in self.seconds.iter_mut().rev().take(passed) {
            *forgotten = 0;
        }
        self.second = second;
    }

    fn sum(&self, now: Instant) -> usize {
        let passed = self.second_of(now).saturating_sub(self.second);
        let passed = usize::try_from(passed).unwrap_or(usize::MAX);
        let kept = self.seconds.iter().skip(passed);
        kept.fold(0, |sum, bytes| sum.saturating_add(*bytes))
    }
}

/// For how long a client is watched before it is called slow, and how long others wait for it.
pub(super) const WINDOW: Duration = Duration::from_secs(5);
/// Those of a window, and the second that has begun.
const SECONDS: usize = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_long_ago_does_not_count() {
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let mut reader = Reader::new("a".into(), Arc::default(), begun);
        reader.take(1, at(0));
        reader.take(10, at(2));
        assert_eq!(reader.speed(at(4)), None);
        assert_eq!(reader.speed(at(5)), Some(11));
        reader.take(100, at(6));
        assert_eq!(reader.speed(at(6)), Some(110));
        assert_eq!(reader.speed(at(8)), Some(100));
        assert_eq!(reader.speed(at(12)), Some(0));
        reader.take(1_000, at(60));
        assert_eq!(reader.speed(at(60)), Some(1_000));
    }

    #[test]
    fn the_longer_others_wait_the_faster_one_must_read() {
        let floor = |seconds| slowest_allowed(Duration::from_secs(seconds)) >> 20;
        assert_eq!([0, 5, 14, 30, 600].map(floor), [1, 1, 2, 6, 6]);
    }
}
