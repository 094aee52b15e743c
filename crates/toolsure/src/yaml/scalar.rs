//! Plain scalars, as the core schema of YAML 1.2 reads them.

use std::borrow::Cow;

/// The JSON text of a plain scalar's value in the core schema; `None` for a string.
pub(super) fn plain(text: &str) -> Option<Cow<'_, str>> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some("null".into()),
        "true" | "True" | "TRUE" => return Some("true".into()),
        "false" | "False" | "FALSE" => return Some("false".into()),
        _ => {}
    }
    for (prefix, radix) in [("0o", 8), ("0x", 16)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let are_digits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            let number = u128::from_str_radix(digits, radix).ok();
            return number
                .filter(|_| are_digits)
                .map(|number| number.to_string().into());
        }
    }
    let (minus, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (number, exponent) = match rest.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, Some(exponent)),
        None => (rest, None),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if !digits(whole) || !digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    if let Some(exponent) = exponent {
        let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if power.is_empty() || !digits(power) {
            return None;
        }
    }
    let whole = match whole.trim_start_matches('0') {
        "" => "0",
        whole => whole,
    };
    let mut json = format!("{minus}{whole}");
    if !fraction.is_empty() {
        json.push('.');
        json.push_str(fraction);
    }
    if let Some(exponent) = exponent {
        json.push('e');
        json.push_str(exponent);
    }
    Some(json.into())
}

/// Whether a plain scalar is a number that JSON does not have (infinity, NaN), or too long for us.
pub(super) fn no_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_hexadecimal = text.strip_prefix("0x").is_some_and(|digits| {
        digits.len() > 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    let is_octal = text.strip_prefix("0o").is_some_and(|digits| {
        digits.len() > 42 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'7'))
    });
    matches!(unsigned, ".inf" | ".Inf" | ".INF")
        || matches!(text, ".nan" | ".NaN" | ".NAN")
        || is_hexadecimal
        || is_octal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_digits() {
        for (text, json) in [
            ("007", Some("7")),
            ("+3", Some("3")),
            ("-0", Some("-0")),
            ("0x1F", Some("31")),
            ("0o17", Some("15")),
            ("1.50", Some("1.50")),
            (".5", Some("0.5")),
            ("2.", Some("2")),
            ("1e400", Some("1e400")),
            ("-1.0E+2", Some("-1.0e+2")),
            ("1.2.3", None),
            ("1e", None),
            ("0x", None),
            ("0x+1", None),
            ("1_000", None),
            ("12:30", None),
            ("-", None),
            ("+", None),
            (".", None),
            ("+-1", None),
        ] {
            assert_eq!(plain(text).as_deref(), json, "{text}");
        }
        for text in [".inf", "-.INF", ".nan", &format!("0x{}", "f".repeat(33))] {
            assert!(no_number(text), "{text}");
        }
        assert!(!no_number("inf"));
    }
}
