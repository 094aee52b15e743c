//! Wakes the task that writes to the store.

use std::sync::atomic::{AtomicBool, Ordering};

/// Calls a function if there is something new to write, at most once between two batches of updates.
pub(super) struct Waker {
    wake: Box<dyn Fn() + Send + Sync>,
    /// Whether `wake` was called since the last batch of updates.
    woken: AtomicBool,
}

impl Waker {
    pub(super) fn new(wake: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            wake: Box::new(wake),
            woken: AtomicBool::new(false),
        }
    }

    pub(super) fn wake(&self) {
        if !self.woken.swap(true, Ordering::AcqRel) {
            (self.wake)();
        }
    }

    /// Begins a batch of updates: what is new from now on needs another one.
    pub(super) fn begin_batch(&self) {
        self.woken.store(false, Ordering::Release);
    }
}
