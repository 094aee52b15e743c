//! Exact numbers: cases worth naming, and properties against a plain model.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::cmp::Ordering;

use proptest::prelude::*;
use toolsure_json::Number;

fn number(text: &str) -> Number<'_> {
    Number::parse(text).unwrap_or_else(|| panic!("{text} is not a number"))
}

/// Spellings of the same value, one value a line.
const SAME: &[&[&str]] = &[
    &[
        "0",
        "-0",
        "0.0",
        "-0.000",
        "0e5",
        "0e-99999999999999999999999",
        "-0E+99999999999999999999999",
    ],
    &["1", "1.0", "10e-1", "0.1e1", "0.001e3", "1e0", "1E-00"],
    &["-1", "-1.00", "-10e-1"],
    &["100", "1e2", "1.0e2", "100.00", "0.01e4", "10000e-2"],
    &["0.1", "1e-1", "0.10", "10e-2", "0.01e1"],
    &[
        "9223372036854775807",
        "9223372036854775807.0",
        "9.223372036854775807e18",
    ],
    &["-9223372036854775808", "-9223372036854775808.0"],
    &["9223372036854775808", "9223372036854775808.0"],
    &["18446744073709551615", "1844674407370955161.5e1"],
    &[
        "18446744073709551616",
        "18446744073709551616.000",
        "1.8446744073709551616e19",
    ],
    &[
        "12345678901234567890123",
        "12345678901234567890123.0",
        "1.2345678901234567890123e22",
    ],
    &[
        "1e1000000000",
        "10e999999999",
        "0.1e1000000001",
        "1.0E+1000000000",
    ],
    &["1e-1000000000", "10e-1000000001", "0.1e-999999999"],
    &[
        "1e99999999999999999999",
        "10e99999999999999999998",
        "0.01e100000000000000000001",
        "1e00099999999999999999999",
    ],
    &[
        "1e-99999999999999999999",
        "10e-100000000000000000000",
        "0.1e-99999999999999999998",
    ],
    &[
        "1e1000000000000000000",
        "10e999999999999999999",
        "0.1e1000000000000000001",
    ],
    &["-1.5e99999999999999999999", "-15e99999999999999999998"],
    &[
        "123456789012345678901e99999999999999999999",
        "1234567890123456789010e99999999999999999998",
    ],
];

/// Values from the smallest to the largest.
const RISING: &[&str] = &[
    "-1e100000000000000000000",
    "-1e99999999999999999999",
    "-1e1000000000",
    "-18446744073709551616",
    "-9223372036854775809",
    "-9223372036854775808",
    "-9223372036854775807",
    "-1.5",
    "-1.00000000000000000000000001",
    "-1",
    "-0.99999999999999999999999999",
    "-1e-1000000000",
    "-1e-99999999999999999999",
    "-1e-100000000000000000000",
    "0",
    "1e-100000000000000000000",
    "1e-99999999999999999999",
    "2e-99999999999999999999",
    "10e-99999999999999999999",
    "1e-1000000000",
    "0.1",
    "0.1000000000000000055511151231257827",
    "0.3",
    "0.99999999999999999999999999",
    "1",
    "1.00000000000000000000000001",
    "2",
    "9007199254740992",
    "9007199254740993",
    "9223372036854775806.9",
    "9223372036854775807",
    "9223372036854775807.000000000000001",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
    "100000000000000000000",
    "100000000000000000000.5",
    "100000000000000000001",
    "1e308",
    "1e999999999",
    "9.99999999999999999999999999e999999999",
    "1e1000000000",
    "1e999999999999999999",
    "1e1000000000000000000",
    "1e99999999999999999999",
    "1.00000000000000000000000001e99999999999999999999",
    "5e99999999999999999999",
    "1e100000000000000000000",
];

#[test]
fn spellings() {
    for line in SAME {
        for left in *line {
            for right in *line {
                let (a, b) = (number(left), number(right));
                assert_eq!(a.compare(&b), Ordering::Equal, "{left} {right}");
                assert_eq!(a.hash64(), b.hash64(), "{left} {right}");
                assert_eq!(a.digits(), b.digits(), "{left} {right}");
                assert_eq!(a.to_string(), b.to_string(), "{left} {right}");
                assert_eq!(a.is_integer(), b.is_integer(), "{left} {right}");
                assert_eq!(a.as_i64(), b.as_i64(), "{left} {right}");
                assert_eq!(a.as_u64(), b.as_u64(), "{left} {right}");
                assert_eq!(a.is_negative(), b.is_negative(), "{left} {right}");
                let shown = a.to_string();
                assert_eq!(
                    number(&shown).compare(&b),
                    Ordering::Equal,
                    "{shown} {right}"
                );
            }
        }
    }
}

#[test]
fn order() {
    for (left_rank, left) in RISING.iter().enumerate() {
        for (right_rank, right) in RISING.iter().enumerate() {
            let order = number(left).compare(&number(right));
            assert_eq!(order, left_rank.cmp(&right_rank), "{left} {right}");
        }
    }
}

#[test]
fn integers() {
    for (text, integer, long, unsigned) in [
        ("0", true, Some(0), Some(0)),
        ("-0.0", true, Some(0), Some(0)),
        ("1.0", true, Some(1), Some(1)),
        ("1e3", true, Some(1000), Some(1000)),
        ("-5e1", true, Some(-50), None),
        ("1.5", false, None, None),
        ("15e-1", false, None, None),
        ("1e-1000000000", false, None, None),
        ("1e-99999999999999999999", false, None, None),
        ("1e1000000000", true, None, None),
        ("1e99999999999999999999", true, None, None),
        (
            "9223372036854775807",
            true,
            Some(i64::MAX),
            Some(9_223_372_036_854_775_807),
        ),
        ("-9223372036854775808", true, Some(i64::MIN), None),
        (
            "9223372036854775808",
            true,
            None,
            Some(9_223_372_036_854_775_808),
        ),
        ("-9223372036854775809", true, None, None),
        ("18446744073709551615", true, None, Some(u64::MAX)),
        ("18446744073709551616", true, None, None),
        ("1e19", true, None, Some(10_000_000_000_000_000_000)),
        ("1e20", true, None, None),
        ("12345678901234567890.5", false, None, None),
        ("12345678901234567890123.0", true, None, None),
    ] {
        let value = number(text);
        assert_eq!(value.is_integer(), integer, "{text}");
        assert_eq!(value.as_i64(), long, "{text}");
        assert_eq!(value.as_u64(), unsigned, "{text}");
    }
}

#[test]
fn multiples() {
    let sevens = "7".repeat(4000);
    let off = format!("{}8", "7".repeat(3999));
    let threes = "3".repeat(2001);
    let nines = "9".repeat(4002);
    let two_to_200 = "1606938044258990275541962092341162602522202993782792835301376";
    let five_to_60 = "867361737988403547205962240695953369140625";
    for (value, divisor, expect) in [
        ("1e308", "0.1", true),
        ("1e308", "0.3", false),
        ("0.3", "0.1", true),
        ("4.35", "0.01", true),
        ("19.99", "0.01", true),
        ("1.1", "0.25", false),
        ("0.0075", "0.0001", true),
        ("0.00751", "0.0001", false),
        ("10", "3", false),
        ("-9", "3", true),
        ("0", "5", true),
        ("-0.0", "1e1000000000", true),
        ("5", "0", false),
        ("5", "-5", false),
        ("0", "0", false),
        ("1e1000000000", "1e-1000000000", true),
        ("1e1000000000", "7", false),
        ("7e1000000000", "7", true),
        ("1e-1000000000", "1e1000000000", false),
        ("1e1000000000", "1e1000000000", true),
        ("3e99999999999999999999", "1.5e99999999999999999999", true),
        ("3e99999999999999999999", "2e99999999999999999999", false),
        ("1e99999999999999999999", "1e-99999999999999999999", true),
        ("1e-99999999999999999999", "1", false),
        ("18446744073709551616", "2", true),
        ("18446744073709551617", "2", false),
        ("9223372036854775808", "1.5", false),
        ("-9223372036854775808", "1", true),
        ("1e64", "18446744073709551616", true),
        ("1e63", "18446744073709551616", false),
        ("1e200", two_to_200, true),
        ("1e199", two_to_200, false),
        ("1e60", five_to_60, true),
        ("1e59", five_to_60, false),
        (sevens.as_str(), "7", true),
        (off.as_str(), "7", false),
        (sevens.as_str(), "1.1", true),
        (nines.as_str(), threes.as_str(), true),
        (sevens.as_str(), threes.as_str(), false),
        (threes.as_str(), nines.as_str(), false),
        (nines.as_str(), nines.as_str(), true),
    ] {
        let found = number(value).is_multiple_of(number(divisor));
        assert_eq!(found, expect, "{value} {divisor}");
    }
}

#[test]
fn doubles() {
    for (double, text) in [
        (0.1, "0.1"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e308, "1e308"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e308"),
        (-2.5, "-2.5"),
        (1e21, "1000000000000000000000"),
        (123_456_789.0, "123456789"),
        (-0.0, "0"),
        (f64::NAN, "0"),
        (f64::INFINITY, "0"),
        (f64::NEG_INFINITY, "0"),
    ] {
        assert_eq!(Number::from_f64(double), number(text), "{double}");
    }
    assert_eq!(Number::from_u64(u64::MAX), number("18446744073709551615"));
    assert_eq!(Number::from_i64(i64::MIN), number("-9223372036854775808"));
}

#[test]
fn shown() {
    for (text, expect) in [
        ("-0.0", "0"),
        ("1.50", "1.5"),
        ("100000000000000000000", "100000000000000000000"),
        ("1000000000000000000000", "1e21"),
        ("123456789012345678901", "123456789012345678901"),
        ("1234567890123456789012", "1.234567890123456789012e21"),
        ("1234567890123456789.25", "1234567890123456789.25"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("-0.00000125", "-0.00000125"),
        ("1e1000000000", "1e1000000000"),
        ("0.1e-99999999999999999999", "1e-100000000000000000000"),
        ("12e99999999999999999999", "1.2e100000000000000000000"),
        ("0.1e1000000000000000000", "1e999999999999999999"),
        ("-10e-1000000000000000000", "-1e-999999999999999999"),
    ] {
        assert_eq!(number(text).to_string(), expect, "{text}");
    }
}

#[test]
fn digits() {
    for (text, expect) in [
        ("0", 1),
        ("100", 1),
        ("1e-9", 1),
        ("1.050", 3),
        ("-123", 3),
        ("123456789012345678901234567890", 29),
        ("18446744073709551615", 20),
    ] {
        assert_eq!(number(text).digits(), expect, "{text}");
    }
    let padded = format!("0.{}5{}", "0".repeat(2000), "0".repeat(2000));
    assert_eq!(number(&padded).digits(), 1);
}

#[test]
fn refused() {
    for text in [
        "", "-", "+1", "01", "-01", ".5", "1.", "1e", "1e+", "1.e1", " 1", "1 ", "1a", "0x1",
        "NaN", "1e5.5", "--1", "1_0", "１",
    ] {
        assert!(Number::parse(text).is_none(), "{text}");
    }
}

/// A number as a person would write it down: sign, digits, power of ten.
#[derive(Clone, Debug)]
struct Model {
    negative: bool,
    digits: String,
    power: i32,
}

impl Model {
    /// One of many spellings.
    fn text(&self, zeros: usize, point: usize) -> String {
        let digits = format!("{}{}", self.digits, "0".repeat(zeros));
        let point = point.min(digits.len() - 1);
        let (whole, fraction) = digits.split_at(digits.len() - point);
        let whole = match whole.trim_start_matches('0') {
            "" => "0",
            whole => whole,
        };
        let sign = if self.negative { "-" } else { "" };
        let dot = if fraction.is_empty() { "" } else { "." };
        let exponent =
            i64::from(self.power) - i64::try_from(zeros).unwrap() + i64::try_from(point).unwrap();
        if exponent == 0 {
            format!("{sign}{whole}{dot}{fraction}")
        } else {
            format!("{sign}{whole}{dot}{fraction}e{exponent}")
        }
    }

    /// The digits as a multiple of `10^power`, without leading zeros.
    fn scaled(&self, power: i32) -> String {
        let zeros = usize::try_from(self.power - power).unwrap();
        let digits = format!("{}{}", self.digits, "0".repeat(zeros));
        digits.trim_start_matches('0').to_owned()
    }

    fn compare(&self, other: &Self) -> Ordering {
        let power = self.power.min(other.power);
        let (left, right) = (self.scaled(power), other.scaled(power));
        let sign = |negative: bool, digits: &str| match (digits.is_empty(), negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let (left_sign, right_sign) = (sign(self.negative, &left), sign(other.negative, &right));
        let magnitude = longer(&left, &right);
        left_sign.cmp(&right_sign).then(match left_sign {
            -1 => magnitude.reverse(),
            _ => magnitude,
        })
    }

    /// School division, by taking away.
    fn is_multiple_of(&self, divisor: &Self) -> bool {
        let power = self.power.min(divisor.power);
        let by = divisor.scaled(power);
        if by.is_empty() || divisor.negative {
            return false;
        }
        let mut rest = String::new();
        for digit in self.scaled(power).chars() {
            rest.push(digit);
            rest = rest.trim_start_matches('0').to_owned();
            while longer(&rest, &by) != Ordering::Less {
                rest = take_away(&rest, &by);
            }
        }
        rest.is_empty()
    }
}

fn longer(left: &str, right: &str) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

fn take_away(from: &str, what: &str) -> String {
    let mut borrow = 0;
    let padded = what.bytes().rev().chain(std::iter::repeat(b'0'));
    let mut digits: Vec<u8> = Vec::new();
    for (digit, less) in from.bytes().rev().zip(padded) {
        let mut rest = i16::from(digit) - i16::from(less) - borrow;
        borrow = i16::from(rest < 0);
        rest += 10 * borrow;
        digits.push(b'0' + u8::try_from(rest).unwrap());
    }
    digits.reverse();
    let text = String::from_utf8(digits).unwrap();
    text.trim_start_matches('0').to_owned()
}

fn model() -> impl Strategy<Value = Model> {
    let digits = prop_oneof![
        "[0-9]{1,4}",
        "[1-9][0-9]{0,25}",
        "[1-9][0-9]{15,22}",
        "[1-9][0-9]{30,70}",
        "(1|2|4|5|16|25|125|256|1024|65536|390625)",
        "(18446744073709551616|152587890625|340282366920938463463374607431768211456)",
    ];
    (any::<bool>(), digits, -40..40_i32).prop_map(|(negative, digits, power)| Model {
        negative,
        digits,
        power,
    })
}

/// A model and one that is often close to it or a multiple of it.
fn pair() -> impl Strategy<Value = (Model, Model)> {
    (model(), model(), 0..6_u8, 0..30_usize, 1..999_u32).prop_map(
        |(left, other, relation, zeros, factor)| {
            let mut right = match relation {
                0 | 1 => other,
                _ => left.clone(),
            };
            match relation {
                2 => {
                    right.digits.push_str(&"0".repeat(zeros));
                    right.power -= i32::try_from(zeros).unwrap();
                }
                3 => right.digits.push('1'),
                4 => right = times(&left, factor),
                5 => {
                    right.digits.push_str(&"0".repeat(zeros));
                    right.digits.push('1');
                    right.power -= i32::try_from(zeros).unwrap() + 1;
                }
                _ => {}
            }
            (left, right)
        },
    )
}

fn times(model: &Model, factor: u32) -> Model {
    let mut carry = 0;
    let mut digits: Vec<u8> = Vec::new();
    for digit in model.digits.bytes().rev() {
        carry += u32::from(digit - b'0') * factor;
        digits.push(b'0' + u8::try_from(carry % 10).unwrap());
        carry /= 10;
    }
    digits.extend(carry.to_string().bytes().rev());
    digits.reverse();
    Model {
        digits: String::from_utf8(digits).unwrap(),
        ..model.clone()
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn agrees_with_the_model(
        (left, right) in pair(),
        zeros in 0..12_usize,
        point in 0..80_usize,
    ) {
        let (left_text, right_text) = (left.text(0, 0), right.text(zeros, point));
        let (a, b) = (number(&left_text), number(&right_text));
        let order = left.compare(&right);
        prop_assert_eq!(a.compare(&b), order, "{} {}", &left_text, &right_text);
        prop_assert_eq!(b.compare(&a), order.reverse(), "{} {}", &left_text, &right_text);
        if order == Ordering::Equal {
            prop_assert_eq!(a.hash64(), b.hash64());
            prop_assert_eq!(a.digits(), b.digits());
            prop_assert_eq!(a.to_string(), b.to_string());
        }
        for (x, y, model_x, model_y) in [(a, b, &left, &right), (b, a, &right, &left)] {
            let expect = model_x.is_multiple_of(model_y);
            prop_assert_eq!(x.is_multiple_of(y), expect, "{:?} {:?}", x, y);
        }
        let one = Model { negative: false, digits: "1".to_owned(), power: 0 };
        prop_assert_eq!(a.is_integer(), left.is_multiple_of(&one), "{}", left_text);
        let shown = b.to_string();
        prop_assert_eq!(number(&shown).compare(&b), Ordering::Equal, "{}", shown);
    }

    #[test]
    fn long_division(left in "[1-9][0-9]{60,400}", right in "[1-9][0-9]{20,200}", exact: bool) {
        let model = |digits: &str| Model { negative: false, digits: digits.to_owned(), power: 0 };
        let (mut left, right) = (model(&left), model(&right));
        if exact {
            // A multiple: the long number less its remainder.
            let mut rest = String::new();
            for digit in left.digits.chars() {
                rest.push(digit);
                rest = rest.trim_start_matches('0').to_owned();
                while longer(&rest, &right.digits) != Ordering::Less {
                    rest = take_away(&rest, &right.digits);
                }
            }
            left.digits = take_away(&left.digits, &rest);
            if left.digits.is_empty() {
                left = right.clone();
            }
        }
        let (a, b) = (number(&left.digits), number(&right.digits));
        prop_assert_eq!(a.is_multiple_of(b), left.is_multiple_of(&right));
        prop_assert!(!exact || a.is_multiple_of(b));
    }
}
