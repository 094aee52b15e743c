//! The ids and the name of a message that replace those in its text.

use std::sync::{Arc, OnceLock};

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{Edits, Request};

use crate::id::IdKey;

/// The ids and the name of a message that replace those in its text. They are written into the text when
/// the message is sent, so that it need not be read again.
#[derive(Debug, Default)]
pub(crate) struct Renamed {
    edits: Edits,
    /// The id, as a key and as JSON text.
    id: Option<(IdKey, Box<str>)>,
    token: Option<IdKey>,
    /// The tool or the prompt that a request names.
    name: Option<Box<str>>,
    /// Whether something other than ids and the name is changed.
    has_values: bool,
    written: OnceLock<Vec<u8>>,
}

impl Renamed {
    /// Another name of a tool or a prompt.
    pub(crate) fn name(view: View<'_>, name: &str) -> Self {
        let mut renamed = Self::default();
        renamed
            .edits
            .replace(view, toolsure_json::json_string(name));
        renamed.name = Some(name.into());
        renamed
    }

    /// Another value somewhere in the message.
    pub(crate) fn value(view: View<'_>, text: String) -> Self {
        let mut renamed = Self {
            has_values: true,
            ..Self::default()
        };
        renamed.edits.replace(view, text);
        renamed
    }

    /// Gives a request a number in place of its id and its progress token.
    pub(crate) fn number(&mut self, request: &Request<'_>, number: i64) {
        renumber(request, number, &mut self.edits);
        self.id = Some((IdKey::Number(number), number.to_string().into()));
        self.token = token(request.params).map(|_| IdKey::Number(number));
    }

    /// The id of an answer is that of the request as its sender wrote it; `id` is its place.
    pub(crate) fn answer(&mut self, id: View<'_>, key: IdKey, raw: &str) {
        self.edits.replace(id, raw.to_owned());
        self.id = Some((key, raw.into()));
    }

    /// A place where that id is repeated.
    pub(crate) fn repeated(&mut self, place: View<'_>, raw: &str) {
        self.edits.replace(place, raw.to_owned());
    }

    /// Whether more than ids and names is changed.
    pub(crate) fn has_values(&self) -> bool {
        self.has_values
    }

    pub(crate) fn edits(&self) -> &Edits {
        &self.edits
    }

    pub(crate) fn new_id(&self) -> Option<&(IdKey, Box<str>)> {
        self.id.as_ref()
    }

    pub(crate) fn new_token(&self) -> Option<&IdKey> {
        self.token.as_ref()
    }

    pub(crate) fn new_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The text of the message with these.
    pub(crate) fn written(&self, text: &str) -> &[u8] {
        let write = || self.edits.apply(text).into_bytes();
        self.written.get_or_init(write)
    }

    /// The same, if nothing else needs these.
    pub(crate) fn into_written(mut self: Arc<Self>, text: &str) -> Vec<u8> {
        let written = Arc::get_mut(&mut self).and_then(|renamed| renamed.written.take());
        written.unwrap_or_else(|| self.written(text).to_vec())
    }
}

/// Replaces the id and the progress token of a request by a number.
pub(crate) fn renumber(request: &Request<'_>, number: i64, edits: &mut Edits) {
    if let Some(id) = request.view.member("id") {
        edits.replace(id, number.to_string());
    }
    if let Some(token) = token(request.params) {
        edits.replace(token, number.to_string());
    }
}

/// The progress token of a request.
pub(crate) fn token<'a>(params: Option<View<'a>>) -> Option<View<'a>> {
    params?.member("_meta")?.member("progressToken")
}
