//! Concurrent clients of both eras. Every answer is checked.

use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::{Value, json};
use toolsure_testkit::tally::Tally;

use super::http::{Reply, request};

/// The state that all clients share.
pub(crate) struct Load {
    to: SocketAddr,
    sessions: Vec<String>,
    next: AtomicU64,
    until: AtomicU64,
    /// For each call that had to be repeated, the answer that caused it.
    pub(crate) repeated: Mutex<Vec<String>>,
    stopped: AtomicBool,
}

impl Load {
    pub(crate) fn new(to: SocketAddr, sessions: usize) -> Result<Self, String> {
        let sessions = (0..sessions).map(|_| open(to));
        Ok(Self {
            to,
            sessions: sessions.collect::<Result<_, _>>()?,
            next: AtomicU64::new(0),
            until: AtomicU64::new(0),
            repeated: Mutex::default(),
            stopped: AtomicBool::new(false),
        })
    }

    /// The number of calls that have begun.
    pub(crate) fn begun(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Makes `calls` calls with `clients` concurrent clients while `meanwhile` runs. Returns the
    /// result of `meanwhile`.
    pub(crate) fn run<T>(
        &self,
        calls: u64,
        clients: usize,
        tally: &mut Tally,
        meanwhile: impl FnOnce(&Self) -> T,
    ) -> T {
        self.until.store(self.begun() + calls, Ordering::Relaxed);
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..clients)
                .map(|_| scope.spawn(|| self.client()))
                .collect();
            let done = meanwhile(self);
            for client in clients {
                match client.join() {
                    Ok(own) => tally.add(own),
                    Err(_) => tally.fail("a client panicked".to_owned()),
                }
            }
            done
        })
    }

    /// Stops before all calls are made.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn client(&self) -> Tally {
        let mut tally = Tally::default();
        while !self.stopped.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.until.load(Ordering::Relaxed) {
                self.next.fetch_sub(1, Ordering::Relaxed);
                break;
            }
            tally.record(self.call(number));
        }
        tally
    }

    /// Makes one call. It is repeated as long as the answer says that no guard accepted it.
    fn call(&self, number: u64) -> Result<(), String> {
        let good = !number.is_multiple_of(8);
        let city = if good { "Tokyo" } else { "" };
        for again in 0..REPEATS {
            // An id may occur only once in a session.
            let id = number + again * AGAIN;
            let reply = match number.is_multiple_of(2) {
                true => modern(self.to, id, city),
                false => {
                    let sessions = u64::try_from(self.sessions.len()).unwrap_or(1).max(1);
                    // why: only odd numbers come here, and every session should be used.
                    let own = usize::try_from((number / 2) % sessions).unwrap_or(0);
                    let session = self.sessions.get(own).map_or("", String::as_str);
                    legacy(self.to, session, &weather(id, city))
                }
            };
            let reply_of = match reply {
                Ok(reply) if matches!(reply.status, 502 | 503) => {
                    format!("status {}", reply.status)
                }
                Ok(reply) => match refusal(&reply) {
                    Some(code) => code,
                    None => return judge(&reply, id, good),
                },
                Err(error) => error,
            };
            let repeated = self.repeated.lock();
            repeated.map_err(|e| e.to_string())?.push(reply_of);
        }
        Err(format!("call {number}: not taken {REPEATS} times"))
    }
}

/// The code in the answer of a replica that is stopping and accepts no more calls.
fn refusal(reply: &Reply) -> Option<String> {
    let message = reply.message();
    let code = message.pointer("/error/data/code")?.as_str()?;
    (code == "guard-stopping").then(|| code.to_owned())
}

/// Checks that the answer is the tool's result, or the refusal of arguments that the tool must not
/// get.
fn judge(reply: &Reply, id: u64, good: bool) -> Result<(), String> {
    let message = reply.message();
    let result = message.get("result").cloned().unwrap_or_default();
    let celsius = result.pointer("/structuredContent/celsius");
    let is_error = result.get("isError").and_then(Value::as_bool) == Some(true);
    let right = match good {
        true => celsius.and_then(Value::as_i64) == Some(21) && !is_error,
        false => celsius.is_none() && is_error,
    };
    let own = message.get("id").and_then(Value::as_u64) == Some(id);
    if reply.status == 200 && own && right {
        return Ok(());
    }
    Err(format!("call {id}: {} {}", reply.status, reply.body))
}

/// The names and contracts of the tools that an address lists in one era.
pub(crate) fn listing(to: SocketAddr, session: Option<&str>) -> Result<Value, String> {
    let reply = match session {
        Some(session) => legacy(
            to,
            session,
            &json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list"}),
        ),
        None => post(
            to,
            &[
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", "tools/list"),
            ],
            &json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list",
                "params": {"_meta": meta()}}),
        ),
    }?;
    let tools = reply.message().pointer("/result/tools").cloned();
    tools.ok_or_else(|| format!("{to}: {} {}", reply.status, reply.body))
}

/// Opens a session.
pub(crate) fn open(to: SocketAddr) -> Result<String, String> {
    let message = json!({"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": {
        "protocolVersion": LEGACY, "capabilities": {},
        "clientInfo": {"name": "replicas", "version": "0"}}});
    let reply = post(to, &[], &message)?;
    let name = reply.header("mcp-session-id");
    let name = name.ok_or_else(|| format!("{to}: {} {}", reply.status, reply.body))?;
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let reply_of = legacy(to, name, &ready)?;
    match reply_of.status {
        202 => Ok(name.to_owned()),
        status => Err(format!("{to}: {status} {}", reply_of.body)),
    }
}

/// Ends a session and returns the status.
pub(crate) fn close(to: SocketAddr, session: &str) -> Result<u16, String> {
    let headers = [("Mcp-Session-Id", session)];
    request(to, "DELETE", "/mcp", &headers, "").map(|reply| reply.status)
}

/// Makes one call in a session and returns the status.
pub(crate) fn status(to: SocketAddr, session: &str) -> Result<u16, String> {
    legacy(to, session, &weather(0, "Tokyo")).map(|reply| reply.status)
}

/// Whether a call in a session still gets its result.
pub(crate) fn goes_on(to: SocketAddr, session: &str) -> Result<bool, String> {
    let reply = legacy(to, session, &weather(0, "Tokyo"))?;
    Ok(judge(&reply, 0, true).is_ok())
}

impl Load {
    pub(crate) fn sessions(&self) -> &[String] {
        &self.sessions
    }
}

fn weather(number: u64, city: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": number, "method": "tools/call",
        "params": {"name": TOOL, "arguments": {"city": city}}})
}

fn modern(to: SocketAddr, number: u64, city: &str) -> Result<Reply, String> {
    modern_as(to, weather(number, city), TOOL, &[])
}

fn modern_as(
    to: SocketAddr,
    mut message: Value,
    tool: &str,
    more: &[(&str, &str)],
) -> Result<Reply, String> {
    if let Some(params) = message.get_mut("params").and_then(Value::as_object_mut) {
        params.insert("_meta".to_owned(), meta());
    }
    let mut headers = vec![
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    headers.extend(more);
    post(to, &headers, &message)
}

/// Makes one valid call with these headers, which may name a session.
pub(crate) fn weather_as(to: SocketAddr, headers: &[(&str, &str)]) -> Result<Reply, String> {
    let named = headers.iter().find(|(name, _)| *name == "Mcp-Session-Id");
    match named {
        Some((_, session)) => legacy(to, session, &weather(0, "Tokyo")),
        None => modern_as(to, weather(0, "Tokyo"), TOOL, headers),
    }
}

/// Makes one call without arguments.
pub(crate) fn call_as(
    to: SocketAddr,
    tool: &str,
    headers: &[(&str, &str)],
) -> Result<Reply, String> {
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "tools/call",
        "params": {"name": tool, "arguments": {}}});
    modern_as(to, message, tool, headers)
}

fn legacy(to: SocketAddr, session: &str, message: &Value) -> Result<Reply, String> {
    let headers = [
        ("Mcp-Session-Id", session),
        ("MCP-Protocol-Version", LEGACY),
    ];
    post(to, &headers, message)
}

fn post(to: SocketAddr, headers: &[(&str, &str)], message: &Value) -> Result<Reply, String> {
    let mut all = vec![
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
    ];
    all.extend(headers);
    request(to, "POST", "/mcp", &all, &message.to_string())
}

/// The `_meta` of a request of 2026-07-28.
pub(crate) fn meta() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "replicas", "version": "0"}})
}

pub(crate) const MODERN: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";
const TOOL: &str = "get-weather";
/// How often a client makes a call that no guard accepts.
const REPEATS: u64 = 5;
/// The distance between the ids of a repeated call; more than the number of all calls.
const AGAIN: u64 = 1_000_000_000;
