//! A tape as the engine's `Node`.

use toolsure_json::{Key, Kind, NameEnds, Node, Number, key_hash};

use super::slots::{Slot, Texts};

/// A value of a tape.
#[derive(Clone, Copy)]
pub(crate) struct TapeNode<'t> {
    tape: &'t Texts<'t>,
    at: usize,
}

/// A member's name.
#[derive(Clone, Copy)]
pub(crate) struct TapeKey<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Key<'t> for TapeKey<'t> {
    #[inline]
    fn text(self) -> &'t str {
        self.text
    }

    #[inline]
    fn hash(self) -> u32 {
        key_hash(self.text)
    }

    #[inline]
    fn hash_of(self, ends: NameEnds) -> u32 {
        ends.hash(self.text.as_bytes())
    }

    #[inline]
    fn identity(self) -> usize {
        self.at
    }
}

/// The items of an array.
#[derive(Clone)]
pub(crate) struct TapeItems<'t> {
    next: TapeNode<'t>,
    left: usize,
}

impl<'t> Iterator for TapeItems<'t> {
    type Item = TapeNode<'t>;

    #[inline]
    fn next(&mut self) -> Option<TapeNode<'t>> {
        self.left = self.left.checked_sub(1)?;
        let item = self.next;
        self.next.at = item.tape.after(item.at);
        Some(item)
    }
}

/// The members of an object.
#[derive(Clone)]
pub(crate) struct TapeMembers<'t>(TapeItems<'t>);

impl<'t> Iterator for TapeMembers<'t> {
    type Item = (TapeKey<'t>, TapeNode<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.left = self.0.left.checked_sub(1)?;
        let TapeNode { tape, at } = self.0.next;
        let value = TapeNode { tape, at: at + 1 };
        self.0.next.at = tape.after(value.at);
        let text = match tape.slot(at) {
            Slot::Text(index) => tape.text(index),
            _ => "",
        };
        Some((TapeKey { text, at }, value))
    }
}

impl<'t> Texts<'t> {
    /// The whole value.
    pub(crate) fn root(&'t self) -> TapeNode<'t> {
        TapeNode::at(self, 0)
    }
}

impl<'t> TapeNode<'t> {
    /// The value at a slot.
    pub(super) fn at(tape: &'t Texts<'t>, at: usize) -> Self {
        Self { tape, at }
    }

    fn slot(self) -> Slot {
        self.tape.slot(self.at)
    }

    fn children(self, count: usize) -> TapeItems<'t> {
        TapeItems {
            next: Self {
                at: self.at + 1,
                ..self
            },
            left: count,
        }
    }
}

impl<'t> Node<'t> for TapeNode<'t> {
    type Key = TapeKey<'t>;
    type Items = TapeItems<'t>;
    type Members = TapeMembers<'t>;

    #[inline]
    fn kind(self) -> Kind {
        match self.slot() {
            Slot::Null => Kind::Null,
            Slot::Boolean(_) => Kind::Boolean,
            Slot::Integer(_) | Slot::Float(_) | Slot::Digits(_) => Kind::Number,
            Slot::Text(_) => Kind::String,
            Slot::Array { .. } => Kind::Array,
            Slot::Object { .. } => Kind::Object,
        }
    }

    #[inline]
    fn boolean(self) -> bool {
        matches!(self.slot(), Slot::Boolean(true))
    }

    #[inline]
    fn number(self) -> Number<'t> {
        match self.slot() {
            Slot::Integer(value) => Number::from_i64(value),
            Slot::Float(value) => Number::from_f64(value),
            Slot::Digits(index) => {
                Number::parse(self.tape.text(index)).unwrap_or(Number::from_i64(0))
            }
            _ => Number::from_i64(0),
        }
    }

    #[inline]
    fn number_bytes(self) -> usize {
        match self.slot() {
            Slot::Digits(index) => Number::long_text(self.tape.text(index)),
            _ => 0,
        }
    }

    /// Never true for a Python `float`, which `json.dumps` writes with a fraction.
    fn is_integer_literal(self) -> bool {
        matches!(self.slot(), Slot::Integer(_) | Slot::Digits(_))
    }

    #[inline]
    fn string(self) -> &'t str {
        match self.slot() {
            Slot::Text(index) => self.tape.text(index),
            _ => "",
        }
    }

    #[inline]
    fn len(self) -> usize {
        match self.slot() {
            Slot::Array { len, .. } | Slot::Object { len, .. } => len,
            _ => 0,
        }
    }

    #[inline]
    fn items(self) -> TapeItems<'t> {
        match self.slot() {
            Slot::Array { len, .. } => self.children(len),
            _ => self.children(0),
        }
    }

    #[inline]
    fn members(self) -> TapeMembers<'t> {
        match self.slot() {
            Slot::Object { len, .. } => TapeMembers(self.children(len)),
            _ => TapeMembers(self.children(0)),
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        self.items().nth(index)
    }

    fn member(self, name: &str) -> Option<Self> {
        let found = self.members().find(|(key, _)| key.text == name);
        found.map(|(_, value)| value)
    }

    #[inline]
    fn identity(self) -> usize {
        self.at
    }
}
