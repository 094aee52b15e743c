//! Writes JSON text: strings, and our own responses.

use toolgate_json::Kind;
pub(crate) use toolgate_json::json_string as string;

/// A JSON-RPC error response. `id` is JSON text.
pub(crate) fn error_message(id: &str, code: i64, message: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{}}}}}"#,
        string(message)
    )
}

/// A JSON-RPC result response. `id` and `result` are JSON text.
pub(crate) fn result_message(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

/// Valid JSON text without the whitespace between its tokens.
pub(crate) fn compact(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut in_string = false;
    let mut escaped = false;
    for character in raw.chars() {
        if in_string {
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
        } else if character.is_ascii_whitespace() {
            continue;
        } else {
            in_string = character == '"';
        }
        out.push(character);
    }
    out
}

/// The name of a JSON type, with its article if it has one.
pub(crate) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// The maximum number of characters of a tool's name in a message.
pub(crate) const NAME: usize = 128;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_read_back() {
        for text in ["", "a\"b\\c", "\n\r\t\u{1}\u{7f}é\u{2028}😀"] {
            let written = string(text);
            let read = toolgate_json::OwnedDocument::read(written, &Default::default()).unwrap();
            assert_eq!(toolgate_json::Node::string(read.document().root()), text);
        }
    }

    #[test]
    fn compact_keeps_strings() {
        assert_eq!(
            compact(" { \"a b\" : [ 1 , \"\\\" x \\\\\" , 1.50 ] }\n"),
            "{\"a b\":[1,\"\\\" x \\\\\",1.50]}"
        );
    }
}
