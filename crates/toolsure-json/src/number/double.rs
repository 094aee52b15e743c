//! Doubles as the shortest decimals that read back as them. Those with few decimal places are found
//! without formatting them.

use std::fmt::{self, Write as _};

use super::decimal::Decimal;

/// Sign, coefficient and scale of the shortest decimal that reads back as `value`; 0 if it is not
/// finite.
pub(super) fn shortest(value: f64) -> (bool, u64, i64) {
    few_places(value).unwrap_or_else(|| formatted(value))
}

/// As [`shortest`], from the text of the double.
fn formatted(value: f64) -> (bool, u64, i64) {
    if !value.is_finite() {
        return (false, 0, 0);
    }
    let mut text = Buffer {
        bytes: [0; BUFFER],
        length: 0,
    };
    // The standard library writes the shortest digits that read back, at most
    // 17 of them, with a point after the first: 24 bytes at most.
    let written = write!(text, "{value:e}");
    let short = written
        .ok()
        .and_then(|()| std::str::from_utf8(text.bytes.get(..text.length)?).ok())
        .and_then(|text| Decimal::of_text(text).short());
    debug_assert!(
        short.is_some(),
        "a double as longer text than {BUFFER} bytes"
    );
    let (negative, coefficient, scale) = short.unwrap_or_default();
    let is_odd = coefficient & 1 == 1;
    let down = u64::from(is_odd && is_halfway(value, scale));
    (negative, coefficient - down, scale)
}

/// Whether a double lies exactly between two multiples of `10^scale`, where the shortest decimals that read back as it are. The
/// standard library takes the one that is farther from 0, but ECMAScript, Python and RFC 8785 take the even one.
///
/// The double is an odd number times a power of 2, and so is its product with `10^-scale`, because `5^-scale` is odd. It ends
/// in a half if that power is 1/2. Doubles of which the shortest decimal has a scale above 0 are never halfway: their distance to it
/// would be too large to read back.
fn is_halfway(value: f64, scale: i64) -> bool {
    let bits = value.to_bits();
    let (biased, fraction) = ((bits >> 52) & 0x7ff, bits & ((1 << 52) - 1));
    if biased == 0 || scale > 0 {
        return false;
    }
    let odd = fraction | 1 << 52;
    let lowest_bit = i64::try_from(biased).unwrap_or(0) - 1075 + i64::from(odd.trailing_zeros());
    lowest_bit == scale - 1
}

/// Sign, coefficient and scale of the shortest decimal that reads back as a double, if it has up to
/// [`PLACES`] decimal places and up to 15 digits.
///
/// Two decimals of up to 15 digits never read as the same double, so one that reads back as it is
/// the shortest. The quotient of two numbers that doubles hold exactly is rounded to the nearest
/// double, which is also how the decimal would be read.
fn few_places(value: f64) -> Option<(bool, u64, i64)> {
    let magnitude = value.abs();
    if !magnitude.is_finite() || magnitude >= BELOW {
        return None;
    }
    for (scale, power) in (0..).zip(POWERS) {
        let (coefficient, whole) = rounded(magnitude * power);
        if coefficient > MOST {
            return None;
        }
        if (whole / power).to_bits() == magnitude.to_bits() {
            return Some((value.is_sign_negative(), coefficient, -scale));
        }
    }
    None
}

/// The nearest integer to a number from 0 to below 2^52, as an integer and as a double.
fn rounded(value: f64) -> (u64, f64) {
    // Doubles from 2^52 on have no decimal places, and their low bits are the excess over 2^52.
    let shifted = value + SHIFT;
    (shifted.to_bits() - SHIFT.to_bits(), shifted - SHIFT)
}

/// A small buffer on the stack to format into.
struct Buffer {
    bytes: [u8; BUFFER],
    length: usize,
}

impl fmt::Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let place = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// The bytes of that buffer.
const BUFFER: usize = 32;
/// Powers of 10, by exponent.
const POWERS: [f64; PLACES + 1] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];
/// Decimal places that are tried.
const PLACES: usize = 6;
/// The largest integer of 15 digits.
const MOST: u64 = 999_999_999_999_999;
/// Less than 2^52 when multiplied by the greatest power.
const BELOW: f64 = 4e9;
/// 2^52.
const SHIFT: f64 = 4_503_599_627_370_496.0;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Number;

    fn of_text(value: f64) -> Number<'static> {
        let (negative, coefficient, scale) = formatted(value);
        Number::from_scaled(negative, coefficient, scale)
    }

    /// 200,000 numbered words of random bits, always the same.
    fn random_bits() -> impl Iterator<Item = (u64, u64)> {
        let mut state = 1_u64;
        (0..200_000).map(move |round| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (round, state)
        })
    }

    /// serde_json takes the even one of two decimals that are equally near.
    #[test]
    fn halfway_doubles_are_written_with_an_even_digit() {
        let mut halfway = 0;
        for (round, state) in random_bits() {
            // Around 2^50 the quarters lie between two tenths, and other doubles nearby do not.
            let exponent = 1023 + 40 + (round % 20);
            let value = f64::from_bits((exponent << 52) | (state >> 12));
            for value in [value, -value, f64::from_bits(state)] {
                if !value.is_finite() {
                    continue;
                }
                let (_, _, scale) = formatted(value);
                halfway += u32::from(is_halfway(value, scale));
                let text = serde_json::to_string(&value).unwrap();
                assert_eq!(of_text(value), Number::parse(&text).unwrap(), "{text}");
            }
        }
        assert!(halfway > 1_000, "{halfway}");
        assert_eq!(
            formatted(f64::from_bits(0x4314_3ff3_c1cb_0959)),
            (false, 14_249_539_237_812_062, -1)
        );
    }

    /// The result is the same as that of formatting the double.
    #[test]
    fn agrees_with_the_shortest_text() {
        let mut found = 0;
        for (round, state) in random_bits() {
            let bits = state >> 11;
            let whole = i32::try_from(bits % 2_000_000_000).unwrap_or(0);
            let value = match round % 4 {
                0 => f64::from_bits(state),
                1 => f64::from(whole) / 1e3,
                2 => f64::from(whole) / 1e7,
                _ => f64::from(whole) * 0.1,
            };
            for value in [value, value.next_up(), -value] {
                let Some((negative, coefficient, scale)) = few_places(value) else {
                    continue;
                };
                found += 1;
                let number = Number::from_scaled(negative, coefficient, scale);
                assert_eq!(number, of_text(value), "{value}");
            }
        }
        assert!(found > 100_000, "{found}");
        for value in [0.0, -0.0, 0.1, 0.3, 2.5, 1e-6, 3_999_999_999.999_999, 4e9] {
            if let Some((negative, coefficient, scale)) = few_places(value) {
                let number = Number::from_scaled(negative, coefficient, scale);
                assert_eq!(number, of_text(value), "{value}");
            }
        }
    }
}
