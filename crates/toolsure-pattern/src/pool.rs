//! Scratch memory kept between matches: no allocation once warm.

use std::sync::Mutex;

/// A few values of scratch memory, shared by threads.
#[derive(Debug)]
pub(crate) struct Pool<T>(Mutex<Vec<T>>);

impl<T> Pool<T> {
    /// An empty pool.
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// A value from the pool, or a new one if none is free.
    pub(crate) fn take(&self, new: impl FnOnce() -> T) -> T {
        let pooled = match self.0.try_lock() {
            Ok(mut values) => values.pop(),
            Err(_) => None,
        };
        pooled.unwrap_or_else(new)
    }

    /// Gives a value back; it is dropped if the pool is full or busy.
    pub(crate) fn give(&self, value: T) {
        if let Ok(mut values) = self.0.try_lock()
            && values.len() < KEPT
        {
            values.push(value);
        }
    }
}

/// Enough for the worker threads of a busy machine, and a bound on the memory.
const KEPT: usize = 8;
