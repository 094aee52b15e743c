//! Nothing that is written contains secrets of callers, operators and servers: standard output and
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

/// A server with one tool; with `die` among its arguments it ends at once.
const SERVER: &str = r#"
import sys, json
if "die" in sys.argv: sys.exit("no luck")
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    r = {"jsonrpc": "2.0", "id": m["id"]}
    if m["method"] == "initialize":
        r["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "p", "version": "1"}}
    elif m["method"] == "tools/list":
        r["result"] = {"tools": [{"name": "bad name", "inputSchema": {"type": "object", "$ref": "https://x.example/a"}}]}
    else:
        r["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(r), flush=True)
"#;

/// Arguments of a server, each with a secret.
fn secret_words() -> Vec<String> {
    [
        "--access-token=SECRET",
        "--api-key",
        "SECRET",
        "API_KEY=SECRET",
        "https://u:SECRET@host.example/mcp?token=SECRET#SECRET",
        "--url=postgresql://u:SECRET@host.example/db",
        "-H",
        "Authorization: Bearer SECRET",
        "--header=X-Trace: SECRET",
        r#"{"password": "SECRET"}"#,
    ]
    .map(|word| word.replace("SECRET", SECRET))
    .to_vec()
}

/// What the commands that open servers are pointed at.
fn secret_targets(dir: &Dir) -> Vec<Vec<String>> {
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let script = dir.file("server.py", SERVER);
    let command = |more: &[&str]| {
        [
            words(&["--", "python3", &script]),
            words(more),
            secret_words(),
        ]
        .concat()
    };
    let entry = |more: &[&str]| {
        let args = [vec![script.clone()], words(more), secret_words()].concat();
        serde_json::json!({"command": "python3", "args": args, "env": {"API_KEY": format!("{SECRET}-env")}})
    };
    let remote = |url: &str, name: &str| serde_json::json!({"url": url.replace("SECRET", SECRET), "headers": {name: format!("{SECRET}-header")}});
    let config = serde_json::json!({"mcpServers": {
        "good": entry(&[]),
        "dies": entry(&["die"]),
        "lost": remote("http://u:SECRET@127.0.0.1:1/mcp?token=SECRET", "X-Api-Key"),
        "wrong": remote("http://u:SECRET@127.0.0.1:99999/mcp?token=SECRET", "X-Api-Key"),
        "header": remote("http://127.0.0.1:1/mcp", "bad name"),
        "off": {"command": SECRET, "disabled": true},
    }});
    let config = dir.file("mcp.json", &config.to_string());
    let header = ["--header".to_owned(), format!("X-Api-Key: {SECRET}")];
    let url = |url: &str| [vec![url.replace("SECRET", SECRET)], header.to_vec()].concat();
    vec![
        command(&[]),
        command(&["die"]),
        words(&["--yes", &config]),
        words(&[&config]),
        url("http://u:SECRET@127.0.0.1:1/mcp?token=SECRET#SECRET"),
        url("http://u:SECRET@127.0.0.1:99999/mcp?token=SECRET"),
        url("ftp://u:SECRET@127.0.0.1/mcp?token=SECRET"),
    ]
}

#[test]
fn no_command_prints_a_secret_of_a_server() {
    let dir = Dir::new();
    let old = dir.file("old.json", r#"{"tools": []}"#);
    let saved = dir.path("saved.json");
    let commands: [(&[&str], &[&str]); 5] = [
        (&["check", "--all"], &["human", "json", "github", "sarif"]),
        (&["check", "--save", &saved], &["human"]),
        (&["lint"], &["human", "json", "github", "sarif"]),
        (&["project", "--for", "openai"], &["human", "json"]),
        (
            &["diff", &old],
            &["human", "json", "github", "sarif", "markdown"],
        ),
    ];
    let mut masked = 0;
    for (command, formats) in commands {
        for format in formats {
            // Only the faults and the targets differ between formats.
            let most = if *format == "human" { usize::MAX } else { 2 };
            for target in secret_targets(&dir).into_iter().take(most) {
                let mut args = command.to_vec();
                args.extend(["--format", format, "--timeout", "30"]);
                args.extend(target.iter().map(String::as_str));
                let run = toolsure_with(&[], &args);
                let text = format!("{}{}", run.stdout, run.stderr);
                assert!(!text.trim().is_empty(), "{args:?}");
                assert_hidden(&format!("{command:?} {format} {target:?}"), &text);
                masked += text.matches("***").count();
            }
        }
    }
    assert!(masked > 50, "{masked}");
    let saved = std::fs::read_to_string(&saved).unwrap();
    assert!(saved.contains("bad name"), "{saved}");
    assert_hidden("the saved listings", &saved);
}

#[test]
fn fetch_prints_no_secret_of_a_url() {
    let dir = Dir::new();
    let uris = [
        "https://u:SECRET@schemas.example.com/a.json",
        "https://schemas.example.com/a.json?token=SECRET",
        "http://u:SECRET@schemas.example.com/a.json",
        "https://u:SECRET@127.0.0.1/a.json",
    ];
    for (number, uri) in uris.iter().enumerate() {
        let schema = format!(r#"{{"$ref": "{}"}}"#, uri.replace("SECRET", SECRET));
        let schema = dir.file(&format!("{number}.json"), &schema);
        for command in [
            &["fetch", "--host", "other.example.com"][..],
            &["validate", "--fetch-host", "other.example.com"],
        ] {
            let mut args = command.to_vec();
            args.push(&schema);
            if command[0] == "validate" {
                args.push(&schema);
            }
            let run = toolsure_with(&[], &args);
            let told = run.stderr.lines().find(|line| line.starts_with("refused "));
            assert_hidden(uri, told.unwrap());
        }
    }
}

#[test]
fn the_guard_shows_no_secret_of_its_command() {
    let words = secret_words();
    for program in ["true", "/does/not/exist"] {
        for option in ["--check-config", "--log=debug"] {
            let mut args = vec!["guard", option, "--", program];
            args.extend(words.iter().map(String::as_str));
            let run = toolsure_with(&[], &args);
            assert!(!run.stderr.is_empty() || !run.stdout.is_empty(), "{args:?}");
            assert_hidden(option, &format!("{}{}", run.stdout, run.stderr));
        }
    }
}
