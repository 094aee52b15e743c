//! A server at one end of a pipe, and a client that writes JSON lines at the other.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests say what they expect by stopping"
)]

pub(crate) mod client;
pub(crate) mod script;

use rmcp::{RoleServer, Service, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

/// The metadata that a client sends to a modern server with each request.
pub(crate) fn modern_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
    })
}

/// A client that writes its own lines.
pub(crate) struct Wire {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    modern: bool,
    next: u64,
}

impl Wire {
    /// Connects a client to a server with version 2026-07-28.
    pub(crate) fn modern(service: impl Service<RoleServer>) -> Self {
        Self::to(service, true)
    }

    /// Connects a client to a server with the handshake of an older version.
    pub(crate) async fn legacy(service: impl Service<RoleServer>, version: &str) -> Self {
        let mut wire = Self::to(service, false);
        let params = json!({"protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"}});
        let answer = wire.ask("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], version);
        wire.line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string())
            .await;
        wire
    }

    fn to(service: impl Service<RoleServer>, modern: bool) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            if let Ok(running) = service.serve(theirs).await {
                let _ = running.waiting().await;
            }
        });
        let (read, write) = tokio::io::split(ours);
        Self {
            read: BufReader::new(read),
            write,
            modern,
            next: 1,
        }
    }

    pub(crate) async fn line(&mut self, line: &str) {
        self.write.write_all(line.as_bytes()).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    /// The next line as text.
    pub(crate) async fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.read.read_line(&mut line).await.unwrap();
        line
    }

    /// Sends a request. Returns its id.
    pub(crate) async fn send(&mut self, method: &str, mut params: Value) -> u64 {
        if self.modern {
            params["_meta"] = modern_meta();
        }
        let id = self.next;
        self.next += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.line(&request.to_string()).await;
        id
    }

    /// The answer to a request, as text.
    pub(crate) async fn ask_text(&mut self, method: &str, params: Value) -> String {
        let id = self.send(method, params).await;
        loop {
            let line = self.read_line().await;
            if line.is_empty() {
                panic!("the server hung up instead of answering {method}");
            }
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return line;
            }
        }
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        serde_json::from_str(&self.ask_text(method, params).await).unwrap()
    }

    /// The result or error of a tool call.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        let mut answer = self.ask("tools/call", params).await;
        match answer.get_mut("result") {
            Some(result) => result.take(),
            None => answer,
        }
    }

    /// A listed tool.
    pub(crate) async fn listed(&mut self, tool: &str) -> Option<Value> {
        let answer = self.ask("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().unwrap();
        tools.iter().find(|listed| listed["name"] == tool).cloned()
    }
}
