//! Patterns of a listing, written for engines that do not take them as they are.

use std::collections::HashMap;

use toolsure_pattern::Pattern;

/// The patterns of one listing that were written in another form, and what that took.
#[derive(Debug, Default)]
pub(super) struct PlainPatterns {
    known: HashMap<String, Option<String>>,
    spent: u64,
}

impl PlainPatterns {
    /// A pattern of the syntax that all engines share that matches the same strings; `None` if there is
    /// none, or none is found within what a listing may spend.
    pub(super) fn plain(&mut self, text: &str, listing: u64) -> Option<&str> {
        if !self.known.contains_key(text) {
            let allowed = listing.saturating_sub(self.spent).min(PATTERN);
            let mut fuel = allowed;
            let pattern = Pattern::new(text, &toolsure_pattern::Limits::default()).ok();
            let plain = pattern.and_then(|pattern| pattern.plain(&mut fuel));
            self.spent = self.spent.saturating_add(allowed.saturating_sub(fuel));
            self.known.insert(text.to_owned(), plain);
        }
        self.known.get(text)?.as_deref()
    }
}

/// Units of fuel for one pattern: five times what the hardest of published tools takes.
const PATTERN: u64 = 100_000;
