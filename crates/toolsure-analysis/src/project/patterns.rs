//! Patterns of a listing, written for engines that do not take them as they are.

use std::collections::HashMap;

use toolsure_pattern::{Pattern, PlainPattern};

/// The patterns of one listing that were written in another form, and what that took.
#[derive(Debug, Default)]
pub(super) struct PlainPatterns {
    known: HashMap<String, Known>,
    spent: u64,
}

/// The other forms of one pattern.
#[derive(Debug, Default)]
struct Known {
    plain: Option<String>,
    /// Looked for only if there is no plain one.
    with_lengths: Option<PlainPattern>,
}

impl PlainPatterns {
    /// A pattern of the syntax that all engines share that matches the same strings; `None` if there is
    /// none, or none is found within what a listing may spend.
    pub(super) fn plain(&mut self, text: &str, listing: u64) -> Option<&str> {
        self.known(text, listing)?.plain.as_deref()
    }

    /// Such a pattern that matches the same strings within bounds of their length.
    pub(super) fn with_lengths(&mut self, text: &str, listing: u64) -> Option<&PlainPattern> {
        self.known(text, listing)?.with_lengths.as_ref()
    }

    fn known(&mut self, text: &str, listing: u64) -> Option<&Known> {
        if !self.known.contains_key(text) {
            let allowed = listing.saturating_sub(self.spent).min(PATTERN);
            let mut fuel = allowed;
            let mut known = Known::default();
            if let Ok(pattern) = Pattern::new(text, &toolsure_pattern::Limits::default()) {
                known.plain = pattern.plain(&mut fuel);
                self.spent = self.spent.saturating_add(allowed.saturating_sub(fuel));
                if known.plain.is_none() {
                    let allowed = listing.saturating_sub(self.spent).min(PATTERN);
                    let mut fuel = allowed;
                    known.with_lengths = pattern.plain_with_lengths(&mut fuel);
                    self.spent = self.spent.saturating_add(allowed.saturating_sub(fuel));
                }
            }
            self.known.insert(text.to_owned(), known);
        }
        self.known.get(text)
    }
}

/// Units of fuel for one pattern: five times what the hardest of published tools takes.
const PATTERN: u64 = 100_000;
