//! Writes each number in exactly one way.

use std::fmt::{self, Write as _};

use super::decimal::Decimal;

/// Writes a number that is not 0.
pub(super) fn write(decimal: &Decimal<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if decimal.negative {
        f.write_char('-')?;
    }
    let count = i64::try_from(decimal.count()).unwrap_or(i64::MAX);
    let mut digits = decimal.digits().map(char::from);
    let scale = decimal.short_scale();
    match scale {
        Some(scale) if scale >= 0 && count + scale <= PLAIN_WHOLE => {
            digits.try_for_each(|digit| f.write_char(digit))?;
            (0..scale).try_for_each(|_| f.write_char('0'))
        }
        Some(scale) if scale < 0 && count + scale > PLAIN_ZEROS && count + scale <= PLAIN_WHOLE => {
            let whole = count + scale;
            if whole <= 0 {
                f.write_str("0.")?;
                (whole..0).try_for_each(|_| f.write_char('0'))?;
            }
            for (place, digit) in (0..).zip(digits) {
                if place == whole && whole > 0 {
                    f.write_char('.')?;
                }
                f.write_char(digit)?;
            }
            Ok(())
        }
        _ => {
            digits.next().map_or(Ok(()), |first| f.write_char(first))?;
            if count > 1 {
                f.write_char('.')?;
            }
            digits.try_for_each(|digit| f.write_char(digit))?;
            f.write_char('e')?;
            match scale {
                Some(scale) => write!(f, "{}", scale + count - 1),
                None => write_long_exponent(decimal, count - 1, f),
            }
        }
    }
}

/// Writes an exponent of more than 18 digits plus the number that the digits add to it.
fn write_long_exponent(
    decimal: &Decimal<'_>,
    more: i64,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let (negative, exponent, shift) = decimal.written_scale();
    let mut digits: Vec<u8> = exponent.iter().map(|byte| byte & 0xf).collect();
    // The exponent outweighs the addend, so its sign stays.
    let mut carry = if negative {
        -shift - more
    } else {
        shift + more
    };
    for digit in digits.iter_mut().rev() {
        let sum = i64::from(*digit) + carry;
        *digit = u8::try_from(sum.rem_euclid(10)).unwrap_or_default();
        carry = sum.div_euclid(10);
    }
    if negative {
        f.write_char('-')?;
    }
    if carry > 0 {
        write!(f, "{carry}")?;
    }
    let leading_zeros = if carry > 0 {
        0
    } else {
        digits.iter().take_while(|digit| **digit == 0).count()
    };
    digits
        .iter()
        .skip(leading_zeros)
        .try_for_each(|digit| f.write_char(char::from(b'0' | digit)))
}

/// Whole numbers with more digits than this get an exponent.
const PLAIN_WHOLE: i64 = 21;
/// Numbers with six zeros or more after the point get an exponent.
const PLAIN_ZEROS: i64 = -6;
