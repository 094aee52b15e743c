//! Bytes as text: hexadecimal digits, and messages on one line.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Bytes as hexadecimal digits, in lower case.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A message as one line: line breaks, which JSON has only between tokens, become spaces. For messages
/// that arrived in an HTTP body and leave on stdio.
#[must_use]
pub fn one_line(message: &[u8]) -> Cow<'_, [u8]> {
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r');
    if memchr::memchr2(b'\n', b'\r', message).is_none() {
        return Cow::Borrowed(message);
    }
    let flat = message.iter();
    Cow::Owned(
        flat.map(|byte| if breaks(byte) { b' ' } else { *byte })
            .collect(),
    )
}

/// Whether a name matches a pattern, in which `*` stands for any characters, or none, and `?` for one.
/// It only backtracks to the last `*`, so the cost is at most the product of the lengths.
///
/// ```
/// use toolsure_guard::policy::name_matches;
///
/// assert!(name_matches("delete_*", "delete_all"));
/// assert!(!name_matches("delete_?", "delete_all"));
/// ```
#[must_use]
pub fn name_matches(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern.chars(), text.chars());
    let mut star = None;
    loop {
        let before = (pattern.clone(), text.clone());
        match (pattern.next(), text.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                // The star matches nothing at first.
                text = before.1;
                star = Some((pattern.clone(), text.clone()));
            }
            (Some('?'), Some(_)) => {}
            (Some(wanted), Some(found)) if wanted == found => {}
            _ => {
                let Some((after, mut from)) = star.take() else {
                    return false;
                };
                // The star matches one more character.
                if from.next().is_none() {
                    return false;
                }
                pattern = after.clone();
                text = from.clone();
                star = Some((after, from));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_no_breaks() {
        assert_eq!(one_line(b"{\r\n\"a\":1}").as_ref(), b"{  \"a\":1}");
        assert!(matches!(one_line(b"{}"), Cow::Borrowed(_)));
    }
}
