//! `toolsure guard`: its settings, a client on standard input and output, and its operation on a
//! network.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

use serde_json::{Value, json};

use crate::run::{Dir, PROGRAM, toolsure};

#[test]
fn wrong_settings_are_shown_where_they_stand() {
    let dir = Dir::new();
    let file = dir.file(
        "guard.toml",
        "[policy]\nresult = \"audit\"\n[limits]\nmessage = 12\n",
    );
    let run = toolsure(&["guard", "--config", &file, "--check-config", "--", "x"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    for part in [
        "error[config]: there is no key `result`",
        "guard.toml:2:1",
        "help: did you mean `results`?",
        "error[config]: `message`: expected bytes from 1 KiB to 1 GiB, found less",
        "guard.toml:4:11",
        "error: 2 errors in the settings",
    ] {
        assert!(run.stderr.contains(part), "{part} in\n{}", run.stderr);
    }
}

#[test]
fn quiet_logs_errors_only() {
    let said = |flags: &[&str]| {
        let run = toolsure(&[flags, &["--", "cat"]].concat());
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stderr
    };
    assert!(said(&["guard"]).contains("ready"));
    assert_eq!(said(&["guard", "-q"]), "");
    assert!(said(&["-q", "guard", "--log", "info"]).contains("ready"));
}

#[test]
fn good_settings_are_summed_up() {
    let run = toolsure(&[
        "guard",
        "--check-config",
        "--listen",
        "127.0.0.1:8080",
        "--",
        "cat",
        "x",
    ]);
    let told = "the settings are valid\n  server: http://127.0.0.1:8080/mcp -> cat x\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, told));
    // Launchers such as the MCP Inspector take a `--` for themselves.
    let run = toolsure(&["guard", "--check-config", "cat", "-y", "x", "--listen"]);
    let told = "the settings are valid\n  server: standard input and output -> cat -y x --listen\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, told));
    let translated =
        |word| toolsure(&["guard", "--check-config", "--translate", word, "--", "cat"]);
    let run = translated("legacy-clients");
    let told = "the settings are valid\n  server: standard input and output -> cat, translated for legacy clients\n";
    assert_eq!((run.code, run.stderr.as_str()), (0, told));
    let run = translated("old");
    let told = "expected `off`, `legacy-clients` or `modern-clients`, found `old`";
    assert!(run.code == 2 && run.stderr.contains(told), "{}", run.stderr);
    let run = toolsure(&[
        "guard",
        "--check-config",
        "--set",
        "policy.reslts=off",
        "--",
        "x",
    ]);
    assert!(
        run.code == 2 && run.stderr.contains("did you mean `policy.results`?"),
        "{}",
        run.stderr
    );
    let run = toolsure(&["guard"]);
    assert!(
        run.code == 2 && run.stderr.contains("there is no server"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_program_that_is_not_there_is_told_before_the_start() {
    let dir = Dir::new();
    dir.file("serve", "not a program");
    let folder = dir.path("");
    let file = |settings: &str| dir.file("guard.toml", &format!("[upstreams.a]\n{settings}"));
    let here = format!("command = [\"./serve\"]\ndir = \"{folder}\"\n");
    let elsewhere = format!("command = [\"cat\"]\nenv = {{ PATH = \"{folder}\" }}\n");
    for (settings, program) in [
        ("command = [\"no-such-program\"]\n", "no-such-program"),
        (&here, "./serve"),
        (&elsewhere, "cat"),
    ] {
        let run = toolsure(&["guard", "--check-config", "--config", &file(settings)]);
        let told = format!("upstream `a`: the program `{program}` cannot be started");
        assert!(
            run.code == 2 && run.stderr.contains(&told),
            "{settings} {}",
            run.stderr
        );
    }
    let check = |settings: &str| {
        let config = file(&format!("command = [\"cat\"]\n{settings}"));
        toolsure(&["guard", "--check-config", "--config", &config])
    };
    let run = check("");
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = check(&format!("[audit]\nfile = \"{folder}none/audit.jsonl\"\n"));
    let told = "`audit.file`: there is no folder `";
    assert!(run.code == 2 && run.stderr.contains(told), "{}", run.stderr);
    let run = check(&format!("[audit]\nfile = \"{folder}audit.jsonl\"\n"));
    assert_eq!(run.code, 0, "{}", run.stderr);
}

#[test]
fn a_client_configuration_starts_this_program() {
    let run = toolsure(&[
        "guard",
        "--print-config",
        "vscode",
        "--results",
        "audit",
        "--lock",
        "l.json",
        "--",
        "npx",
        "-y",
        "@a/b",
    ]);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let server = &document["servers"]["b"];
    assert_eq!(
        (run.code, &server["type"], &server["command"]),
        (0, &json!("stdio"), &json!(PROGRAM))
    );
    let lock = std::path::absolute("l.json").unwrap();
    assert_eq!(
        server["args"],
        json!([
            "guard",
            "--lock",
            lock,
            "--results",
            "audit",
            "--",
            "npx",
            "-y",
            "@a/b"
        ])
    );
}

/// Sends lines to a guard in front of the demonstration server, and reads every answer.
pub(crate) fn converse(flags: &[&str], lines: &[&str]) -> Vec<Value> {
    converse_with(flags, &[PROGRAM, "serve-demo"], lines)
}

/// The same in front of another server.
pub(crate) fn converse_with(flags: &[&str], server: &[&str], lines: &[&str]) -> Vec<Value> {
    let flags = [&["--log", "error"], flags].concat();
    converse_and_log(&flags, server, lines).0
}

/// The same, and what the guard logs.
fn converse_and_log(flags: &[&str], server: &[&str], lines: &[&str]) -> (Vec<Value>, String) {
    let mut child = Command::new(PROGRAM)
        .arg("guard")
        .args(flags)
        .arg("--")
        .args(server)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answers = Vec::new();
    for line in lines {
        writeln!(input, "{line}").unwrap();
        if line.contains("\"id\"") {
            let mut answer = String::new();
            output.read_line(&mut answer).unwrap();
            answers.push(serde_json::from_str(&answer).unwrap());
        }
    }
    drop(input);
    let ended = child.wait_with_output().unwrap();
    let log = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(0), "{log}");
    (answers, log)
}

pub(crate) const OPEN: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
pub(crate) const OPENED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
pub(crate) const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
const GOOD: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get-count","arguments":{"collection":"orders"}}}"#;
const BAD: &str = r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get-count","arguments":{"collection":"hunter2","more":1}}}"#;

#[test]
fn what_is_wrong_with_a_listed_tool_is_logged_once() {
    let again = LIST.replace(":1,", ":9,");
    let lines = [OPEN, OPENED, LIST, &again];
    let (answers, log) = converse_and_log(&["--log", "debug"], &[PROGRAM, "serve-demo"], &lines);
    assert_eq!(answers[1]["result"], answers[2]["result"]);
    let count = |words: &str| log.lines().filter(|line| line.contains(words)).count();
    let first = count("method=\"tools/list\" tool=");
    let repeated = count("the same as in an earlier list");
    assert!(first > 0 && first == repeated, "{first} {repeated}\n{log}");
}

#[test]
fn bad_tools_and_bad_calls_do_not_pass_and_the_audit_log_says_so_without_values() {
    let dir = Dir::new();
    let log = dir.path("audit.jsonl");
    let answers = converse(&["--audit-log", &log], &[OPEN, OPENED, LIST, GOOD, BAD]);
    let names: Vec<&Value> = answers[1]["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(
        names,
        ["get-weather-forecast", "get-count", "find-by-id-or-name"]
    );
    // The demonstration server has both eras and wraps the value for this client itself.
    assert_eq!(
        answers[2]["result"]["structuredContent"],
        json!({"result": 42})
    );
    assert_eq!(answers[3]["result"]["isError"], true);
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let refused = |filter: &str| {
        lines.iter().any(|line| {
            line["filter"] == filter
                && line["action"] != "passed"
                && line["upstream"] == "server"
                && line["time"].is_string()
        })
    };
    assert!(refused("admission") && refused("arguments"), "{text}");
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn what_is_only_audited_passes() {
    let answers = converse(&["--arguments", "audit"], &[OPEN, OPENED, BAD]);
    // The server refuses the call, not the guard.
    let direct = "\"error\"";
    let text = answers[1].to_string();
    assert!(text.contains(direct) || text.contains("isError"), "{text}");
    let answers = converse(
        &["--listing", "off", "--arguments", "off"],
        &[OPEN, OPENED, LIST],
    );
    assert_eq!(answers[1]["result"]["tools"].as_array().unwrap().len(), 5);
}

/// A guard on a network, in front of the demonstration server.
pub(crate) struct Guard {
    child: Child,
    log: BufReader<ChildStderr>,
    admin: String,
    /// The URL for clients.
    pub(crate) url: String,
}

impl Guard {
    pub(crate) fn start(config: &str) -> Self {
        Self::start_with(config, &["--", PROGRAM, "serve-demo"])
    }

    /// A guard in front of a server that is held to a lock file.
    pub(crate) fn start_locked(config: &str, lock: &str, server: &[&str]) -> Self {
        Self::start_with(config, &[&["--lock", lock, "--"], server].concat())
    }

    fn start_with(config: &str, server: &[&str]) -> Self {
        let mut child = Command::new(PROGRAM)
            .args([
                "guard",
                "--listen",
                "127.0.0.1:0",
                "--admin",
                "127.0.0.1:0",
                "--log-format",
                "json",
            ])
            .args(["--config", config])
            .args(server)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let (admin, url) = (String::new(), String::new());
        let mut guard = Self {
            child,
            log,
            admin,
            url,
        };
        guard.admin = guard.until("admin")["address"].as_str().unwrap().to_owned();
        let line = guard.until("listening on ");
        let url = line["message"].as_str().unwrap();
        guard.url = url.strip_prefix("listening on ").unwrap().to_owned();
        guard.until("ready");
        guard
    }

    /// The next line of the log whose message starts with `start`.
    pub(crate) fn until(&mut self, start: &str) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.log.read_line(&mut line).unwrap(),
                0,
                "no line `{start}`"
            );
            let line: Value = serde_json::from_str(&line).unwrap();
            if line["message"]
                .as_str()
                .is_some_and(|message| message.starts_with(start))
            {
                return line;
            }
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(status.success());
    }

    /// Sends a form to the admin server.
    pub(crate) fn post(&self, path: &str, form: &str) -> String {
        let (host, length) = (&self.admin, form.len());
        send(
            host,
            &format!(
                "POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n\r\n{form}"
            ),
        )
    }

    pub(crate) fn page(&self, path: &str) -> String {
        send(
            &self.admin,
            &format!(
                "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
                self.admin
            ),
        )
    }

    fn call(&self, arguments: &str) -> String {
        self.call_tool("get-count", arguments)
    }

    /// Opens a session.
    pub(crate) fn initialize(&self) -> String {
        let host = self.url.strip_prefix("http://").unwrap();
        let host = host.strip_suffix("/mcp").unwrap();
        let length = OPEN.len();
        send(
            host,
            &format!(
                "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{OPEN}"
            ),
        )
    }

    pub(crate) fn call_tool(&self, name: &str, arguments: &str) -> String {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}},"name":"{name}","arguments":{arguments}}}}}"#
        );
        let host = self.url.strip_prefix("http://").unwrap();
        let host = host.strip_suffix("/mcp").unwrap();
        let length = body.len();
        send(
            host,
            &format!(
                "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\nContent-Length: {length}\r\n\r\n{body}"
            ),
        )
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // It has already ended if the test passed.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn send(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_guard_on_a_network_is_watched_reloaded_and_stopped() {
    let dir = Dir::new();
    let config = dir.file("guard.toml", "");
    let mut guard = Guard::start(&config);
    assert!(guard.page("/healthz").starts_with("HTTP/1.1 200 "));
    let ready = guard.page("/readyz");
    assert!(
        ready.starts_with("HTTP/1.1 200 ") && ready.ends_with("\r\n\r\nserver: ready\n"),
        "{ready}"
    );
    let answer = guard.call(r#"{"collection":"orders"}"#);
    assert!(answer.contains(r#""structuredContent":42"#), "{answer}");
    let answer = guard.call(r#"{"collection":7}"#);
    assert!(answer.contains(r#""isError":true"#), "{answer}");
    for name in ["nobody-has-it", "nor-this"] {
        let answer = guard.call_tool(name, "{}");
        assert!(answer.contains("error"), "{answer}");
    }
    let metrics = guard.page("/metrics");
    for line in [
        "toolsure_guard_verdicts_total{upstream=\"server\",filter=\"arguments\",action=\"passed\",code=\"passed\"} 1",
        "toolsure_guard_rejections_total{upstream=\"server\",tool=\"get-count\",code=\"arguments-invalid\"} 1",
        // Names that a client makes up share one series.
        "toolsure_guard_rejections_total{upstream=\"server\",tool=\"_OTHER\",code=\"tool-unknown\"} 2",
        "toolsure_guard_upstream_up{upstream=\"server\"} 1",
        "toolsure_guard_config_good 1",
    ] {
        assert!(
            metrics.lines().any(|there| there == line),
            "{line} in\n{metrics}"
        );
    }

    dir.file(
        "guard.toml",
        "[[tools]]\nmatch = \"get-*\"\nhidden = true\n[listen]\npaht = 1\n",
    );
    guard.signal("-HUP");
    let told = guard.until(&format!("{config}:5:1: there is no key `paht`"));
    assert_eq!(told["level"], "ERROR");
    guard.until("the settings are not changed");
    assert!(
        guard
            .call(r#"{"collection":"orders"}"#)
            .contains(r#""structuredContent":42"#)
    );
    assert!(
        guard
            .page("/metrics")
            .contains("\ntoolsure_guard_config_good 0\n")
    );

    dir.file(
        "guard.toml",
        "[[tools]]\nmatch = \"get-*\"\nhidden = true\n[limits]\nsessions = 3\n",
    );
    guard.signal("-HUP");
    guard.until("`limits.sessions` changes only after a restart");
    guard.until("the settings were read again");
    assert!(
        !guard
            .call(r#"{"collection":"orders"}"#)
            .contains("structuredContent")
    );
    assert!(
        guard
            .page("/metrics")
            .contains("\ntoolsure_guard_config_good 1\n")
    );

    // A limit that a reload cannot change does not change in part.
    dir.file("guard.toml", "[limits]\nmessage = \"1 KiB\"\n");
    guard.signal("-HUP");
    guard.until("`limits.message` changes only after a restart");
    guard.until("the settings were read again");
    let long = guard.call(&format!(r#"{{"collection":"{}"}}"#, "x".repeat(2_000)));
    assert!(long.contains(r#""result":"#), "{long}");

    guard.signal("-TERM");
    assert_eq!(guard.child.wait().unwrap().code(), Some(0));
}

/// The guard starts itself again with a setting of the allocator, which its servers do not get.
#[cfg(target_os = "linux")]
#[test]
fn servers_have_the_environment_of_the_guard() {
    for given in [None, Some("4096")] {
        let mut command = Command::new(PROGRAM);
        command.args(["guard", "--", "sh", "-c", "env >&2"]);
        command
            .env_remove("MALLOC_MMAP_THRESHOLD_")
            .env("OF_THIS_TEST", "1");
        if let Some(given) = given {
            command.env("MALLOC_MMAP_THRESHOLD_", given);
        }
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("OF_THIS_TEST=1"), "{said}");
        let expected = given.map(|given| format!("MALLOC_MMAP_THRESHOLD_={given}"));
        match expected {
            Some(expected) => assert!(said.contains(&expected), "{said}"),
            None => assert!(!said.contains("MALLOC_MMAP_THRESHOLD_"), "{said}"),
        }
    }
}
