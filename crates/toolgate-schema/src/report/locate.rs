//! Where a keyword is: in its document, and under its resource's name.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use crate::explain::sink::EvaluationLocation;
use crate::model::{DocumentId, Model, SubschemaId};

/// Finds the places of subschemas, each once.
pub(super) struct Locator<'o> {
    model: &'o Model,
    known: BTreeMap<SubschemaId, Rc<Place>>,
}

/// The place of a subschema.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The document; none of a subschema that is not there.
    pub(super) doc: Option<DocumentId>,
    /// Its JSON pointer in its document.
    pub(super) pointer: String,
    /// Its absolute URI: of its resource, with a JSON pointer as fragment.
    pub(super) absolute: String,
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
    pub(super) fn of(&mut self, id: SubschemaId) -> Rc<Place> {
        if let Some(place) = self.known.get(&id) {
            return Rc::clone(place);
        }
        let Ok(sub) = self.model.sub(id) else {
            // A report never asks: the evaluation ends where a subschema is missing.
            return Rc::new(Place::default());
        };
        let pointer = self.model.location(id).pointer;
        let resource = self.model.resources.get(sub.resource.index());
        let uri = resource.map_or("", |resource| resource.uri.as_str());
        let root = resource.map(|resource| self.model.location(resource.root).pointer);
        let below = root
            .and_then(|root| pointer.strip_prefix(root.as_str()))
            .unwrap_or(&pointer);
        let mut absolute = String::with_capacity(uri.len() + 1 + below.len());
        absolute.push_str(uri);
        absolute.push('#');
        push_fragment(&mut absolute, below);
        let place = Rc::new(Place {
            doc: Some(sub.doc),
            pointer,
            absolute,
        });
        self.known.insert(id, Rc::clone(&place));
        place
    }

    /// The absolute URI of a subschema, or of a keyword in it.
    pub(super) fn absolute(&mut self, spot: EvaluationLocation<'_>) -> String {
        self.places(spot.sub, spot.keyword).1
    }

    /// The JSON pointer and the absolute URI of a subschema, or of a keyword in it.
    pub(super) fn places(&mut self, sub: SubschemaId, word: Option<&str>) -> (String, String) {
        let place = self.of(sub);
        let longer = word.map_or(0, |word| word.len() + 1);
        let mut pointer = String::with_capacity(place.pointer.len() + longer);
        pointer.push_str(&place.pointer);
        let mut absolute = String::with_capacity(place.absolute.len() + longer);
        absolute.push_str(&place.absolute);
        if let Some(word) = word {
            toolgate_json::pointer::push(&mut pointer, word);
            let token = pointer.get(place.pointer.len()..).unwrap_or_default();
            push_fragment(&mut absolute, token);
        }
        (pointer, absolute)
    }
}

/// Appends a JSON pointer as a URI fragment holds it (RFC 6901, section 6).
pub(super) fn push_fragment(uri: &mut String, pointer: &str) {
    // What RFC 3986 allows in a fragment represents itself.
    let stands = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'-' | b'.'
                    | b'_'
                    | b'~'
                    | b'!'
                    | b'$'
                    | b'&'
                    | b'\''
                    | b'('
                    | b')'
                    | b'*'
                    | b'+'
                    | b','
                    | b';'
                    | b'='
                    | b':'
                    | b'@'
                    | b'/'
                    | b'?'
            )
    };
    if pointer.bytes().all(stands) {
        uri.push_str(pointer);
        return;
    }
    for byte in pointer.bytes() {
        if stands(byte) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}
