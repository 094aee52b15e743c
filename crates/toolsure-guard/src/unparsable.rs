//! Recovers what is known of a message that cannot be parsed: its id, its method, its kind.
//!
//! A caller without an answer waits forever, so a message that is too large or has broken JSON must
//! still be answered, and the id is somewhere in it. This scan follows only strings and brackets, takes
//! any bytes in pieces of any size, and needs a small, constant amount of memory. Its findings only
//! decide who is answered.

use std::borrow::Cow;

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits};
use toolsure_mcp::message::{Message, RequestId};

use crate::reading::replace_lone_surrogates;

/// Scans a message piece by piece for members of its outermost object.
///
/// ```
/// use toolsure_guard::Recovery;
///
/// let mut recovery = Recovery::new();
/// recovery.feed(br#"{"params": {"id": 3, "deep": [[[["#);
/// recovery.feed(br#" "}" ]]]], x}, "id": "a-7", "method": "tools/"#);
/// recovery.feed(br#"call""#);
/// let found = recovery.finish();
/// assert_eq!(found.id.as_deref(), Some(r#""a-7""#));
/// assert_eq!(found.method.as_deref(), Some("tools/call"));
/// ```
#[derive(Debug, Default)]
pub struct Recovery {
    found: Recovered,
    started: bool,
    /// Whether the outermost object is closed: the rest belongs to another message.
    ended: bool,
    id: bool,
    method: bool,
    params: bool,
    version: bool,
    /// Open brackets.
    depth: u64,
    string: StringState,
    place: Place,
    /// The text of the current key or value, if it may matter.
    token: Vec<u8>,
    /// Whether the token is longer than the limit.
    overflow: bool,
    key: Key,
    bytes: u64,
}

/// The findings in the outermost object of a message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// Whether it starts like a JSON object or array.
    pub is_json: bool,
    /// Whether it starts like an array, and so like a batch.
    pub is_batch: bool,
    /// `id` as JSON text, a string or number of at most 256 bytes, if there is only one.
    pub id: Option<String>,
    /// `method`, if it is a string of at most 256 bytes, unescaped.
    pub method: Option<String>,
    /// Whether there is a `result` or `error`.
    pub is_answer: bool,
    /// Whether `jsonrpc`, `id`, `method` or `params` occurs twice, or `result` and `error` occur together.
    pub is_ambiguous: bool,
    /// How many bytes were scanned.
    pub bytes: u64,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum StringState {
    #[default]
    Outside,
    Inside,
    Escaped,
}

/// The position of the scan in the outermost object.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Key,
    Value,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Key {
    #[default]
    Other,
    Id,
    Method,
    Params,
    Version,
    Outcome,
}

impl Recovered {
    /// Whether the parsed id differs from the id that was written, because half a surrogate pair in it was
    /// replaced: then no answer could name it.
    pub(crate) fn has_broken_id(&self, message: &Message<'_>) -> bool {
        let written = self.id.as_deref();
        id_of(message).is_some_and(|id| written.is_some_and(|written| written != id.raw()))
    }
}

/// The id of a message.
pub(crate) fn id_of<'a>(message: &Message<'a>) -> Option<RequestId<'a>> {
    match message {
        Message::Request(request) => Some(request.id),
        Message::Result(outcome) => Some(outcome.id),
        Message::Error(id, _) => *id,
        Message::Notification(_) => None,
    }
}

impl Recovery {
    /// Creates a scan that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Scans a whole message.
    #[must_use]
    pub fn of(message: &[u8]) -> Recovered {
        let mut recovery = Self::new();
        recovery.feed(message);
        recovery.finish()
    }

    /// Scans the next piece.
    pub fn feed(&mut self, piece: &[u8]) {
        let pieces = u64::try_from(piece.len()).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(pieces);
        for byte in piece {
            self.take(*byte);
        }
    }

    /// The findings.
    #[must_use]
    pub fn finish(mut self) -> Recovered {
        // A number at the end may be the beginning of a longer one: `1` of `10`.
        let is_whole = |last: &u8| *last == b'"' || last.is_ascii_whitespace();
        if self.depth == 1 && self.place == Place::Value && self.token.last().is_some_and(is_whole)
        {
            self.end_value();
        }
        self.found.bytes = self.bytes;
        self.found
    }

    fn take(&mut self, byte: u8) {
        if !self.started {
            if byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(&byte) {
                return;
            }
            self.started = true;
            self.found.is_batch = byte == b'[';
            self.found.is_json = matches!(byte, b'{' | b'[');
        }
        // Batches and noise are not scanned.
        if !self.found.is_json || self.found.is_batch || self.ended {
            return;
        }
        match self.string {
            StringState::Escaped => {
                self.string = StringState::Inside;
                self.keep(byte);
                return;
            }
            StringState::Inside => {
                match byte {
                    b'\\' => self.string = StringState::Escaped,
                    b'"' => self.string = StringState::Outside,
                    _ => {}
                }
                self.keep(byte);
                return;
            }
            StringState::Outside => {}
        }
        match byte {
            b'"' => {
                self.string = StringState::Inside;
                self.keep(byte);
            }
            b'{' | b'[' => {
                self.depth = self.depth.saturating_add(1);
                if self.depth == 2 {
                    // A container is neither an id nor a method.
                    self.overflow = true;
                }
            }
            b'}' | b']' => {
                if self.depth == 1 {
                    self.end_value();
                    self.ended = true;
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 && self.place == Place::Key => self.end_key(),
            b',' if self.depth == 1 => self.end_value(),
            // Whitespace inside a token makes it invalid.
            _ if byte.is_ascii_whitespace() && self.token.is_empty() => {}
            _ => self.keep(byte),
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth != 1 {
            return;
        }
        if self.token.len() < KEPT {
            self.token.push(byte);
        } else {
            self.overflow = true;
        }
    }

    fn end_key(&mut self) {
        let name = string(self.token.trim_ascii_end()).unwrap_or_default();
        let key = match name.as_ref() {
            "id" => Key::Id,
            "method" => Key::Method,
            "params" => Key::Params,
            "jsonrpc" => Key::Version,
            "result" | "error" => Key::Outcome,
            _ => Key::Other,
        };
        self.key = if self.overflow { Key::Other } else { key };
        self.place = Place::Value;
        self.clear();
        match self.key {
            Key::Outcome => {
                self.found.is_ambiguous |= self.found.is_answer;
                self.found.is_answer = true;
            }
            Key::Params => {
                self.found.is_ambiguous |= self.params;
                self.params = true;
            }
            Key::Version => {
                self.found.is_ambiguous |= self.version;
                self.version = true;
            }
            Key::Id | Key::Method | Key::Other => {}
        }
    }

    fn end_value(&mut self) {
        if self.place == Place::Value {
            self.note();
        }
        self.place = Place::Key;
        self.key = Key::Other;
        self.clear();
    }

    fn note(&mut self) {
        let text = std::str::from_utf8(self.token.trim_ascii_end()).ok();
        let text = text.filter(|_| !self.overflow && self.string == StringState::Outside);
        let found = &mut self.found;
        match self.key {
            Key::Id => {
                let scalar = text.filter(|text| crate::id::IdKey::read(text).is_some());
                found.is_ambiguous |= self.id;
                // If there are two ids, either may be the one that a sender waits for.
                found.id = scalar.filter(|_| !self.id).map(str::to_owned);
                self.id = true;
            }
            Key::Method => {
                found.is_ambiguous |= self.method;
                found.method = text
                    .and_then(|text| string(text.as_bytes()))
                    .map(Cow::into_owned);
                self.method = true;
            }
            Key::Params | Key::Version | Key::Outcome | Key::Other => {}
        }
    }

    fn clear(&mut self) {
        self.token.clear();
        self.overflow = false;
    }
}

/// The value of a JSON string; half a surrogate pair is U+FFFD.
fn string(token: &[u8]) -> Option<Cow<'_, str>> {
    let text = std::str::from_utf8(token).ok()?;
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let document = OwnedDocument::read(
        replace_lone_surrogates(text).as_bytes(),
        &ReadLimits::default(),
    )
    .ok()?;
    let value = document.document().root();
    (value.kind() == Kind::String).then(|| Cow::Owned(value.string().to_owned()))
}

/// Maximum bytes of a key or value that are kept.
const KEPT: usize = 256;
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_stands_outermost() {
        for (text, id, method) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"method":"m","params":{"id":8,"method":"n"}}"#,
                Some("7"),
                Some("m"),
            ),
            (
                r#" {"id" : "a" , "method":"m", "params": oops"#,
                Some("\"a\""),
                Some("m"),
            ),
            (r#"{"params":{"id":8},"id":7}"#, Some("7"), None),
            (r#"{"params":[{"id":8},"}","\"{"],"id":7,"#, Some("7"), None),
            (
                r#"{"id":"a\"b","method":"a\"b"}"#,
                Some(r#""a\"b""#),
                Some("a\"b"),
            ),
            (
                r#"{"\u0069d":"a","m\u0065thod":"tools\/call"}"#,
                Some(r#""a""#),
                Some("tools/call"),
            ),
            // Half a surrogate pair.
            (
                r#"{"id":"\ud83d","method":"m\ud83d"}"#,
                Some(r#""\ud83d""#),
                Some("m\u{fffd}"),
            ),
            ("\u{feff}{\"id\":7,\"method\":\"m\"}", Some("7"), Some("m")),
            (r#"{"id":"cut"#, None, None),
            (r#"{"method":"m","id":1"#, None, Some("m")),
            (r#"{"method":"m","id":1 "#, Some("1"), Some("m")),
            (r#"{"id":null,"method":5}"#, None, None),
            (r#"{"id":[1],"method":{"a":"b"}}"#, None, None),
            (r#"{"id":1 2}"#, None, None),
            (r#"{"a":"id","b":1}"#, None, None),
            (r#"{"a":1} {"id":2}"#, None, None),
            (r#"{"id":1,"id":2}"#, None, None),
            (r#"{"id":1,"id":2,"id":3}"#, None, None),
            ("listening on port 3000", None, None),
            ("", None, None),
        ] {
            let found = Recovery::of(text.as_bytes());
            assert_eq!(found.id.as_deref(), id, "{text}");
            assert_eq!(found.method.as_deref(), method, "{text}");
            let mut pieces = Recovery::new();
            for byte in text.as_bytes() {
                pieces.feed(&[*byte]);
            }
            assert_eq!(pieces.finish(), found, "{text}");
        }
    }

    #[test]
    fn knows_kinds_and_doubles() {
        assert!(!Recovery::of(b"warning: {}").is_json);
        assert!(Recovery::of(b" [{").is_batch);
        assert!(Recovery::of(br#"{"id":1,"result":{"#).is_answer);
        for (text, doubled) in [
            (r#"{"id":1,"id":2}"#, true),
            (r#"{"id":1,"method":"a","method":"a"}"#, true),
            (r#"{"id":1,"method":"a","m\u0065thod":"b"}"#, true),
            (r#"{"id":1,"method":"a","method":5}"#, true),
            (r#"{"id":1,"method":5,"method":"a"}"#, true),
            (r#"{"id":1,"params":{},"params":{}}"#, true),
            (r#"{"id":1,"result":{},"error":{}}"#, true),
            (r#"{"jsonrpc":"2.0","method":"a","jsonrpc":"2.0"}"#, true),
            (r#"{"id":1,"params":{"id":1,"a":1,"a":2}}"#, false),
        ] {
            assert_eq!(
                Recovery::of(text.as_bytes()).is_ambiguous,
                doubled,
                "{text}"
            );
        }
    }

    #[test]
    fn long_ids_are_not_kept() {
        for (length, kept) in [(KEPT - 2, true), (KEPT - 1, false)] {
            let text = format!(r#"{{"id":"{}"}}"#, "x".repeat(length));
            assert_eq!(Recovery::of(text.as_bytes()).id.is_some(), kept, "{length}");
        }
    }
}
