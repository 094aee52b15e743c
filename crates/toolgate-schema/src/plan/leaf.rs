//! The operations that inspect one value and none of its children: their operands, the run each
//! belongs to, and how a listing shows them. `lower/leaf.rs` makes them from keywords,
//! `execute/leaf.rs` evaluates and prices them.

use std::fmt;

use thin_vec::ThinVec;

use super::{Literal, NameTable, Plan, Run};
use crate::format::{Format, NumberFormat};
use crate::int::to_usize;
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

impl Leaf {
    /// Writes it in a listing of its plan.
    pub(super) fn list(self, plan: &Plan, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Const(index) => {
                let literal = plan.literal_at(index);
                write!(f, "const {}", literal.map_or("", |view| view.raw()))
            }
            Self::Enum(index) => match plan.enums.get(to_usize(index)) {
                Some(members) => members.list(plan, f),
                None => Ok(()),
            },
            Self::Minimum { number, exclusive } => {
                let sign = if exclusive { ">" } else { ">=" };
                write!(f, "{sign} {}", number_text(plan, number))
            }
            Self::Maximum { number, exclusive } => {
                let sign = if exclusive { "<" } else { "<=" };
                write!(f, "{sign} {}", number_text(plan, number))
            }
            Self::MultipleOf(number) => write!(f, "multiple of {}", number_text(plan, number)),
            Self::NumberFormat(format) => write!(f, "format {}", format.name()),
            Self::MinLength(count) => write!(f, "length >= {}", count.get()),
            Self::MaxLength(count) => write!(f, "length <= {}", count.get()),
            Self::Pattern(id) => {
                let text = plan
                    .patterns
                    .get(id.index())
                    .map_or("", |pattern| pattern.as_str());
                write!(f, "pattern {text}")
            }
            Self::Format(format) => write!(f, "format {}", format.name()),
            Self::Content { base64, json } => {
                write!(f, "content")?;
                if base64 {
                    write!(f, " base64")?;
                }
                if json {
                    write!(f, " json")?;
                }
                Ok(())
            }
        }
    }
}

impl EnumPlan {
    fn list(&self, plan: &Plan, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "enum")?;
        for (there, text) in [
            (self.null, " null"),
            (self.no, " false"),
            (self.yes, " true"),
        ] {
            if there {
                f.write_str(text)?;
            }
        }
        for integer in &self.integers {
            write!(f, " {integer}")?;
        }
        for literal in self
            .numbers
            .iter()
            .chain(self.compound.iter().map(|(_, l)| l))
        {
            write!(
                f,
                " {}",
                plan.literal(*literal).map_or("", |view| view.raw())
            )?;
        }
        for name in self.strings.names() {
            write!(f, " {name:?}")?;
        }
        Ok(())
    }
}

/// A number as the schema writes it; empty if the plan has no such number.
fn number_text(plan: &Plan, index: u32) -> String {
    match plan.numbers.get(to_usize(index)) {
        Some(NumberLiteral::Integer(integer)) => integer.to_string(),
        Some(NumberLiteral::Other(literal)) => plan
            .literal(*literal)
            .map_or(String::new(), |view| view.raw().to_owned()),
        None => String::new(),
    }
}
