//! The parts of a number's text: sign, significant digits, scale.

use std::cmp::Ordering;

/// `±digits × 10^scale`, where the digits have no zeros at either end.
///
/// The digits are `head` followed by `tail`, both ASCII; together empty for 0.
/// The scale is the written exponent plus `shift`, kept apart because the
/// exponent may have any number of digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    pub(super) negative: bool,
    head: &'a [u8],
    tail: &'a [u8],
    exponent_negative: bool,
    /// ASCII digits without leading zeros.
    exponent: &'a [u8],
    shift: i64,
}

impl<'a> Decimal<'a> {
    /// Splits a text that follows the grammar into its parts.
    pub(super) fn of_text(text: &'a str) -> Self {
        let bytes = text.as_bytes();
        let (negative, bytes) = strip_sign(bytes);
        let (mantissa, exponent) = split_at_byte(bytes, |byte| matches!(byte, b'e' | b'E'));
        let (whole, fraction) = split_at_byte(mantissa, |byte| byte == b'.');
        let exponent = exponent.strip_prefix(b"+").unwrap_or(exponent);
        let (exponent_negative, exponent) = strip_sign(exponent);
        let exponent = trim_zeros_start(exponent);

        let mut head = trim_zeros_start(whole);
        let mut tail = trim_zeros_end(fraction);
        let mut shift = -signed(tail.len());
        if head.is_empty() {
            tail = trim_zeros_start(tail);
        }
        if tail.is_empty() {
            let trimmed = trim_zeros_end(head);
            shift = signed(head.len() - trimmed.len());
            head = trimmed;
        }
        Self {
            negative,
            head,
            tail,
            exponent_negative,
            exponent,
            shift,
        }
    }

    /// Writes a short number's digits to `buffer`.
    pub(super) fn of_short(
        negative: bool,
        mut coefficient: u64,
        scale: i64,
        buffer: &'a mut [u8; SHORT_DIGITS],
    ) -> Self {
        let mut start = buffer.len();
        for place in buffer.iter_mut().rev() {
            if coefficient == 0 {
                break;
            }
            let digit = u8::try_from(coefficient % 10).unwrap_or_default();
            *place = b'0' | digit;
            coefficient /= 10;
            start -= 1;
        }
        let all = buffer.get(start..).unwrap_or_default();
        let head = trim_zeros_end(all);
        Self {
            negative,
            head,
            tail: &[],
            exponent_negative: false,
            exponent: &[],
            shift: scale + signed(all.len() - head.len()),
        }
    }

    /// Sign, coefficient and scale, if they fit 64 bits with room to spare. Whether they do depends
    /// only on the value, not on its spelling.
    pub(super) fn short(&self) -> Option<(bool, u64, i64)> {
        if self.count() > SHORT_DIGITS {
            return None;
        }
        if self.count() == 0 {
            return Some((false, 0, 0));
        }
        let coefficient = self.digits().try_fold(0_u64, |value, digit| {
            value.checked_mul(10)?.checked_add(u64::from(digit & 0xf))
        })?;
        let scale = self.short_scale()?;
        (scale.unsigned_abs() <= SHORT_SCALE).then_some((self.negative, coefficient, scale))
    }

    /// The number of significant digits, 0 for 0.
    pub(super) fn count(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// The significant digits in ASCII, first to last.
    pub(super) fn digits(&self) -> impl Iterator<Item = u8> + use<'a> {
        self.head.iter().chain(self.tail).copied()
    }

    /// The scale, if its written exponent has at most 18 digits.
    pub(super) fn short_scale(&self) -> Option<i64> {
        if self.exponent.len() > SHORT_EXPONENT {
            return None;
        }
        let exponent = self
            .exponent
            .iter()
            .fold(0, |value, digit| value * 10 + i64::from(digit & 0xf));
        let exponent = if self.exponent_negative {
            -exponent
        } else {
            exponent
        };
        Some(exponent + self.shift)
    }

    /// How the scale compares with 0.
    pub(super) fn scale_sign(&self) -> Ordering {
        match self.short_scale() {
            Some(scale) => scale.cmp(&0),
            // 10^18 outweighs every shift.
            None if self.exponent_negative => Ordering::Less,
            None => Ordering::Greater,
        }
    }

    /// This scale minus the other's, kept within ±10^18.
    pub(super) fn scale_difference(&self, other: &Decimal<'_>) -> i64 {
        let shifts = i128::from(self.shift) - i128::from(other.shift);
        let length = self.exponent.len().max(other.exponent.len());
        let mut difference: i128 = 0;
        for place in (0..length).rev() {
            let step = self.exponent_digit(place) - other.exponent_digit(place);
            // Once it is this far from 0, no later digit and no shift brings it back.
            difference = (difference * 10 + i128::from(step)).clamp(-FAR * FAR, FAR * FAR);
        }
        let kept = (difference + shifts).clamp(-FAR, FAR);
        i64::try_from(kept).unwrap_or_default()
    }

    /// Compares without the signs; neither is 0.
    pub(super) fn compare_magnitude(&self, other: &Decimal<'_>) -> Ordering {
        // The position of the leading digit decides, then the digits.
        let places = self.scale_difference(other) + signed(self.count()) - signed(other.count());
        places
            .cmp(&0)
            .then_with(|| self.digits().cmp(other.digits()))
    }

    /// The scale modulo 2^64.
    pub(super) fn scale_bits(&self) -> u64 {
        let exponent = self.exponent.iter().fold(0_u64, |value, digit| {
            value.wrapping_mul(10).wrapping_add(u64::from(digit & 0xf))
        });
        let exponent = if self.exponent_negative {
            exponent.wrapping_neg()
        } else {
            exponent
        };
        exponent.wrapping_add(self.shift.cast_unsigned())
    }

    /// The written exponent and the number to add to it.
    pub(super) fn written_scale(&self) -> (bool, &'a [u8], i64) {
        (self.exponent_negative, self.exponent, self.shift)
    }

    /// The exponent's digit with this power of ten, with the exponent's sign.
    fn exponent_digit(&self, place: usize) -> i64 {
        let index = self.exponent.len().checked_sub(place + 1);
        let byte = index.and_then(|index| self.exponent.get(index));
        let digit = byte.map_or(0, |byte| i64::from(byte & 0xf));
        if self.exponent_negative {
            -digit
        } else {
            digit
        }
    }
}

/// Sign, coefficient and scale of a grammatical number without exponent, if its
/// digits, zeros included, fit a `u64`.
pub(super) fn plain(text: &[u8]) -> Option<(bool, u64, i64)> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.len() > PLAIN_BYTES {
        return None;
    }
    let (mut coefficient, mut scale, mut places) = (0_u64, 0_i64, 0_i64);
    for byte in digits {
        match byte {
            b'.' => places = 1,
            b'0'..=b'9' => {
                coefficient = coefficient * 10 + u64::from(byte & 0xf);
                scale -= places;
            }
            _ => return None,
        }
    }
    Some((negative, coefficient, scale))
}

/// Whether the bytes are a number by RFC 8259 section 6.
pub(super) fn is_grammatical(bytes: &[u8]) -> bool {
    let (_, bytes) = strip_sign(bytes);
    let whole = digits_at(bytes);
    let leading_zero = whole > 1 && bytes.first() == Some(&b'0');
    if whole == 0 || leading_zero {
        return false;
    }
    let mut rest = bytes.get(whole..).unwrap_or_default();
    if let Some(fraction) = rest.strip_prefix(b".") {
        let count = digits_at(fraction);
        if count == 0 {
            return false;
        }
        rest = fraction.get(count..).unwrap_or_default();
    }
    let Some((b'e' | b'E', exponent)) = rest.split_first() else {
        return rest.is_empty();
    };
    let exponent = match exponent.split_first() {
        Some((b'+' | b'-', digits)) => digits,
        _ => exponent,
    };
    !exponent.is_empty() && digits_at(exponent) == exponent.len()
}

fn digits_at(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count()
}

fn strip_sign(bytes: &[u8]) -> (bool, &[u8]) {
    match bytes.strip_prefix(b"-") {
        Some(rest) => (true, rest),
        None => (false, bytes),
    }
}

/// The bytes before and after the first that matches; after is empty if none does.
fn split_at_byte(bytes: &[u8], matches: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let Some(at) = bytes.iter().position(|byte| matches(*byte)) else {
        return (bytes, &[]);
    };
    (
        bytes.get(..at).unwrap_or_default(),
        bytes.get(at + 1..).unwrap_or_default(),
    )
}

/// Long runs of zeros are skipped 8 at a time, so that padding a number does not make it costly.
fn trim_zeros_start(mut digits: &[u8]) -> &[u8] {
    while let Some((b"00000000", rest)) = digits.split_first_chunk::<8>() {
        digits = rest;
    }
    while let Some((b'0', rest)) = digits.split_first() {
        digits = rest;
    }
    digits
}

fn trim_zeros_end(mut digits: &[u8]) -> &[u8] {
    while let Some((rest, b"00000000")) = digits.split_last_chunk::<8>() {
        digits = rest;
    }
    while let Some((b'0', rest)) = digits.split_last() {
        digits = rest;
    }
    digits
}

/// A length as a signed number; lengths of slices always fit.
fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// The most digits of a `u64`.
pub(super) const SHORT_DIGITS: usize = 20;
/// The bytes of any number of up to 18 digits with its point.
const PLAIN_BYTES: usize = 19;
/// Exponents of up to this many digits are added up in an `i64`.
const SHORT_EXPONENT: usize = 18;
/// Scales within this are short; one written with more than [`SHORT_EXPONENT`] digits never is, as
/// no text is long enough to shift it this far.
const SHORT_SCALE: u64 = 100_000_000_000_000_000;
const FAR: i128 = 1_000_000_000_000_000_000;
