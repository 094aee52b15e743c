//! `toolsure serve-demo --http`: headers, sessions, origins.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use crate::run::{PROGRAM, toolsure};

struct Demo {
    child: Child,
    addr: String,
}

impl Demo {
    fn start() -> Self {
        let mut child = Command::new(PROGRAM)
            .args(["serve-demo", "--http", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let addr = line
            .trim()
            .strip_prefix("listening on http://")
            .unwrap()
            .strip_suffix("/mcp")
            .unwrap()
            .to_owned();
        Self { child, addr }
    }

    /// Sends one request; returns the response's head and body as text.
    fn send(&self, method: &str, headers: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.addr).unwrap();
        let host = if headers.contains("Host: ") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.addr)
        };
        let length = body.len();
        write!(stream, "{method} /mcp HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn post(&self, headers: &str, body: &str) -> String {
        self.send(
            "POST",
            &format!("Content-Type: application/json\r\n{headers}"),
            body,
        )
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _already_gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}}"#;

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap()
}

#[test]
fn modern_headers_must_say_what_the_body_says() {
    let demo = Demo::start();
    let right = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n";
    assert_eq!(status(&demo.post(right, LIST)), "200");
    for wrong in [
        "Mcp-Method: tools/list\r\n",
        "MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/list\r\n",
        "MCP-Protocol-Version: 2026-07-28\r\n",
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n",
    ] {
        let answer = demo.post(wrong, LIST);
        assert!(
            status(&answer) == "400" && answer.contains("-32020"),
            "{wrong}: {answer}"
        );
    }
    let call = LIST
        .replace("tools/list", "tools/call")
        .replace("\"params\":{", "\"params\":{\"name\":\"get-count\",");
    let answer = demo.post(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: other\r\n",
        &call,
    );
    assert!(
        status(&answer) == "400" && answer.contains("`Mcp-Name`"),
        "{answer}"
    );
    let unknown = LIST.replace("tools/list", "vendor/x");
    let answer = demo.post(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: vendor/x\r\n",
        &unknown,
    );
    assert!(
        status(&answer) == "404" && answer.contains("-32601"),
        "{answer}"
    );
}

#[test]
fn legacy_sessions_open_serve_and_close() {
    let demo = Demo::start();
    let opened = demo.post("", INITIALIZE);
    let session = opened
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .unwrap()
        .to_owned();
    let header = format!("Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    let list = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
    assert!(demo.post(&header, list).contains("get-weather-forecast"));
    assert_eq!(
        status(&demo.post(
            &header,
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
        )),
        "202"
    );
    assert_eq!(status(&demo.post("", list)), "400");
    assert_eq!(status(&demo.post("Mcp-Session-Id: guess\r\n", list)), "404");
    assert_eq!(status(&demo.send("DELETE", &header, "")), "204");
    assert_eq!(status(&demo.post(&header, list)), "404");
    assert_eq!(status(&demo.send("GET", "", "")), "405");
}

#[test]
fn strangers_and_garbage_are_turned_away() {
    let demo = Demo::start();
    for strange in [
        "Origin: http://evil.example\r\n",
        "Host: evil.example\r\n",
        "Origin: null\r\n",
    ] {
        assert_eq!(status(&demo.post(strange, LIST)), "403", "{strange}");
    }
    assert_eq!(
        status(&demo.post("Origin: http://localhost:5173\r\n", INITIALIZE)),
        "200"
    );
    assert_eq!(
        status(&demo.send("POST", "Content-Type: text/plain\r\n", LIST)),
        "415"
    );
    let answer = demo.post("", "{nope");
    assert!(
        status(&answer) == "400" && answer.contains("-32700"),
        "{answer}"
    );
    assert_eq!(status(&demo.post("", &"x".repeat((4 << 20) + 1))), "413");
}

#[test]
fn it_checks_itself_over_http() {
    let demo = Demo::start();
    let run = toolsure(&["check", &format!("http://{}/mcp", demo.addr)]);
    assert!(
        run.code == 6 && run.stdout.contains("protocol 2026-07-28 (modern)"),
        "{}",
        run.stdout
    );
}

#[test]
fn other_machines_need_a_word() {
    let run = toolsure(&["serve-demo", "--http", "0.0.0.0:0"]);
    assert!(
        run.code == 2 && run.stderr.contains("add `--allow-remote`"),
        "{}",
        run.stderr
    );
}
