//! The bytes of messages that a translator keeps.

use super::refusal::Refusal;

/// How many bytes of messages are kept; bounded.
#[derive(Debug)]
pub(super) struct HeldBytes {
    held: usize,
    allowed: usize,
}

impl HeldBytes {
    /// Nothing is kept yet; at most `allowed` bytes will be.
    pub(super) fn new(allowed: usize) -> Self {
        Self { held: 0, allowed }
    }

    /// Reserves room for bytes that are kept.
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), Refusal> {
        let allowed = self.allowed;
        let all = self.held.saturating_add(bytes);
        if all > allowed {
            let text = format!("more bytes wait than the limit of {allowed} (parked_bytes)");
            return Err(Refusal::limit(text));
        }
        self.held = all;
        Ok(())
    }

    /// Frees the room of bytes that are kept no longer.
    pub(super) fn release(&mut self, bytes: usize) {
        self.held -= bytes;
    }
}
