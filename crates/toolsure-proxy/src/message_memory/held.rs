//! Bytes in flight: how they grow, are taken by the client, and come free.

use std::fmt;

use tokio::time::Instant;

use super::budget::{Full, Held};
use super::bytes::Use;

impl Held {
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Grows the body of a request to `bytes`, at once or not at all. Requests may use half of the
    /// total and of a caller's share, so that there is room for the answers.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), Full> {
        let more = bytes.saturating_sub(self.bytes);
        if more == 0 {
            return Ok(());
        }
        let budget = self.holder.budget.clone();
        let mut state = budget.state();
        let own = state.of(&self.holder.caller).requests;
        let fits = |requests: usize, half: usize| {
            let others = requests.saturating_sub(self.bytes);
            // One request always fits.
            others == 0 || others.saturating_add(bytes) <= half
        };
        if !fits(state.all.requests, budget.total() / 2) {
            return Err(Full::Total);
        }
        if !fits(own, budget.each() / 2) {
            return Err(Full::Caller);
        }
        budget.add(&mut state, &self.holder, Use::Request, more);
        self.bytes = bytes;
        Ok(())
    }

    /// The client has taken some of the bytes.
    pub(crate) fn taken(&self, bytes: usize) {
        let mut state = self.holder.budget.state();
        if let Some(reader) = state.readers.get_mut(&self.holder.id) {
            reader.take(bytes, Instant::now());
        }
    }

    /// Adds the bytes of another one of the same holder and use.
    pub(super) fn absorb(&mut self, mut other: Self) {
        self.bytes = self.bytes.saturating_add(std::mem::take(&mut other.bytes));
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let budget = self.holder.budget.clone();
        let mut state = budget.state();
        if self.of == Use::Answer
            && let Some(reader) = state.readers.get_mut(&self.holder.id)
        {
            reader.bytes = reader.bytes.saturating_sub(self.bytes);
            if reader.bytes == 0 {
                state.readers.remove(&self.holder.id);
            }
        }
        budget.remove(&mut state, &self.holder, self.of, self.bytes);
    }
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}
