//! One bucket for all guards: each guard reports what it took and reads how full the bucket is.
//!
//! The unit is time, not calls: a call takes the interval of its rate, so that guards with different
//! rates can share a bucket during a reload. Times in the store are on the store's clock, and a guard
//! reads how far the bucket is ahead of it, so clocks are never compared.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::waker::Waker;
use crate::policy::Rate;
use crate::rate::Bucket;

/// The buckets to exchange with the store, each once: those with charges that are not written yet, and
/// those that refused a call, to read whether they are still empty.
pub(crate) struct BucketQueue {
    buckets: Mutex<Vec<Arc<SharedBucket>>>,
    waker: Arc<Waker>,
}

impl BucketQueue {
    pub(super) fn new(waker: Arc<Waker>) -> Self {
        Self {
            buckets: Mutex::default(),
            waker,
        }
    }

    /// Takes the charges of at most `most` buckets.
    pub(super) fn charges(self: &Arc<Self>, most: usize) -> Vec<Charge> {
        let buckets: Vec<Arc<SharedBucket>> = {
            let mut buckets = self.buckets();
            let most = buckets.len().min(most);
            buckets.drain(..most).collect()
        };
        let charges = buckets.into_iter();
        charges
            .map(|bucket| Charge::of(bucket, Arc::clone(self)))
            .collect()
    }

    /// Adds a bucket. If there are too many of them, the next call of its tool tries again.
    fn add(&self, bucket: &Arc<SharedBucket>) -> bool {
        let mut buckets = self.buckets();
        if buckets.len() >= MOST_QUEUED {
            return false;
        }
        buckets.push(Arc::clone(bucket));
        drop(buckets);
        self.waker.wake();
        true
    }

    fn buckets(&self) -> MutexGuard<'_, Vec<Arc<SharedBucket>>> {
        self.buckets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A bucket that other guards use too.
pub(crate) struct SharedBucket {
    key: String,
    state: Mutex<State>,
}

struct State {
    /// The bucket as the store reported it last, with the tokens that were taken here since.
    all: Bucket,
    /// Tokens that were taken here and are not reported yet.
    unwritten: Duration,
    /// The most that is worth reporting.
    worth: Duration,
    /// Whether it is in the [`BucketQueue`].
    queued: bool,
}

impl SharedBucket {
    pub(super) fn new(key: String) -> Self {
        Self {
            key,
            state: Mutex::new(State {
                all: Bucket::default(),
                unwritten: Duration::ZERO,
                worth: Duration::ZERO,
                queued: false,
            }),
        }
    }

    /// Takes one token, from this guard's bucket and from the shared one.
    ///
    /// # Errors
    ///
    /// This guard, or all guards together, have no token left: the time until there is one.
    pub(crate) fn take(
        self: &Arc<Self>,
        own: &mut Bucket,
        rate: &Rate,
        now: Duration,
        queue: &BucketQueue,
    ) -> Result<(), Duration> {
        let mut state = self.state();
        let worth = worth(rate);
        state.worth = worth;
        state.all.cap(most(worth), now);
        let taken = state
            .all
            .check(rate, now)
            .and_then(|()| own.take(rate, now));
        if taken.is_ok() {
            state.all.charge(rate, now);
            state.unwritten = state.unwritten.saturating_add(rate.interval());
        }
        // A bucket that refuses is read again too: it may have been emptied in the store.
        if !state.queued {
            state.queued = queue.add(self);
        }
        taken
    }

    /// Whether all guards together have a token.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    pub(crate) fn check(
        self: &Arc<Self>,
        rate: &Rate,
        now: Duration,
        queue: &BucketQueue,
    ) -> Result<(), Duration> {
        let mut state = self.state();
        state.all.cap(most(worth(rate)), now);
        let left = state.all.check(rate, now);
        // It may have been emptied in the store.
        if left.is_err() && !state.queued {
            state.queued = queue.add(self);
        }
        left
    }

    /// Whether it can be forgotten without loss; unreported tokens are kept elsewhere.
    pub(crate) fn is_full(&self, now: Duration) -> bool {
        self.state().all.is_full(now)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SharedBucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedBucket({})", self.key)
    }
}

/// Calls of one caller and one tool that were allowed here.
///
/// The bucket `key` is a time: when the bucket will be full again. An update moves it by
/// [`cost`](Self::cost), starting from now if it has passed.
pub struct Charge {
    bucket: Arc<SharedBucket>,
    cost: Duration,
    most: Duration,
    queue: Arc<BucketQueue>,
    settled: bool,
}

impl Charge {
    fn of(bucket: Arc<SharedBucket>, queue: Arc<BucketQueue>) -> Self {
        let mut state = bucket.state();
        state.queued = false;
        // Calls that were allowed long ago and not reported are not charged: this guard has already
        // applied the rate to them.
        let cost = std::mem::take(&mut state.unwritten).min(state.worth);
        let most = most(state.worth);
        drop(state);
        Self {
            bucket,
            cost,
            most,
            queue,
            settled: false,
        }
    }

    /// Its key, without the prefix of the store.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.bucket.key
    }

    /// How far the bucket moves.
    #[must_use]
    pub fn cost(&self) -> Duration {
        self.cost
    }

    /// A bucket that is further ahead than this is invalid: no possible number of guards can have caused
    /// it.
    #[must_use]
    pub fn most(&self) -> Duration {
        self.most
    }

    /// Completes the update: the bucket is this far ahead now.
    pub fn settle(mut self, ahead: Duration, now: Duration) {
        self.settled = true;
        let mut state = self.bucket.state();
        let ahead = ahead.min(self.most);
        let unwritten = state.unwritten;
        state
            .all
            .set(now.saturating_add(ahead).saturating_add(unwritten));
    }
}

impl Drop for Charge {
    /// Sends the charge again if it was not settled. If the store has taken it, and only the reply was
    /// lost, it counts twice.
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let mut state = self.bucket.state();
        state.unwritten = state.unwritten.saturating_add(self.cost);
        if !state.queued {
            state.queued = self.queue.add(&self.bucket);
        }
    }
}

impl fmt::Debug for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Charge({}, {:?})", self.bucket.key, self.cost)
    }
}

/// The most that a guard can allow between two batches: the bucket, and the tokens that arrive
/// meanwhile.
fn worth(rate: &Rate) -> Duration {
    let bucket = rate.interval().saturating_mul(rate.burst);
    bucket.saturating_add(BETWEEN).min(FAR)
}

/// The most by which all guards together can move a bucket ahead.
fn most(worth: Duration) -> Duration {
    worth.saturating_mul(GUARDS).min(FAR)
}

/// Longer than the time between two batches while the store works.
const BETWEEN: Duration = Duration::from_secs(1);
/// More guards than will ever share a store.
const GUARDS: u32 = 1_024;
/// A hundred years, which a number of microseconds in a script represents exactly.
const FAR: Duration = Duration::from_secs(100 * 365 * 86_400);
/// Maximum buckets in the queue, at about 200 bytes each.
const MOST_QUEUED: usize = 16_384;
