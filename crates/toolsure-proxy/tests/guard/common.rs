//! Guards with short timeouts, clients on stdio and over HTTP, and the Python prelude of children.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::net::TcpStream;
use toolsure_guard::{Guard, Policy};
use toolsure_proxy::guard::{
    Event, Exit, GuardOptions, HttpListener, Listener, Observer, Restart, Running, Upstream, serve,
    serve_client,
};
use toolsure_proxy::{HttpTarget, Launch};

pub(crate) const MODERN: &str = "2026-07-28";

/// Collects the observed events as text, and the records as JSON.
#[derive(Default)]
pub(crate) struct Seen(pub(crate) Mutex<Vec<String>>, pub(crate) Mutex<Vec<Value>>);

impl Observer for Seen {
    fn observe(&self, event: &Event<'_>) {
        let word = match event {
            Event::Message { .. } | Event::Stderr(_) => return,
            Event::Verdict(record) => {
                let json = serde_json::from_str(&record.to_json_with(&[])).unwrap();
                return self.1.lock().unwrap().push(json);
            }
            other => format!("{other:?}"),
        };
        self.0.lock().unwrap().push(word);
    }
}

pub(crate) fn policy() -> Policy {
    let mut policy = Policy::default();
    policy.request_timeout = Some(Duration::from_secs(20));
    policy
}

/// A child in Python. Scripts can use `read()`, `send(message)`, `raw(text)`, `answer(id, result)`,
/// `error(id, code)`, `text(id, text)`, which answers a call, `known(m)`, which answers openings of
/// both eras and `tools/list`, and `calls()`, which yields the calls and answers the rest.
pub(crate) fn python(script: &str) -> Upstream {
    // Without `site`, the interpreter starts in half the time.
    let launch = Launch::new("python3")
        .arg("-ISu")
        .arg("-c")
        .arg(format!("{PRELUDE}\n{script}"));
    Upstream::Child {
        launch,
        restart: Restart::NEVER,
    }
}

/// A child that is restarted, whose tool `echo` requires `a` in every process but the first. Its lists of
/// tools are valid for a minute, for everybody or not. `name` is that of the test.
pub(crate) fn changing(name: &str, cache_scope: &str) -> Upstream {
    let file = format!("toolsure-{name}-{cache_scope}-{}", std::process::id());
    let path = std::env::temp_dir().join(file);
    let _from_an_earlier_run = std::fs::remove_file(&path);
    let script = format!(
        r#"
path = {path:?}
if os.path.exists(path): TOOLS[0]["inputSchema"]["required"] = ["a"]
open(path, "w").close()
CACHING["cacheScope"] = "{cache_scope}"
for m, id, name, args in calls():
    if name == "die": os._exit(3)
    text(id, "ok", **MORE)
"#
    );
    restarting(python(&script))
}

pub(crate) fn restarting(upstream: Upstream) -> Upstream {
    match upstream {
        Upstream::Child { launch, .. } => Upstream::Child {
            launch,
            restart: Restart::default(),
        },
        other => other,
    }
}

pub(crate) fn remote(url: &str) -> Upstream {
    Upstream::Http(HttpTarget::new(url).unwrap())
}

pub(crate) fn options(listener: Listener, upstream: Upstream) -> GuardOptions {
    let mut options = GuardOptions::new("test", listener, upstream);
    options.times.grace = Duration::from_secs(1);
    options.times.drain = Duration::from_secs(10);
    options
}

/// A client on stdio.
pub(crate) struct Lined {
    pub(crate) guard: Guard,
    pub(crate) to: Option<DuplexStream>,
    pub(crate) from: BufReader<DuplexStream>,
    pub(crate) running: Running,
    pub(crate) seen: Arc<Seen>,
}

impl Lined {
    pub(crate) fn start(upstream: Upstream) -> Self {
        Self::with(options(Listener::Stdio, upstream), policy())
    }

    pub(crate) fn with(options: GuardOptions, policy: Policy) -> Self {
        let (to, input) = tokio::io::duplex(64 << 10);
        let (output, from) = tokio::io::duplex(64 << 10);
        let seen = Arc::new(Seen::default());
        let guard = Guard::new(policy).unwrap();
        let observer: Arc<dyn Observer> = Arc::<Seen>::clone(&seen);
        let running = serve_client(input, output, options, guard.clone(), observer).unwrap();
        Self {
            guard,
            to: Some(to),
            from: BufReader::new(from),
            running,
            seen,
        }
    }

    pub(crate) async fn write(&mut self, text: &str) {
        let to = self.to.as_mut().unwrap();
        to.write_all(text.as_bytes()).await.unwrap();
        to.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.write(&message.to_string()).await;
    }

    /// The next line; `None` at the end.
    pub(crate) async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.from.read_line(&mut line));
        let count = read.await.expect("no line in time").unwrap();
        (count > 0).then(|| line.trim_end().to_owned())
    }

    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.line().await.expect("the guard closed its output")).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.next().await
    }

    /// Opens a legacy session.
    pub(crate) async fn open(&mut self) {
        let opened = self.ask(&initialize(0)).await;
        assert_eq!(
            opened["result"]["protocolVersion"], "2025-11-25",
            "{opened}"
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
    }

    pub(crate) async fn finished(self) -> Exit {
        let Self {
            to, from, running, ..
        } = self;
        drop(to);
        let exit = tokio::time::timeout(PATIENCE, running.finished()).await;
        drop(from);
        exit.expect("the guard did not end")
    }
}

pub(crate) fn initialize(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"}}})
}

/// A legacy call.
pub(crate) fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call",
        "params": {"name": tool, "arguments": arguments}})
}

/// Makes a message modern.
pub(crate) fn modern(mut message: Value) -> Value {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {}});
    if message["params"].is_null() {
        message["params"] = json!({});
    }
    let own = message["params"]["_meta"].take();
    message["params"]["_meta"] = meta;
    if let Value::Object(own) = own {
        for (name, value) in own {
            message["params"]["_meta"][name] = value;
        }
    }
    message
}

pub(crate) fn text_of(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or("?")
}

/// A guard that serves HTTP.
pub(crate) struct Served {
    pub(crate) guard: Guard,
    pub(crate) running: Running,
    pub(crate) port: u16,
    pub(crate) seen: Arc<Seen>,
}

impl Served {
    pub(crate) async fn start(upstream: Upstream) -> Self {
        Self::with(upstream, policy(), |_| {}).await
    }

    pub(crate) async fn with(
        upstream: Upstream,
        policy: Policy,
        change: impl FnOnce(&mut GuardOptions),
    ) -> Self {
        Self::of(upstream, Guard::new(policy).unwrap(), change).await
    }

    pub(crate) async fn of(
        upstream: Upstream,
        guard: Guard,
        change: impl FnOnce(&mut GuardOptions),
    ) -> Self {
        let address = "127.0.0.1:0".parse().unwrap();
        let listener = Listener::Http(HttpListener::new(address));
        let mut options = options(listener, upstream);
        change(&mut options);
        let seen = Arc::new(Seen::default());
        let observer: Arc<dyn Observer> = Arc::<Seen>::clone(&seen);
        let running = serve(options, guard.clone(), observer).await.unwrap();
        let port = running.address().unwrap().port();
        Self {
            guard,
            running,
            port,
            seen,
        }
    }

    /// Sends one request on a connection of its own, and reads the whole response.
    pub(crate) async fn request(
        &self,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let mut open = self.begin(method, headers, body).await;
        open.rest().await
    }

    /// The same, but none of the response is read yet.
    pub(crate) async fn begin(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Open {
        self.begin_at("/mcp", method, headers, body).await
    }

    /// Sends a GET request to another path, and reads the whole response.
    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let mut open = self.begin_at(path, "GET", headers, "").await;
        open.rest().await
    }

    async fn begin_at(
        &self,
        path: &str,
        method: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Open {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let mut stream = BufReader::new(stream);
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        let given = |name: &str| {
            headers
                .iter()
                .any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        for (name, value) in [
            ("Host", "localhost"),
            ("Connection", "close"),
            ("Accept", "application/json, text/event-stream"),
        ] {
            if !given(name) {
                text.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        if method == "POST" {
            if !given("Content-Type") {
                text.push_str("Content-Type: application/json\r\n");
            }
            if !given("Content-Length") {
                text.push_str(&format!("Content-Length: {}\r\n", body.len()));
            }
        }
        for (name, value) in headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str("\r\n");
        text.push_str(body);
        stream.get_mut().write_all(text.as_bytes()).await.unwrap();
        Open { stream }
    }

    pub(crate) async fn post(&self, headers: &[(&str, &str)], message: &Value) -> Reply {
        self.request("POST", headers, &message.to_string()).await
    }

    /// Posts a modern message with the headers that it requires.
    pub(crate) async fn modern(&self, message: &Value) -> Reply {
        let mut open = self.modern_begin(message).await;
        open.rest().await
    }

    pub(crate) async fn modern_begin(&self, message: &Value) -> Open {
        let method = message["method"].as_str().unwrap_or("");
        let mut headers = vec![("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)];
        if let Some(name) = message["params"]["name"].as_str() {
            headers.push(("Mcp-Name", name));
        }
        self.begin("POST", &headers, &message.to_string()).await
    }

    /// Opens a legacy session and returns its id.
    pub(crate) async fn open(&self) -> String {
        let opened = self.post(&[], &initialize(0)).await;
        assert_eq!(opened.status, 200, "{opened:?}");
        let session = opened.header("mcp-session-id").unwrap().to_owned();
        let told = self
            .post(
                &[
                    ("Mcp-Session-Id", &session),
                    ("MCP-Protocol-Version", "2025-11-25"),
                ],
                &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            )
            .await;
        assert_eq!(told.status, 202, "{told:?}");
        session
    }

    /// Opens the stream on which a session's client listens to the server.
    pub(crate) async fn listen(&self, session: &str) -> Open {
        let headers = [("Mcp-Session-Id", session), ("Accept", "text/event-stream")];
        let mut listening = self.begin("GET", &headers, "").await;
        listening.until("text/event-stream").await;
        listening
    }

    pub(crate) async fn in_session(&self, session: &str, message: &Value) -> Reply {
        self.in_session_of("2025-11-25", session, message).await
    }

    /// The same for a session of another version.
    pub(crate) async fn in_session_of(
        &self,
        version: &str,
        session: &str,
        message: &Value,
    ) -> Reply {
        let headers = [
            ("Mcp-Session-Id", session),
            ("MCP-Protocol-Version", version),
        ];
        self.post(&headers, message).await
    }

    pub(crate) async fn stop(self) -> Exit {
        self.running.stop();
        let exit = tokio::time::timeout(PATIENCE, self.running.finished()).await;
        exit.expect("the guard did not end")
    }
}

/// A response that is not read to its end yet.
pub(crate) struct Open {
    stream: BufReader<TcpStream>,
}

impl Open {
    /// Ends the connection, and waits until the guard has ended it too.
    pub(crate) async fn leave(&mut self) {
        self.stream.get_mut().shutdown().await.unwrap();
        let mut rest = Vec::new();
        let read = tokio::time::timeout(PATIENCE, self.stream.read_to_end(&mut rest));
        read.await.expect("the connection did not end").unwrap();
    }

    pub(crate) async fn rest(&mut self) -> Reply {
        let mut raw = Vec::new();
        let read = tokio::time::timeout(PATIENCE, self.stream.read_to_end(&mut raw));
        read.await.expect("no end of the answer in time").unwrap();
        Reply::read(&raw)
    }

    /// The messages of the remaining events.
    pub(crate) async fn rest_of_stream(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            let mut line = String::new();
            let read = tokio::time::timeout(PATIENCE, self.stream.read_line(&mut line));
            if read.await.expect("no line in time").unwrap() == 0 {
                return messages;
            }
            if let Some(data) = line.trim_end().strip_prefix("data: ") {
                messages.push(serde_json::from_str(data).unwrap());
            }
        }
    }

    /// The next line of the response, including chunk sizes.
    pub(crate) async fn line(&mut self) -> String {
        let mut line = String::new();
        let read = tokio::time::timeout(PATIENCE, self.stream.read_line(&mut line));
        let count = read.await.expect("no line in time").unwrap();
        assert!(count > 0, "the stream has ended");
        line.trim_end().to_owned()
    }

    /// Reads lines until one contains this text.
    pub(crate) async fn until(&mut self, text: &str) -> String {
        loop {
            let line = self.line().await;
            if line.contains(text) {
                return line;
            }
        }
    }
}

/// A whole response.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    fn read(raw: &[u8]) -> Self {
        let text = String::from_utf8_lossy(raw);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().unwrap_or_default().split(' ').nth(1);
        let status = status.and_then(|code| code.parse().ok()).unwrap_or(0);
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let chunked = headers.iter().any(|(name, _)| name == "transfer-encoding");
        let body = if chunked {
            unchunked(body)
        } else {
            body.to_owned()
        };
        Self {
            status,
            headers,
            body,
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    }

    /// The messages of the body, which is JSON or an event stream.
    pub(crate) fn messages(&self) -> Vec<Value> {
        if self.header("content-type") == Some("text/event-stream") {
            let lines = self
                .body
                .split(['\n', '\r'])
                .filter_map(|line| line.strip_prefix("data: "));
            return lines
                .map(|data| serde_json::from_str(data).unwrap())
                .collect();
        }
        vec![serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))]
    }

    pub(crate) fn message(&self) -> Value {
        self.messages().pop().unwrap_or_else(|| panic!("{self:?}"))
    }
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or(0);
        let Some((chunk, more)) = rest.split_at_checked(size).filter(|_| size > 0) else {
            break;
        };
        whole.push_str(chunk);
        body = more.strip_prefix("\r\n").unwrap_or(more);
    }
    whole
}

/// Far longer than anything here takes, so that a bug fails a test and does not block it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) const PRELUDE: &str = include_str!("prelude.py");
