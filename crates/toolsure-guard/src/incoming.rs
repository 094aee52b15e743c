//! An incoming message, parsed once.
//!
//! The first parse refuses two things that RFC 8259 leaves open: duplicate members, and escapes for
//! half a surrogate pair. If no filter checks the message it must still pass, so the second parse
//! reads a substitute: the last of several equal members counts, and half a pair is replaced by U+FFFD,
//! which has as many bytes. Every offset in the substitute is the same in the message.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{
    Document, DuplicateKeys, Kind, Node as _, Parsed, ReadError, ReadErrorKind, ReadLimits, Reader,
    quote,
};
use toolsure_mcp::message::{Incoming, Message};

use crate::effect::HttpRefusal;
use crate::envelope::Envelope;
use crate::filter::SHOWN_NUMBER;
use crate::id::IdKey;
use crate::reading::{read_message, replace_lone_surrogates};
use crate::recover::{Recovered, Recovery, id_of};

/// One incoming message or batch, with its parsed form. It is parsed where it arrives
/// ([`Guard::read`](crate::Guard::read)) and passed from stage to stage as long as no stage changes it.
#[derive(Debug)]
pub struct IncomingMessage<'m> {
    bytes: &'m [u8],
    parsed: Result<Parsed<'m>, ReadError>,
    /// Why the first parse failed, if the second one read a substitute.
    flaw: Option<ReadError>,
    refusal: Option<Arc<HttpRefusal>>,
    ttl: Option<Duration>,
    is_replay: bool,
}

/// A parsed message.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) document: Document<'a>,
    /// Why the first parse failed, if this is a substitute.
    pub(crate) flaw: Option<&'a ReadError>,
    /// Whether the client resumed the stream that the message came on.
    pub(crate) is_replay: bool,
}

impl Reading<'_> {
    /// Whether two readers of the message can see two different values.
    pub(crate) fn is_ambiguous(&self) -> bool {
        let flaw = self.flaw;
        flaw.is_some_and(|flaw| flaw.kind() == ReadErrorKind::DuplicateKey)
    }

    /// Why the envelope of a message cannot be trusted, and what a scan finds of it. Each reader decides
    /// for itself which of two ids or methods counts, and which request a cancellation means, and no answer
    /// could name an id with half a surrogate pair. `bytes` are the original message, or its element of a
    /// batch.
    pub(crate) fn broken_envelope(
        &self,
        bytes: &[u8],
        message: &Message<'_>,
    ) -> Option<(Recovered, String)> {
        if let Some(id) = id_of(message).filter(|id| id.is_beyond_double()) {
            let id = quote(id.raw(), SHOWN_NUMBER);
            let why = format!("the id {id} is beyond the range of a double");
            return Some((Recovery::of(bytes), why));
        }
        let flaw = self.flaw?;
        let found = Recovery::of(bytes);
        let cancels = matches!(message, Message::Notification(note) if note.method == "notifications/cancelled");
        let is_broken =
            found.is_ambiguous || found.has_broken_id(message) || (cancels && self.is_ambiguous());
        is_broken.then(|| (found, flaw.to_string()))
    }
}

impl<'m> IncomingMessage<'m> {
    /// Parses a message into the memory of a reader.
    pub(crate) fn read(reader: Reader, bytes: &'m [u8], limits: &ReadLimits) -> Self {
        let whole = |parsed| Self {
            bytes,
            parsed,
            flaw: None,
            refusal: None,
            ttl: None,
            is_replay: false,
        };
        let error = match reader.parse(Cow::Borrowed(bytes), limits) {
            Ok(parsed) => return whole(Ok(parsed)),
            Err(error) => error,
        };
        if !matches!(
            error.kind(),
            ReadErrorKind::DuplicateKey | ReadErrorKind::LoneSurrogate
        ) {
            return whole(Err(error));
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return whole(Err(error));
        };
        let stand_in = match replace_lone_surrogates(text) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        let limits = ReadLimits {
            duplicate_keys: DuplicateKeys::KeepLast,
            ..*limits
        };
        let strict = ReadLimits {
            duplicate_keys: DuplicateKeys::Refuse,
            ..limits
        };
        // This flaw matters more, because another reader could see another value.
        let flaw = match Reader::new().read(&stand_in, &strict) {
            Err(again) if again.kind() == ReadErrorKind::DuplicateKey => again,
            _ => error,
        };
        let parsed = Reader::new().parse(stand_in, &limits);
        Self {
            bytes,
            flaw: parsed.is_ok().then_some(flaw),
            parsed,
            refusal: None,
            ttl: None,
            is_replay: false,
        }
    }

    /// Marks the message as the error for a request that its server refused over HTTP.
    #[must_use]
    pub fn refused(mut self, refusal: Option<Arc<HttpRefusal>>) -> Self {
        self.refusal = refusal;
        self
    }

    /// Says how long the result in the message may be cached ([`Outgoing::ttl`](crate::Outgoing::ttl)).
    #[must_use]
    pub fn cacheable_for(mut self, ttl: Option<Duration>) -> Self {
        self.ttl = ttl;
        self
    }

    /// Marks the message as one on a stream that the client resumed with `Last-Event-ID` (2025-11-25,
    /// Streamable HTTP, "Resumability and Redelivery"). The request that it answers may have been answered
    /// before.
    #[must_use]
    pub fn replayed(mut self, is_replay: bool) -> Self {
        self.is_replay = is_replay;
        self
    }

    /// How its server refused over HTTP, if this is the error for that.
    pub(crate) fn refusal(&self) -> Option<&Arc<HttpRefusal>> {
        self.refusal.as_ref()
    }

    /// How long the result in it may be cached, if a stage on the server's side has said so.
    pub(crate) fn ttl(&self) -> Option<Duration> {
        self.ttl
    }

    /// The message as received.
    #[must_use]
    pub fn bytes(&self) -> &'m [u8] {
        self.bytes
    }

    /// The envelope that routes it. A message above a limit of the reader is parsed without limits for
    /// this, since a side waits for its answer.
    #[must_use]
    pub fn envelope(&self) -> Envelope {
        let Ok(reading) = self.reading() else {
            return read_message(self.bytes, |message, _| Envelope::of(&message))
                .unwrap_or_default();
        };
        match Incoming::of(reading.document) {
            Incoming::Batch(_) => Envelope::batch(),
            Incoming::Single(view) => {
                let message = Message::decode(view);
                message.map_or_else(|_| Envelope::default(), |message| Envelope::of(&message))
            }
        }
    }

    /// The ids of the requests in it that must be answered; a batch may have several. A request in a batch
    /// whose id can be read in two ways is answered without an id.
    #[must_use]
    pub fn requests(&self) -> Vec<IdKey> {
        let request = |message: Message<'_>| match message {
            Message::Request(request) => Some(IdKey::of(request.id)),
            _ => None,
        };
        let Some(elements) = self.elements().filter(|_| self.flaw.is_some()) else {
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
        self.ids(|message| match message {
            Message::Result(outcome) => Some(IdKey::of(outcome.id)),
            Message::Error(id, _) => id.map(IdKey::of),
            _ => None,
        })
    }

    /// The messages of a batch, as received; `None` if it is not a batch.
    #[must_use]
    pub fn elements(&self) -> Option<Vec<&'m [u8]>> {
        let document = self.reading().ok()?.document;
        let is_batch = document.root().kind() == Kind::Array;
        is_batch.then(|| elements(document, self.bytes))
    }

    /// The ids that `find` returns for the messages in it.
    fn ids(&self, find: impl Fn(Message<'_>) -> Option<IdKey>) -> Vec<IdKey> {
        let Ok(reading) = self.reading() else {
            return Vec::new();
        };
        let id = |view| Message::decode(view).ok().and_then(&find);
        match Incoming::of(reading.document) {
            Incoming::Single(view) => id(view).into_iter().collect(),
            Incoming::Batch(views) => views.items().filter_map(id).collect(),
        }
    }

    /// Whether it is one message whose envelope can be trusted.
    pub(crate) fn is_clear(&self) -> bool {
        let Ok(reading) = self.reading() else {
            return false;
        };
        let message = Message::decode(reading.document.root());
        message.is_ok_and(|message| reading.broken_envelope(self.bytes, &message).is_none())
    }

    /// The parsed form.
    pub(crate) fn reading(&self) -> Result<Reading<'_>, &ReadError> {
        let parsed = self.parsed.as_ref()?;
        Ok(Reading {
            document: parsed.document(),
            flaw: self.flaw.as_ref(),
            is_replay: self.is_replay,
        })
    }

    /// The message as text; empty if it cannot be read.
    pub(crate) fn text(&self) -> &str {
        match (&self.parsed, &self.flaw) {
            (Ok(parsed), None) => parsed.document().source(),
            (Ok(_), Some(_)) => std::str::from_utf8(self.bytes).unwrap_or_default(),
            (Err(_), _) => "",
        }
    }

    /// The memory that it was parsed into.
    pub(crate) fn into_reader(self) -> Option<Reader> {
        self.parsed.ok().map(Parsed::into_reader)
    }
}

/// The texts of the elements of a batch, as received.
pub(crate) fn elements<'m>(document: Document<'_>, message: &'m [u8]) -> Vec<&'m [u8]> {
    let spans = document.root().items().map(|item| item.span());
    spans
        .filter_map(|span| message.get(span.start..span.end))
        .collect()
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
            let message =
                IncomingMessage::read(Reader::new(), text.as_bytes(), &ReadLimits::default());
            assert_eq!(message.reading().is_ok(), read, "{text}");
            if let Ok(reading) = message.reading() {
                assert_eq!(reading.is_ambiguous(), ambiguous, "{text}");
                assert_eq!(reading.document.source().len(), text.len());
                assert_eq!(message.text(), text);
            }
        }
    }

    #[test]
    fn an_id_beyond_a_double_is_refused_under_itself() {
        for (id, is_broken) in [("1e400", true), ("-1e999", true), ("1e300", false)] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            let limits = ReadLimits::default();
            let message = IncomingMessage::read(Reader::new(), text.as_bytes(), &limits);
            let reading = message.reading().unwrap();
            let decoded = Message::decode(reading.document.root()).unwrap();
            let found = reading.broken_envelope(text.as_bytes(), &decoded);
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
            let message =
                IncomingMessage::read(Reader::new(), text.as_bytes(), &ReadLimits::default());
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
            let message = IncomingMessage::read(Reader::new(), text.as_bytes(), &shallow);
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
}
