//! The operations that inspect one value and none of its children: their operands, the run each
//! belongs to, and how a listing shows them. `lower/leaf.rs` makes them from keywords,
//! `execute/leaf.rs` evaluates and prices them.

use thin_vec::ThinVec;
use toolsure_json::NodeId;

use super::{NameTable, Run};
use crate::format::{Format, NumberFormat};
use crate::model::PatternId;

/// One operation on a value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Leaf {
    /// Equal to a literal.
    Const(u32),
    /// Equal to one member of an enumeration.
    Enum(u32),
    Minimum {
        number: u32,
        exclusive: bool,
    },
    Maximum {
        number: u32,
        exclusive: bool,
    },
    MultipleOf(u32),
    NumberFormat(NumberFormat),
    MinLength(Length),
    MaxLength(Length),
    Pattern(PatternId),
    Format(Format),
    /// A document encoded in the string (draft 7).
    Content {
        base64: bool,
        json: bool,
    },
}

impl Leaf {
    /// The run that it belongs to.
    pub(crate) const fn run(self) -> Run {
        match self {
            Self::Const(_) | Self::Enum(_) => Run::Head,
            Self::Minimum { .. }
            | Self::Maximum { .. }
            | Self::MultipleOf(_)
            | Self::NumberFormat(_) => Run::Number,
            Self::MinLength(_)
            | Self::MaxLength(_)
            | Self::Pattern(_)
            | Self::Format(_)
            | Self::Content { .. } => Run::String,
        }
    }
}

impl Leaf {
    /// How a listing shows it: a name and its operand.
    pub(super) fn listed(self) -> (&'static str, Operand) {
        match self {
            Self::Const(index) => ("const", Operand::Literal(index)),
            Self::Enum(index) => ("enum", Operand::Enum(index)),
            Self::Minimum { number, exclusive } => {
                let sign = if exclusive { ">" } else { ">=" };
                (sign, Operand::Number(number))
            }
            Self::Maximum { number, exclusive } => {
                let sign = if exclusive { "<" } else { "<=" };
                (sign, Operand::Number(number))
            }
            Self::MultipleOf(number) => ("multiple of", Operand::Number(number)),
            Self::NumberFormat(format) => ("format", Operand::Text(format.name())),
            Self::MinLength(count) => ("length >=", Operand::Length(count)),
            Self::MaxLength(count) => ("length <=", Operand::Length(count)),
            Self::Pattern(pattern) => ("pattern", Operand::Pattern(pattern)),
            Self::Format(format) => ("format", Operand::Text(format.name())),
            Self::Content { base64, json } => match (base64, json) {
                (true, true) => ("content", Operand::Text("base64 json")),
                (true, false) => ("content", Operand::Text("base64")),
                (false, true) => ("content", Operand::Text("json")),
                (false, false) => ("content", Operand::Text("")),
            },
        }
    }
}

/// What an operation compares a value with, for a listing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operand {
    Literal(u32),
    Enum(u32),
    Number(u32),
    Length(Length),
    Pattern(PatternId),
    Text(&'static str),
}

/// A count of characters, narrow enough to keep an operation small.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length([u16; 3]);

impl Length {
    /// A count, limited to 48 bits, which no string's length reaches.
    pub(crate) fn new(count: u64) -> Self {
        let [a, b, c, d, e, f, ..] = count.min((1 << 48) - 1).to_le_bytes();
        Self([[a, b], [c, d], [e, f]].map(u16::from_le_bytes))
    }

    #[inline]
    pub(crate) fn get(self) -> u64 {
        let [low, middle, high] = self.0.map(u64::from);
        high << 32 | middle << 16 | low
    }
}

/// An enumeration, sorted by type for lookup.
#[derive(Debug, Default)]
pub(crate) struct EnumPlan {
    pub(crate) null: bool,
    pub(crate) yes: bool,
    pub(crate) no: bool,
    pub(crate) strings: NameTable,
    /// Sorted.
    pub(crate) integers: ThinVec<i64>,
    /// Numbers that are not `i64`, sorted by value.
    pub(crate) numbers: ThinVec<Literal>,
    /// The price of looking up a number in `numbers`.
    pub(crate) number_price: u64,
    /// Arrays and objects with their hashes, sorted by hash.
    pub(crate) compound: ThinVec<(u64, Literal)>,
    /// How many values the largest of them has, itself included: a value with more is none of them.
    pub(crate) most_values: usize,
}

/// A number in the schema.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NumberLiteral {
    Integer(i64),
    /// Any number that is not an `i64`.
    Other(Literal),
}

/// A value in the schema: its document and its position there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Literal {
    pub(crate) doc: u32,
    pub(crate) node: NodeId,
}
