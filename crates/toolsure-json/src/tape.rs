//! The tape: one slot for each value and key, in source order.
//!
//! A member is its key's slot followed by its value's. A container is followed
//! by everything inside it; `a` is the index just after its last descendant.
//!
//! | tag | `a` | `b` | `c` |
//! |---|---|---|---|
//! | `Null`, `False`, `True`, `Number` | | | parent |
//! | `Small` (an integer of up to 18 digits) | high half | low half | parent |
//! | `String` | | | parent |
//! | `Escaped` (a string with escapes) | scratch start | scratch end | parent |
//! | `Array`, `Object` | end of subtree | children | parent |
//! | `Key` | | | key hash |
//! | `EscapedKey` | scratch start | scratch end | key hash |

use crate::contradiction::note_contradiction;
use crate::int;
use crate::node::Kind;

/// All slots of one document and the text of its escaped strings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    pub(crate) slots: Vec<Slot>,
    pub(crate) scratch: String,
    /// Whether a number may be beyond the range of a double: it has that many digits.
    pub(crate) has_long_numbers: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
    pub(crate) tag: Tag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Null,
    False,
    True,
    Number,
    Small,
    String,
    Escaped,
    Array,
    Object,
    Key,
    EscapedKey,
}

impl Tag {
    #[inline]
    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::False | Self::True => Kind::Boolean,
            Self::Number | Self::Small => Kind::Number,
            Self::String | Self::Escaped | Self::Key | Self::EscapedKey => Kind::String,
            Self::Array => Kind::Array,
            Self::Object => Kind::Object,
        }
    }

    #[inline]
    pub(crate) const fn is_key(self) -> bool {
        matches!(self, Self::Key | Self::EscapedKey)
    }

    #[inline]
    pub(crate) const fn is_container(self) -> bool {
        matches!(self, Self::Array | Self::Object)
    }
}

impl Slot {
    /// The index just after the value at `own` and everything in it.
    #[inline]
    pub(crate) const fn after(&self, own: u32) -> u32 {
        if self.tag.is_container() {
            self.a
        } else {
            own + 1
        }
    }
}

impl Tape {
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        self.scratch.clear();
        self.has_long_numbers = false;
    }

    #[inline]
    pub(crate) fn slot(&self, index: u32) -> Option<&Slot> {
        self.slots.get(int::to_usize(index))
    }

    /// The unescaped bytes of a string's or key's slot. Cheaper than [`text`](Self::text), which
    /// looks for character boundaries.
    #[inline]
    pub(crate) fn bytes<'a>(&'a self, slot: &Slot, source: &'a str) -> &'a [u8] {
        let found = match slot.tag {
            Tag::String | Tag::Key => source
                .as_bytes()
                .get(int::to_usize(slot.start) + 1..int::to_usize(slot.end) - 1),
            Tag::Escaped | Tag::EscapedKey => self
                .scratch
                .as_bytes()
                .get(int::to_usize(slot.a)..int::to_usize(slot.b)),
            _ => return &[],
        };
        found.unwrap_or_else(|| missing().as_bytes())
    }

    /// The unescaped text of a string's or key's slot.
    #[inline]
    pub(crate) fn text<'a>(&'a self, slot: &Slot, source: &'a str) -> &'a str {
        let found = match slot.tag {
            // The span includes the quotes.
            Tag::String | Tag::Key => {
                source.get(int::to_usize(slot.start) + 1..int::to_usize(slot.end) - 1)
            }
            Tag::Escaped | Tag::EscapedKey => self
                .scratch
                .get(int::to_usize(slot.a)..int::to_usize(slot.b)),
            _ => return "",
        };
        found.unwrap_or_else(missing)
    }
}

/// The text for a range that the source does not have.
///
/// The reader makes each range from bytes that it has just passed, so this is never reached. If it
/// is, no verdict is based on it, and a build with debug assertions panics.
#[cold]
pub(crate) fn missing<'a>() -> &'a str {
    note_contradiction();
    debug_assert!(false, "a place of a document outside its source");
    ""
}

/// The parent of the root; also means "no index".
pub(crate) const NONE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_stays_small() {
        assert_eq!(size_of::<Slot>(), 24);
    }
}
