//! Exact numbers: everything that JSON can write, compared and divided by value.

mod decimal;
mod double;
mod multiple;
mod write;

use std::cmp::Ordering;
use std::fmt;

use crate::hash::{hash_bytes, mix};
use decimal::{Decimal, SHORT_DIGITS};

/// The value of a JSON number, exact whatever its size.
///
/// Two numbers that are written differently but have the same value are the same in every method
/// here: `1`, `1.0`, `10e-1`. Short numbers are stored as integers, long ones as their text, so
/// that making and copying one is cheap.
///
/// # Example
///
/// ```
/// use toolsure_json::Number;
///
/// let parse = |text| Number::parse(text).ok_or("not a number");
/// assert!(parse("1e308")?.is_multiple_of(parse("0.1")?));
/// assert!(parse("9007199254740993")? != Number::from_f64(9007199254740993.0));
/// assert!(parse("1e1000000000")?.is_integer());
/// assert!(Number::parse("01").is_none());
///
/// let (debt, two) = (Number::from_i64(-15), Number::from_u64(2));
/// assert!(debt.is_negative() && debt.compare(&two).is_lt());
/// assert_eq!((debt.as_i64(), debt.as_u64(), two.as_u64()), (Some(-15), None, Some(2)));
/// assert_eq!(parse("1.050")?.digits(), 3);
/// assert_eq!(parse("2.0")?.hash64(), two.hash64());
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy)]
pub struct Number<'a> {
    value: Value<'a>,
}

/// Each value has exactly one of these forms.
#[derive(Clone, Copy)]
enum Value<'a> {
    /// Everything that an `i64` can hold.
    Integer(i64),
    /// `±coefficient × 10^scale`, not an `i64`; the coefficient is not 0 and
    /// has no factor 10.
    Scaled {
        negative: bool,
        coefficient: u64,
        scale: i64,
    },
    /// Everything else: a coefficient beyond `u64`, or a scale beyond ±10^17.
    Text(&'a str),
}

impl<'a> Number<'a> {
    /// The number with this value.
    #[inline]
    #[must_use]
    pub const fn from_i64(value: i64) -> Self {
        Self {
            value: Value::Integer(value),
        }
    }

    /// The number with this value.
    #[must_use]
    pub fn from_u64(value: u64) -> Self {
        Self::from_scaled(false, value, 0)
    }

    /// The shortest decimal that reads back as this double: `0.1` for 0.1, not
    /// the 55 digits of the binary value.
    ///
    /// JSON cannot write infinities and NaN; they count as 0, as everything else here that is not a
    /// number.
    #[must_use]
    pub fn from_f64(value: f64) -> Self {
        let (negative, coefficient, scale) = double::shortest(value);
        Self::from_scaled(negative, coefficient, scale)
    }

    /// What [`Node::number_bytes`](crate::Node::number_bytes) returns for a number that is kept as
    /// this text: its length if that is more than 64, otherwise 0.
    ///
    /// ```
    /// use toolsure_json::Number;
    ///
    /// assert_eq!(Number::long_text(&"9".repeat(64)), 0);
    /// assert_eq!(Number::long_text(&"9".repeat(65)), 65);
    /// ```
    #[inline]
    #[must_use]
    pub const fn long_text(text: &str) -> usize {
        if text.len() > LONG { text.len() } else { 0 }
    }

    /// Reads a number by the grammar of RFC 8259 section 6, with nothing around it.
    ///
    /// There is no limit on its length here. [`ReadLimits`](crate::ReadLimits) has one, and
    /// [`is_multiple_of`](Self::is_multiple_of) is quadratic.
    ///
    /// ```
    /// use toolsure_json::Number;
    ///
    /// let number = Number::parse("1.50").ok_or("a number")?;
    /// assert_eq!(Some(number), Number::parse("15e-1"));
    /// assert!(!number.is_integer());
    /// assert!(Number::parse("01").is_none());
    /// # Ok::<(), &str>(())
    /// ```
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        decimal::is_grammatical(text.as_bytes()).then(|| Self::from_grammatical(text))
    }

    /// The number in a text that is known to follow the grammar.
    pub(crate) fn from_grammatical(text: &'a str) -> Self {
        if let Some((negative, coefficient, scale)) = decimal::plain(text.as_bytes()) {
            return Self::from_scaled(negative, coefficient, scale);
        }
        match Decimal::of_text(text).short() {
            Some((negative, coefficient, scale)) => Self::from_scaled(negative, coefficient, scale),
            None => Self {
                value: Value::Text(text),
            },
        }
    }

    /// Normalizes `±coefficient × 10^scale`. `scale` is far from the ends of `i64`.
    fn from_scaled(negative: bool, mut coefficient: u64, mut scale: i64) -> Self {
        if coefficient == 0 {
            return Self::from_i64(0);
        }
        if let Some(value) = as_integer(negative, coefficient, scale) {
            return Self::from_i64(value);
        }
        while coefficient.is_multiple_of(10) {
            coefficient /= 10;
            scale += 1;
        }
        let value = match as_integer(negative, coefficient, scale) {
            Some(value) => Value::Integer(value),
            None => Value::Scaled {
                negative,
                coefficient,
                scale,
            },
        };
        Self { value }
    }

    /// Whether the value has no fractional part, as JSON Schema's `integer`
    /// since draft 6: `1.0` and `1e3` are integers.
    #[must_use]
    pub fn is_integer(self) -> bool {
        match self.value {
            Value::Integer(_) => true,
            Value::Scaled { scale, .. } => scale >= 0,
            Value::Text(text) => Decimal::of_text(text).scale_sign() != Ordering::Less,
        }
    }

    /// Whether the value is less than 0.
    #[must_use]
    pub fn is_negative(self) -> bool {
        match self.value {
            Value::Integer(value) => value < 0,
            Value::Scaled { negative, .. } => negative,
            // A text is never 0, so it has the sign of the value.
            Value::Text(text) => text.starts_with('-'),
        }
    }

    /// The value, if it is exactly an `i64`.
    #[inline]
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        match self.value {
            Value::Integer(value) => Some(value),
            Value::Scaled { .. } | Value::Text(_) => None,
        }
    }

    /// The value, if it is exactly a `u64`.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.value {
            Value::Integer(value) => u64::try_from(value).ok(),
            Value::Scaled {
                negative: false,
                coefficient,
                scale,
            } => coefficient.checked_mul(power_of_ten(scale)?),
            Value::Scaled { .. } | Value::Text(_) => None,
        }
    }

    /// Compares two values exactly; `0` and `-0` are equal.
    ///
    /// Costs at most one step for each digit.
    #[inline]
    #[must_use]
    pub fn compare(self, other: &Number<'_>) -> Ordering {
        if let (Value::Integer(left), Value::Integer(right)) = (self.value, other.value) {
            return left.cmp(&right);
        }
        self.compare_any(other)
    }

    fn compare_any(self, other: &Number<'_>) -> Ordering {
        let by_sign = self.sign().cmp(&other.sign());
        if by_sign != Ordering::Equal {
            return by_sign;
        }
        let magnitude = match (self.short(), other.short()) {
            (Some((_, left, left_scale)), Some((_, right, right_scale))) => {
                compare_scaled(left, left_scale, right, right_scale)
            }
            _ => {
                let mut left = [0; SHORT_DIGITS];
                let mut right = [0; SHORT_DIGITS];
                self.decimal(&mut left)
                    .compare_magnitude(&other.decimal(&mut right))
            }
        };
        if self.is_negative() {
            magnitude.reverse()
        } else {
            magnitude
        }
    }

    /// Whether the value is a whole multiple of `divisor`, in exact decimal arithmetic: `0.3` is a
    /// multiple of `0.1`. `false` if the divisor is not above 0; 0 is a multiple of every other.
    ///
    /// Costs nothing for large exponents, and at most the product of both
    /// numbers' [`digits`](Self::digits) over 80 in multiplications.
    #[must_use]
    pub fn is_multiple_of(self, divisor: Number<'_>) -> bool {
        if divisor.sign() != Ordering::Greater {
            return false;
        }
        if let (Value::Integer(value), Value::Integer(divisor)) = (self.value, divisor.value) {
            // `divisor` is above 0, so there is no overflow and no zero.
            return value.checked_rem(divisor) == Some(0);
        }
        if self.sign() == Ordering::Equal {
            return true;
        }
        let mut left = [0; SHORT_DIGITS];
        let mut right = [0; SHORT_DIGITS];
        multiple::is_multiple(&self.decimal(&mut left), &divisor.decimal(&mut right))
    }

    /// Significant digits: those of the shortest way to write the value with
    /// an exponent. 1 for 0, for `100` and for `1e-9`; 3 for `1.050`.
    #[must_use]
    pub fn digits(self) -> usize {
        if let Value::Scaled { coefficient, .. } = self.value {
            // It has no factor 10, so all its digits count.
            let log = coefficient.checked_ilog10().unwrap_or(0);
            return usize::try_from(log).unwrap_or(0) + 1;
        }
        // 0 has no significant digit, but takes one to write.
        self.decimal(&mut [0; SHORT_DIGITS]).count().max(1)
    }

    /// A hash of the value; equal values hash equal.
    #[must_use]
    pub fn hash64(self) -> u64 {
        match self.value {
            Value::Integer(value) => mix(value.cast_unsigned() ^ HASH_INTEGER, HASH_FACTOR),
            Value::Scaled {
                negative,
                coefficient,
                scale,
            } => {
                let first = mix(coefficient ^ u64::from(negative) ^ HASH_SCALED, HASH_FACTOR);
                mix(first ^ scale.cast_unsigned(), HASH_FACTOR)
            }
            Value::Text(text) => {
                let decimal = Decimal::of_text(text);
                let mut state = HASH_TEXT ^ u64::from(decimal.negative);
                let mut chunk = [0; 32];
                let mut digits = decimal.digits();
                loop {
                    let mut filled = 0;
                    for (place, digit) in chunk.iter_mut().zip(digits.by_ref()) {
                        *place = digit;
                        filled += 1;
                    }
                    let part = chunk.get(..filled).unwrap_or_default();
                    state = mix(state ^ hash_bytes(part), HASH_FACTOR);
                    if filled < chunk.len() {
                        break;
                    }
                }
                mix(state ^ decimal.scale_bits(), HASH_FACTOR)
            }
        }
    }

    /// How the value compares with 0.
    fn sign(self) -> Ordering {
        match self.value {
            Value::Integer(value) => value.cmp(&0),
            Value::Scaled { .. } | Value::Text(_) if self.is_negative() => Ordering::Less,
            Value::Scaled { .. } | Value::Text(_) => Ordering::Greater,
        }
    }

    /// Sign, coefficient (not necessarily normalized) and scale, if short.
    fn short(self) -> Option<(bool, u64, i64)> {
        match self.value {
            Value::Integer(value) => Some((value < 0, value.unsigned_abs(), 0)),
            Value::Scaled {
                negative,
                coefficient,
                scale,
            } => Some((negative, coefficient, scale)),
            Value::Text(_) => None,
        }
    }

    /// The number's parts; short numbers write their digits to `buffer`.
    fn decimal<'b>(self, buffer: &'b mut [u8; SHORT_DIGITS]) -> Decimal<'b>
    where
        'a: 'b,
    {
        match self.value {
            Value::Text(text) => Decimal::of_text(text),
            Value::Integer(value) => Decimal::of_short(value < 0, value.unsigned_abs(), 0, buffer),
            Value::Scaled {
                negative,
                coefficient,
                scale,
            } => Decimal::of_short(negative, coefficient, scale, buffer),
        }
    }
}

impl fmt::Display for Number<'_> {
    /// Writes each value in exactly one way: plain up to 21 whole digits and six zeros after the
    /// point, otherwise with an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            Value::Integer(value) => write!(f, "{value}"),
            _ => write::write(&self.decimal(&mut [0; SHORT_DIGITS]), f),
        }
    }
}

impl fmt::Debug for Number<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Number({self})")
    }
}

impl PartialEq<Number<'_>> for Number<'_> {
    fn eq(&self, other: &Number<'_>) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

impl Eq for Number<'_> {}

/// Compares `left × 10^left_scale` with `right × 10^right_scale`, neither 0.
fn compare_scaled(left: u64, left_scale: i64, right: u64, right_scale: i64) -> Ordering {
    let more = left_scale.abs_diff(right_scale);
    let factor = u32::try_from(more)
        .ok()
        .and_then(|more| 10_u64.checked_pow(more));
    match (factor, left_scale >= right_scale) {
        (Some(factor), true) => (u128::from(left) * u128::from(factor)).cmp(&u128::from(right)),
        (Some(factor), false) => u128::from(left).cmp(&(u128::from(right) * u128::from(factor))),
        // The larger scale outweighs all 20 digits of the other coefficient.
        (None, true) => Ordering::Greater,
        (None, false) => Ordering::Less,
    }
}

fn as_integer(negative: bool, coefficient: u64, scale: i64) -> Option<i64> {
    let magnitude = coefficient.checked_mul(power_of_ten(scale)?)?;
    if negative {
        0_i64.checked_sub_unsigned(magnitude)
    } else {
        i64::try_from(magnitude).ok()
    }
}

fn power_of_ten(scale: i64) -> Option<u64> {
    10_u64.checked_pow(u32::try_from(scale).ok()?)
}

/// No machine number is written with more bytes.
const LONG: usize = 64;

/// Odd or arbitrary constants without structure, from the digits of e.
const HASH_INTEGER: u64 = 0xadf8_5458_a2bb_4a9b;
const HASH_SCALED: u64 = 0x5a1b_7c32_9e04_d6f1;
const HASH_TEXT: u64 = 0xc58e_0f3b_417a_d295;
const HASH_FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
