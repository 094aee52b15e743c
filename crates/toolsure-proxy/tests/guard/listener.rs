//! The HTTP listener, with hostile and honest clients.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use toolsure_guard::policy::Recorded;
use toolsure_proxy::guard::{Bounds, GuardOptions, Listener};

use crate::common::{MODERN, PATIENCE, Served, call, initialize, modern, policy, python, text_of};

const ECHO: &str = r#"
for m, id, name, args in calls():
    if name != "hang": text(id, "ok", **MORE)
"#;

async fn served(change: impl FnOnce(&mut GuardOptions)) -> Served {
    Served::with(python(ECHO), policy(), change).await
}

fn listed(options: &mut GuardOptions) {
    if let Listener::Http(listener) = &mut options.listener {
        listener.origins = vec!["https://app.example".to_owned()];
    }
}

/// Sends raw bytes on one connection and reads until the server closes it.
async fn raw(served: &Served, bytes: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", served.port))
        .await
        .unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    let _reset = read.expect("the connection was not closed");
    String::from_utf8_lossy(&answer).into_owned()
}

/// Stalled bodies take their memory from one budget.
#[tokio::test]
async fn bodies_that_stall_have_a_bound_together() {
    let served = served(|options| options.bounds.memory_bytes = 2 << 20).await;
    let mut stalled = Vec::new();
    for _ in 0..8 {
        let mut stream = TcpStream::connect(("127.0.0.1", served.port))
            .await
            .unwrap();
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        // A refused connection is closed while the client writes.
        let _may_be_refused = stream.write_all(&vec![b' '; 400_000]).await;
        stalled.push(stream);
    }
    let mut refused = 0;
    for stream in &mut stalled {
        let mut answer = vec![0; 4_096];
        let read = tokio::time::timeout(Duration::from_millis(500), stream.read(&mut answer)).await;
        if let Ok(Ok(count)) = read {
            let answer = String::from_utf8_lossy(&answer[..count]).into_owned();
            assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
            assert!(answer.contains("retry-after: 1"), "{answer}");
            assert!(answer.contains("connection: close"), "{answer}");
            refused += 1;
        }
    }
    // A vector that grows doubles, so 400,000 bytes may take 800,000.
    assert!((6..=7).contains(&refused), "{refused}");
    drop(stalled);
    // Their bytes are free again when they are dropped.
    for _ in 0..100 {
        let big = json!({"big": "x".repeat(100_000)});
        let told = served.modern(&modern(call(1, "echo", big))).await;
        if told.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the bytes did not come free");
}

#[tokio::test]
async fn pages_of_listed_origins_may_call_and_read() {
    let served = served(listed).await;
    let asks = [
        ("Origin", "https://app.example"),
        ("Access-Control-Request-Method", "POST"),
        (
            "Access-Control-Request-Headers",
            "content-type,mcp-param-region",
        ),
    ];
    let told = served.request("OPTIONS", &asks, "").await;
    assert_eq!(told.status, 204, "{told:?}");
    for (name, value) in [
        ("access-control-allow-origin", "https://app.example"),
        ("access-control-allow-methods", "POST, GET, DELETE"),
        (
            "access-control-allow-headers",
            "content-type,mcp-param-region",
        ),
        ("vary", "origin"),
    ] {
        assert_eq!(told.header(name), Some(value), "{told:?}");
    }
    let from = [("Origin", "https://app.example")];
    let opened = served.post(&from, &initialize(0)).await;
    assert_eq!(opened.status, 200);
    assert_eq!(
        opened.header("access-control-allow-origin"),
        Some("https://app.example")
    );
    let exposed = opened.header("access-control-expose-headers").unwrap();
    assert!(exposed.contains("Mcp-Session-Id"), "{exposed}");
    // A page can read refusals too; otherwise it could not say why.
    let refused = served.request("POST", &from, "[").await;
    assert_eq!(refused.status, 400);
    assert!(refused.header("access-control-allow-origin").is_some());
    for (origin, status) in [("https://evil.example", 403), ("http://localhost:1", 405)] {
        let told = served.request("OPTIONS", &[("Origin", origin)], "").await;
        assert_eq!(told.status, status, "{told:?}");
        assert_eq!(told.header("access-control-allow-origin"), None);
    }
    let local = served
        .post(&[("Origin", "http://localhost:1")], &initialize(0))
        .await;
    assert_eq!(local.status, 200);
    assert_eq!(local.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn versions_that_nobody_speaks_are_refused_in_a_session() {
    let served = served(|_| {}).await;
    let session = served.open().await;
    for (version, status) in [
        ("2025-11-25", 200),
        // It is spoken, but not in this session.
        ("2025-03-26", 400),
        ("1999-01-01", 400),
        ("2099-01-01", 400),
        (MODERN, 400),
        ("latest", 400),
    ] {
        let headers = [
            ("Mcp-Session-Id", session.as_str()),
            ("MCP-Protocol-Version", version),
        ];
        let told = served.post(&headers, &call(7, "echo", json!({}))).await;
        assert_eq!(told.status, status, "{version}: {told:?}");
        assert_eq!(told.message()["id"], 7);
        if status == 400 {
            let text = told.message()["error"]["message"].to_string();
            assert!(
                text.contains(version) && text.contains("2025-11-25"),
                "{text}"
            );
            for method in ["GET", "DELETE"] {
                let told = served.request(method, &headers, "").await;
                assert_eq!(told.status, 400, "{method} {version}: {told:?}");
            }
        }
    }
    let still = served
        .in_session(&session, &call(8, "echo", json!({})))
        .await;
    assert_eq!(text_of(&still.message()), "ok");
}

/// Requests that two readers in a row read differently (RFC 9112 section 11.2).
#[tokio::test]
async fn no_request_hides_in_another() {
    let served = served(|_| {}).await;
    let body = initialize(0).to_string();
    let length = body.len();
    let hidden = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let chunked = format!("{length:x}\r\n{body}\r\n0\r\n\r\n");
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    for (what, request, status) in [
        (
            "two hosts",
            format!(
                "POST /mcp HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            ),
            400,
        ),
        (
            "no host",
            format!(
                "POST /mcp HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            ),
            400,
        ),
        (
            "length first",
            format!(
                "{head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n{chunked}{hidden}"
            ),
            200,
        ),
        (
            "length last",
            format!(
                "{head}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n{chunked}{hidden}"
            ),
            200,
        ),
        (
            "two lengths",
            format!("{head}Content-Length: {length}\r\nContent-Length: 5\r\n\r\n{body}{hidden}"),
            400,
        ),
        (
            "unknown coding",
            format!("{head}Transfer-Encoding: gzip\r\n\r\n{body}{hidden}"),
            400,
        ),
        (
            "coding twice",
            format!("{head}Transfer-Encoding: chunked, identity\r\n\r\n{chunked}{hidden}"),
            400,
        ),
        (
            "space before colon",
            format!("{head}Content-Length : 5\r\n\r\n{body}{hidden}"),
            400,
        ),
        (
            "folded",
            format!(
                "{head}X-A: b\r\n  Content-Length: 5\r\nContent-Length: {length}\r\n\r\n{body}{hidden}"
            ),
            400,
        ),
        (
            "extension",
            format!(
                "{head}Transfer-Encoding: chunked\r\n\r\n{length:x};a=\"\r\n{body}\r\n0\r\n\r\n{hidden}"
            ),
            200,
        ),
        (
            "signed length",
            format!("{head}Content-Length: +{length}\r\n\r\n{body}{hidden}"),
            400,
        ),
        (
            "no chunk size",
            format!("{head}Transfer-Encoding: chunked\r\n\r\n\r\n{body}\r\n0\r\n\r\n{hidden}"),
            400,
        ),
        (
            "other target",
            format!(
                "POST http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            ),
            403,
        ),
    ] {
        let answer = raw(&served, &request).await;
        let found = answer.split(' ').nth(1).unwrap_or_default();
        assert_eq!(found, status.to_string(), "{what}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{what}: {answer}");
    }
}

#[tokio::test]
async fn a_head_over_its_bound_is_refused_at_every_size() {
    let served = served(|options| options.bounds.head_bytes = 1 << 10).await;
    for (size, status) in [(100, 200), (2_000, 431), (100_000, 431)] {
        let long = "x".repeat(size);
        let told = served.post(&[("X-Long", &long)], &initialize(0)).await;
        assert_eq!(told.status, status, "{size}");
    }
}

/// The process that modern clients share counts, too.
#[tokio::test]
async fn all_processes_count_together() {
    let served = served(|options| options.bounds.children = 1).await;
    let session = served.open().await;
    let told = served.modern(&modern(call(1, "echo", json!({})))).await;
    assert_eq!((told.status, told.header("retry-after")), (503, Some("1")));
    assert_eq!(told.message()["id"], 1);
    let ended = served
        .request("DELETE", &[("Mcp-Session-Id", &session)], "")
        .await;
    assert_eq!(ended.status, 204);
    let mut told: Value = json!({});
    for _ in 0..100 {
        told = served
            .modern(&modern(call(2, "echo", json!({}))))
            .await
            .message();
        if told["result"].is_object() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(text_of(&told), "ok");
    let refused = served.post(&[], &initialize(0)).await;
    assert_eq!(refused.status, 503, "{refused:?}");
}

/// An operator who listens on every address without listing host names is told so, once.
#[tokio::test]
async fn names_that_are_not_listed_say_where_they_belong() {
    let served = served(|options| {
        if let Listener::Http(listener) = &mut options.listener {
            listener.address = "0.0.0.0:0".parse().unwrap();
        }
    })
    .await;
    for _ in 0..2 {
        let told = served
            .post(&[("Host", "guard.example")], &initialize(0))
            .await;
        assert_eq!(told.status, 403);
        let text = told.message()["error"]["message"].to_string();
        assert!(text.contains("`listen.hosts`"), "{text}");
    }
    let seen = served.seen.0.lock().unwrap();
    for (note, text) in [
        ("hosts-not-set", "listen.hosts"),
        ("host-refused", "guard.example"),
    ] {
        let mut notes = seen.iter().filter(|word| word.contains(note));
        assert!(
            notes.next().is_some_and(|word| word.contains(text)),
            "{seen:?}"
        );
        assert!(notes.next().is_none(), "{seen:?}");
    }
}

/// A client that writes its whole message before it reads still gets the 413.
#[tokio::test]
async fn a_message_over_the_bound_is_answered_though_it_is_still_coming() {
    let served = served(|options| options.bounds.message_bytes = 1 << 20).await;
    let mut long = modern(call(1, "echo", json!({})));
    long["params"]["arguments"]["x"] = json!("x".repeat(12 << 20));
    let told = served.modern(&long).await;
    assert_eq!((told.status, &told.message()["id"]), (413, &json!(1)));
}

/// Records say who called, from where and in which session, and contain no credential.
#[tokio::test]
async fn records_name_the_caller_the_session_and_the_address() {
    // `iss` is `https://as.example`, `sub` is `ann`.
    let claims = "eyJpc3MiOiJodHRwczovL2FzLmV4YW1wbGUiLCJzdWIiOiJhbm4ifQ";
    let token = format!("Bearer eyJhbGciOiJub25lIn0.{claims}.c2ln");
    for (several, authorization, caller) in [
        (false, token.as_str(), "ann@https://as.example"),
        (false, "Bearer hush", "sha256:"),
        (true, token.as_str(), "ann@https://as.example"),
    ] {
        let (upstream, seen) = match several {
            true => {
                let (member, seen) = crate::aggregate::member("a", python(ECHO), policy());
                let times = crate::aggregate::short();
                (
                    crate::aggregate::aggregate(vec![member], Bounds::default(), times),
                    Some(seen),
                )
            }
            false => (python(ECHO), None),
        };
        let policy = if several {
            policy().without_filters()
        } else {
            policy()
        };
        let served = Served::with(upstream, policy, |_| {}).await;
        let seen = seen.unwrap_or_else(|| std::sync::Arc::clone(&served.seen));
        let auth = ("Authorization", authorization);
        let opened = served.post(&[auth], &initialize(0)).await;
        let session = opened.header("mcp-session-id").unwrap().to_owned();
        let tool = if several { "a_echo" } else { "echo" };
        let headers = [
            auth,
            ("Mcp-Session-Id", &session),
            ("MCP-Protocol-Version", "2025-11-25"),
        ];
        served.post(&headers, &call(1, tool, json!([1]))).await;
        let headers = [
            auth,
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", tool),
        ];
        served
            .post(&headers, &modern(call(2, tool, json!([2]))))
            .await;
        let records = seen.1.lock().unwrap();
        let refused: Vec<&Value> = records
            .iter()
            .filter(|it| it["action"] == "refused")
            .collect();
        assert_eq!(refused.len(), 2, "{records:?}");
        let text = format!("{refused:?}");
        assert!(!text.contains("hush") && !text.contains(claims) && !text.contains(&session));
        for record in &refused {
            assert!(
                record["caller"].as_str().unwrap().starts_with(caller),
                "{record}"
            );
        }
        assert!(
            refused[0]["session"]
                .as_str()
                .unwrap()
                .starts_with("sha256:"),
            "{refused:?}"
        );
        assert!(
            refused[0]["address"]
                .as_str()
                .unwrap()
                .starts_with("127.0.0.1:")
        );
        // Also of a client that shares the servers of an aggregate with others.
        assert!(refused[1]["address"].is_string(), "{refused:?}");
    }
}

/// The header must name the version of the session, not only one that exists.
#[tokio::test]
async fn another_version_than_that_of_the_session_is_refused() {
    let script = "for m, id, name, args in calls():\n    text(id, 'ok')";
    let served = Served::start(python(script)).await;
    let session = served.open().await;
    let said = call(1, "echo", json!({})).to_string();
    let ask = async |method, version| {
        let headers = [
            ("Mcp-Session-Id", session.as_str()),
            ("MCP-Protocol-Version", version),
        ];
        let body = if method == "POST" { said.as_str() } else { "" };
        served.request(method, &headers, body).await
    };
    for method in ["POST", "GET", "DELETE"] {
        let refused = ask(method, "2025-03-26").await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert!(refused.body.contains("2025-11-25"), "{refused:?}");
    }
    assert_eq!(ask("POST", "2025-11-25").await.status, 200);
    // Without the header, the session's version holds.
    let headers = [("Mcp-Session-Id", session.as_str())];
    assert_eq!(served.request("POST", &headers, &said).await.status, 200);
    // A declaration in `_meta` means nothing before 2026-07-28.
    let mut declared = call(2, "echo", json!({}));
    declared["params"]["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2025-11-25"});
    let called = served.in_session(&session, &declared).await;
    assert_eq!(text_of(&called.message()), "ok", "{called:?}");
}

/// What an operator asks for is in the records of a call, and no secret.
#[tokio::test]
async fn records_have_the_values_that_are_asked_for_without_secrets() {
    let tool = r#"{"name": "echo", "inputSchema": {"type": "object",
        "properties": {"pin": {"type": "string", "format": "password"}, "n": {"type": "integer"}}},
        "outputSchema": {"type": "object", "properties": {"session": {"writeOnly": True}}}}"#;
    let script = format!(
        "TOOLS = [{tool}]\nfor m, id, name, args in calls(): answer(id, {{'content': [], \
         'structuredContent': {{'session': 'hush', 'seen': args}}, **(MORE if '_meta' in m['params'] else {{}})}})"
    );
    for how in [Recorded::Nothing, Recorded::Names, Recorded::Full] {
        let mut policy = policy();
        (policy.recording.arguments, policy.recording.results) = (how, how);
        policy.recording.secrets = vec!["/card/*".to_owned(), "/seen/card/*".to_owned()];
        let served = Served::with(python(&script), policy, |_| {}).await;
        let arguments = json!({"pin": "hush", "n": 5, "apiKey": "hush", "card": {"no": "hush"}});
        let answer = served.modern(&modern(call(1, "echo", arguments))).await;
        assert!(answer.message()["result"].is_object(), "{answer:?}");
        let wrong = served
            .modern(&modern(call(2, "echo", json!({"n": "hush"}))))
            .await;
        assert!(wrong.message()["result"]["isError"] == true, "{wrong:?}");
        let records = served.seen.1.lock().unwrap().clone();
        let of = |filter: &str, action: &str| {
            let is_it = |it: &&Value| it["filter"] == filter && it["action"] == action;
            records
                .iter()
                .find(is_it)
                .unwrap_or_else(|| panic!("{records:?}"))
        };
        let (called, answered) = (of("arguments", "passed"), of("results", "passed"));
        let refused = &of("arguments", "refused")["arguments"];
        let (arguments, result) = (&called["arguments"], &answered["result"]);
        match how {
            Recorded::Names => {
                // Other packages decide in which order serde_json writes members.
                let mut names: Vec<&str> = arguments
                    .as_array()
                    .unwrap()
                    .iter()
                    .filter_map(Value::as_str)
                    .collect();
                names.sort_unstable();
                assert_eq!(names, ["apiKey", "card", "n", "pin"]);
                assert_eq!(*result, json!(["session", "seen"]));
                assert_eq!(*refused, json!(["n"]));
            }
            Recorded::Full => {
                let seen = json!({"pin": "(secret)", "n": 5, "apiKey": "(secret)",
                    "card": {"no": "(secret)"}});
                assert_eq!(*arguments, seen);
                assert_eq!(result["session"], "(secret)");
                assert_eq!(result["seen"]["card"], json!({"no": "(secret)"}));
                assert_eq!(result["seen"]["n"], 5);
                assert_eq!(*refused, json!({"n": "hush"}));
            }
            _ => assert!(arguments.is_null() && result.is_null() && refused.is_null()),
        }
    }
}
