//! Calls that are parked until the list of tools arrives.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::id::IdKey;
use crate::policy::Limits;

/// A call that is parked until the list of tools arrives.
#[derive(Debug)]
pub(super) struct Parked {
    pub(super) id: IdKey,
    pub(super) message: Box<[u8]>,
    /// Whether it already took its rate-limit token.
    pub(super) paid: bool,
}

/// Why a parked call is handled again.
#[derive(Debug)]
pub(super) struct Retry {
    /// Why there is still no list.
    pub(super) unlisted: Option<Arc<str>>,
    /// Whether it already took its rate-limit token.
    pub(super) paid: bool,
}

/// The parked calls of a conversation, in the order they came.
#[derive(Debug, Default)]
pub(super) struct ParkedCalls {
    calls: VecDeque<Parked>,
    bytes: usize,
    /// Calls to be handled again, and why there is still no list.
    released: VecDeque<(Parked, Option<Arc<str>>)>,
}

impl ParkedCalls {
    /// Whether a call of this many bytes may be parked.
    pub(super) fn has_room(&self, limits: &Limits, bytes: usize) -> bool {
        let bytes = self.bytes.saturating_add(bytes);
        self.calls.len() < limits.parked && bytes <= limits.parked_bytes
    }

    /// Whether the next call may have no room.
    pub(super) fn is_crowded(&self, limits: &Limits) -> bool {
        let bytes = self.bytes.saturating_add(limits.message_bytes);
        self.calls.len() >= limits.parked || (self.bytes > 0 && bytes > limits.parked_bytes)
    }

    pub(super) fn push(&mut self, call: Parked) {
        self.bytes += call.message.len();
        self.calls.push_back(call);
    }

    pub(super) fn remove(&mut self, key: &IdKey) {
        if let Some(at) = self.calls.iter().position(|parked| parked.id == *key)
            && let Some(parked) = self.calls.remove(at)
        {
            self.bytes -= parked.message.len();
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Releases all calls, because the list has arrived; or, for this reason, will not come.
    pub(super) fn release(&mut self, unlisted: Option<&str>) {
        let unlisted: Option<Arc<str>> = unlisted.map(Arc::from);
        let calls = std::mem::take(&mut self.calls).into_iter();
        self.released
            .extend(calls.map(|call| (call, unlisted.clone())));
        self.bytes = 0;
    }

    /// The next call to be handled again, and why there is still no list.
    pub(super) fn next_released(&mut self) -> Option<(Parked, Option<Arc<str>>)> {
        self.released.pop_front()
    }
}
