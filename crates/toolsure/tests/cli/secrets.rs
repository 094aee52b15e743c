//! Nothing that the guard writes contains secrets of callers and operators: standard output and
//! error, the audit log, metrics, health pages and messages about wrong settings.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::run::{Dir, PROGRAM, toolsure_with};

const SECRET: &str = "canary-81d3";

fn assert_hidden(what: &str, text: &str) {
    let line = text.lines().find(|line| line.contains(SECRET));
    assert_eq!(line, None, "in {what}");
}

fn send(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A refused request may be reset after its answer.
    let _read = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn post(address: &str, headers: &[String], body: &str) -> String {
    let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let length = body.len();
    send(
        address,
        &format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ),
    )
}

#[test]
fn a_guard_at_work_writes_no_secret() {
    let dir = Dir::new();
    let audit = dir.path("audit.jsonl");
    let program = Value::from(PROGRAM).to_string();
    let config = dir.file(
        "guard.toml",
        &format!(
            "[log]\nlevel = \"trace\"\nformat = \"json\"\n[audit]\nfile = {}\n[upstreams.demo]\ncommand = [{program}, \"serve-demo\"]\nenv = {{ API_KEY = \"${{API_KEY}}\" }}\n",
            Value::from(audit.as_str())
        ),
    );
    let mut child = Command::new(PROGRAM)
        .args([
            "guard",
            "--listen",
            "127.0.0.1:0",
            "--admin",
            "127.0.0.1:0",
            "--config",
            &config,
        ])
        .env("API_KEY", format!("{SECRET}-env"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut written = String::new();
    let (mut admin, mut guard) = (String::new(), String::new());
    while admin.is_empty() || guard.is_empty() {
        let mut line = String::new();
        assert_ne!(log.read_line(&mut line).unwrap(), 0, "{written}");
        written.push_str(&line);
        let line: Value = serde_json::from_str(&line).unwrap();
        let message = line["message"].as_str().unwrap_or_default();
        if message.starts_with("admin") {
            admin = line["address"].as_str().unwrap().to_owned();
        }
        if let Some(url) = message.strip_prefix("listening on http://") {
            guard = url.split('/').next().unwrap().to_owned();
        }
    }
    let reader = std::thread::spawn(move || {
        let mut rest = String::new();
        log.read_to_string(&mut rest).unwrap();
        rest
    });
    let version = "MCP-Protocol-Version: 2026-07-28".to_owned();
    let call = |tool: &str, arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}},"name":"{tool}","arguments":{arguments}}}}}"#
        )
    };
    let good = [
        version.clone(),
        "Mcp-Method: tools/call".to_owned(),
        "Mcp-Name: get-count".to_owned(),
    ];
    let secret_headers = [
        format!("Authorization: Bearer {SECRET}-token"),
        format!("Cookie: id={SECRET}-cookie"),
        format!("X-Api-Key: {SECRET}-header"),
    ];
    let mut statuses = Vec::new();
    for arguments in [
        format!(r#"{{"collection":"{SECRET}"}}"#),
        format!(r#"{{"collection":["{SECRET}"]}}"#),
        format!(r#""{SECRET}""#),
        r#"{"collection":"orders"}"#.to_owned(),
    ] {
        let headers = [&good[..], &secret_headers[..]].concat();
        let answer = post(&guard, &headers, &call("get-count", &arguments));
        statuses.push(answer.split(' ').nth(1).unwrap_or_default().to_owned());
    }
    for header in [
        format!("Mcp-Session-Id: {SECRET}"),
        format!("MCP-Protocol-Version: {SECRET}"),
        format!("Last-Event-ID: {SECRET}"),
        format!("Mcp-Param-Region: {SECRET}"),
    ] {
        post(&guard, &[header], &call("get-count", "{}"));
    }
    for body in [
        format!("{{\"key\":\"{SECRET}"),
        format!("[\"{SECRET}\"]"),
        SECRET.to_owned(),
    ] {
        post(&guard, &[], &body);
    }
    assert!(statuses.contains(&"200".to_owned()), "{statuses:?}");
    for path in ["/metrics", "/healthz", "/readyz"] {
        let page = send(
            &admin,
            &format!("GET {path} HTTP/1.1\r\nHost: {admin}\r\nConnection: close\r\n\r\n"),
        );
        assert!(page.starts_with("HTTP/1.1 200 "), "{page}");
        assert_hidden(path, &page);
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(0));
    written.push_str(&reader.join().unwrap());
    let mut output = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut output)
        .unwrap();
    assert!(written.lines().count() > 10, "{written}");
    assert_hidden("standard error", &written);
    assert_hidden("standard output", &output);
    // A guard that was asked to stop has written all records.
    let records = std::fs::read_to_string(&audit).unwrap();
    assert!(records.lines().count() > 3, "{records}");
    assert_hidden("the audit log", &records);
}

#[test]
fn messages_about_wrong_settings_hold_no_secret() {
    let dir = Dir::new();
    for (number, settings) in [
        "[upstreams.a]\nurl = \"http://127.0.0.1:1/mcp\"\nheaders = { Authorization = \"Bearer ${API_KEY}\\n\" }\n",
        "[upstreams.a]\nurl = \"http://127.0.0.1:1/mcp\"\nheaders = { \"bad name\" = \"${API_KEY}\" }\n",
        "[upstreams.a]\nurl = \"ftp://127.0.0.1/mcp\"\nheaders = { Authorization = \"${API_KEY}\" }\n",
        "[upstreams.a]\ncommand = [\"x\"]\nenv = { KEY = \"${API_KEY}\", OTHER = \"${NOT_SET}\" }\n",
        "[upstreams.a]\ncommand = [\"/does/not/exist\"]\nenv = { KEY = \"${API_KEY}\" }\nnothing = 1\n",
    ]
    .iter()
    .enumerate()
    {
        let file = dir.file(&format!("{number}.toml"), settings);
        let secret = [("API_KEY", SECRET)];
        let run = toolsure_with(&secret, &["guard", "--config", &file, "--check-config"]);
        assert_eq!(run.code, 2, "{settings}{}", run.stderr);
        assert_hidden(settings, &format!("{}{}", run.stdout, run.stderr));
    }
}
