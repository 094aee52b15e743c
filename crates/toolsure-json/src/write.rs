//! Text as JSON strings.

use std::fmt::Write as _;

/// `text` as a JSON string, with its quotes: the shortest spelling that RFC 8259 §7 allows, which is that of RFC 8785.
///
/// ```
/// assert_eq!(toolsure_json::json_string("a\"b\n\u{1}"), r#""a\"b\n\u0001""#);
/// ```
#[must_use]
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    push_json_string(&mut out, text);
    out
}

/// Appends `text` as a JSON string, as [`json_string`] writes it.
///
/// ```
/// let mut text = "[".to_owned();
/// toolsure_json::push_json_string(&mut text, "a\"b");
/// assert_eq!(text, r#"["a\"b""#);
/// ```
pub fn push_json_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\') || u32::from(c) < 0x20) {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut characters = tail.chars();
        match characters.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(control) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            None => {}
        }
        rest = characters.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node as _, OwnedDocument, ReadLimits};

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            "",
            "a\"b\\c",
            "\n\r\t\u{1}\u{1f}\u{7f}é\u{2028}😀",
            "\"",
            "\0",
        ] {
            let read = OwnedDocument::read(json_string(text), &ReadLimits::default()).unwrap();
            assert_eq!(read.document().root().string(), text);
        }
    }
}
