//! State that guards share through a store, without the store itself: what to write, and what the store
//! reported.
//!
//! ```text
//!   a call ──► own bucket, own pins, and what was heard last ──► decided, at once
//!                 │                     ▲
//!        charges, pins, quarantine      │
//!                 ▼                     │
//!            Share::take_updates ──► the store ─┘  (`toolsure-proxy`)
//! ```
//!
//! Nothing here waits. Each guard decides by itself, writes what it did, and from then on accepts what
//! all guards did as true. Without a store, or while it is down, a guard works as it would alone: its
//! updates are kept, within limits, and written when the store is back.

mod keyed_hash;
mod pins;
mod quarantine;
mod rates;
mod store_key;
mod waker;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use crate::lock::Pin;
use crate::policy::DriftMode;
use keyed_hash::KeyedHash;
use pins::Pins;
pub use pins::{NEXT, PinReport};
use quarantine::Quarantine;
pub use quarantine::QuarantineUpdate;
use rates::BucketQueue;
pub use rates::Charge;
pub(crate) use rates::SharedBucket;
use store_key::{NAMED, field, short_hex};
use waker::Waker;

/// How a guard uses what other guards report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a caller that shares must set every field"
)]
pub struct ShareTerms {
    /// How tools are handled, of servers without a lock, that differ from what a guard on the store saw
    /// first.
    pub pins: DriftMode,
    /// Whether all guards quarantine a tool that one guard refuses because it differs from its pin.
    pub quarantine: bool,
}

/// The state that this process shares with others. It is a handle: clones share everything.
#[derive(Clone)]
pub struct Share(Arc<Inner>);

struct Inner {
    terms: ShareTerms,
    keyed: KeyedHash,
    /// Buckets of all upstreams.
    bucket_queue: Arc<BucketQueue>,
    states: Mutex<Vec<Weak<SharedState>>>,
    waker: Arc<Waker>,
}

/// The shared state of one upstream.
pub(crate) struct SharedState {
    upstream: Arc<str>,
    share: Share,
    pins: Arc<Pins>,
    quarantine: Arc<Quarantine>,
}

/// The identity of a scope for other guards. Its parts leave this process only as a hash under the
/// secret that the guards share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Identity<'a> {
    /// All clients without authorization.
    Anonymous,
    /// All clients with the authorization of this digest.
    Authorization(&'a [u8; 32]),
    /// The client of the session with this id.
    Session(&'a [u8]),
    /// All clients of the upstream together.
    Everybody,
}

/// Updates for the store, of three kinds. An update that is dropped before it is settled is sent again
/// with the next batch. Only those about the tools of an upstream are lost if its last guard is gone by
/// then.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct StoreUpdates {
    /// Calls that were allowed.
    pub charges: Vec<Charge>,
    /// Tools that were seen.
    pub pins_seen: Vec<PinReport>,
    /// Tools to quarantine, by upstream.
    pub quarantine: Vec<QuarantineUpdate>,
}

impl StoreUpdates {
    /// Whether there is nothing to write and nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.charges.is_empty() && self.pins_seen.is_empty() && self.quarantine.is_empty()
    }
}

impl Share {
    /// Creates shared state on these terms. `secret` is the same in every guard on the store: callers are
    /// named by a hash under it. `wake` is called, at most once between two batches of updates, if there is
    /// something new to write; it must return at once.
    #[must_use]
    pub fn new(terms: ShareTerms, secret: &[u8], wake: impl Fn() + Send + Sync + 'static) -> Self {
        let waker = Arc::new(Waker::new(wake));
        Self(Arc::new(Inner {
            terms,
            keyed: KeyedHash::new(secret),
            bucket_queue: Arc::new(BucketQueue::new(Arc::clone(&waker))),
            states: Mutex::default(),
            waker,
        }))
    }

    /// The updates to send now, at most [`MAX_UPDATES`] of each kind. `now` is the clock
    /// of the conversations.
    #[must_use]
    pub fn take_updates(&self, now: Duration) -> StoreUpdates {
        self.0.waker.begin_batch();
        let mut updates = StoreUpdates {
            charges: self.0.bucket_queue.charges(MAX_UPDATES),
            ..StoreUpdates::default()
        };
        let states: Vec<Arc<SharedState>> = {
            let mut states = self.0.states.lock().unwrap_or_else(PoisonError::into_inner);
            states.retain(|shared| shared.strong_count() > 0);
            states.iter().filter_map(Weak::upgrade).collect()
        };
        for shared in &states {
            let room = MAX_UPDATES.saturating_sub(updates.pins_seen.len());
            updates.pins_seen.extend(shared.pins.reports(now, room));
            updates.quarantine.extend(shared.quarantine.update(now));
        }
        if updates.charges.len() == MAX_UPDATES {
            self.0.waker.wake();
        }
        updates
    }

    pub(crate) fn state_of(&self, upstream: &str) -> Arc<SharedState> {
        let upstream: Arc<str> = field(upstream).into();
        let waker = &self.0.waker;
        let pins = Pins::new(Arc::clone(&upstream), Arc::clone(waker));
        let is_on = self.0.terms.quarantine;
        let quarantine = Quarantine::new(Arc::clone(&upstream), Arc::clone(waker), is_on);
        let shared = Arc::new(SharedState {
            upstream,
            share: self.clone(),
            pins: Arc::new(pins),
            quarantine: Arc::new(quarantine),
        });
        let mut states = self.0.states.lock().unwrap_or_else(PoisonError::into_inner);
        states.push(Arc::downgrade(&shared));
        shared
    }
}

impl SharedState {
    /// The name of a caller in the store.
    pub(crate) fn caller(&self, who: Identity<'_>) -> Arc<str> {
        let keyed = &self.share.0.keyed;
        let hash = match who {
            Identity::Anonymous => keyed.hash(&[b"anonymous"]),
            Identity::Authorization(digest) => keyed.hash(&[b"authorization", digest]),
            Identity::Everybody => keyed.hash(&[b"everybody"]),
            Identity::Session(name) => keyed.hash(&[b"session", name]),
        };
        short_hex(&hash, NAMED).into()
    }

    /// The bucket of a caller and a tool, or of all tools, that all guards share.
    pub(crate) fn bucket(&self, caller: &str, tool: Option<&str>) -> Arc<SharedBucket> {
        let upstream = &self.upstream;
        Arc::new(SharedBucket::new(match tool {
            Some(tool) => format!("rate:{upstream}:{caller}:{}", field(tool)),
            None => format!("rate:{upstream}:{caller}"),
        }))
    }

    /// How tools are handled that differ from what was seen first.
    pub(crate) fn pinning(&self) -> DriftMode {
        self.share.0.terms.pins
    }

    /// Whether such tools are handled at all.
    pub(crate) fn is_pinning(&self) -> bool {
        self.pinning() != DriftMode::Off
    }

    /// The pin for a tool that looks like `seen` now; `None` if too many tools are pinned already.
    pub(crate) fn pinned(&self, tool: &str, seen: &Pin) -> Option<Pin> {
        self.pins.pinned(tool, seen)
    }

    /// Quarantines a tool that differs from its pin and is refused.
    pub(crate) fn quarantine(&self, tool: &str, pinned: &Pin) {
        self.quarantine.add(tool, pinned);
    }

    /// Whether a guard quarantined a tool that has the same pin here.
    pub(crate) fn is_quarantined(&self, tool: &str, pinned: &Pin) -> bool {
        self.quarantine.contains(tool, pinned)
    }

    /// Where buckets wait to be exchanged with the store.
    pub(crate) fn bucket_queue(&self) -> &BucketQueue {
        &self.share.0.bucket_queue
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Share({:?})", self.0.terms)
    }
}

impl fmt::Debug for SharedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedState({})", self.upstream)
    }
}

/// The maximum number of updates of each kind in one batch.
pub const MAX_UPDATES: usize = 256;

#[cfg(test)]
mod tests;
