//! JSON text that the guard writes itself: strings and answers.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A text as a JSON string.
pub(crate) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

/// Appends a text as a JSON string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if u32::from(control) < 0x20 => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
}

/// A JSON-RPC error answer. `id` and `data` are JSON text.
pub(crate) fn error_answer(id: &str, code: i64, message: &str, data: Option<&str>) -> String {
    let mut out = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"#);
    push_string(&mut out, message);
    if let Some(data) = data {
        out.push_str(",\"data\":");
        out.push_str(data);
    }
    out.push_str("}}");
    out
}

/// A message as one line: line breaks, which JSON has between tokens only,
/// become spaces. For messages that came in an HTTP body and leave on stdio.
#[must_use]
pub fn one_line(message: &[u8]) -> Cow<'_, [u8]> {
    let breaks = |byte: &u8| matches!(byte, b'\n' | b'\r');
    if !message.iter().any(breaks) {
        return Cow::Borrowed(message);
    }
    let flat = message.iter();
    Cow::Owned(
        flat.map(|byte| if breaks(byte) { b' ' } else { *byte })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_no_breaks() {
        assert_eq!(one_line(b"{\r\n\"a\":1}").as_ref(), b"{  \"a\":1}");
        assert!(matches!(one_line(b"{}"), Cow::Borrowed(_)));
    }

    #[test]
    fn strings_are_json() {
        for text in ["", "a\"b\\c", "\n\r\t\u{1}\u{7f}é\u{2028}😀"] {
            let read: String = serde_json::from_str(&string(text)).unwrap();
            assert_eq!(read, text);
        }
    }
}
