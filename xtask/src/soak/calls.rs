//! The calls: their messages, and whether the answer is the expected one.

use serde_json::{Value, json};

use crate::replicas::load::{LEGACY, MODERN, meta};

/// The kind of a call, which determines the expected answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Gets the tool's result.
    Valid,
    /// Violates the input schema and is refused.
    Invalid,
    /// Harmful arguments, the entry of [`HOSTILE`] with this index; refused.
    Hostile(usize),
    /// Not a message, the entry of [`BROKEN`] with this index; refused. Only over HTTP, where an
    /// answer without an id belongs to its request.
    Broken(usize),
}

impl Kind {
    /// The kind of the call with this number: ten of 16 are valid.
    pub(super) fn of(number: u64) -> Self {
        let pick = |from: &[&str]| usize::try_from(number / 16).unwrap_or(0) % from.len();
        match number % 16 {
            1 | 5 | 9 => Self::Invalid,
            3 | 11 => Self::Hostile(pick(HOSTILE)),
            13 => Self::Broken(pick(BROKEN)),
            _ => Self::Valid,
        }
    }
}

/// A protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Modern,
    Legacy,
}

/// The text of a call.
pub(super) fn text(era: Era, kind: Kind, id: u64, tool: &str) -> Vec<u8> {
    let arguments = match kind {
        Kind::Valid => r#"{"city":"Tokyo"}"#.to_owned(),
        Kind::Invalid => r#"{"city":""}"#.to_owned(),
        Kind::Hostile(number) => hostile(number),
        Kind::Broken(number) => {
            let broken = BROKEN.get(number).copied().unwrap_or_default();
            return broken.replace("$ID", &id.to_string()).into_bytes();
        }
    };
    let more = match era {
        Era::Modern => format!(r#","_meta":{}"#, meta()),
        Era::Legacy => String::new(),
    };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}{more}}}}}"#
    )
    .into_bytes()
}

fn hostile(number: usize) -> String {
    match HOSTILE.get(number).copied() {
        Some("deep") => format!("{{\"city\":{}{}}}", "[".repeat(120), "]".repeat(120)),
        Some("long") => format!(r#"{{"city":"Tokyo","more":"{}"}}"#, "x".repeat(200_000)),
        Some("many") => {
            let members = (0..2_000).map(|number| format!(r#""m{number}":{number}"#));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Some(other) => other.to_owned(),
        None => "{}".to_owned(),
    }
}

/// The headers of a call over HTTP.
pub(crate) fn headers<'a>(
    era: Era,
    tool: &'a str,
    session: Option<&'a str>,
) -> Vec<(&'static str, &'a str)> {
    let mut headers = vec![
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    match era {
        Era::Modern => headers.extend([
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", tool),
        ]),
        Era::Legacy => headers.push(("MCP-Protocol-Version", LEGACY)),
    }
    headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
    headers
}

/// The message that opens a session.
pub(crate) fn initialize() -> Value {
    json!({"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": {
        "protocolVersion": LEGACY, "capabilities": {},
        "clientInfo": {"name": "soak", "version": "0"}}})
}

/// The message that tells the server that a session is open.
pub(crate) fn initialized() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
}

/// The verdict on an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Got {
    /// The expected answer.
    Right,
    /// An error instead of the tool's result: the server may be down.
    Away(String),
    /// A result that must not be there.
    Wrong(String),
}

/// Checks the one message that answers a call.
pub(super) fn judge(kind: Kind, message: &Value) -> Got {
    let shown = || message.to_string().chars().take(SHOWN).collect();
    let celsius = message.pointer("/result/structuredContent/celsius");
    let failed = message.get("error").is_some()
        || message.pointer("/result/isError").and_then(Value::as_bool) == Some(true);
    let has_result = celsius.and_then(Value::as_i64) == Some(21) && !failed;
    match (kind, has_result) {
        (Kind::Valid, true) => Got::Right,
        (Kind::Valid, false) if failed => Got::Away(shown()),
        (Kind::Valid, false) => Got::Wrong(shown()),
        (_, false) if failed && celsius.is_none() => Got::Right,
        (_, _) => Got::Wrong(shown()),
    }
}

/// Arguments that violate the input schema of `get-weather`; some are names of generated ones.
const HOSTILE: &[&str] = &[
    "deep",
    "long",
    "many",
    r#"{"city":"Tokyo","__proto__":{"city":"x"}}"#,
    r#"{"city":1e400}"#,
    r#"{"city":-0.00000000000000000000000000000000000000001e-99999}"#,
    r#"{"\ud800":"Tokyo"}"#,
    r#"{"city":"Tokyo","city\u0000":1}"#,
    r#"{"City":"Tokyo"}"#,
    r#"[{"city":"Tokyo"}]"#,
    r#""{\"city\":\"Tokyo\"}""#,
    r#"{"city":{"$ref":"file:///etc/passwd"}}"#,
];

/// Bodies that are not a call.
const BROKEN: &[&str] = &[
    "",
    "{",
    "\u{0}\u{0}\u{0}",
    "[]",
    r#"{"jsonrpc":"2.0","id":$ID,"method":"tools/call""#,
    r#"{"jsonrpc":"2.0","id":{"a":1},"method":"tools/call","params":{"name":"get-weather","arguments":{"city":"Tokyo"}}}"#,
    r#"{"jsonrpc":"1.0","id":$ID,"method":"tools/call","params":{"name":"get-weather","arguments":{"city":"Tokyo"}}}"#,
    r#"{"jsonrpc":"2.0","id":$ID,"method":"tools/call","params":{"name":"no-such-tool","arguments":{"city":"Tokyo"}}}"#,
];

/// Characters of an answer that are shown.
const SHOWN: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_that_is_owed_is_right() {
        let result = json!({"id": 1, "result": {"structuredContent": {"celsius": 21}}});
        let refusal = json!({"id": 1, "result": {"isError": true, "content": []}});
        let error = json!({"id": 1, "error": {"code": -32602, "message": "no"}});
        assert_eq!(judge(Kind::Valid, &result), Got::Right);
        assert!(matches!(judge(Kind::Valid, &error), Got::Away(_)));
        assert!(matches!(
            judge(Kind::Valid, &json!({"id": 1, "result": {}})),
            Got::Wrong(_)
        ));
        for kind in [Kind::Invalid, Kind::Hostile(0), Kind::Broken(0)] {
            assert_eq!(judge(kind, &refusal), Got::Right);
            assert_eq!(judge(kind, &error), Got::Right);
            assert!(matches!(judge(kind, &result), Got::Wrong(_)));
        }
    }

    #[test]
    fn every_kind_has_its_turn() {
        let kinds: Vec<Kind> = (0..16 * 24).map(Kind::of).collect();
        for number in 0..HOSTILE.len() {
            assert!(kinds.contains(&Kind::Hostile(number)), "{number}");
        }
        for number in 0..BROKEN.len() {
            assert!(kinds.contains(&Kind::Broken(number)), "{number}");
        }
        let valid = kinds.iter().filter(|kind| **kind == Kind::Valid).count();
        assert_eq!(valid * 16, kinds.len() * 10);
    }
}
