//! The number formats that generators of API descriptions write.
//!
//! They are no part of JSON Schema, and are asserted only where the caller asks
//! for it.

use std::cmp::Ordering;
use toolgate_json::Number;

/// A format of numbers: a machine type that can hold the value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum NumberFormat {
    /// `int8`: a whole number from -128 to 127.
    Int8,
    /// `int16`: a whole number from -32,768 to 32,767.
    Int16,
    /// `int32`: a whole number from -2^31 to 2^31 - 1.
    Int32,
    /// `int64`: a whole number from -2^63 to 2^63 - 1.
    Int64,
    /// `uint8`: a whole number from 0 to 255.
    UInt8,
    /// `uint16`: a whole number from 0 to 65,535.
    UInt16,
    /// `uint32`: a whole number from 0 to 2^32 - 1.
    UInt32,
    /// `uint64`: a whole number from 0 to 2^64 - 1.
    UInt64,
    /// `float`: a number that rounds to a finite single-precision one
    /// (IEEE 754 binary32).
    Float,
    /// `double`: a number that rounds to a finite double-precision one
    /// (IEEE 754 binary64).
    Double,
}

impl NumberFormat {
    /// The format that schemas call `name`; `None` for any other name.
    pub fn from_name(name: &str) -> Option<Self> {
        ALL.into_iter().find(|format| format.name() == name)
    }

    /// The name schemas use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::UInt8 => "uint8",
            Self::UInt16 => "uint16",
            Self::UInt32 => "uint32",
            Self::UInt64 => "uint64",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    /// Whether `number` is of this format. Whole numbers may be written as
    /// `1.0` or `1e3`, as for the type `integer`.
    pub fn accepts(self, number: Number<'_>) -> bool {
        match self {
            Self::Int8 => number.as_i64().is_some_and(|n| i8::try_from(n).is_ok()),
            Self::Int16 => number.as_i64().is_some_and(|n| i16::try_from(n).is_ok()),
            Self::Int32 => number.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
            Self::Int64 => number.as_i64().is_some(),
            Self::UInt8 => number.as_i64().is_some_and(|n| u8::try_from(n).is_ok()),
            Self::UInt16 => number.as_i64().is_some_and(|n| u16::try_from(n).is_ok()),
            Self::UInt32 => number.as_i64().is_some_and(|n| u32::try_from(n).is_ok()),
            Self::UInt64 => {
                number.is_integer()
                    && number.compare(&Number::from_u64(u64::MIN)) != Ordering::Less
                    && number.compare(&Number::from_u64(u64::MAX)) != Ordering::Greater
            }
            Self::Float => is_between(number, FLOAT_BELOW),
            Self::Double => is_between(number, DOUBLE_BELOW),
        }
    }
}

/// Whether `number` lies between a bound and its negative, given as
/// `[negative, positive]`, and is neither.
fn is_between(number: Number<'_>, [low, high]: [&'static str; 2]) -> bool {
    let is_beyond =
        |bound, side| Number::parse(bound).is_none_or(|bound| number.compare(&bound) != side);
    !is_beyond(low, Ordering::Greater) && !is_beyond(high, Ordering::Less)
}

const ALL: [NumberFormat; 10] = [
    NumberFormat::Int8,
    NumberFormat::Int16,
    NumberFormat::Int32,
    NumberFormat::Int64,
    NumberFormat::UInt8,
    NumberFormat::UInt16,
    NumberFormat::UInt32,
    NumberFormat::UInt64,
    NumberFormat::Float,
    NumberFormat::Double,
];

/// 2^128 - 2^103: half way from the largest finite number to the next, where
/// rounding to nearest begins to give infinity (IEEE 754 section 4.3.1).
const FLOAT_BELOW: [&str; 2] = [
    "-340282356779733661637539395458142568448",
    "340282356779733661637539395458142568448",
];

/// 2^1024 - 2^970, likewise.
const DOUBLE_BELOW: [&str; 2] = [
    "-179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
];
