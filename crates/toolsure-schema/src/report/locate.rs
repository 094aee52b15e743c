//! Locates keywords, in their documents and by the URIs of their resources.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::explain::Origin;
use crate::model::{Model, Resource, SubschemaId};

/// Computes the locations of subschemas in their documents, each once.
pub(super) struct Locator<'o> {
    model: &'o Model,
    known: BTreeMap<SubschemaId, String>,
}

impl<'o> Locator<'o> {
    pub(super) fn new(model: &'o Model) -> Self {
        Self {
            model,
            known: BTreeMap::new(),
        }
    }

    pub(super) fn model(&self) -> &'o Model {
        self.model
    }

    /// The JSON pointer of a subschema in its document.
    pub(super) fn pointer(&mut self, id: SubschemaId) -> &str {
        let model = self.model;
        if id == model.root {
            return "";
        }
        self.known.entry(id).or_insert_with(|| {
            // A report never asks for a subschema that is missing: the evaluation ends there.
            let pointer = model.sub(id).and_then(|sub| model.pointer(sub));
            pointer.unwrap_or_default()
        })
    }

    /// The JSON pointer of a subschema in its document, or of a keyword in it, from the tokens that
    /// lead there from its origin; and how many bytes of it lead to its resource.
    pub(super) fn pointer_from(
        &mut self,
        resource: &Resource,
        origin: Origin,
        behind: &str,
    ) -> (String, usize) {
        let start = self.pointer(origin.sub);
        let below = start.len();
        let pointer = [start, behind].concat();
        if resource.root == origin.sub {
            return (pointer, below);
        }
        let root = self.pointer(resource.root);
        let below = if pointer.starts_with(root) {
            root.len()
        } else {
            0
        };
        (pointer, below)
    }

    /// The absolute URI of a subschema, or of a keyword in it, from the tokens that lead there from
    /// its origin: that of its resource, with a JSON pointer as fragment.
    pub(super) fn absolute(&mut self, sub: SubschemaId, origin: Origin, behind: &str) -> String {
        let resource = self.model.sub(sub).ok();
        let resource = resource.and_then(|sub| self.model.resources.get(sub.resource.index()));
        // A report never asks for a subschema whose resource is missing.
        let Some(resource) = resource else {
            return String::new();
        };
        let (pointer, below) = self.pointer_from(resource, origin, behind);
        let below = pointer.get(below..).unwrap_or_default();
        let mut absolute = String::with_capacity(resource.uri.len() + 1 + below.len());
        absolute.push_str(&resource.uri);
        absolute.push('#');
        push_fragment(&mut absolute, below);
        absolute
    }
}

/// Whether a JSON pointer is its own URI fragment.
pub(super) fn is_fragment(pointer: &str) -> bool {
    // A loop without early exit is faster.
    let allowed = pointer.bytes().map(|byte| ALLOWED.get(usize::from(byte)));
    allowed.fold(true, |all, allowed| all & (allowed == Some(&true)))
}

/// Appends a JSON pointer in the form of a URI fragment (RFC 6901, section 6).
pub(super) fn push_fragment(uri: &mut String, pointer: &str) {
    if is_fragment(pointer) {
        uri.push_str(pointer);
        return;
    }
    for byte in pointer.bytes() {
        if represents_itself(byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

/// [`represents_itself`] for each byte.
static ALLOWED: [bool; 256] = {
    let mut allowed = [false; 256];
    let (mut byte, mut rest) = (0, allowed.as_mut_slice());
    while let [first, others @ ..] = rest {
        *first = represents_itself(byte);
        (byte, rest) = (byte.wrapping_add(1), others);
    }
    allowed
};

/// Whether RFC 3986 allows a byte in a fragment.
const fn represents_itself(byte: u8) -> bool {
    // In ASCII order: characters outside the ranges are not allowed in a URI fragment.
    matches!(
        byte,
        b'!' | b'$' | b'&'..=b';' | b'=' | b'?'..=b'Z' | b'_' | b'a'..=b'z' | b'~'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_has_what_the_standard_allows() {
        let allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\
            -._~!$&'()*+,;=:@/?";
        for byte in 0..=0xff {
            assert_eq!(
                represents_itself(byte),
                allowed.as_bytes().contains(&byte),
                "{byte:#x}"
            );
        }
        let mut uri = "#".to_owned();
        push_fragment(&mut uri, "/a b%/é");
        assert_eq!(uri, "#/a%20b%25/%C3%A9");
    }
}
