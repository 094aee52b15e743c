//! `serde_json::Value` as an instance; no other module depends on its representation.

use serde_json::Value;
use toolsure_json::{Key, Kind, NameEnds, Node, Number, key_hash, note_contradiction};

/// A borrowed `serde_json` value as a [`Node`].
#[derive(Debug, Clone, Copy)]
pub struct ValueNode<'v>(&'v Value);

impl<'v> ValueNode<'v> {
    /// Wraps a value.
    ///
    /// ```
    /// use toolsure_schema::{Kind, Node as _, ValueNode};
    ///
    /// let value = serde_json::json!([1]);
    /// assert_eq!(ValueNode::new(&value).kind(), Kind::Array);
    /// ```
    #[must_use]
    pub fn new(value: &'v Value) -> Self {
        Self(value)
    }

    /// The value.
    ///
    /// ```
    /// use toolsure_schema::ValueNode;
    ///
    /// let value = serde_json::json!([1]);
    /// assert_eq!(ValueNode::new(&value).value(), &value);
    /// ```
    #[must_use]
    pub fn value(self) -> &'v Value {
        self.0
    }
}

/// A member's name in a `serde_json` map.
#[derive(Debug, Clone, Copy)]
pub struct ValueKey<'v>(&'v String);

impl<'v> Key<'v> for ValueKey<'v> {
    #[inline]
    fn text(self) -> &'v str {
        self.0
    }

    #[inline]
    fn hash(self) -> u32 {
        key_hash(self.0)
    }

    #[inline]
    fn hash_of(self, ends: NameEnds) -> u32 {
        ends.hash(self.0.as_bytes())
    }

    #[inline]
    fn identity(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }
}

/// The items of a `serde_json` array.
#[derive(Debug, Clone)]
pub struct ValueItems<'v>(std::slice::Iter<'v, Value>);

impl<'v> Iterator for ValueItems<'v> {
    type Item = ValueNode<'v>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(ValueNode)
    }
}

/// The members of a `serde_json` object, in the map's order.
#[derive(Debug, Clone)]
pub struct ValueMembers<'v>(Option<serde_json::map::Iter<'v>>);

impl<'v> Iterator for ValueMembers<'v> {
    type Item = (ValueKey<'v>, ValueNode<'v>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.0.as_mut()?.next()?;
        Some((ValueKey(key), ValueNode(value)))
    }
}

impl<'v> Node<'v> for ValueNode<'v> {
    /// True unless a crate in the build enables serde_json's `preserve_order`.
    const SORTED: bool = true;

    type Key = ValueKey<'v>;
    type Items = ValueItems<'v>;
    type Members = ValueMembers<'v>;

    #[inline]
    fn kind(self) -> Kind {
        match self.0 {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    #[inline]
    fn boolean(self) -> bool {
        *self.0 == Value::Bool(true)
    }

    /// With this crate's feature `arbitrary_precision`, the digits as written; otherwise the
    /// shortest decimal of the `f64` that serde_json keeps.
    #[inline]
    fn number(self) -> Number<'v> {
        let Value::Number(number) = self.0 else {
            return Number::from_i64(0);
        };
        if let Some(integer) = number.as_i64() {
            Number::from_i64(integer)
        } else if let Some(integer) = number.as_u64() {
            Number::from_u64(integer)
        } else {
            float(number)
        }
    }

    #[inline]
    fn number_bytes(self) -> usize {
        match self.0 {
            Value::Number(number) => text_of(number).map_or(0, Number::long_text),
            _ => 0,
        }
    }

    fn is_integer_literal(self) -> bool {
        matches!(self.0, Value::Number(number) if is_integer_literal(number))
    }

    #[inline]
    fn string(self) -> &'v str {
        match self.0 {
            Value::String(text) => text,
            _ => "",
        }
    }

    #[inline]
    fn len(self) -> usize {
        match self.0 {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        }
    }

    #[inline]
    fn items(self) -> ValueItems<'v> {
        match self.0 {
            Value::Array(items) => ValueItems(items.iter()),
            _ => ValueItems([].iter()),
        }
    }

    #[inline]
    fn members(self) -> ValueMembers<'v> {
        ValueMembers(self.0.as_object().map(serde_json::Map::iter))
    }

    fn item(self, index: usize) -> Option<Self> {
        self.0.as_array()?.get(index).map(Self)
    }

    fn member(self, name: &str) -> Option<Self> {
        self.0.as_object()?.get(name).map(Self)
    }

    #[inline]
    fn identity(self) -> usize {
        std::ptr::from_ref(self.0).addr()
    }
}

/// The text that a number is kept as.
#[cfg(feature = "arbitrary_precision")]
fn text_of(number: &serde_json::Number) -> Option<&str> {
    Some(number.as_str())
}

/// The text that a number is kept as: none, but a machine number.
#[cfg(not(feature = "arbitrary_precision"))]
fn text_of(_: &serde_json::Number) -> Option<&str> {
    None
}

/// A number that is not a machine integer.
#[cfg(feature = "arbitrary_precision")]
fn float(number: &serde_json::Number) -> Number<'_> {
    Number::parse(number.as_str()).unwrap_or_else(|| {
        note_contradiction();
        Number::from_i64(0)
    })
}

/// A number that is not a machine integer.
#[cfg(not(feature = "arbitrary_precision"))]
fn float(number: &serde_json::Number) -> Number<'_> {
    Number::from_f64(number.as_f64().unwrap_or_else(|| {
        note_contradiction();
        0.0
    }))
}

/// Whether a number was written without fraction or exponent.
#[cfg(feature = "arbitrary_precision")]
fn is_integer_literal(number: &serde_json::Number) -> bool {
    !number.as_str().contains(['.', 'e', 'E'])
}

/// Whether a number was written without fraction or exponent.
#[cfg(not(feature = "arbitrary_precision"))]
fn is_integer_literal(number: &serde_json::Number) -> bool {
    number.is_i64() || number.is_u64()
}
