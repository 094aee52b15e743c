//! Counts the texts that are read (feature `count-reads`), for tests of how often a program reads the same one.

use std::sync::atomic::{AtomicU64, Ordering};

static READS: AtomicU64 = AtomicU64::new(0);

/// How many texts this process has read whole, with every [`Reader`](crate::Reader); refused ones count, too.
///
/// A [`Stream`](crate::Stream), which keeps nothing, does not count.
#[must_use]
pub fn reads() -> u64 {
    READS.load(Ordering::Relaxed)
}

pub(crate) fn count() {
    READS.fetch_add(1, Ordering::Relaxed);
}
