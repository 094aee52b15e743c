//! Finds the id in a message that cannot be parsed, so that its sender gets an answer. Also
//! measures how deeply a text is nested.

use rmcp::model::RequestId;

/// The id of an answer; `None` for a request, or if there is no usable id.
#[cfg(feature = "client")]
pub(crate) fn answer(text: &[u8]) -> Option<RequestId> {
    let envelope = Envelope::of(text);
    match envelope.id {
        Id::Usable(id) if !envelope.has_method => Some(id),
        _ => None,
    }
}

/// The id that a result answers; `None` for an error and for anything else.
#[cfg(feature = "client")]
pub(crate) fn result(text: &[u8]) -> Option<RequestId> {
    let envelope = Envelope::of(text);
    let is_result = envelope.has_result && !envelope.has_error;
    answer(text).filter(|_| is_result)
}

/// The maximum nesting depth of objects and arrays in a JSON text.
#[cfg(feature = "client")]
pub(crate) fn depth(text: &str) -> usize {
    let text = text.as_bytes();
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'"' => at = string_end(text, at).unwrap_or(text.len()),
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The members of the outermost object, as far as brackets and strings alone show them.
#[derive(Default)]
pub(crate) struct Envelope {
    pub(crate) id: Id,
    pub(crate) has_method: bool,
    pub(crate) has_result: bool,
    pub(crate) has_error: bool,
    /// Whether the outermost object is closed.
    pub(crate) is_complete: bool,
}

/// The member `id` of a message.
#[derive(Default)]
pub(crate) enum Id {
    /// There is none.
    #[default]
    Absent,
    /// A string or a 64-bit integer.
    Usable(RequestId),
    /// Anything else.
    Unusable,
}

impl Envelope {
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut envelope = Self::default();
        // Members before the point where the scan fails still count.
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
                        match key {
                            None => {
                                key = Some(string);
                                self.member(string);
                            }
                            Some(b"\"id\"") => {
                                let id: Option<String> = serde_json::from_slice(string).ok();
                                self.id = id.map_or(Id::Unusable, |id| {
                                    Id::Usable(RequestId::String(id.into()))
                                });
                            }
                            Some(_) => {}
                        }
                    }
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.is_complete |= depth == 0;
                }
                b',' if depth == 1 => key = None,
                b'-' | b'0'..=b'9' if depth == 1 && key == Some(b"\"id\"") => {
                    let rest = text.get(start..)?;
                    let end = rest.iter().position(|byte| !is_number(*byte))?;
                    let id: Option<i64> = serde_json::from_slice(rest.get(..end)?).ok();
                    self.id = id.map_or(Id::Unusable, |id| Id::Usable(RequestId::Number(id)));
                    at = start + end;
                }
                _ => {}
            }
        }
        Some(())
    }

    fn member(&mut self, key: &[u8]) {
        match key {
            b"\"id\"" => self.id = Id::Unusable,
            b"\"method\"" => self.has_method = true,
            b"\"result\"" => self.has_result = true,
            b"\"error\"" => self.has_error = true,
            _ => {}
        }
    }
}

fn is_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

/// The end of the string whose content begins at `at`.
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

    fn id(text: &str) -> (Option<String>, bool) {
        let found = Envelope::of(text.as_bytes());
        match found.id {
            Id::Usable(id) => (Some(id.to_string()), found.has_method),
            _ => (None, found.has_method),
        }
    }

    #[test]
    fn ids_of_broken_messages() {
        for (text, expected, has_method) in [
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
            let found = id(text);
            assert_eq!(found, (expected.map(str::to_owned), has_method), "{text}");
        }
    }

    #[test]
    fn ids_that_nobody_can_use_are_told_from_none() {
        for (text, absent) in [
            (r#"{"id":null}"#, false),
            (r#"{"id":1.5}"#, false),
            (r#"{"id":[1]}"#, false),
            (r#"{"id":{"id":1}}"#, false),
            (r#"{"a":{"id":1}}"#, true),
            (r#"{"method":"m"}"#, true),
        ] {
            let found = Envelope::of(text.as_bytes());
            assert_eq!(matches!(found.id, Id::Absent), absent, "{text}");
            assert_eq!(matches!(found.id, Id::Unusable), !absent, "{text}");
            assert!(found.is_complete, "{text}");
        }
    }

    #[test]
    #[cfg(feature = "client")]
    fn depth_is_counted_outside_strings() {
        for (text, expected) in [
            ("1", 0),
            ("{}", 1),
            (r#"{"a":["[[[\"[["]}"#, 2),
            ("[[],[[]]]", 3),
        ] {
            assert_eq!(depth(text), expected, "{text}");
        }
    }
}
