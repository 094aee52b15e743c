//! The id of a message whose text cannot be read, so that whoever waits for an
//! answer gets one.

use rmcp::model::RequestId;

/// The id of a request.
#[cfg(feature = "server")]
pub(crate) fn request(text: &[u8]) -> Option<RequestId> {
    let envelope = Envelope::of(text);
    envelope.id.filter(|_| envelope.has_method)
}

/// The id of an answer.
#[cfg(feature = "client")]
pub(crate) fn answer(text: &[u8]) -> Option<RequestId> {
    let envelope = Envelope::of(text);
    envelope.id.filter(|_| !envelope.has_method)
}

/// Members of the outermost object, as far as brackets and strings can be told
/// without reading the rest.
#[derive(Default)]
struct Envelope {
    id: Option<RequestId>,
    has_method: bool,
}

impl Envelope {
    fn of(text: &[u8]) -> Self {
        let mut envelope = Self::default();
        // What stands before the place where the text breaks off still counts.
        let _ = envelope.scan(text);
        envelope
    }

    fn scan(&mut self, text: &[u8]) -> Option<()> {
        let (mut at, mut depth) = (0, 0_usize);
        let mut key: Option<&[u8]> = None;
        while let Some(byte) = text.get(at) {
            let start = at;
            at += 1;
            match byte {
                b'"' => {
                    at = string_end(text, at)?;
                    if depth == 1 {
                        let string = text.get(start..at)?;
                        if key == Some(b"\"id\"") {
                            let id: Option<String> = serde_json::from_slice(string).ok();
                            self.id = id.map(|id| RequestId::String(id.into()));
                        }
                        self.has_method |= key.is_none() && string == b"\"method\"";
                        key = key.or(Some(string));
                    }
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.checked_sub(1)?,
                b',' if depth == 1 => key = None,
                b'-' | b'0'..=b'9' if depth == 1 && key == Some(b"\"id\"") => {
                    let rest = text.get(start..)?;
                    let end = rest.iter().position(|byte| !is_number(*byte))?;
                    let id: Option<i64> = serde_json::from_slice(rest.get(..end)?).ok();
                    self.id = id.map(RequestId::Number);
                    at = start + end;
                }
                _ => {}
            }
        }
        Some(())
    }
}

fn is_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Where a string ends whose content begins at `at`.
fn string_end(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'"' => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_broken_messages() {
        for (text, id, has_method) in [
            (
                r#"{"jsonrpc":"2.0","id":7,"result":{"a":1e400}}"#,
                Some("7"),
                false,
            ),
            (
                r#"{"result":{"id":1,"method":2,"x":["\ud800"]},"id" : "a\"b"}"#,
                Some("a\"b"),
                false,
            ),
            (r#"{"id":7,"method":"m","params":[1e400"#, Some("7"), true),
            (r#"{"method":"id","params":{}}"#, None, true),
            (r#"{"x":"method","id":-3 }"#, Some("-3"), false),
            (r#"{"result":{"id":1}}"#, None, false),
            (r#"{"id":1.5}"#, None, false),
            (r#"{"id":null,"result":{}}"#, None, false),
            (r#"{"id":"unterminated"#, None, false),
            ("noise \"id\":1", None, false),
            ("]]]", None, false),
            ("", None, false),
        ] {
            let found = Envelope::of(text.as_bytes());
            assert_eq!(found.id.map(|id| id.to_string()).as_deref(), id, "{text}");
            assert_eq!(found.has_method, has_method, "{text}");
        }
    }
}
