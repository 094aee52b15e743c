//! Decimal numbers as integers with a scale, to find numbers between bounds exactly.

/// `value / 10^scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    value: i128,
    scale: u32,
}

impl Decimal {
    /// Reads a JSON number; `None` if it needs more than 30 digits.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}");
        if digits.len() > MOST_DIGITS {
            return None;
        }
        let mut value: i128 = digits.parse().ok()?;
        let scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
        if scale < 0 {
            let zeros = u32::try_from(scale.checked_neg()?).ok()?;
            value = value.checked_mul(10_i128.checked_pow(zeros)?)?;
        }
        let scale = u32::try_from(scale.max(0)).ok()?;
        let is_small = usize::try_from(scale).is_ok_and(|scale| scale <= MOST_DIGITS)
            && value.unsigned_abs() < 10_u128.pow(MOST_POWER);
        is_small.then_some(Self { value, scale })
    }

    pub(crate) fn scale(self) -> u32 {
        self.scale
    }

    /// The number of units of `10^-scale`; `None` if that is too many.
    pub(crate) fn units(self, scale: u32) -> Option<i128> {
        let power = scale.checked_sub(self.scale)?;
        self.value.checked_mul(10_i128.checked_pow(power)?)
    }

    /// So many units of `10^-scale`.
    pub(crate) fn of(value: i128, scale: u32) -> Self {
        Self { value, scale }
    }

    /// The JSON text.
    pub(crate) fn text(self) -> String {
        let scale = usize::try_from(self.scale).unwrap_or(0);
        let sign = if self.value < 0 { "-" } else { "" };
        let digits = format!(
            "{:0>width$}",
            self.value.unsigned_abs(),
            width = scale.saturating_add(1)
        );
        let at = digits.len().saturating_sub(scale);
        let (whole, fraction) = digits.split_at_checked(at).unwrap_or((&digits, ""));
        match fraction.trim_end_matches('0') {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }
}

/// The least common multiple of two positive numbers; `None` if it is too large.
pub(crate) fn least_common_multiple(a: i128, b: i128) -> Option<i128> {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x.checked_rem(y)?);
    }
    a.checked_div(x)?.checked_mul(b)
}

/// Digits of a number, and of a fraction.
const MOST_DIGITS: usize = 30;
const MOST_POWER: u32 = 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_value() {
        for (text, expected) in [
            ("0", "0"),
            ("-0.50", "-0.5"),
            ("1e3", "1000"),
            ("12.5e-2", "0.125"),
            ("-0", "0"),
            ("100", "100"),
            ("1.0", "1"),
        ] {
            assert_eq!(Decimal::read(text).unwrap().text(), expected, "{text}");
        }
        for text in ["1e99", "1e-99", "1234567890123456789012345678901234567890"] {
            assert_eq!(Decimal::read(text), None, "{text}");
        }
        assert_eq!(Decimal::read("0.1").unwrap().units(3), Some(100));
        assert_eq!(least_common_multiple(4, 6), Some(12));
    }
}
