//! The entries of lists that a server has listed and that are held, so that they are not reached by their names.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lock::PinnedList;

/// Entries by their names among those of tools, as they were listed.
#[derive(Debug, Default)]
pub(super) struct HeldEntries {
    held: BTreeMap<String, Arc<str>>,
    bytes: usize,
}

impl HeldEntries {
    /// Remembers or forgets an entry that was just listed. `is_approved`: the lock has one of this name, which bounds
    /// how many there are.
    pub(super) fn seen(&mut self, key: String, listed: &str, is_held: bool, is_approved: bool) {
        if let Some(before) = self.held.remove(&key) {
            self.bytes = self.bytes.saturating_sub(before.len());
        }
        let [prompts, ..] = &PinnedList::ALL;
        // A prompt that the lock does not have is refused in any case.
        if !is_held || !is_approved && key.starts_with(prompts.prefix) {
            return;
        }
        let mut key = key;
        if !is_approved && self.held.len() >= ENTRIES {
            let lists = PinnedList::ALL.iter();
            let mut prefixes = lists.map(|list| list.prefix);
            // It stands for all others.
            key = match prefixes.find(|prefix| key.starts_with(prefix)) {
                Some(prefix) => prefix.to_owned(),
                None => return,
            };
        }
        let bytes = self.bytes.saturating_add(listed.len());
        let kept = if bytes > BYTES { UNREAD } else { listed };
        self.bytes = self.bytes.saturating_add(kept.len());
        if let Some(before) = self.held.insert(key, Arc::from(kept)) {
            self.bytes = self.bytes.saturating_sub(before.len());
        }
    }

    pub(super) fn get(&self, key: &str) -> Option<Arc<str>> {
        self.held.get(key).cloned()
    }

    /// The names that begin with this prefix.
    pub(super) fn names(&self, prefix: &str) -> Vec<String> {
        let names = self.held.keys();
        names
            .filter(|key| key.starts_with(prefix))
            .cloned()
            .collect()
    }
}

/// What is kept of an entry for which there is no room: it cannot be compared.
const UNREAD: &str = "";
/// Maximum entries that the lock does not have.
const ENTRIES: usize = 1_024;
/// Maximum bytes of all of them.
const BYTES: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_bounded_and_the_rest_is_any() {
        let mut held = HeldEntries::default();
        for number in 0..2_000 {
            held.seen(format!("template:a://{number}"), "{}", true, false);
        }
        assert_eq!(held.held.len(), ENTRIES + 1);
        assert_eq!(held.get("template:").as_deref(), Some("{}"));
        held.seen("prompt:a".to_owned(), &"x".repeat(BYTES), true, true);
        assert_eq!(held.get("prompt:a").as_deref(), Some(UNREAD));
        held.seen("prompt:b".to_owned(), "{}", true, false);
        assert_eq!(held.get("prompt:b"), None);
        held.seen("prompt:a".to_owned(), "{}", false, true);
        assert_eq!(held.names("prompt:"), [""; 0]);
        for key in held.names("") {
            held.seen(key, "{}", false, false);
        }
        assert_eq!((held.held.len(), held.bytes), (0, 0));
    }
}
