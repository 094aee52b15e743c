//! Requests of both eras, and answers that are read as they come.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::replicas::http::{self, Reply};
use crate::replicas::load::{self, MODERN, meta};
use crate::soak::calls::{self, Era};

/// A request to the guard.
pub(super) struct Request {
    method: &'static str,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Request {
    /// A call in a session, or without one a call of 2026-07-28.
    pub(super) fn call(session: Option<&str>, tool: &str, arguments: &Value) -> Self {
        let mut params = json!({"name": tool, "arguments": arguments});
        let era = match session {
            Some(_) => Era::Legacy,
            None => Era::Modern,
        };
        if let (Era::Modern, Some(params)) = (era, params.as_object_mut()) {
            params.insert("_meta".to_owned(), meta());
        }
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        Self {
            method: "POST",
            headers: owned(&calls::headers(era, tool, session)),
            body: body.to_string(),
        }
    }

    /// The event stream of a session.
    pub(super) fn listen(session: &str) -> Self {
        Self {
            method: "GET",
            headers: owned(&[
                ("Accept", "text/event-stream"),
                ("MCP-Protocol-Version", load::LEGACY),
                ("Mcp-Session-Id", session),
            ]),
            body: String::new(),
        }
    }

    /// The event stream of a client of 2026-07-28.
    pub(super) fn subscribe() -> Self {
        let method = "subscriptions/listen";
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {
            "notifications": {"toolsListChanged": true}, "_meta": meta()}});
        Self {
            method: "POST",
            headers: owned(&[
                ("Content-Type", "application/json"),
                ("Accept", "application/json, text/event-stream"),
                ("MCP-Protocol-Version", MODERN),
                ("Mcp-Method", method),
            ]),
            body: body.to_string(),
        }
    }

    /// What is sent, on a connection that stays open.
    pub(super) fn bytes(&self) -> Vec<u8> {
        http::bytes(
            self.method,
            "/mcp",
            &self.headers(&[]),
            self.body.as_bytes(),
        )
    }

    /// Sends it and waits for the whole answer.
    pub(super) fn ask(&self, to: SocketAddr) -> Result<Reply, String> {
        http::request(to, self.method, "/mcp", &self.headers(&[]), &self.body)
    }

    /// Sends it and leaves the answer unread.
    pub(super) fn begin(&self, to: SocketAddr) -> Result<Begun, String> {
        // The end of the answer is then the end of the connection.
        let headers = self.headers(&[("Connection", "close")]);
        let bytes = http::bytes(self.method, "/mcp", &headers, self.body.as_bytes());
        let open = || {
            let mut stream = TcpStream::connect(to)?;
            stream.write_all(&bytes)?;
            Ok(stream)
        };
        let stream = open().map_err(|e: std::io::Error| format!("{to}: {e}"))?;
        Ok(Begun {
            stream,
            sent: Instant::now(),
            first: None,
            bytes: Vec::new(),
            has_ended: false,
        })
    }

    fn headers<'a>(&'a self, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        let own = self.headers.iter();
        let own = own.map(|(name, value)| (*name, value.as_str()));
        own.chain(more.iter().copied()).collect()
    }
}

fn owned(headers: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    let headers = headers.iter();
    headers
        .map(|(name, value)| (*name, (*value).to_owned()))
        .collect()
}

/// An answer that has begun, or will.
pub(super) struct Begun {
    stream: TcpStream,
    sent: Instant,
    /// The time between the request and the first byte.
    pub(super) first: Option<Duration>,
    /// What has been read.
    bytes: Vec<u8>,
    pub(super) has_ended: bool,
}

impl Begun {
    /// Reads until the answer ends, or for this time.
    pub(super) fn read_for(&mut self, time: Duration) {
        let until = Instant::now() + time;
        while !self.has_ended {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let _unlimited = self.stream.set_read_timeout(Some(left));
            self.read(64 << 10);
        }
    }

    /// Reads once, at most `most` bytes.
    pub(super) fn read(&mut self, most: usize) {
        let mut buffer = vec![0; most];
        match self.stream.read(&mut buffer) {
            Ok(0) => self.has_ended = true,
            Ok(count) => {
                let sent = self.sent;
                self.first.get_or_insert_with(|| sent.elapsed());
                self.bytes.extend(buffer.into_iter().take(count));
            }
            Err(error) => {
                let kind = error.kind();
                let later = [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut];
                self.has_ended = !later.contains(&kind);
            }
        }
    }

    /// Makes [`read`](Self::read) return at once if nothing is there.
    pub(super) fn without_waiting(self) -> Result<Self, String> {
        let set = self.stream.set_nonblocking(true);
        set.map(|()| self).map_err(|e| e.to_string())
    }

    pub(super) fn port(&self) -> u16 {
        self.stream.local_addr().map_or(0, |own| own.port())
    }

    /// The bytes of the body as they came, with the marks of its chunks.
    pub(super) fn body(&self) -> &[u8] {
        let end = self.bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let body = end.and_then(|end| self.bytes.get(end + 4..));
        body.unwrap_or_default()
    }
}
