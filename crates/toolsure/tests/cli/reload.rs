//! `toolsure guard`: clients hear that a reload changed their tools.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::run::{Dir, PROGRAM, toolsure};

/// A server of 2025-11-25 that tells of changes.
const SERVER: &str = r#"
import sys, json
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {"jsonrpc": "2.0", "id": m["id"]}
    if m["method"] == "initialize":
        r["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "p", "version": "1"}}
    elif m["method"] == "tools/list":
        r["result"] = {"tools": [{"name": n, "inputSchema": {"type": "object"}} for n in ("add", "sub")]}
    else:
        r["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(r), flush=True)
"#;

struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
}

impl Client {
    fn start(config: &str) -> Self {
        let mut child = Command::new(PROGRAM)
            .args(["guard", "--config", config, "--log", "warn"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            messages,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// The next message with this method, or the answer to this request.
    fn until(&self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(Duration::from_secs(20));
            let message = message.unwrap_or_else(|_| panic!("no message in time"));
            if is_it(&message) {
                return message;
            }
        }
    }

    fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.until(|heard| heard["id"] == message["id"])
    }
}

impl Client {
    /// Opens a session, or a subscription to changes of tools.
    fn open(&mut self, is_modern: bool) {
        if is_modern {
            self.send(
                &json!({"jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen",
                "params": {"_meta": meta(true), "notifications": {"toolsListChanged": true}}}),
            );
            self.until(|it| it["method"] == "notifications/subscriptions/acknowledged");
        } else {
            self.ask(
                &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"}}}),
            );
            self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
    }

    fn list(&mut self, is_modern: bool) -> String {
        let params = json!({"_meta": meta(is_modern)});
        let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params});
        self.ask(&list).to_string()
    }

    fn reload(&self) {
        signal(&self.child, "-HUP");
    }
}

fn meta(is_modern: bool) -> Value {
    match is_modern {
        false => json!({}),
        true => json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}}),
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

#[test]
fn clients_hear_of_a_reload_that_hides_a_tool() {
    let dir = Dir::new();
    let script = dir.file("server.py", SERVER);
    let one = format!("[upstreams.py]\ncommand = [\"python3\", \"{script}\"]\n");
    let merged = |one: &str| format!("{one}{}", one.replace("upstreams.py", "upstreams.other"));
    let translated = format!("{one}translate = \"modern-clients\"\n");
    for (name, settings, is_modern) in [
        ("merged", merged(&one), false),
        ("one", one, false),
        ("merged and translated", merged(&translated), true),
        ("translated", translated, true),
    ] {
        let config = dir.file("guard.toml", &settings);
        let mut client = Client::start(&config);
        let meta = match is_modern {
            false => json!({}),
            true => json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {}}),
        };
        if is_modern {
            client.send(
                &json!({"jsonrpc": "2.0", "id": "s", "method": "subscriptions/listen",
                "params": {"_meta": meta, "notifications": {"toolsListChanged": true}}}),
            );
            client.until(|it| it["method"] == "notifications/subscriptions/acknowledged");
        } else {
            client.ask(
                &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"}}}),
            );
            client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        let list = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": meta}});
        let before = client.ask(&list(1)).to_string();
        assert!(before.contains("add\""), "{name}: {before}");
        let hidden = format!("{settings}[[tools]]\nmatch = \"*add\"\nhidden = true\n");
        dir.file("guard.toml", &hidden);
        let id = client.child.id().to_string();
        let status = Command::new("kill").args(["-HUP", &id]).status().unwrap();
        assert!(status.success());
        let told = client.until(|it| it["method"] == "notifications/tools/list_changed");
        let subscription = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(*subscription == json!("s"), is_modern, "{name}: {told}");
        let after = client.list(is_modern);
        assert!(
            !after.contains("add\"") && after.contains("sub\""),
            "{name}: {after}"
        );
    }
}

#[test]
fn a_reload_adds_a_server_to_those_with_one_listing() {
    let dir = Dir::new();
    let script = dir.file("server.py", SERVER);
    for is_modern in [false, true] {
        let translate = match is_modern {
            false => "",
            true => "translate = \"modern-clients\"\n",
        };
        let server = |name| {
            format!("[upstreams.{name}]\ncommand = [\"python3\", \"{script}\"]\n{translate}")
        };
        let two = server("one") + &server("two");
        let config = dir.file("guard.toml", &two);
        let mut client = Client::start(&config);
        client.open(is_modern);
        let before = client.list(is_modern);
        assert!(
            before.contains("two_add") && !before.contains("three_"),
            "{before}"
        );
        dir.file("guard.toml", &(two + &server("three")));
        client.reload();
        // It takes the server a moment to open.
        loop {
            client.until(|it| it["method"] == "notifications/tools/list_changed");
            let after = client.list(is_modern);
            assert!(after.contains("one_add"), "{after}");
            if after.contains("three_add") {
                break;
            }
        }
        let params = json!({"name": "three_add", "_meta": meta(is_modern)});
        let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
        // The server itself knows no calls.
        assert_eq!(client.ask(&call)["error"]["message"], "no");
    }
}

#[test]
fn a_reload_adds_a_server_with_an_address_of_its_own() {
    let dir = Dir::new();
    let server = |name: &str| {
        format!(
            "[upstreams.{name}]\ncommand = [\"{PROGRAM}\", \"serve-demo\"]\nlisten = \"127.0.0.1:0\"\n"
        )
    };
    let config = dir.file("guard.toml", &server("one"));
    let mut child = Command::new(PROGRAM)
        .args(["guard", "--config", &config])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let log = BufReader::new(child.stderr.take().unwrap());
    let mut lines = log.lines().map_while(Result::ok);
    let mut until = |part: &str| {
        let found = lines.find(|line| line.contains(part));
        found.unwrap_or_else(|| panic!("it ended before `{part}`"))
    };
    until("ready");
    dir.file("guard.toml", &(server("one") + &server("two")));
    signal(&child, "-HUP");
    let line = until("listening on ");
    until("the server was added");
    let url = line
        .split_whitespace()
        .find(|word| word.starts_with("http://"));
    let run = toolsure(&["check", url.unwrap()]);
    assert!(
        run.stdout.contains("get-count"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    // The address is taken: the others go on.
    let taken = url
        .unwrap()
        .trim_start_matches("http://")
        .trim_end_matches("/mcp");
    let clash = server("three").replace("127.0.0.1:0", taken);
    dir.file("guard.toml", &(server("one") + &server("two") + &clash));
    signal(&child, "-HUP");
    until("the server is not added: cannot listen on");
    until("the settings were read again");
    // It is tried again.
    dir.file(
        "guard.toml",
        &(server("one") + &server("two") + &server("three")),
    );
    signal(&child, "-HUP");
    until("the server was added");
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(status.success());
}
