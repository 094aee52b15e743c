//! A scalar or a key that a pass over a text returns.

use crate::hash::key_hash_bytes;
use crate::node::{Key, Kind, Node};
use crate::number::Number;
use crate::tape::missing;

/// A value that is neither an array nor an object, or a key; read from a [`Stream`](super::Stream).
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'s> {
    pub(super) kind: Kind,
    /// A boolean's value, or whether `small` is the number.
    pub(super) yes: bool,
    pub(super) small: i64,
    pub(super) source: &'s str,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'s> Scalar<'s> {
    /// The value as written.
    // why: inlined into a loop over operations, this and `string` would be computed for every value.
    #[inline(never)]
    fn raw(self) -> &'s str {
        self.source
            .get(self.start..self.end)
            .unwrap_or_else(missing)
    }
}

impl<'s> Key<'s> for Scalar<'s> {
    fn text(self) -> &'s str {
        self.string()
    }

    #[inline(always)]
    fn bytes(self) -> &'s [u8] {
        let text = self.source.as_bytes().get(self.start + 1..self.end - 1);
        text.unwrap_or_else(|| missing().as_bytes())
    }

    #[inline]
    fn hash(self) -> u32 {
        key_hash_bytes(self.bytes())
    }

    fn identity(self) -> usize {
        usize::MAX - self.start
    }
}

impl<'s> Node<'s> for Scalar<'s> {
    type Key = Self;
    type Items = std::iter::Empty<Self>;
    type Members = std::iter::Empty<(Self, Self)>;

    #[inline(always)]
    fn kind(self) -> Kind {
        self.kind
    }

    #[inline]
    fn boolean(self) -> bool {
        self.kind == Kind::Boolean && self.yes
    }

    #[inline]
    fn number(self) -> Number<'s> {
        match self.kind {
            Kind::Number if self.yes => Number::from_i64(self.small),
            Kind::Number => Number::from_grammatical(self.raw()),
            _ => Number::from_i64(0),
        }
    }

    #[inline]
    fn number_bytes(self) -> usize {
        match self.kind {
            Kind::Number if !self.yes => Number::long_text(self.raw()),
            _ => 0,
        }
    }

    fn is_integer_literal(self) -> bool {
        self.kind == Kind::Number && !self.raw().contains(['.', 'e', 'E'])
    }

    #[inline(never)]
    fn string(self) -> &'s str {
        match self.kind {
            Kind::String => {
                let text = self.source.get(self.start + 1..self.end - 1);
                text.unwrap_or_else(missing)
            }
            _ => "",
        }
    }

    fn len(self) -> usize {
        0
    }

    fn items(self) -> Self::Items {
        std::iter::empty()
    }

    fn members(self) -> Self::Members {
        std::iter::empty()
    }

    fn item(self, _: usize) -> Option<Self> {
        None
    }

    fn member(self, _: &str) -> Option<Self> {
        None
    }

    /// Counts from the opposite end to the identities of a [`Stream::value`](super::Stream::value).
    fn identity(self) -> usize {
        usize::MAX - self.start
    }
}
