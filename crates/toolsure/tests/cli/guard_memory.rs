//! The resident memory of `toolsure guard` while clients leave large results unread.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A server whose results have 15 MB. Its answers say how long they are, or not.
fn large(says_length: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let text: Arc<str> = "x".repeat(15_000_000).into();
        for stream in listener.incoming() {
            let text = Arc::clone(&text);
            std::thread::spawn(move || answer(&stream.unwrap(), &text, says_length));
        }
    });
    url
}

fn answer(mut stream: &TcpStream, text: &str, says_length: bool) {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line).unwrap() > 2 {
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let request: serde_json::Value = serde_json::from_slice(&body).unwrap();
    let head = format!(r#"{{"jsonrpc":"2.0","id":{},"result":"#, request["id"]);
    let listing = serde_json::json!({"tools": [{"name": "big", "inputSchema": {"type": "object"}},
        {"name": "small", "inputSchema": {"type": "object"}}],
        "resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"})
    .to_string();
    let (content, end) = (
        r#"{"content":[{"type":"text","text":""#,
        r#""}],"resultType":"complete"}"#,
    );
    // The large text is not copied: forty copies at once would take the time that is measured.
    let parts = match request["method"].as_str().unwrap() {
        "tools/list" => [&head, &listing, "", "", "}"],
        _ if request["params"]["name"] == "big" => [&head, content, text, end, "}"],
        _ => [&head, content, "small", end, "}"],
    };
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    let length = match says_length {
        true => format!("Content-Length: {bytes}\r\n"),
        false => String::new(),
    };
    let http = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n{length}\r\n"
    );
    for part in [http.as_str()].iter().chain(&parts) {
        if stream.write_all(part.as_bytes()).is_err() {
            // The guard is gone.
            return;
        }
    }
}

/// A guard in its own process, which ends with the test.
struct Process {
    child: Child,
    port: u16,
    log: Arc<Mutex<String>>,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

impl Process {
    fn start(upstream: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolsure"));
        command.args(["guard", "--listen", "127.0.0.1:0", "--upstream", upstream]);
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.contains("listening on ") {
            line.clear();
            assert!(log.read_line(&mut line).unwrap() > 0, "it ended");
        }
        let (_, port) = line.split_once("127.0.0.1:").unwrap();
        let port = port.split('/').next().unwrap().parse().unwrap();
        let kept = Arc::<Mutex<String>>::default();
        let all = Arc::clone(&kept);
        std::thread::spawn(move || {
            for line in log.lines().map_while(Result::ok) {
                eprintln!("{line}");
                all.lock().unwrap().push_str(&line);
            }
        });
        Self {
            child,
            port,
            log: kept,
        }
    }

    fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// A field of its status, in MiB.
    fn memory(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(field)).unwrap();
        let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kib / 1024
    }

    /// Calls a tool as a caller with a token of its own, and reads nothing.
    fn call(&self, tool: &str, caller: usize) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let body = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": {}, "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}}})
        .to_string();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer {caller}\r\n\
             Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }
}

/// The figures of `SECURITY.md` and of the Kubernetes example, in MiB.
const MOST: u64 = 256;
const AFTERWARDS: u64 = 32;

#[test]
fn large_results_that_nothing_reads_do_not_fill_the_memory() {
    attacked(true);
}

#[test]
fn nor_do_those_whose_length_is_not_known() {
    attacked(false);
}

fn attacked(says_length: bool) {
    let guard = Process::start(&large(says_length));
    let unread: Vec<TcpStream> = (0..40).map(|caller| guard.call("big", caller)).collect();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(12) {
        // Others are served in the meantime: not after clients that never read.
        let asked = Instant::now();
        let mut answer = String::new();
        let mut small = guard.call("small", 1_000);
        small.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("\"small\""), "{answer}");
        let waited = asked.elapsed();
        assert!(waited < Duration::from_secs(30), "{waited:?}");
        std::thread::sleep(Duration::from_secs(1));
    }
    let peak = guard.memory("VmHWM");
    assert!(peak < MOST, "{peak} MiB");
    drop(unread);
    // One that reads gets all of its result.
    let mut whole = Vec::new();
    let mut big = guard.call("big", 1_001);
    big.read_to_end(&mut whole).unwrap();
    assert!(whole.len() > 15_000_000, "{}", whole.len());
    let begun = Instant::now();
    // The pages of the program itself are many in a build for tests, and no matter of messages.
    while guard.memory("RssAnon") > AFTERWARDS {
        let left = guard.memory("RssAnon");
        assert!(begun.elapsed() < Duration::from_secs(60), "{left} MiB");
        std::thread::sleep(Duration::from_millis(500));
    }
    eprintln!(
        "peak {peak} MiB, {} MiB after {:?}",
        guard.memory("VmRSS"),
        begun.elapsed()
    );
    let log = guard.log();
    assert!(log.contains("slow-reader"), "{log}");
}
