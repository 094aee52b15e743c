//! As much HTTP/1.1 as a client of one request a connection needs.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A whole answer.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(':'));
        let found = lines.find(|(own, _)| own.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim())
    }

    /// The JSON-RPC message that the body is, or ends with.
    pub(crate) fn message(&self) -> serde_json::Value {
        let data = self.body.lines().rev();
        let mut data = data.filter_map(|line| line.strip_prefix("data:"));
        let last = data.find(|data| !data.trim().is_empty());
        serde_json::from_str(last.unwrap_or(&self.body)).unwrap_or_default()
    }
}

/// Sends one request to `/mcp`, or to another path, on a connection of its own.
///
/// # Errors
///
/// One line if the connection breaks before there is a whole answer.
pub(crate) fn request(
    to: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<Reply, String> {
    let failed = |error: std::io::Error| format!("{to}: {error}");
    let mut stream = TcpStream::connect_timeout(&to, PATIENCE).map_err(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.push_str(body);
    stream.write_all(text.as_bytes()).map_err(failed)?;
    let mut raw = Vec::new();
    stream.read_to_end(&mut raw).map_err(failed)?;
    let text = String::from_utf8_lossy(&raw);
    let (head, body) = text
        .split_once("\r\n\r\n")
        .ok_or_else(|| format!("{to}: no answer"))?;
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    let mut reply = Reply {
        status: status.ok_or_else(|| format!("{to}: no status"))?,
        head: head.to_owned(),
        body: body.to_owned(),
    };
    if reply.header("transfer-encoding").is_some() {
        reply.body = whole(body).ok_or_else(|| format!("{to}: the answer was cut"))?;
    }
    Ok(reply)
}

/// What chunks come to; `None` if the last is missing.
fn whole(mut chunks: &str) -> Option<String> {
    let mut whole = String::new();
    loop {
        let (size, rest) = chunks.split_once("\r\n")?;
        let size = usize::from_str_radix(size, 16).ok()?;
        if size == 0 {
            return Some(whole);
        }
        let (chunk, rest) = rest.split_at_checked(size)?;
        whole.push_str(chunk);
        chunks = rest.strip_prefix("\r\n")?;
    }
}

/// Far longer than anything here takes, so that a fault is a failure and not a hang.
const PATIENCE: Duration = Duration::from_secs(30);
