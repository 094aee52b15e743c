//! A name that is going into a table.

use std::cmp::Ordering;

use toolsure_json::NameEnds;

/// A name and the words at its ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'n> {
    pub(super) ends: NameEnds,
    pub(super) text: &'n str,
}

impl<'n> Name<'n> {
    pub(super) fn new(text: &'n str) -> Self {
        Self {
            ends: NameEnds::of(text.as_bytes()),
            text,
        }
    }

    /// Compares names by their first bytes, then by the rest.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        let heads = self.ends.head().cmp(&other.ends.head());
        heads.then_with(|| self.text.cmp(other.text))
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        self.ends == other.ends && (self.ends.is_whole() || self.text == other.text)
    }
}
