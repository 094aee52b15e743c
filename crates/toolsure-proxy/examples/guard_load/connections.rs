//! Starts processes of this program and connects to them, with one connection each.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::peers::{read_http, tool};
use crate::{Done, itself};

/// One connection to the server, direct or through a proxy.
pub(crate) trait Connection {
    fn send(&mut self, message: &str) -> std::io::Result<()>;
    fn receive(&mut self) -> std::io::Result<String>;
}

struct Lines(
    std::process::ChildStdin,
    BufReader<std::process::ChildStdout>,
);

impl Connection for Lines {
    fn send(&mut self, message: &str) -> std::io::Result<()> {
        self.0.write_all(format!("{message}\n").as_bytes())
    }

    fn receive(&mut self) -> std::io::Result<String> {
        let mut line = String::new();
        self.1.read_line(&mut line)?;
        Ok(line)
    }
}

struct Http {
    to: TcpStream,
    from: BufReader<TcpStream>,
    /// The session id of the last response that had one.
    session: String,
}

impl Connection for Http {
    fn send(&mut self, message: &str) -> std::io::Result<()> {
        let session = match self.session.as_str() {
            "" => String::new(),
            name => format!("Mcp-Session-Id: {name}\r\n"),
        };
        let text = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n{session}MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{message}",
            message.len()
        );
        self.to.write_all(text.as_bytes())
    }

    fn receive(&mut self) -> std::io::Result<String> {
        Ok(read_http(&mut self.from, &mut self.session)?.unwrap_or_default())
    }
}

/// Running processes. Dropping this kills them.
#[derive(Default)]
pub(crate) struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ended = child.kill();
            let _ended = child.wait();
        }
    }
}

pub(crate) fn stdio(
    mode: &str,
    tools: usize,
    running: &mut Running,
) -> Done<(Box<dyn Connection>, u32)> {
    let mut child = Command::new(itself()?)
        .args([mode, &tools.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err("no pipes".into());
    };
    let id = child.id();
    running.0.push(child);
    Ok((Box::new(Lines(to, BufReader::new(from))), id))
}

pub(crate) fn listening(mode: &str, word: &str, running: &mut Running) -> Done<(String, u32)> {
    let mut command = Command::new(itself()?);
    command.args([mode, word]).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let Some(from) = child.stdout.take() else {
        return Err("no pipe".into());
    };
    let mut line = String::new();
    BufReader::new(from).read_line(&mut line)?;
    let id = child.id();
    running.0.push(child);
    Ok((line.trim().to_owned(), id))
}

pub(crate) fn http(address: &str) -> Done<Box<dyn Connection>> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    Ok(Box::new(Http {
        to: stream.try_clone()?,
        from: BufReader::new(stream),
        session: String::new(),
    }))
}

/// The `tools/call` with this id, which also selects one of `tools` tools.
pub(crate) fn call(id: usize, tools: usize) -> String {
    let tool = tool(id % tools.max(1));
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"text":"hello","count":3}}}}}}"#
    )
}

/// Opens a session and lists the tools.
pub(crate) fn open(connection: &mut dyn Connection) -> Done<()> {
    connection.send(r#"{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}"#)?;
    connection.receive()?;
    connection.send(r#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#)?;
    connection.receive()?;
    Ok(())
}

/// The resident memory of a process in KiB.
pub(crate) fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
