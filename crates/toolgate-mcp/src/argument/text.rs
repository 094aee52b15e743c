//! JSON text, piece by piece.

use std::fmt::Write as _;

/// Appends a JSON string.
pub(super) fn push_string(out: &mut String, text: &str) {
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
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Appends `"name":`, after a comma unless it is the first member.
pub(super) fn push_key(out: &mut String, name: &str) {
    if !out.ends_with('{') {
        out.push(',');
    }
    push_string(out, name);
    out.push(':');
}
