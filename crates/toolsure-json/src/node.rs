//! The interface of every representation of a JSON value.

use std::fmt;

use crate::hash::NameEnds;
use crate::number::Number;

/// The six types of JSON values (RFC 8259 section 1).
///
/// ```
/// use toolsure_json::Kind;
///
/// assert_eq!(Kind::Array.name(), "array");
/// assert!(Kind::Array.is_container() && !Kind::String.is_container());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON has exactly six types; callers match on all of them"
)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number, whether whole or not
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl Kind {
    /// The type's name as JSON Schema spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// Whether values of this type have children: true for arrays and objects.
    #[must_use]
    pub const fn is_container(self) -> bool {
        matches!(self, Self::Array | Self::Object)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A JSON value that lives for `'a`.
///
/// A node is a cheap handle. Asking a node for something that it is not gives the empty result
/// named at each method, never a panic. A node that finds itself broken calls
/// [`note_contradiction`](crate::note_contradiction), so that no verdict is based on its result.
///
/// ```
/// use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, ReadLimits, key_hash};
///
/// let text = r#"{"size": 1.0, "open": true, "names": ["x"]}"#;
/// let text = OwnedDocument::read(text, &ReadLimits::default())?;
/// let root = text.document().root();
/// assert_eq!((root.kind(), root.len(), root.is_empty()), (Kind::Object, 3, false));
/// let keys: Vec<&str> = root.members().map(|(key, _)| key.text()).collect();
/// assert_eq!(keys, ["size", "open", "names"]);
///
/// let size = root.member("size").ok_or("no size")?;
/// assert!(size.number().is_integer() && !size.is_integer_literal());
/// assert_eq!(size.number_bytes(), 0); // not more than 64
/// let open = root.member_hashed("open", || key_hash("open"));
/// assert!(open.is_some_and(|open| open.boolean()));
/// let names = root.member("names").ok_or("no names")?;
/// assert_eq!(names.item(0).map(|name| name.string()), Some("x"));
/// assert_eq!(names.items().count(), 1);
/// assert_ne!(names.identity(), root.identity());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Node<'a>: Copy {
    /// Whether members mostly come in the byte order of their names: a hint that may make a walk
    /// cheaper and never makes it wrong.
    const SORTED: bool = false;

    /// A member's name.
    type Key: Key<'a>;
    /// The items of an array, in order.
    type Items: Iterator<Item = Self>;
    /// The members of an object, in source order where there is one.
    type Members: Iterator<Item = (Self::Key, Self)>;

    /// The value's type.
    fn kind(self) -> Kind;

    /// The boolean; `false` if it is not one.
    fn boolean(self) -> bool;

    /// The number; 0 if it is not one.
    fn number(self) -> Number<'a>;

    /// How many bytes of text [`number`](Self::number) and
    /// [`is_integer_literal`](Self::is_integer_literal) read each time, if they are more than 64: no
    /// machine number is written with that many. 0 for every other value. [`pay_for_number`] pays for
    /// them.
    ///
    /// [`pay_for_number`]: crate::pay_for_number
    fn number_bytes(self) -> usize {
        0
    }

    /// Whether a number is written without fraction and exponent, which draft 4 of JSON Schema
    /// requires of an `integer`; `false` if it is not a number. A representation that forgets how a
    /// number was written may go by its value.
    fn is_integer_literal(self) -> bool {
        self.kind() == Kind::Number && self.number().is_integer()
    }

    /// The string after unescaping; empty if it is not one.
    fn string(self) -> &'a str;

    /// The number of items or members; 0 for other types.
    fn len(self) -> usize;

    /// Whether there are no items or members.
    fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The items; none if it is not an array.
    fn items(self) -> Self::Items;

    /// The members; none if it is not an object.
    fn members(self) -> Self::Members;

    /// The item at `index`, if it is an array with that many items. May take `index` steps.
    fn item(self, index: usize) -> Option<Self>;

    /// The member with this name, if it is an object that has it. May take as many steps as there
    /// are members.
    fn member(self, name: &str) -> Option<Self>;

    /// As [`member`](Self::member), for callers that may already have [`key_hash`](crate::key_hash)
    /// of `name`.
    fn member_hashed(self, name: &str, hash: impl FnOnce() -> u32) -> Option<Self> {
        let _ = hash;
        self.member(name)
    }

    /// A number that no other live value or key of the same instance has.
    fn identity(self) -> usize;
}

/// A member's name that lives for `'a`.
///
/// ```
/// use toolsure_json::{Key as _, NameEnds, Node as _, OwnedDocument, ReadLimits, key_hash};
///
/// let text = OwnedDocument::read(r#"{"\u0061": 1}"#, &ReadLimits::default())?;
/// let root = text.document().root();
/// for (key, value) in root.members() {
///     assert_eq!((key.text(), key.bytes()), ("a", b"a".as_slice()));
///     assert_eq!(key.hash(), key_hash("a"));
///     assert_eq!(key.hash_of(NameEnds::of(b"a")), key.hash());
///     assert_ne!(key.identity(), value.identity());
/// }
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
pub trait Key<'a>: Copy {
    /// The name after unescaping.
    fn text(self) -> &'a str;

    /// The bytes of [`text`](Self::text).
    fn bytes(self) -> &'a [u8] {
        self.text().as_bytes()
    }

    /// [`key_hash`](crate::key_hash) of [`text`](Self::text).
    fn hash(self) -> u32;

    /// As [`hash`](Self::hash), for callers that already have the name's ends.
    fn hash_of(self, ends: NameEnds) -> u32 {
        let _ = ends;
        self.hash()
    }

    /// A number that no other live value or key of the same instance has.
    fn identity(self) -> usize;
}
