//! Sums of bytes, by what they are.

/// The bytes of one caller, or of all.
#[derive(Clone, Copy, Default)]
pub(super) struct Bytes {
    /// Bodies of requests.
    pub(super) requests: usize,
    /// Messages of servers that are being read.
    pub(super) reading: usize,
    /// Messages for clients.
    pub(super) answers: usize,
}

/// What the bytes of a holder are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Request,
    Reading,
    Answer,
}

impl Bytes {
    pub(super) fn sum(self) -> usize {
        let sum = self.requests.saturating_add(self.reading);
        sum.saturating_add(self.answers)
    }

    pub(super) fn is_empty(self) -> bool {
        self.sum() == 0
    }

    pub(super) fn of(&mut self, of: Use) -> &mut usize {
        match of {
            Use::Request => &mut self.requests,
            Use::Reading => &mut self.reading,
            Use::Answer => &mut self.answers,
        }
    }

    /// Whether `more` of a message may be read that has `held` already. One message may always be
    /// read alone, so that a limit below its length does not stop everything.
    pub(super) fn admits(self, more: usize, held: usize, limit: usize) -> bool {
        let others = self.reading.saturating_add(self.answers);
        others <= held || self.sum().saturating_add(more) <= limit
    }
}
