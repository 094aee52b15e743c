//! A message: its text, what was read from it, and what its carriers know of it.

mod renamed;
mod text;

use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{Document, Kind, Node as _, ReadError, ReadErrorKind, ReadLimits, View, quote};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::message::{Edits, Incoming, Message as Decoded};

use crate::envelope::Envelope;
use crate::filter::SHOWN_NUMBER;
use crate::id::IdKey;
use crate::reading::{generous, read_message, strict};
use crate::record::Peer;
use crate::trace::TraceContext;
use crate::unparsable::{Recovered, Recovery, id_of};
pub(crate) use renamed::{Renamed, renumber, token};
pub(crate) use text::Readers;
use text::{State, Text, bytes_of};

/// One JSON-RPC message or batch, without framing.
///
/// It is read once, where it arrives ([`Guard::read`](crate::Guard::read)), and clones share the text
/// and what was read from it. A message that nothing changes is sent byte for byte.
///
/// ```
/// use toolsure_guard::{Guard, Message, Policy};
///
/// let guard = Guard::new(Policy::new())?;
/// let ping = guard.read(br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#.to_vec());
/// assert!(ping.envelope().has_method("ping"));
/// assert!(ping.into_bytes().starts_with(b"{\"jsonrpc\""));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Message {
    text: Arc<Text>,
    /// The ids and the name that replace those in the text.
    renamed: Option<Arc<Renamed>>,
    /// The envelope, if it is not that of the text.
    envelope: Option<Box<Envelope>>,
    /// Who made it, and why.
    pub purpose: Purpose,
    /// Whether its text is that of a message that was received, or of an element of a batch.
    pub is_unchanged: bool,
    /// Whether the client resumed the stream that it came on with `Last-Event-ID` (2025-11-25, Streamable
    /// HTTP, "Resumability and Redelivery"). The request that it answers may have been answered before.
    pub is_replay: bool,
    /// The contract of the tool that a `tools/call` to the server calls, if it is known. It determines
    /// what HTTP headers repeat of the call.
    pub call: Option<Arc<ToolContract>>,
    /// Whether the client was shown a form of that tool without the annotations of arguments that headers
    /// repeat, so that it does not know of the headers.
    pub headers_unknown: bool,
    /// The trace context that its transport carries beside it: the one it came with, or the one that was
    /// put into it.
    pub trace: Option<Box<TraceContext>>,
    /// The peer that sent it, for the records. `None` means the one that sent the messages before.
    pub peer: Option<Arc<Peer>>,
    /// If it is the error for a request that its server refused over HTTP, how the server refused it.
    pub refusal: Option<Arc<HttpRefusal>>,
    /// If it is a result that may be cached, and the client's protocol version has no member for that: how
    /// long the server allows it to be cached.
    pub ttl: Option<Duration>,
}

/// How a server refused a client over HTTP (401, 403). The client must see the status and the
/// challenges, or it cannot authorize itself (2025-11-25, basic/authorization), so they are passed
/// on with the error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a transport that makes one must set every field"
)]
pub struct HttpRefusal {
    /// The status.
    pub status: u16,
    /// The values of `WWW-Authenticate`.
    pub challenges: Vec<Vec<u8>>,
    /// The number of the authorization that the client used, as the transport counts them: a client that
    /// has renewed its authorization must not see the refusal of an older one.
    pub authorization: u64,
}

/// Who made a message, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// A message of the other side, unchanged or altered.
    Forward,
    /// The guard's own answer to a request.
    Answer,
    /// The guard's own request.
    Ask,
    /// The guard's own notification.
    Notice,
}

impl Message {
    /// A message that was received, or made, as text. It is not read yet.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self::of(State::Unread(bytes.into()), None)
    }

    /// A message that was made here, with the envelope that it has.
    pub(crate) fn made(text: String, purpose: Purpose, envelope: Envelope) -> Self {
        let mut message = Self::new(text);
        message.purpose = purpose;
        message.text.give(envelope);
        message
    }

    /// This message on its way to the other side, with the same text.
    pub(crate) fn passed_on(&self, envelope: Envelope, is_unchanged: bool) -> Self {
        let mut message = Self::sharing(Arc::clone(&self.text));
        message.renamed.clone_from(&self.renamed);
        message.envelope = match self.renamed.is_some() || self.is_batch() {
            true => Some(Box::new(envelope)),
            false => self.text.give(envelope),
        };
        message.is_unchanged = is_unchanged && self.renamed.is_none();
        message
    }

    /// This message with other ids or another name; `view` is the part of it that is meant, if it is a
    /// batch, whose messages are sent alone.
    pub(crate) fn renamed(&self, renamed: Renamed, view: View<'_>) -> Self {
        let is_read = matches!(self.text.state, State::Read { .. });
        let is_as_it_came = is_read && self.renamed.is_none() && self.flaw().is_none();
        if renamed.has_values() && view.parent().is_none() && is_as_it_came {
            let mut message = self.edited(renamed.edits());
            message.peer.clone_from(&self.peer);
            return message;
        }
        if view.parent().is_some() || renamed.has_values() || !is_as_it_came {
            let span = view.span();
            let text = std::str::from_utf8(self.bytes()).unwrap_or_default();
            let edited = renamed.edits().apply_within(text, span.start, span.end);
            let mut message = Self::new(edited);
            message.peer.clone_from(&self.peer);
            return message;
        }
        let mut envelope = self.envelope().clone();
        if let Some((key, _)) = renamed.new_id() {
            envelope.id = Some(key.clone());
        }
        if let Some(name) = renamed.new_name() {
            envelope.name = Some(Arc::from(name));
        }
        let mut message = Self::sharing(Arc::clone(&self.text));
        message.envelope = Some(Box::new(envelope));
        message.renamed = Some(Arc::new(renamed));
        message.peer.clone_from(&self.peer);
        message
    }

    /// A message with the text of this one and these changes.
    pub(crate) fn edited(&self, edits: &Edits) -> Self {
        Self::sharing(self.text.edited(edits))
    }

    /// The ids and the name that replace those in the text.
    pub(crate) fn names(&self) -> Option<&Renamed> {
        self.renamed.as_deref()
    }

    fn of(state: State, readers: Option<Arc<Readers>>) -> Self {
        Self::sharing(Text::new(state, readers))
    }

    fn sharing(text: Arc<Text>) -> Self {
        Self {
            text,
            renamed: None,
            envelope: None,
            purpose: Purpose::Forward,
            is_unchanged: false,
            is_replay: false,
            call: None,
            headers_unknown: false,
            trace: None,
            peer: None,
            refusal: None,
            ttl: None,
        }
    }

    /// The same message, read within these limits, unless it was read within them before.
    pub(crate) fn read(self, limits: &ReadLimits, readers: Option<&Arc<Readers>>) -> Self {
        if self.text.state.limits() == Some(limits) {
            return self;
        }
        let mut message = self.into_sent();
        let reader = readers.map_or_else(Box::default, |readers| readers.take());
        message.set_state(readers, |bytes| State::read(reader, bytes, limits));
        message
    }

    /// Gives it what a function makes of its bytes.
    fn set_state(&mut self, readers: Option<&Arc<Readers>>, make: impl FnOnce(Vec<u8>) -> State) {
        match Arc::get_mut(&mut self.text) {
            Some(text) => {
                text.state = make(text.take());
                text.readers = readers.cloned();
            }
            None => {
                let state = make(self.text.state.bytes().to_vec());
                self.replace(Text::new(state, readers.cloned()));
            }
        }
    }

    /// Gives it another text, with the envelope that it had, if it had one.
    fn replace(&mut self, text: Arc<Text>) {
        if self.envelope.is_none() {
            self.envelope = self.text.envelope.get().cloned().map(Box::new);
        }
        self.text = text;
    }

    /// The same message with the ids and the name in its text that were recorded as those of its receiver.
    /// If it was read, the rest is not read again.
    #[must_use]
    pub fn written(mut self) -> Self {
        if let Some(renamed) = self.renamed.take() {
            self.text = self.text.edited(renamed.edits());
        }
        self
    }

    /// The same, but it is not read if ids or the name were replaced.
    fn into_sent(mut self) -> Self {
        if let Some(renamed) = self.renamed.take() {
            let bytes = renamed.into_written(self.text());
            self.text = Text::new(State::Unread(bytes), None);
        }
        self
    }

    /// The same message with its names in its text, read within the limits that it was read within, or
    /// else within these.
    pub(crate) fn read_as_sent(self, limits: &ReadLimits) -> Self {
        let own = self.text.state.limits().copied();
        let message = self.written();
        match message.text.state {
            State::Unread(_) => message.read(own.as_ref().unwrap_or(limits), None),
            _ => message,
        }
    }

    /// The message as it is sent.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match &self.renamed {
            Some(renamed) => renamed.written(self.text()),
            None => self.text.state.bytes(),
        }
    }

    /// The message as it is sent. What was read from it is dropped, unless a clone has it.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        bytes_of(self.into_sent().text)
    }

    /// Drops what was read from it, unless a clone has it: it takes up to 24 bytes for each byte of text.
    #[must_use]
    pub fn unread(self) -> Self {
        let mut message = self.into_sent();
        message.set_state(None, State::Unread);
        message
    }

    /// Gives it another text, with the same envelope.
    pub fn set_text(&mut self, bytes: impl Into<Vec<u8>>) {
        self.replace(Text::new(State::Unread(bytes.into()), None));
        self.renamed = None;
        self.is_unchanged = false;
    }

    /// Marks it as one on a stream that the client resumed ([`is_replay`](Self::is_replay)).
    #[must_use]
    pub fn replayed(mut self, is_replay: bool) -> Self {
        self.is_replay = is_replay;
        self
    }

    /// The envelope that routes it. A message above a limit of the reader is read without limits for
    /// this, since a side waits for its answer.
    pub fn envelope(&self) -> &Envelope {
        match &self.envelope {
            Some(envelope) => envelope,
            None => self.text.envelope(),
        }
    }

    /// The ids of the requests in it that must be answered; a batch may have several. A request in a batch
    /// whose id can be read in two ways is answered without an id.
    #[must_use]
    pub fn requests(&self) -> Vec<IdKey> {
        if self.text.state.limits().is_none() {
            return self.clone().read(&generous(), None).requests();
        }
        let request = |message: Decoded<'_>| match message {
            Decoded::Request(request) => Some(IdKey::of(request.id)),
            _ => None,
        };
        let Some(elements) = self.elements().filter(|_| self.flaw().is_some()) else {
            return self.ids(request);
        };
        let clear = elements
            .into_iter()
            .filter(|element| !Recovery::of(element).is_ambiguous);
        clear
            .filter_map(|element| read_message(element, |message, _| request(message)).flatten())
            .collect()
    }

    /// The ids of the requests that it answers.
    #[must_use]
    pub fn answers(&self) -> Vec<IdKey> {
        if self.text.state.limits().is_none() {
            return self.clone().read(&generous(), None).answers();
        }
        self.ids(|message| match message {
            Decoded::Result(outcome) => Some(IdKey::of(outcome.id)),
            Decoded::Error(id, _) => id.map(IdKey::of),
            _ => None,
        })
    }

    /// The messages of a batch, as received; `None` if it is not a batch.
    #[must_use]
    pub fn elements(&self) -> Option<Vec<&[u8]>> {
        let root = self.document().ok().filter(|_| self.is_batch())?.root();
        let bytes = self.bytes();
        let spans = root.items().map(|item| item.span());
        let elements = spans.filter_map(|span| bytes.get(span.start..span.end));
        Some(elements.collect())
    }

    /// The ids that `find` returns for the messages in it.
    fn ids(&self, find: impl Fn(Decoded<'_>) -> Option<IdKey>) -> Vec<IdKey> {
        if self.renamed.is_some() {
            return self
                .decode(|message, _| find(message))
                .flatten()
                .into_iter()
                .collect();
        }
        let Ok(document) = self.document() else {
            return Vec::new();
        };
        let id = |view| Decoded::decode(view).ok().and_then(&find);
        match Incoming::of(document) {
            Incoming::Single(view) => id(view).into_iter().collect(),
            Incoming::Batch(views) => views.items().filter_map(id).collect(),
        }
    }

    /// Calls `with` with the decoded message and its text as received. `None` if it is a batch, or no
    /// message. One that is not read yet is read without limits.
    pub fn decode<T>(&self, with: impl FnOnce(Decoded<'_>, &str) -> T) -> Option<T> {
        let whole = self.document().ok().filter(|_| self.renamed.is_none());
        let Some(document) = whole else {
            return read_message(self.bytes(), with);
        };
        let message = Decoded::decode(document.root()).ok()?;
        Some(with(message, self.text()))
    }

    /// What was read, without the names that replace those in it; or why it cannot be read, if it was tried.
    pub(crate) fn document(&self) -> Result<Document<'_>, Option<&ReadError>> {
        self.text.document()
    }

    fn is_batch(&self) -> bool {
        let document = self.document();
        document.is_ok_and(|document| document.root().kind() == Kind::Array)
    }

    /// Why the text as it came could not be read, if a stand-in was read in its place.
    pub(crate) fn flaw(&self) -> Option<&ReadError> {
        match &self.text.state {
            State::Read { stand_in, .. } => stand_in.as_ref().map(|stand_in| &stand_in.flaw),
            State::Unread(_) | State::Unreadable { .. } => None,
        }
    }

    /// Whether two readers of the message can see two different values.
    pub(crate) fn is_ambiguous(&self) -> bool {
        let flaw = self.flaw();
        flaw.is_some_and(|flaw| flaw.kind() == ReadErrorKind::DuplicateKey)
    }

    /// Why the envelope of a message cannot be trusted, and what a scan finds of it. Each reader decides
    /// for itself which of two ids or methods counts, and which request a cancellation means, and no answer
    /// could name an id with half a surrogate pair. `bytes` are this message, or an element of this batch.
    pub(crate) fn broken_envelope(
        &self,
        bytes: &[u8],
        message: &Decoded<'_>,
    ) -> Option<(Recovered, String)> {
        if let Some(id) = id_of(message).filter(|id| id.is_beyond_double()) {
            let id = quote(id.raw(), SHOWN_NUMBER);
            let why = format!("the id {id} is beyond the range of a double");
            return Some((Recovery::of(bytes), why));
        }
        let flaw = self.flaw()?;
        let found = Recovery::of(bytes);
        let cancels = matches!(message, Decoded::Notification(note) if note.method == "notifications/cancelled");
        let is_broken =
            found.is_ambiguous || found.has_broken_id(message) || (cancels && self.is_ambiguous());
        is_broken.then(|| (found, flaw.to_string()))
    }

    /// Whether it is one message, and every reader finds the same id and method in it. The message must have been
    /// [read](crate::Guard::read).
    #[must_use]
    pub fn is_clear(&self) -> bool {
        let Ok(document) = self.document() else {
            return false;
        };
        let message = Decoded::decode(document.root());
        message.is_ok_and(|message| self.broken_envelope(self.bytes(), &message).is_none())
    }

    /// The text that was read, as it came; empty if it cannot be read.
    pub(crate) fn text(&self) -> &str {
        self.text.source()
    }
}

impl<T: Into<Vec<u8>>> From<T> for Message {
    fn from(bytes: T) -> Self {
        Self::new(bytes)
    }
}

/// A message that is kept, read again without limits: it was read within them when it arrived.
pub(crate) fn kept(message: &[u8]) -> Message {
    Message::new(message).read(&strict(), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::envelope::MessageKind;

    #[test]
    fn the_second_look() {
        for (text, read, ambiguous) in [
            (r#"{"a":1}"#, true, false),
            (r#"{"a":1,"a":2}"#, true, true),
            (r#"{"a":"\ud83d"}"#, true, false),
            (r#"{"a":"\ud83d","a":2}"#, true, true),
            (r#"{"b":1,"b":"\ud83d"}"#, true, true),
            (r#"{"a":1,"a":2"#, false, false),
            (r#"{"a":"\ud83d" 1}"#, false, false),
        ] {
            let message = Message::new(text).read(&ReadLimits::default(), None);
            assert_eq!(message.document().is_ok(), read, "{text}");
            if let Ok(document) = message.document() {
                assert_eq!(message.is_ambiguous(), ambiguous, "{text}");
                assert_eq!(document.source().len(), text.len());
                assert_eq!(message.text(), text);
            }
        }
    }

    #[test]
    fn an_id_beyond_a_double_is_refused_under_itself() {
        for (id, is_broken) in [("1e400", true), ("-1e999", true), ("1e300", false)] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let limits = ReadLimits::default();
            let message = Message::new(text.as_str()).read(&limits, None);
            let document = message.document().unwrap();
            let decoded = Decoded::decode(document.root()).unwrap();
            let found = message.broken_envelope(text.as_bytes(), &decoded);
            let found = found.map(|(found, why)| (found.id, why));
            let why = format!("the id {id} is beyond the range of a double");
            assert_eq!(found, is_broken.then(|| (Some(id.to_owned()), why)));
        }
    }

    #[test]
    fn an_answer_is_owed_to_ids_that_it_can_name() {
        let long = "x".repeat(300);
        for (text, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#.to_owned(), 1),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"method":"m","params":{"a":1,"a":2}}]"#.to_owned(),
                2,
            ),
            (
                r#"[{"jsonrpc":"2.0","id":1,"method":"m"},{"jsonrpc":"2.0","id":2,"id":3,"method":"m"}]"#.to_owned(),
                1,
            ),
            (format!(r#"[{{"jsonrpc":"2.0","id":"{long}","method":"m"}}]"#), 1),
        ] {
            let message = Message::new(text.as_str()).read(&ReadLimits::default(), None);
            assert_eq!(message.requests().len(), expected, "{text}");
        }
    }

    #[test]
    fn the_envelope_says_what_routes_a_message() {
        let shallow = ReadLimits {
            depth: 4,
            ..ReadLimits::default()
        };
        for (text, kind, id, method, version, name, error) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
                MessageKind::Request,
                "1",
                "tools/call",
                "2026-07-28",
                "a",
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":"r","method":"resources/read","params":{"uri":"a:b","a":[[[[1]]]]}}"#,
                MessageKind::Request,
                "\"r\"",
                "resources/read",
                "",
                "a:b",
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","method":"own/note","params":{"name":"a"}}"#,
                MessageKind::Notification,
                "",
                "own/note",
                "",
                "",
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}"#,
                MessageKind::Answer,
                "1",
                "",
                "2025-11-25",
                "",
                None,
            ),
            (
                r#"{"jsonrpc":"2.0","id":null,"error":{"code":-7,"message":""}}"#,
                MessageKind::Answer,
                "",
                "",
                "",
                "",
                Some(-7),
            ),
            ("[]", MessageKind::Batch, "", "", "", "", None),
            ("{", MessageKind::Unknown, "", "", "", "", None),
            ("{}", MessageKind::Unknown, "", "", "", "", None),
        ] {
            let message = Message::new(text).read(&shallow, None);
            let envelope = message.envelope();
            assert_eq!(envelope.kind, kind, "{text}");
            let shown = envelope.id.as_ref().map(IdKey::raw);
            assert_eq!(shown.as_deref().unwrap_or(""), id, "{text}");
            assert_eq!(envelope.method.as_deref().unwrap_or(""), method, "{text}");
            let shown = envelope.version.as_deref().or(envelope.agreed.as_deref());
            assert_eq!(shown.unwrap_or(""), version, "{text}");
            assert_eq!(envelope.name.as_deref().unwrap_or(""), name, "{text}");
            assert_eq!(envelope.error, error, "{text}");
        }
    }

    #[test]
    fn a_batch_that_was_made_here_has_its_requests() {
        let batch =
            r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"a","result":{}}]"#;
        let made = Message::made(batch.to_owned(), Purpose::Forward, Envelope::batch());
        assert_eq!(made.requests(), [IdKey::Number(1)]);
        let answers: Vec<_> = made.answers().iter().map(IdKey::raw).collect();
        assert_eq!(answers, [r#""a""#]);
    }

    #[test]
    fn a_changed_value_is_what_a_receiver_reads() {
        let message =
            kept(br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"[]"}}"#);
        let root = message.document().unwrap().root();
        let cursor = root.member("params").unwrap().member("cursor").unwrap();
        let sent = message.renamed(Renamed::value(cursor, r#""c1""#.to_owned()), root);
        let read = sent.read(&generous(), None);
        let params = read.document().unwrap().root().member("params").unwrap();
        assert_eq!(params.member("cursor").unwrap().string(), "c1");
    }

    #[test]
    fn a_changed_message_is_as_if_read_unless_a_stand_in_was_read() {
        for (text, is_read) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[1,{"a":"b"}]}"#,
                true,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1,"a":2}}"#,
                false,
            ),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"m","params":["\ud83d"]}"#,
                false,
            ),
        ] {
            let limits = ReadLimits::default();
            let message = Message::new(text).read(&limits, None);
            let mut edits = Edits::new();
            edits.replace(
                message.document().unwrap().root().member("id").unwrap(),
                "23",
            );
            let edited = message.edited(&edits);
            assert_eq!(
                edited.bytes(),
                text.replace(r#""id":1"#, r#""id":23"#).as_bytes()
            );
            assert_eq!(edited.document().is_ok(), is_read, "{text}");
            let again = edited.read(&limits, None);
            assert_eq!(again.flaw().is_none(), is_read, "{text}");
            assert_eq!(again.envelope().id, Some(IdKey::Number(23)));
        }
    }
}
