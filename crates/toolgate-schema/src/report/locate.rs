//! Where a keyword is: in its document, and under its resource's name.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::explain::sink::EvaluationLocation;
use crate::model::{DocumentId, Model, SubschemaId};

/// Finds the places of subschemas, each once.
pub(super) struct Locator<'o> {
    model: &'o Model,
    known: BTreeMap<SubschemaId, Place<'o>>,
}

/// The place of a subschema.
#[derive(Debug, Default)]
pub(super) struct Place<'o> {
    /// The document; none of a subschema that is not there.
    pub(super) doc: Option<DocumentId>,
    /// Its JSON pointer in its document.
    pub(super) pointer: String,
    /// The URI of its resource.
    uri: &'o str,
    /// Bytes of the pointer that lead to the resource.
    root: usize,
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

    /// The place of a subschema.
    pub(super) fn of(&mut self, id: SubschemaId) -> &Place<'o> {
        let model = self.model;
        // A report never asks for a subschema that is missing: the evaluation ends there.
        let entry = self.known.entry(id);
        entry.or_insert_with(|| place(model, id).unwrap_or_default())
    }

    /// The absolute URI of a subschema, or of a keyword in it.
    pub(super) fn absolute(&mut self, spot: EvaluationLocation<'_>) -> String {
        self.places(spot.sub, spot.keyword).1
    }

    /// The JSON pointer and the absolute URI of a subschema, or of a keyword in it: the URI of its
    /// resource, with a JSON pointer as fragment.
    pub(super) fn places(&mut self, sub: SubschemaId, word: Option<&str>) -> (String, String) {
        let place = self.of(sub);
        let longer = word.map_or(0, |word| word.len() + 1);
        let mut pointer = String::with_capacity(place.pointer.len() + longer);
        pointer.push_str(&place.pointer);
        if let Some(word) = word {
            toolgate_json::pointer::push(&mut pointer, word);
        }
        let below = pointer.get(place.root..).unwrap_or_default();
        let mut absolute = String::with_capacity(place.uri.len() + 1 + below.len());
        absolute.push_str(place.uri);
        absolute.push('#');
        push_fragment(&mut absolute, below);
        (pointer, absolute)
    }
}

fn place(model: &Model, id: SubschemaId) -> Option<Place<'_>> {
    let sub = model.sub(id).ok()?;
    let pointer = model.pointer(sub).ok()?;
    let resource = model.resources.get(sub.resource.index());
    let root = resource.and_then(|resource| model.sub(resource.root).ok());
    let root = root.and_then(|root| model.pointer(root).ok());
    let root = root.filter(|root| pointer.starts_with(root.as_str()));
    Some(Place {
        doc: Some(sub.doc),
        uri: resource.map_or("", |resource| resource.uri.as_str()),
        root: root.map_or(0, |root| root.len()),
        pointer,
    })
}

/// Appends a JSON pointer as a URI fragment holds it (RFC 6901, section 6).
pub(super) fn push_fragment(uri: &mut String, pointer: &str) {
    // A pass without an exit is the quicker one.
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
    // By their order in ASCII: what is left out of the ranges is no character of a URI.
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
