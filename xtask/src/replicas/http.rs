//! A minimal HTTP/1.1 client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A complete answer.
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

    /// The JSON-RPC message in the body, or in its last event.
    pub(crate) fn message(&self) -> serde_json::Value {
        let last = self.events().last();
        serde_json::from_str(last.unwrap_or(&self.body)).unwrap_or_default()
    }

    /// The data of its events, if it is an event stream.
    pub(crate) fn events(&self) -> impl Iterator<Item = &str> {
        let data = self.body.lines();
        let data = data.filter_map(|line| line.strip_prefix("data:"));
        data.filter(|data| !data.trim().is_empty())
    }
}

/// Sends one request on its own connection.
///
/// # Errors
///
/// One line if the connection breaks before the answer is complete.
pub(crate) fn request(
    to: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<Reply, String> {
    let mut all = vec![("Connection", "close")];
    all.extend(headers);
    Connection::open(to)?.request(method, path, &all, body.as_bytes())
}

/// The bytes of a request.
pub(crate) fn bytes(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    let mut bytes = text.into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// A connection for one request after another.
#[derive(Debug)]
pub(crate) struct Connection {
    to: SocketAddr,
    stream: BufReader<TcpStream>,
}

impl Connection {
    /// # Errors
    ///
    /// One line if nothing listens there.
    pub(crate) fn open(to: SocketAddr) -> Result<Self, String> {
        Self::patient(to, PATIENCE)
    }

    /// Opens a connection with another limit on the time of an answer.
    ///
    /// # Errors
    ///
    /// One line if nothing listens there.
    pub(crate) fn patient(to: SocketAddr, patience: Duration) -> Result<Self, String> {
        let open = || {
            let stream = TcpStream::connect_timeout(&to, patience)?;
            stream.set_read_timeout(Some(patience))?;
            stream.set_nodelay(true)?;
            Ok(BufReader::new(stream))
        };
        let stream = open().map_err(|error: std::io::Error| format!("{to}: {error}"))?;
        Ok(Self { to, stream })
    }

    /// Sends one request and reads its answer.
    ///
    /// # Errors
    ///
    /// One line if the connection breaks before the answer is complete.
    pub(crate) fn request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Reply, String> {
        let bytes = bytes(method, path, headers, body);
        let to = self.to;
        let sent = self.stream.get_mut().write_all(&bytes);
        sent.and_then(|()| read(&mut self.stream))
            .map_err(|error| format!("{to}: {error}"))?
            .ok_or_else(|| format!("{to}: no whole answer"))
    }
}

/// Reads an answer; `None` if it is malformed or incomplete.
fn read(stream: &mut impl BufRead) -> std::io::Result<Option<Reply>> {
    let mut head = String::new();
    loop {
        let before = head.len();
        if stream.read_line(&mut head)? == 0 {
            return Ok(None);
        }
        if head
            .get(before..)
            .is_some_and(|line| line.trim().is_empty())
        {
            break;
        }
    }
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    let Some(status) = status else {
        return Ok(None);
    };
    let mut reply = Reply {
        status,
        head,
        body: String::new(),
    };
    let mut body = Vec::new();
    if reply.header("transfer-encoding").is_some() {
        if !chunks(stream, &mut body)? {
            return Ok(None);
        }
    } else if let Some(length) = reply.header("content-length") {
        let Ok(length) = length.parse() else {
            return Ok(None);
        };
        if stream.by_ref().take(length).read_to_end(&mut body)?
            < usize::try_from(length).unwrap_or(0)
        {
            return Ok(None);
        }
    } else if !matches!(status, 204 | 304) {
        stream.read_to_end(&mut body)?;
    }
    reply.body = String::from_utf8_lossy(&body).into_owned();
    Ok(Some(reply))
}

/// Reads chunks. Returns whether the last chunk arrived.
fn chunks(stream: &mut impl BufRead, body: &mut Vec<u8>) -> std::io::Result<bool> {
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let Ok(size) = u64::from_str_radix(line.trim_end(), 16) else {
            return Ok(false);
        };
        stream.by_ref().take(size).read_to_end(body)?;
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Ok(false);
        }
        if size == 0 {
            return Ok(true);
        }
    }
}

/// Far longer than any step here takes, so that a fault leads to a failure and not to a hang.
const PATIENCE: Duration = Duration::from_secs(30);
