//! What a server lists to other kinds of clients alone.

use toolsure_guard::PinnedList;
use toolsure_json::{Node as _, OwnedDocument, View, quote};

use super::server::{LIMITS, LockedServer, SHOWN, exact};
use crate::exit::Failure;
use crate::listing::Listing;

impl LockedServer {
    /// Adds the entries that the server lists to other clients alone; returns what of them cannot be approved, and why.
    pub(super) fn add_others(
        &mut self,
        list: &PinnedList,
        other: &Listing,
    ) -> Result<Vec<String>, Failure> {
        let mut left_out = Vec::new();
        for page in other.pages() {
            if page.method != list.method {
                continue;
            }
            let document = OwnedDocument::read(page.text, &LIMITS).map_err(|error| {
                Failure::usage(format!("{}: {}: {error}", other.target, list.method))
            })?;
            let entries = document.document().root().member(list.member);
            for entry in entries.into_iter().flat_map(View::items) {
                let (Some(key), text) = (list.key(entry), exact(entry)) else {
                    continue;
                };
                if self
                    .definitions
                    .get(&key)
                    .is_some_and(|known| *known != text)
                {
                    left_out.push(format!(
                        "`{}` has another definition for clients with other capabilities, which is left out, and a guard holds it",
                        quote(&key, SHOWN)
                    ));
                } else {
                    self.definitions.insert(key, text);
                }
            }
        }
        Ok(left_out)
    }
}
