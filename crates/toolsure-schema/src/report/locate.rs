//! Locates keywords, in their documents and by the URIs of their resources.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::explain::Origin;
use crate::model::{Model, SubschemaId};

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
        self.known.entry(id).or_insert_with(|| {
            // A report never asks for a subschema that is missing: the evaluation ends there.
            let pointer = model.sub(id).and_then(|sub| model.pointer(sub));
            pointer.unwrap_or_default()
        })
    }

    /// The JSON pointer and the absolute URI of a subschema, or of a keyword in it, from the tokens
    /// that lead there from its origin. The URI is that of its resource, with a JSON pointer as
    /// fragment.
    pub(super) fn places(
        &mut self,
        sub: SubschemaId,
        origin: Origin,
        behind: &str,
    ) -> (String, String) {
        let start = self.pointer(origin.sub);
        let mut pointer = String::with_capacity(start.len() + behind.len());
        pointer.push_str(start);
        pointer.push_str(behind);
        let resource = self.model.sub(sub).ok();
        let resource = resource.and_then(|sub| self.model.resources.get(sub.resource.index()));
        let (uri, below) = match resource {
            Some(resource) => {
                let below = match resource.root == origin.sub {
                    true => Some(behind),
                    false => pointer.strip_prefix(self.pointer(resource.root)),
                };
                (resource.uri.as_str(), below.unwrap_or(&pointer))
            }
            None => ("", pointer.as_str()),
        };
        let mut absolute = String::with_capacity(uri.len() + 1 + below.len());
        absolute.push_str(uri);
        absolute.push('#');
        push_fragment(&mut absolute, below);
        (pointer, absolute)
    }
}

/// Appends a JSON pointer in the form of a URI fragment (RFC 6901, section 6).
pub(super) fn push_fragment(uri: &mut String, pointer: &str) {
    // A loop without early exit is faster.
    if pointer
        .bytes()
        .fold(true, |all, byte| all & represents_itself(byte))
    {
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

/// Whether RFC 3986 allows a byte in a fragment.
fn represents_itself(byte: u8) -> bool {
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
