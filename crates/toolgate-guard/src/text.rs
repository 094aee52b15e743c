//! JSON text that the guard writes itself: strings, answers and cancellations.

use std::borrow::Cow;
use std::fmt::Write as _;

pub(crate) use toolgate_json::{json_string as string, push_json_string as push_string};

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

/// A JSON-RPC answer with a result. Both are JSON text.
pub(crate) fn result_answer(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// The notification that a request is cancelled. `id` is JSON text.
pub(crate) fn cancellation(id: &str, reason: Option<&str>) -> String {
    let mut out = format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}"#
    );
    if let Some(reason) = reason {
        out.push_str(",\"reason\":");
        push_string(&mut out, reason);
    }
    out.push_str("}}");
    out
}

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
}
