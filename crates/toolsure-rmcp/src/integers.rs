//! Rewrites whole numbers that have a fraction or an exponent, so that serde's integer
//! types can read them.

use serde_json::{Number, Value};

/// Writes each whole number that fits 64 bits as an integer: `1.0` and `1e2` are integers in JSON
/// Schema, but not in serde. Returns whether a number changed.
pub(crate) fn as_integers(value: &mut Value) -> bool {
    match value {
        Value::Number(number) => match integer(number) {
            Some(integer) => {
                *number = integer;
                true
            }
            None => false,
        },
        // Not `any`, which would stop at the first change.
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |found, item| as_integers(item) | found),
        Value::Object(members) => members
            .values_mut()
            .fold(false, |found, member| as_integers(member) | found),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

fn integer(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return None;
    }
    let text = number.to_string();
    let exact = toolsure_json::Number::parse(&text).filter(|exact| exact.is_integer())?;
    // An integer cannot express `-0.0`.
    match (exact.as_i64(), exact.as_u64()) {
        (Some(0), _) if text.starts_with('-') => None,
        (Some(integer), _) => Some(Number::from(integer)),
        (None, Some(integer)) => Some(Number::from(integer)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_become_integers() {
        for (text, expected) in [
            ("1.0", "1"),
            ("[1e2, {\"a\": -3.0}]", "[100,{\"a\":-3}]"),
            ("9007199254740993", "9007199254740993"),
            ("1.5", "1.5"),
            ("-0.0", "-0.0"),
            ("\"1.0\"", "\"1.0\""),
        ] {
            let mut value: Value = serde_json::from_str(text).unwrap();
            let changed = as_integers(&mut value);
            assert_eq!(value.to_string(), expected);
            assert_eq!(
                changed,
                text.contains(".0") && !text.contains(['"', '-']) || text.starts_with('['),
                "{text}"
            );
        }
        let mut wide: Value = serde_json::from_str("1e300").unwrap();
        assert!(!as_integers(&mut wide));
    }
}
