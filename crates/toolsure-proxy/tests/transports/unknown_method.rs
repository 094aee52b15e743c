//! Servers that do not know `server/discover`, and what they do about it: they refuse it, die, hang,
//! or answer with garbage, at once or late. All of them can be opened.

use std::time::Duration;

use toolsure_mcp::era::Era;
use toolsure_proxy::{Deadlines, Options};

use crate::common::{list_http, list_python};
use crate::web::{JSON, Web, respond};

/// Long enough for Python to start on a busy machine, short enough for servers that hang.
fn options() -> Options {
    let deadlines = Deadlines {
        probe: Duration::from_secs(2),
        request: Duration::from_secs(30),
        overall: Duration::from_secs(24),
        grace: Duration::from_millis(300),
    };
    Options {
        deadlines,
        ..Options::default()
    }
}

/// The end of each script: a legacy server without the probe.
const LEGACY: &str = r#"
def opened(m):
    assert m["method"] == "initialize", m
    answer(m["id"], {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}})
    assert read()["method"] == "notifications/initialized"
def listed(m):
    assert m["method"] == "tools/list", m
    tools(m["id"], ["a"]); read()
def probed(m):
    if m["method"] == "initialize":
        opened(m); listed(read()); sys.exit(0)
    assert m["method"] == "server/discover", m
    return m["id"]
MODERN = {"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}
"#;

/// What a server does with the probe on stdio, the era in which it is opened, and whether it is
/// started again; `None` if that depends on the time at which `initialize` is sent.
const ON_STDIO: [(&str, &str, Era, Option<bool>); 20] = [
    (
        "refuses it",
        "p = probed(read()); error(p, -32601); opened(read()); listed(read())",
        Era::V2025_06_18,
        Some(false),
    ),
    (
        "refuses it without an id",
        "p = probed(read()); error(None, -32600); opened(read()); listed(read())",
        Era::V2025_06_18,
        Some(false),
    ),
    (
        "has an empty result",
        "p = probed(read()); answer(p, {}); opened(read()); listed(read())",
        Era::V2025_06_18,
        Some(false),
    ),
    (
        "has a result that is text",
        "p = probed(read()); answer(p, 'hello'); opened(read()); listed(read())",
        Era::V2025_06_18,
        Some(false),
    ),
    (
        "dies of it",
        "p = probed(read()); sys.exit(1)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "is killed by it",
        "p = probed(read()); os.kill(os.getpid(), 9)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "dies at the next line",
        "p = probed(read()); read(); sys.exit(1)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "dies after the next line",
        "p = probed(read()); read(); time.sleep(0.5); sys.exit(1)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "closes its output",
        "p = probed(read()); os.close(1); time.sleep(60)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "dies after it was opened",
        "p = probed(read()); opened(read()); sys.exit(1)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "dies of the first list",
        "p = probed(read()); opened(read()); read(); sys.exit(1)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "ignores it",
        "p = probed(read()); opened(read()); listed(read())",
        Era::V2025_06_18,
        Some(false),
    ),
    (
        "hangs",
        "p = probed(read()); time.sleep(60)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "hangs and ignores SIGTERM",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); p = probed(read()); time.sleep(60)",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "answers with text",
        "p = probed(read()); raw('Unknown method\\n'); opened(read()); listed(read())",
        Era::V2025_06_18,
        Some(false),
    ),
    (
        "answers with broken JSON",
        "p = probed(read()); raw('{\"jsonrpc\": \"2.0\", oops}\\n'); opened(read()); listed(read())",
        Era::V2025_06_18,
        None,
    ),
    (
        "answers with broken JSON, and to all else",
        "p = probed(read())\nwhile read(): raw('{\"jsonrpc\": \"2.0\", oops}\\n')",
        Era::V2025_06_18,
        Some(true),
    ),
    (
        "refuses it late",
        "p = probed(read()); m = read(); error(p, -32601); opened(m); listed(read())",
        Era::V2025_06_18,
        Some(false),
    ),
    (
        "refuses it after `initialize`",
        "p = probed(read()); opened(read()); m = read(); error(p, -32601); listed(m)",
        Era::V2025_06_18,
        Some(false),
    ),
    (
        "knows it, but answers late",
        "p = probed(read()); m = read(); answer(p, MODERN); error(m['id'], -32022); listed(read())",
        Era::V2026_07_28,
        Some(false),
    ),
];

#[tokio::test]
async fn on_stdio_every_server_is_opened() {
    let mut wrong = Vec::new();
    // Most of the time is waited, but a busy machine cannot start all at once.
    let some = std::sync::Arc::new(tokio::sync::Semaphore::new(5));
    let runs = ON_STDIO.map(|(what, script, era, restarted)| {
        let some = std::sync::Arc::clone(&some);
        tokio::spawn(async move {
            let _permit = some.acquire().await;
            let script = format!("{LEGACY}\n{script}");
            match list_python(&script, options()).await {
                Ok((server, listing, notes)) => {
                    let found = (server.era, listing.tools.len(), notes.restarted);
                    let restarted = restarted.unwrap_or(notes.restarted);
                    (found != (era, 1, restarted)).then(|| format!("{what}: {found:?}"))
                }
                Err(fault) => Some(format!("{what}: {fault} {:?}", fault.stderr())),
            }
        })
    });
    for run in runs {
        wrong.extend(run.await.unwrap());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn without_a_probe_the_first_message_is_initialize() {
    let options = || Options {
        probe: false,
        ..options()
    };
    let script = format!("{LEGACY}\nopened(read()); listed(read())");
    let (_, listing, notes) = list_python(&script, options()).await.unwrap();
    assert_eq!((listing.tools.len(), notes.restarted), (1, false));
    let web = Web::start(legacy);
    list_http(&web.url, options()).await.unwrap();
    assert_eq!(web.seen()[0].rpc(), "initialize");
}

#[tokio::test]
async fn an_end_after_the_probe_was_answered_is_final() {
    let script = format!("{LEGACY}\np = probed(read()); error(p, -32601); read(); sys.exit(7)");
    let fault = list_python(&script, options()).await.unwrap_err();
    assert_eq!(
        fault.to_string(),
        "`python3` exited with status 7 before it answered"
    );
}

fn legacy(request: &crate::web::Request, stream: &mut std::net::TcpStream) {
    let result = match request.rpc().as_str() {
        "initialize" => r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}}}"#,
        "tools/list" => r#"{"tools":[{"name":"a"}]}"#,
        _ => return respond(stream, "202 Accepted", "", ""),
    };
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        request.id()
    );
    respond(stream, "200 OK", JSON, &body);
}

/// What a server does with the probe over HTTP: waits so many seconds, then sends these bytes. A whole
/// answer says that the connection closes: otherwise the next request may be sent on it, and is lost.
const OVER_HTTP: [(&str, u64, &str, Era); 13] = [
    (
        "refuses it",
        0,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
        Era::V2025_06_18,
    ),
    (
        "has an empty result",
        0,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        Era::V2025_06_18,
    ),
    (
        "answers with a status",
        0,
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        Era::V2025_06_18,
    ),
    (
        "fails",
        0,
        "HTTP/1.1 500 Oops\r\nContent-Length: 5\r\nConnection: close\r\n\r\nstack",
        Era::V2025_06_18,
    ),
    ("answers with a page", 0, "<html>", Era::V2025_06_18),
    ("closes the connection", 0, "HTTP/", Era::V2025_06_18),
    (
        "cuts its answer off",
        0,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
        Era::V2025_06_18,
    ),
    (
        "ends a stream without an answer",
        0,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: hello\n\n",
        Era::V2025_06_18,
    ),
    ("is not HTTP", 0, "HTTP/nonsense\r\n\r\n", Era::V2025_06_18),
    ("hangs", 60, "", Era::V2025_06_18),
    ("closes the connection late", 3, "HTTP/", Era::V2025_06_18),
    (
        "refuses it late",
        3,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}"#,
        Era::V2025_06_18,
    ),
    (
        "knows it, but answers late",
        3,
        r#"{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}"#,
        Era::V2026_07_28,
    ),
];

#[tokio::test]
async fn over_http_every_server_is_opened() {
    let mut wrong = Vec::new();
    let runs = OVER_HTTP.map(|(what, seconds, sent, era)| {
        let web =
            Web::start(
                move |request, stream| match (request.rpc().as_str(), era.has_sessions()) {
                    ("server/discover", _) => {
                        std::thread::sleep(Duration::from_secs(seconds));
                        if sent.starts_with("HTTP/") {
                            let sent = sent.strip_suffix("HTTP/").unwrap_or(sent);
                            let _reader_may_be_gone =
                                std::io::Write::write_all(stream, sent.as_bytes());
                        } else {
                            respond(stream, "200 OK", JSON, sent);
                        }
                    }
                    ("initialize", false) => respond(stream, "400 Bad Request", "", ""),
                    _ => legacy(request, stream),
                },
            );
        tokio::spawn(async move {
            match list_http(&web.url, options()).await {
                Ok((server, listing, _)) => {
                    let found = (server.era, listing.tools.len());
                    (found != (era, 1)).then(|| format!("{what}: {found:?}"))
                }
                Err(fault) => Some(format!("{what}: {fault}")),
            }
        })
    });
    for run in runs {
        wrong.extend(run.await.unwrap());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
