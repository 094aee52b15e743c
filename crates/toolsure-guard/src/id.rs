//! Ids of requests as keys: equal ids have equal keys, different ids different ones.

use std::fmt;
use std::sync::Arc;

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, json_string};
use toolsure_mcp::message::RequestId;

use crate::reading::replace_lone_surrogates;

/// The id of a JSON-RPC request, for tables of open requests.
///
/// `1` and `1.0` are the same id; `"1"` is a different one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC ids are strings and numbers, and nothing else"
)]
pub enum IdKey {
    /// An integer of 64 bits.
    Number(i64),
    /// A string, unescaped.
    Text(Arc<str>),
    /// Any other number, as the canonical JSON text of its value.
    Other(Arc<str>),
}

impl IdKey {
    /// The key of an id.
    #[must_use]
    pub fn of(id: RequestId<'_>) -> Self {
        let raw = id.raw();
        if let Some(number) = plain_number(raw) {
            return Self::Number(number);
        }
        if let Some(plain) = plain_string(raw) {
            return Self::Text(Arc::from(plain));
        }
        let key = id.key();
        match key.split_at_checked(1) {
            Some(("s", text)) => Self::Text(Arc::from(text)),
            Some((_, number)) => number
                .parse()
                .map_or_else(|_| Self::Other(Arc::from(number)), Self::Number),
            None => Self::Text(Arc::from("")),
        }
    }

    /// The key of an id that is given as JSON text; `None` if it is neither a string nor a number. Half a
    /// surrogate pair in it counts as U+FFFD.
    #[must_use]
    pub fn read(raw: &str) -> Option<Self> {
        let limits = ReadLimits {
            bytes: RAW_BYTES,
            depth: 1,
            nodes: 1,
            ..ReadLimits::default()
        };
        let document =
            OwnedDocument::read(replace_lone_surrogates(raw).as_bytes(), &limits).ok()?;
        let id = document.document().root();
        match id.kind() {
            Kind::String => Some(Self::Text(Arc::from(id.string()))),
            Kind::Number => {
                let number = id.number();
                let key = number.as_i64().map(Self::Number);
                Some(key.unwrap_or_else(|| Self::Other(Arc::from(number.to_string()))))
            }
            _ => None,
        }
    }

    /// The id of the other type with the same digits: `4` for `"4"` and `"4"` for `4`.
    pub(crate) fn of_other_type(&self) -> Option<Self> {
        match self {
            Self::Number(number) => Some(Self::Text(number.to_string().into())),
            Self::Text(text) => plain_number(text).map(Self::Number),
            Self::Other(_) => None,
        }
    }

    /// The id as JSON text. The spelling is not kept: `1.0` becomes `1`.
    #[must_use]
    pub fn raw(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(plain) => json_string(plain),
            Self::Other(number) => number.as_ref().to_owned(),
        }
    }
}

impl fmt::Display for IdKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(plain) => write!(f, "\"{}\"", toolsure_json::quote(plain, SHOWN)),
            Self::Other(number) => toolsure_json::quote(number, SHOWN).fmt(f),
        }
    }
}

/// A number in the form in which it would be printed.
fn plain_number(raw: &str) -> Option<i64> {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    let plain = digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit());
    // `-0` is another spelling of the number 0.
    if !plain || raw == "-0" {
        return None;
    }
    raw.parse().ok()
}

/// The text between the quotes of a string without escapes.
fn plain_string(raw: &str) -> Option<&str> {
    let inner = raw.strip_prefix('"')?.strip_suffix('"')?;
    (!inner.contains('\\')).then_some(inner)
}

/// Maximum characters of an id that a message repeats.
const SHOWN: usize = 64;
/// Maximum bytes of an id that is read alone.
const RAW_BYTES: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_mcp::message::Message;

    fn key(id: &str) -> IdKey {
        let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"m"}}"#);
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        match Message::decode(document.document().root()).unwrap() {
            Message::Request(request) => IdKey::of(request.id),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn equal_ids_have_equal_keys() {
        for (left, right) in [
            ("1", "1.0"),
            ("1", "10e-1"),
            ("0", "-0"),
            (r#""a""#, r#""\u0061""#),
            ("12345678901234567890", "1234567890123456789e1"),
        ] {
            assert_eq!(key(left), key(right), "{left} {right}");
            assert_eq!(IdKey::read(left), Some(key(right)), "{left} {right}");
        }
        for (left, right) in [("1", r#""1""#), ("1", "1.5"), (r#""""#, r#"" ""#)] {
            assert_ne!(key(left), key(right), "{left} {right}");
        }
    }

    #[test]
    fn keys_read_back() {
        for id in [
            "1",
            "-7",
            r#""a\"\n""#,
            "1.5",
            "123456789012345678901",
            r#""""#,
        ] {
            assert_eq!(IdKey::read(&key(id).raw()), Some(key(id)), "{id}");
        }
        assert_eq!(IdKey::read("null"), None);
        assert_eq!(IdKey::read("[1]"), None);
        assert_eq!(IdKey::read(""), None);
    }
}
