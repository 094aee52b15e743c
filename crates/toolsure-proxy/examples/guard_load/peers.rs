//! Test servers that answer as fast as they can, so that the measurements show the proxies.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use crate::Done;

/// The members of a tool, except its name.
const CONTRACT: &str = r#""inputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":1000},"count":{"type":"integer","minimum":0}},"required":["text"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}"#;

/// The name of a tool.
pub(crate) fn tool(number: usize) -> String {
    format!("echo-{number}")
}

/// A server with some tools.
struct Server {
    listing: String,
}

impl Server {
    fn new(tools: usize) -> Self {
        let each = (0..tools).map(|number| format!(r#"{{"name":"{}",{CONTRACT}}}"#, tool(number)));
        let all: Vec<String> = each.collect();
        Self {
            listing: format!(r#"{{"tools":[{}]}}"#, all.join(",")),
        }
    }

    fn answer(&self, line: &str) -> Option<String> {
        let id = line.split_once("\"id\":")?.1;
        let id = id.split([',', '}']).next()?.trim();
        let result = if line.contains("\"tools/call\"") {
            r#"{"content":[{"type":"text","text":"{\"text\":\"hello\"}"}],"structuredContent":{"text":"hello"}}"#
        } else if line.contains("\"initialize\"") {
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"echo","version":"1"}}"#
        } else {
            self.listing.as_str()
        };
        Some(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#
        ))
    }
}

/// Serves on standard input and output.
pub(crate) fn echo_stdio(tools: usize) -> Done<()> {
    let server = Server::new(tools);
    let mut input = BufReader::new(std::io::stdin().lock());
    let mut output = std::io::stdout().lock();
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        if let Some(mut answer) = server.answer(&line) {
            answer.push('\n');
            output.write_all(answer.as_bytes())?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

/// Serves HTTP on a free port and prints the address.
pub(crate) fn echo_http(tools: usize) -> Done<()> {
    let server = std::sync::Arc::new(Server::new(tools));
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    for stream in listener.incoming() {
        let mut stream = stream?;
        let server = std::sync::Arc::clone(&server);
        std::thread::spawn(move || -> std::io::Result<()> {
            stream.set_nodelay(true)?;
            let mut input = BufReader::new(stream.try_clone()?);
            while let Some(body) = read_http(&mut input, &mut String::new())? {
                let text = match server.answer(&body) {
                    Some(answer) => format!(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s\r\nContent-Length: {}\r\n\r\n{answer}",
                        answer.len()
                    ),
                    None => "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned(),
                };
                stream.write_all(text.as_bytes())?;
            }
            Ok(())
        });
    }
    Ok(())
}

/// Reads one request or response with a `Content-Length`, and stores its session id in `session`.
/// `None` at the end of the stream.
pub(crate) fn read_http(
    input: &mut impl BufRead,
    session: &mut String,
) -> std::io::Result<Option<String>> {
    let mut length = 0;
    let mut line = String::new();
    loop {
        line.clear();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let text = line.trim_end();
        if text.is_empty() {
            break;
        }
        let (name, value) = text.split_once(':').unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.trim().parse().unwrap_or(0),
            "mcp-session-id" => value.trim().clone_into(session),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body)?;
    Ok(Some(String::from_utf8_lossy(&body).into_owned()))
}
