//! Sets of the seven instance types, as bits.

use std::borrow::Cow;

use toolsure_json::{Kind, Node};

use crate::dialect::Dialect;

/// A set of instance types. `integer` and "number with a fraction" are two members, so that
/// `number` is both and `integer` is one.
///
/// ```
/// use toolsure_json::Kind;
/// use toolsure_syntax::model::TypeSet;
///
/// let types = TypeSet::STRING.union(TypeSet::INTEGER);
/// assert!(types.contains(TypeSet::INTEGER) && !types.contains(TypeSet::NUMBER));
/// assert!(types.intersects(TypeSet::NUMBER));
/// assert!(types.has_kind(Kind::String) && !types.has_kind(Kind::Number));
/// assert_eq!(*types.names(), ["string", "integer"]);
/// assert_eq!(TypeSet::from_name("integer"), Some(TypeSet::INTEGER));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeSet(u8);

impl TypeSet {
    /// No type.
    pub const NONE: Self = Self(0);
    /// `null`.
    pub const NULL: Self = Self(1);
    /// `boolean`.
    pub const BOOLEAN: Self = Self(2);
    /// `integer`: a number whose fraction is zero (in draft 4, see [`LEXICAL`](Self::LEXICAL)).
    pub const INTEGER: Self = Self(4);
    /// Numbers that are not integers.
    pub const FRACTION: Self = Self(8);
    /// `number`: integers and fractions.
    pub const NUMBER: Self = Self(4 | 8);
    /// `string`.
    pub const STRING: Self = Self(16);
    /// `array`.
    pub const ARRAY: Self = Self(32);
    /// `object`.
    pub const OBJECT: Self = Self(64);
    /// Every type.
    pub const ALL: Self = Self(127);
    /// In draft 4 alone, only numbers *written* without fraction and exponent are integers; a set
    /// with this bit requires that.
    pub const LEXICAL: Self = Self(128);

    /// The set that a `type` value names.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            _ => return None,
        })
    }

    /// The set as a dialect reads the names: in draft 4 alone, `integer` is
    /// [`LEXICAL`](Self::LEXICAL).
    ///
    /// ```
    /// use toolsure_syntax::Dialect;
    /// use toolsure_syntax::model::TypeSet;
    ///
    /// assert!(TypeSet::INTEGER.in_dialect(Dialect::Draft4).contains(TypeSet::LEXICAL));
    /// assert_eq!(TypeSet::NUMBER.in_dialect(Dialect::Draft4), TypeSet::NUMBER);
    /// assert_eq!(TypeSet::INTEGER.in_dialect(Dialect::Draft7), TypeSet::INTEGER);
    /// ```
    #[must_use]
    pub fn in_dialect(self, dialect: Dialect) -> Self {
        let integers_only = self.intersects(Self::INTEGER) && !self.intersects(Self::FRACTION);
        if dialect == Dialect::Draft4 && integers_only {
            self.union(Self::LEXICAL)
        } else {
            self
        }
    }

    /// How many sets there are.
    pub const COUNT: usize = 256;

    /// The number of this set, below [`COUNT`](Self::COUNT).
    #[inline]
    #[must_use]
    #[expect(clippy::as_conversions, reason = "u8 to u32 loses nothing")]
    pub const fn number(self) -> u32 {
        self.0 as u32
    }

    /// The set with that number.
    #[inline]
    #[must_use]
    pub const fn numbered(number: u8) -> Self {
        Self(number)
    }

    /// The names that `type` accepts.
    pub const NAMES: [&'static str; 7] = [
        "array", "boolean", "integer", "null", "number", "object", "string",
    ];

    /// The union.
    #[inline]
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The intersection; it has [`LEXICAL`](Self::LEXICAL) if either set has it.
    #[inline]
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        let lexical = (self.0 | other.0) & Self::LEXICAL.0;
        Self((self.0 & other.0 & Self::ALL.0) | lexical)
    }

    /// Whether an instance type is in both.
    #[inline]
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 & Self::ALL.0 != 0
    }

    /// Whether all of `other` is in this set.
    #[inline]
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether it accepts no instance.
    #[inline]
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 & Self::ALL.0 == 0
    }

    /// Whether it accepts every instance.
    #[inline]
    #[must_use]
    pub const fn is_all(self) -> bool {
        self.0 & Self::ALL.0 == Self::ALL.0
    }

    /// Every type that values of a kind can have.
    #[inline]
    #[must_use]
    pub const fn of_kind(kind: Kind) -> Self {
        match kind {
            Kind::Null => Self::NULL,
            Kind::Boolean => Self::BOOLEAN,
            Kind::Number => Self::NUMBER,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
        }
    }

    /// The type of a value: `1.0` is an integer, as in every dialect but draft 4.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_syntax::model::TypeSet;
    ///
    /// let document = OwnedDocument::read("1.0", &ReadLimits::default())?;
    /// assert_eq!(TypeSet::of(document.document().root()), TypeSet::INTEGER);
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn of<'i, N: Node<'i>>(node: N) -> Self {
        match node.kind() {
            Kind::Number if node.number().is_integer() => Self::INTEGER,
            Kind::Number => Self::FRACTION,
            kind => Self::of_kind(kind),
        }
    }

    /// Whether all values of a kind have one of these types.
    #[inline]
    #[must_use]
    pub const fn has_kind(self, kind: Kind) -> bool {
        self.contains(Self::of_kind(kind))
    }

    /// Whether a number must be read to know whether it has one of these types: they accept some
    /// numbers, and not all.
    ///
    /// ```
    /// use toolsure_syntax::model::TypeSet;
    ///
    /// assert!(TypeSet::INTEGER.divides_numbers());
    /// assert!(!TypeSet::NUMBER.divides_numbers());
    /// assert!(!TypeSet::STRING.divides_numbers());
    /// ```
    #[inline]
    #[must_use]
    pub const fn divides_numbers(self) -> bool {
        self.intersects(Self::NUMBER) && !self.has_kind(Kind::Number)
    }

    /// Whether an instance has one of these types.
    #[inline]
    #[must_use]
    pub fn admits<'i, N: Node<'i>>(self, node: N, kind: Kind) -> bool {
        let possible = Self::of_kind(kind).0;
        let wanted = self.0 & possible;
        // Only numbers can match in part.
        wanted == possible || (wanted != 0 && self.admits_number(node))
    }

    #[inline]
    fn admits_number<'i, N: Node<'i>>(self, node: N) -> bool {
        let integer = if self.0 & Self::LEXICAL.0 == 0 {
            node.number().is_integer()
        } else {
            node.is_integer_literal()
        };
        integer == self.contains(Self::INTEGER)
    }

    /// The names of the members, for a message; that of one type takes no memory.
    ///
    /// ```
    /// use toolsure_syntax::model::TypeSet;
    ///
    /// let types = TypeSet::NUMBER.union(TypeSet::NULL);
    /// assert_eq!(*types.names(), ["null", "number"]);
    /// ```
    #[must_use]
    pub fn names(self) -> Cow<'static, [&'static str]> {
        let named: [(Self, &[&str]); 7] = [
            (Self::NULL, &["null"]),
            (Self::BOOLEAN, &["boolean"]),
            (Self::STRING, &["string"]),
            (Self::ARRAY, &["array"]),
            (Self::OBJECT, &["object"]),
            (Self::NUMBER, &["number"]),
            (Self::INTEGER, &["integer"]),
        ];
        let own = match Self(self.0 & Self::ALL.0) {
            // `number` names it, whether or not it has integers.
            set if set.contains(Self::FRACTION) => set.union(Self::INTEGER),
            set => set,
        };
        if let Some((_, name)) = named.iter().find(|(one, _)| *one == own) {
            return Cow::Borrowed(*name);
        }
        let is_named =
            |one| own.contains(one) && (one != Self::INTEGER || !own.contains(Self::FRACTION));
        let names = named.iter().filter(|(one, _)| is_named(*one));
        names.flat_map(|(_, name)| name.iter().copied()).collect()
    }
}
