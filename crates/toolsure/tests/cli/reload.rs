//! `toolsure guard`: what a reload changes for connected clients, and the servers that it adds.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use crate::guard_several::LEGACY;
use crate::run::{Dir, PROGRAM, toolsure};

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
fn clients_are_notified_of_a_reload_that_hides_a_tool() {
    let dir = Dir::new();
    let script = dir.file("server.py", LEGACY);
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
        client.open(is_modern);
        let before = client.list(is_modern);
        assert!(before.contains("add\""), "{name}: {before}");
        let hidden = format!("{settings}[[tools]]\nmatch = \"*add\"\nhidden = true\n");
        dir.file("guard.toml", &hidden);
        signal(&client.child, "-HUP");
        let told = client.until(|it| it["method"] == "notifications/tools/list_changed");
        let subscription = &told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        assert_eq!(*subscription == json!("s"), is_modern, "{name}: {told}");
        let after = client.list(is_modern);
        assert!(
            !after.contains("add\"") && after.contains("die\""),
            "{name}: {after}"
        );
    }
}

#[test]
fn a_reload_adds_a_server_to_those_with_one_listing() {
    let dir = Dir::new();
    let script = dir.file("server.py", LEGACY);
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
        signal(&client.child, "-HUP");
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
        assert_eq!(client.ask(&call)["result"]["content"][0]["type"], "text");
    }
}

/// A guard on a network whose upstreams have addresses of their own.
pub(crate) struct Listening {
    child: Child,
    log: Receiver<String>,
}

impl Listening {
    pub(crate) fn start(config: &str) -> Self {
        let mut child = Command::new(PROGRAM)
            .args(["guard", "--config", config])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (sender, log) = channel();
        std::thread::spawn(move || {
            let mut lines = lines.map_while(Result::ok);
            lines.try_for_each(|line| sender.send(line).map_err(drop))
        });
        Self { child, log }
    }

    /// The next line of the log with this part.
    pub(crate) fn until(&mut self, part: &str) -> String {
        loop {
            let line = self.log.recv_timeout(Duration::from_secs(20));
            let line = line.unwrap_or_else(|why| panic!("no `{part}`: {why}"));
            if line.contains(part) {
                return line;
            }
        }
    }

    /// The URL of the next upstream that starts.
    pub(crate) fn url(&mut self) -> String {
        let line = self.until("listening on ");
        let mut words = line.split_whitespace();
        words.find(|word| word.contains("://")).unwrap().to_owned()
    }

    pub(crate) fn reload(&self) {
        signal(&self.child, "-HUP");
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// The settings of an upstream with an address of its own.
pub(crate) fn upstream(name: &str) -> String {
    format!(
        "[upstreams.{name}]\ncommand = [\"{PROGRAM}\", \"serve-demo\"]\nlisten = \"127.0.0.1:0\"\n"
    )
}

#[test]
fn a_reload_adds_a_server_with_an_address_of_its_own() {
    let dir = Dir::new();
    let config = dir.file("guard.toml", &upstream("one"));
    let mut guard = Listening::start(&config);
    guard.until("ready");
    let two = upstream("one") + &upstream("two");
    dir.file("guard.toml", &two);
    guard.reload();
    let url = guard.url();
    guard.until("the server was added");
    let run = toolsure(&["check", &url]);
    assert!(
        run.stdout.contains("get-count"),
        "{}{}",
        run.stdout,
        run.stderr
    );
    // An address that is taken: the others go on, and the next reload tries again.
    let taken = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let clash = upstream("three").replace("127.0.0.1:0", taken);
    dir.file("guard.toml", &format!("{two}{clash}"));
    guard.reload();
    guard.until("the server is not added: cannot listen on");
    guard.until("the settings were read again");
    dir.file("guard.toml", &format!("{two}{}", upstream("three")));
    guard.reload();
    guard.until("the server was added");
    signal(&guard.child, "-TERM");
    assert_eq!(guard.child.wait().unwrap().code(), Some(0));
}

/// Rules for callers that the guard does not know, or knows and has no rules for, are not taken over.
#[test]
fn a_reload_does_not_turn_authentication_on_or_off() {
    let dir = Dir::new();
    let server = upstream("one");
    let digest = "sha256:8a5edab282632443219e051e4ade2d1d5bbc671c781051bf1437897cbdfea0f1";
    let tokens = format!("{server}[auth]\ntokens = {{ ci = \"{digest}\" }}\n");
    let rules = format!("{tokens}[[callers]]\ntoken = \"ci\"\ntools = [\"get-count\"]\n");
    let refused = "authentication of callers is turned on or off only by a restart";
    for (before, after) in [(&server, &rules), (&rules, &server)] {
        let config = dir.file("guard.toml", before);
        let mut guard = Listening::start(&config);
        guard.until("ready");
        dir.file("guard.toml", after);
        guard.reload();
        guard.until(refused);
        dir.file("guard.toml", before);
        guard.reload();
        guard.until("the settings were read again");
    }
    let config = dir.file("guard.toml", &rules);
    let mut guard = Listening::start(&config);
    guard.until("ready");
    dir.file("guard.toml", &tokens);
    guard.reload();
    guard.until("every caller that authenticates may use everything");
}

/// A server that would change the form of the common listing needs a restart.
#[test]
fn a_second_server_beside_a_lone_one_needs_a_restart() {
    let dir = Dir::new();
    let script = dir.file("server.py", LEGACY);
    let server = |name| format!("[upstreams.{name}]\ncommand = [\"python3\", \"{script}\"]\n");
    let config = dir.file("guard.toml", &server("one"));
    let mut client = Client::start(&config);
    client.open(false);
    client.list(false);
    dir.file("guard.toml", &(server("one") + &server("two")));
    signal(&client.child, "-HUP");
    // The policy of the one that runs has no prefix, before the reload and after it.
    for _ in 0..20 {
        let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call",
            "params": {"name": "nobody", "arguments": {}}});
        assert_eq!(
            client.ask(&call)["error"]["message"],
            "unknown tool: nobody"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([name, &id]).status().unwrap();
    assert!(status.success());
}
