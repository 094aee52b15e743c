//! The number formats that API description generators emit.
//!
//! They are not part of JSON Schema, and are asserted only if the caller asks for it.

use std::cmp::Ordering;
use toolsure_json::Number;

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
    /// Every format of numbers.
    ///
    /// ```
    /// use toolsure_syntax::format::NumberFormat;
    ///
    /// let named = |format: &NumberFormat| NumberFormat::from_name(format.name()) == Some(*format);
    /// assert!(NumberFormat::ALL.iter().all(named));
    /// ```
    pub const ALL: [Self; 10] = [
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::UInt8,
        Self::UInt16,
        Self::UInt32,
        Self::UInt64,
        Self::Float,
        Self::Double,
    ];

    /// The format called `name` in schemas; `None` for any other name.
    ///
    /// ```
    /// use toolsure_syntax::format::NumberFormat;
    ///
    /// assert_eq!(NumberFormat::from_name("int32").map(NumberFormat::name), Some("int32"));
    /// assert_eq!(NumberFormat::from_name("date"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The name in schemas.
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

    /// Whether `number` has this format. Whole numbers may be written as `1.0` or `1e3`, as for the
    /// type `integer`.
    pub fn accepts(self, number: Number<'_>) -> bool {
        match self {
            Self::Int8 => number.as_i64().is_some_and(|n| i8::try_from(n).is_ok()),
            Self::Int16 => number.as_i64().is_some_and(|n| i16::try_from(n).is_ok()),
            Self::Int32 => number.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
            Self::Int64 => number.as_i64().is_some(),
            Self::UInt8 => number.as_i64().is_some_and(|n| u8::try_from(n).is_ok()),
            Self::UInt16 => number.as_i64().is_some_and(|n| u16::try_from(n).is_ok()),
            Self::UInt32 => number.as_i64().is_some_and(|n| u32::try_from(n).is_ok()),
            Self::UInt64 => number.as_u64().is_some(),
            Self::Float => lies_between(number, FLOAT_BOUNDS),
            Self::Double => lies_between(number, DOUBLE_BOUNDS),
        }
    }
}

/// Whether `number` lies strictly between two bounds.
fn lies_between(number: Number<'_>, [low, high]: [&'static str; 2]) -> bool {
    let order = |bound| Number::parse(bound).map(|bound| number.compare(&bound));
    order(low) == Some(Ordering::Greater) && order(high) == Some(Ordering::Less)
}

/// 2^128 - 2^103 and its negative: half way from the largest finite number to the next, where
/// rounding to nearest starts to give infinity (IEEE 754 section 4.3.1).
const FLOAT_BOUNDS: [&str; 2] = [
    "-340282356779733661637539395458142568448",
    "340282356779733661637539395458142568448",
];

/// 2^1024 - 2^970, likewise.
const DOUBLE_BOUNDS: [&str; 2] = [
    "-179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792",
];

#[cfg(test)]
mod tests {
    use super::{DOUBLE_BOUNDS, FLOAT_BOUNDS, NumberFormat};
    use toolsure_json::Number;

    #[track_caller]
    fn check(name: &str, valid: &[&str], invalid: &[&str]) {
        let format = NumberFormat::from_name(name).unwrap();
        for text in valid {
            assert!(
                format.accepts(Number::parse(text).unwrap()),
                "{name} must accept {text}"
            );
        }
        for text in invalid {
            assert!(
                !format.accepts(Number::parse(text).unwrap()),
                "{name} must refuse {text}"
            );
        }
    }

    #[test]
    fn names_lead_to_their_formats() {
        for format in NumberFormat::ALL {
            assert_eq!(NumberFormat::from_name(format.name()), Some(format));
        }
        for name in ["", "int", "INT32", "int128", "number", "date"] {
            assert_eq!(NumberFormat::from_name(name), None);
        }
    }

    #[test]
    fn signed_integers() {
        check(
            "int8",
            &["-128", "127", "0", "-0", "1.27e2"],
            &["-129", "128", "0.5", "1e3"],
        );
        check(
            "int16",
            &["-32768", "32767", "1.0"],
            &["-32769", "32768", "1.5"],
        );
        check(
            "int32",
            &["-2147483648", "2147483647", "2e9"],
            &["-2147483649", "2147483648", "1e10"],
        );
        check(
            "int64",
            &[
                "-9223372036854775808",
                "9223372036854775807",
                "9e18",
                "90e-1",
            ],
            &[
                "-9223372036854775809",
                "9223372036854775808",
                "1e19",
                "1e1000000000",
                "1e-1",
            ],
        );
    }

    #[test]
    fn unsigned_integers() {
        check(
            "uint8",
            &["0", "255", "2.55E2", "-0"],
            &["-1", "256", "0.1"],
        );
        check("uint16", &["0", "65535"], &["-1", "65536"]);
        check("uint32", &["0", "4294967295"], &["-1", "4294967296"]);
        check(
            "uint64",
            &[
                "0",
                "18446744073709551615",
                "1e19",
                "-0.0",
                "1844674407370955161.5e1",
            ],
            &[
                "-1",
                "18446744073709551616",
                "1e20",
                "18446744073709551614.5",
            ],
        );
    }

    #[test]
    fn floating_point_numbers_are_those_that_round_to_finite_ones() {
        check(
            "float",
            &["0", "-0", "0.1", "1e-400", "3.4028235e38", "-3.4028235e38"],
            &["3.4028236e38"],
        );
        check(
            "float",
            &["340282356779733661637539395458142568447"],
            &FLOAT_BOUNDS,
        );
        check(
            "double",
            &["1.7976931348623157e308", "1e-999999999", "-1e308"],
            &["1e309", "-1e309"],
        );
        check("double", &["3.4028236e38"], &DOUBLE_BOUNDS);
    }

    #[test]
    fn floating_point_bounds_are_where_the_standard_library_rounds_to_infinity() {
        for [low, high] in [FLOAT_BOUNDS, DOUBLE_BOUNDS] {
            assert_eq!(low, format!("-{high}"));
        }
        let below = |bound: &str| format!("{}7", bound.strip_suffix('8').unwrap());
        assert_eq!(FLOAT_BOUNDS[1].parse(), Ok(f32::INFINITY));
        assert_eq!(below(FLOAT_BOUNDS[1]).parse(), Ok(f32::MAX));
        assert_eq!(DOUBLE_BOUNDS[1].parse(), Ok(f64::INFINITY));
        let double_below = format!("{}1", DOUBLE_BOUNDS[1].strip_suffix('2').unwrap());
        assert_eq!(double_below.parse(), Ok(f64::MAX));
    }
}
