//! `toolsure guard` in front of several servers with one listing.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use crate::run::{Dir, PROGRAM, toolsure};

/// A server of 2025-11-25 with a tool that ends it.
pub(crate) const LEGACY: &str = r#"
import sys, json, os
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {"jsonrpc": "2.0", "id": m["id"]}
    if m["method"] == "initialize":
        r["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}}, "serverInfo": {"name": "p", "version": "1"}}
    elif m["method"] == "tools/list":
        r["result"] = {"tools": [{"name": n, "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}} for n in ("add", "die")]}
    elif m["method"] == "tools/call":
        if m["params"]["name"] == "die": os._exit(3)
        r["result"] = {"content": [{"type": "text", "text": str(os.getpid())}]}
    else:
        r["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(r), flush=True)
"#;

fn settings(dir: &Dir, more: &str) -> String {
    let script = dir.file("legacy.py", LEGACY);
    dir.file(
        "guard.toml",
        &format!(
            "[upstreams.demo]\ncommand = [\"{PROGRAM}\", \"serve-demo\"]\n\
             [upstreams.py]\ncommand = [\"python3\", \"{script}\"]\nprefix = \"py-\"\n{more}"
        ),
    )
}

#[test]
fn several_are_summed_up_and_clashes_named() {
    let dir = Dir::new();
    let file = dir.file(
        "guard.toml",
        "[upstreams.a]\ncommand = [\"cat\"]\n[upstreams.b]\nurl = \"http://127.0.0.1:1/mcp\"\nprefix = \"far.\"\n",
    );
    let run = toolsure(&["guard", "--config", &file, "--check-config"]);
    let told = "the settings are valid\n\
                \x20 a: standard input and output -> cat (names begin with `a_`)\n\
                \x20 b: standard input and output -> http://127.0.0.1:1/mcp (names begin with `far.`)\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, told));
    let file = dir.file(
        "guard.toml",
        "[upstreams.a]\ncommand = [\"x\"]\n[upstreams.a_b]\ncommand = [\"y\"]\n",
    );
    let run = toolsure(&["guard", "--config", &file, "--check-config"]);
    let clash = "the prefix `a_b_` of `a_b` begins with the prefix `a_` of `a`";
    assert!(
        run.code == 2 && run.stderr.contains(clash),
        "{}",
        run.stderr
    );
}

#[test]
fn a_client_sees_one_server_with_the_tools_of_all() {
    let dir = Dir::new();
    let file = settings(&dir, "");
    let run = toolsure(&["check", "--", PROGRAM, "guard", "--config", &file]);
    assert_eq!(run.code, 0, "{}{}", run.stdout, run.stderr);
    for part in [
        "toolsure 0.1.0, protocol 2025-11-25 (legacy)",
        " ok  demo_get-count ",
        " ok  py-add ",
        " ok  py-die ",
        // The bad tools of the demonstration are removed by its own guard.
        "\n5 tools: 5 ok\n",
    ] {
        assert!(run.stdout.contains(part), "{part} in\n{}", run.stdout);
    }
}

/// A guard on standard input and output.
struct Several {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    log: BufReader<ChildStderr>,
}

impl Several {
    fn start(config: &str) -> Self {
        let mut child = Command::new(PROGRAM)
            .args(["guard", "--config", config])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut guard = Self {
            child,
            input,
            output,
            log,
        };
        guard.ask(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#);
        guard.tell(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        guard
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn ask(&mut self, line: &str) -> Value {
        self.tell(line);
        loop {
            let message = self.next();
            if !message["id"].is_null() {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str) -> Value {
        self.ask(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#
        ))
    }

    fn tools(&mut self) -> Vec<String> {
        let listed = self.ask(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#);
        let tools = listed["result"]["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    }

    fn until(&mut self, text: &str) -> String {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert_ne!(self.log.read_line(&mut line).unwrap(), 0, "no `{text}`");
        }
        line
    }

    fn end(mut self) {
        drop(self.input);
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

#[test]
fn readiness_names_the_servers_that_are_gone() {
    let dir = Dir::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = listener.local_addr().unwrap();
    drop(listener);
    let file = settings(
        &dir,
        &format!(
            "restarts = 0\n[upstreams.far]\nurl = \"http://{nobody}/mcp\"\n\
             [admin]\naddress = \"127.0.0.1:0\"\n[log]\nformat = \"json\"\n"
        ),
    );
    let mut guard = Several::start(&file);
    let admin: Value = serde_json::from_str(&guard.until("\"admin\"")).unwrap();
    let admin = admin["address"].as_str().unwrap().to_owned();
    guard.call("py-die");
    // This is logged after the state of the server was updated.
    guard.until("server-not-restarted");
    let mut stream = TcpStream::connect(&admin).unwrap();
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {admin}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut ready = String::new();
    stream.read_to_string(&mut ready).unwrap();
    assert!(ready.starts_with("HTTP/1.1 200 "), "{ready}");
    let (_, lines) = ready.split_once("\r\n\r\n").unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    let [demo, far, py] = lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(demo, "demo: ready");
    assert!(
        far.starts_with(&format!("far: cannot reach `http://{nobody}`")),
        "{far}"
    );
    assert!(
        py.starts_with("py: `python3`") && py.contains("status 3"),
        "{py}"
    );
}

#[test]
fn one_that_dies_is_started_again_and_rules_are_for_the_servers_own_names() {
    let dir = Dir::new();
    let file = settings(&dir, "");
    let mut guard = Several::start(&file);
    let first = guard.call("py-add");
    let first = first["result"]["content"][0]["text"].clone();
    let lost = guard.call("py-die");
    let why = lost["error"]["message"].as_str().unwrap();
    assert!(why.contains("status 3"), "{lost}");
    guard.until("`py` cannot be reached");
    for _ in 0..2 {
        let told = guard.next();
        assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    }
    let again = guard.call("py-add");
    let text = &again["result"]["content"][0]["text"];
    assert!(text.is_string() && *text != first, "{again}");

    assert_eq!(guard.tools().len(), 5);
    settings(
        &dir,
        "[[tools]]\nmatch = \"d*\"\nhidden = true\n[[tools]]\nmatch = \"py-add\"\nhidden = true\n",
    );
    let id = guard.child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-HUP", &id])
            .status()
            .unwrap()
            .success()
    );
    guard.until("the settings were read again");
    let tools = guard.tools();
    assert!(tools.contains(&"py-add".to_owned()), "{tools:?}");
    assert!(!tools.contains(&"py-die".to_owned()), "{tools:?}");
    assert!(tools.contains(&"demo_get-count".to_owned()), "{tools:?}");
    guard.end();
}

#[test]
fn more_programs_than_children_are_a_bad_setting() {
    let dir = Dir::new();
    let file = dir.file(
        "guard.toml",
        "[listen]\naddress = \"127.0.0.1:0\"\n[limits]\nchildren = 1\n\
         [upstreams.a]\ncommand = [\"cat\"]\n[upstreams.b]\ncommand = [\"cat\"]\n",
    );
    let run = toolsure(&["guard", "--config", &file]);
    let told = "each connection starts 2 servers, which is more than `limits.children` (1)";
    assert!(run.code == 2 && run.stderr.contains(told), "{}", run.stderr);
}
