//! A digest of a JSON value that does not depend on how the value is written.

use std::fmt;

use sha2::{Digest as _, Sha256};
use toolsure_json::{
    DuplicateKeys, Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View, canonical_json,
    exact_object, json_string,
};

/// A SHA-256 digest; `Display` is `sha256:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads what `Display` writes.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        if digits.len() != 64 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let mut bytes = [0; 32];
        for (index, byte) in bytes.iter_mut().enumerate() {
            let pair = digits.get(2 * index..2 * index + 2)?;
            *byte = u8::from_str_radix(pair, 16).ok()?;
        }
        Some(Self(bytes))
    }

    /// The digest of a value's canonical form (RFC 8785); `None` if it has none, as
    /// [`canonical_json`] says.
    ///
    /// ```
    /// use toolsure_guard::Digest;
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    ///
    /// let of = |text: &str| {
    ///     let document = OwnedDocument::read(text, &ReadLimits::default()).ok()?;
    ///     Digest::of(document.document().root())
    /// };
    /// assert_eq!(of(r#"{"a": 10, "b": "é"}"#), of(r#"{"b":"\u00e9","a":1e1}"#));
    /// assert_eq!(of("1e400"), None);
    /// ```
    #[must_use]
    pub fn of(value: View<'_>) -> Option<Self> {
        canonical_json(value).as_deref().map(Self::of_text)
    }

    /// The digest of a definition, as a server lists it.
    pub(crate) fn of_definition(listed: &str) -> Option<Self> {
        let document = OwnedDocument::read(listed, &limits()).ok()?;
        Self::of(document.document().root())
    }

    /// The digest of a list, which does not depend on order and pages: that of an object whose members are the names
    /// of the entries, with the texts of their digests. `None` if two entries have one name.
    ///
    /// ```
    /// use toolsure_guard::Digest;
    ///
    /// let (a, b) = (Digest::of_bytes(b"a"), Digest::of_bytes(b"b"));
    /// assert_eq!(Digest::of_list([("a", a), ("b", b)]), Digest::of_list([("b", b), ("a", a)]));
    /// assert_eq!(Digest::of_list([("a", a), ("a", b)]), None);
    /// ```
    #[must_use]
    pub fn of_list<'n>(entries: impl IntoIterator<Item = (&'n str, Self)>) -> Option<Self> {
        let members = entries.into_iter();
        let members = members.map(|(name, digest)| format!(r#"{}:"{digest}""#, json_string(name)));
        let text = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        let unique = ReadLimits {
            duplicate_keys: DuplicateKeys::Refuse,
            ..limits()
        };
        let document = OwnedDocument::read(text, &unique).ok()?;
        Self::of(document.document().root())
    }

    /// The digest of an array of tools, as [`Self::of_list`]. `None` if a tool has no name or no digest.
    pub(super) fn of_tools(tools: View<'_>) -> Option<Self> {
        let named = tools.items().map(|tool| {
            let name = tool.member("name")?;
            let is_name = name.kind() == Kind::String;
            is_name.then_some((name.string(), Self::of(tool)?))
        });
        let all: Option<Vec<_>> = named.collect();
        Self::of_list(all?)
    }

    /// The digest of bytes, such as a token.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Whether two digests are equal, in a time that does not depend on them.
    #[must_use]
    pub fn is(&self, other: &[u8; 32]) -> bool {
        let difference = self.0.iter().zip(other);
        let difference = difference.fold(0, |all, (a, b)| all | (a ^ b));
        std::hint::black_box(difference) == 0
    }

    /// The digest of some members of an object, and of one that is not among them, with their names.
    pub(super) fn of_members<'a>(
        object: View<'a>,
        wanted: impl Fn(&str) -> bool,
        also: Option<(&'a str, View<'a>)>,
    ) -> Self {
        let mut members: Vec<(&str, View<'_>)> = also.into_iter().collect();
        for (key, value) in object.members() {
            if wanted(key.text()) {
                members.push((key.text(), value));
            }
        }
        Self::of_text(&exact_object(members))
    }

    fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The limits with which the catalog reads definitions.
pub(super) fn limits() -> ReadLimits {
    ReadLimits {
        bytes: 64 << 20,
        depth: 16_384,
        nodes: 8_000_000,
        ..ReadLimits::default()
    }
}

const PREFIX: &str = "sha256:";
