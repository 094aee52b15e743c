//! A server that answers each request as a test tells it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests say what they expect by stopping"
)]

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

/// The messages that the client sent.
pub(crate) type Seen = Arc<Mutex<Vec<Value>>>;

/// The client's ends of the pipes, and the messages that arrive at the server's ends.
pub(crate) struct Script {
    pub(crate) read: ReadHalf<DuplexStream>,
    pub(crate) write: WriteHalf<DuplexStream>,
    pub(crate) seen: Seen,
}

/// A reply with this result, given as JSON text.
pub(crate) fn result(text: impl Into<String>) -> Reply {
    Reply::Result(text.into())
}

/// The reply of a script to a request.
pub(crate) enum Reply {
    /// The text of the result.
    Result(String),
    /// The text of the error.
    Error(String),
    /// The text of a notification, and the text of the result after it.
    Notified(String, String),
    /// No answer at all.
    Nothing,
}

/// Starts a server that answers the handshakes of both eras itself: `initialize` with 2025-11-25.
pub(crate) fn script(answer: impl FnMut(&str, &Value) -> Reply + Send + 'static) -> Script {
    script_of("2025-11-25", answer)
}

/// Starts such a server that answers `initialize` with `version`.
pub(crate) fn script_of(
    version: &'static str,
    mut answer: impl FnMut(&str, &Value) -> Reply + Send + 'static,
) -> Script {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let seen = Seen::default();
    let log = Arc::clone(&seen);
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(theirs);
        let mut lines = BufReader::new(read).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            let message: Value = serde_json::from_str(&line).unwrap();
            let Some(method) = message["method"].as_str() else {
                continue;
            };
            let reply = match method {
                "initialize" => result(
                    json!({"protocolVersion": version,
                        "capabilities": {"tools": {"listChanged": true}},
                        "serverInfo": {"name": "script", "version": "0"}})
                    .to_string(),
                ),
                "server/discover" => result(
                    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                        "capabilities": {"tools": {"listChanged": true}}, "ttlMs": 0,
                        "cacheScope": "private"})
                    .to_string(),
                ),
                _ => {
                    log.lock().unwrap().push(message.clone());
                    if message.get("id").is_none() {
                        continue;
                    }
                    answer(method, &message["params"])
                }
            };
            let id = &message["id"];
            let text = match reply {
                Reply::Result(text) => {
                    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{text}}}\n")
                }
                Reply::Error(text) => {
                    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{text}}}\n")
                }
                Reply::Nothing => continue,
                Reply::Notified(note, text) => {
                    format!("{note}\n{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{text}}}\n")
                }
            };
            write.write_all(text.as_bytes()).await.unwrap();
        }
    });
    let (read, write) = tokio::io::split(ours);
    Script { read, write, seen }
}

/// How often a method was requested.
pub(crate) fn count(seen: &Seen, method: &str) -> usize {
    let seen = seen.lock().unwrap();
    seen.iter()
        .filter(|message| message["method"] == method)
        .count()
}
