//! A client on stdio, with an HTTP endpoint as upstream.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use toolsure_guard::Lock;
use toolsure_proxy::guard::Exit;

use crate::common::{Lined, call, initialize, modern, remote, text_of};
use crate::web::{JSON, Request, Web, respond};

const SSE: &str = "Content-Type: text/event-stream\r\n";

/// The answers to `initialize`, `tools/list` in both eras, notifications, GET and DELETE; `None`
/// for everything else.
fn known(request: &Request) -> Option<(String, &'static str, String)> {
    let id = request.id();
    let modern = request
        .body
        .contains("io.modelcontextprotocol/protocolVersion");
    let more = if modern {
        r#","resultType":"complete","ttlMs":60000,"cacheScope":"public""#
    } else {
        ""
    };
    let names = ["echo", "hang", "big"];
    let tool = |name: &str| {
        format!(
            r#"{{"name":"{name}","inputSchema":{{"type":"object","properties":{{"region":{{"type":"string","x-mcp-header":"Region"}}}}}}}}"#
        )
    };
    let tools = names.map(tool).join(",");
    let result = match (request.method.as_str(), request.rpc().as_str()) {
        ("GET", _) => return Some(("405 Method Not Allowed".to_owned(), "", String::new())),
        ("DELETE", _) => return Some(("200 OK".to_owned(), "", String::new())),
        (_, "initialize") => {
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}"#.to_owned()
        }
        (_, "tools/list") => format!(r#"{{"tools":[{tools}]{more}}}"#),
        (_, method) if method.starts_with("notifications/") || method.is_empty() => {
            return Some(("202 Accepted".to_owned(), "", String::new()));
        }
        _ => return None,
    };
    let headers = "Content-Type: application/json\r\nMcp-Session-Id: s-1\r\n";
    let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    Some(("200 OK".to_owned(), headers, body))
}

/// A server; the function answers its calls.
fn server(calls: impl Fn(&Request, &mut std::net::TcpStream) + Send + Sync + 'static) -> Web {
    Web::start(move |request, stream| match known(request) {
        Some((status, headers, body)) => respond(stream, &status, headers, &body),
        None => calls(request, stream),
    })
}

fn answer(request: &Request, text: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[{{"type":"text","text":"{text}"}}],"resultType":"complete"}}}}"#,
        request.id()
    )
}

#[tokio::test]
async fn a_legacy_session_is_kept_and_ended() {
    let web = server(|request, stream| {
        let event = format!("id: 1\ndata: {}\n\n", answer(request, "ok"));
        respond(stream, "200 OK", SSE, &event);
    });
    let mut client = Lined::start(remote(&web.url));
    client.open().await;
    let told = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&told), "ok");
    assert!(matches!(client.finished().await, Exit::ClientGone));
    let seen = web.seen();
    for request in seen.iter().filter(|request| request.rpc() != "initialize") {
        assert_eq!(request.header("mcp-session-id"), Some("s-1"), "{request:?}");
        assert_eq!(request.header("mcp-protocol-version"), Some("2025-11-25"));
    }
    // The stream is asked for on another connection, which the server may read later.
    let mut others = seen.iter().filter(|request| request.method != "GET");
    assert_eq!(others.next_back().unwrap().method, "DELETE");
}

#[tokio::test]
async fn a_client_that_does_not_wait_for_its_session_waits_here() {
    let web = server(|request, stream| {
        respond(stream, "200 OK", JSON, &answer(request, "ok"));
    });
    let mut client = Lined::start(remote(&web.url));
    client.send(&initialize(0)).await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    client.send(&call(1, "echo", json!({}))).await;
    assert_eq!(client.next().await["id"], 0);
    let told = client.next().await;
    assert_eq!((text_of(&told), &told["id"]), ("ok", &json!(1)));
    for request in web.seen().iter().skip(1) {
        assert_eq!(request.header("mcp-session-id"), Some("s-1"), "{request:?}");
    }
}

#[tokio::test]
async fn modern_messages_get_the_headers_that_repeat_them() {
    let web = server(|request, stream| respond(stream, "200 OK", JSON, &answer(request, "ok")));
    let mut client = Lined::start(remote(&web.url));
    let asked = modern(call(1, "echo", json!({"region": "eü"})));
    let told = client.ask(&asked).await;
    assert_eq!(text_of(&told), "ok", "{told}");
    let seen = web.seen();
    let called = seen
        .iter()
        .find(|request| request.rpc() == "tools/call")
        .unwrap();
    for (name, value) in [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
        ("mcp-param-region", "=?base64?ZcO8?="),
    ] {
        assert_eq!(called.header(name), Some(value), "{called:?}");
    }
    assert_eq!(called.body, asked.to_string());
}

/// If the server refuses the headers of a call, the guard lists the tools and sends the call once
/// more, and not a third time.
#[tokio::test]
async fn headers_that_the_server_does_not_take_are_made_anew_once() {
    for refusals in [1, 9] {
        let calls = AtomicUsize::new(0);
        let web = server(move |request, stream| {
            if calls.fetch_add(1, Ordering::SeqCst) < refusals {
                let body = format!(
                    r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32020,"message":"no"}}}}"#,
                    request.id()
                );
                respond(stream, "400 Bad Request", JSON, &body);
            } else {
                respond(stream, "200 OK", JSON, &answer(request, "ok"));
            }
        });
        let mut client = Lined::start(remote(&web.url));
        let told = client
            .ask(&modern(call(1, "echo", json!({"region": "eu"}))))
            .await;
        if refusals == 1 {
            assert_eq!(text_of(&told), "ok", "{told}");
        } else {
            assert_eq!(told["error"]["code"], -32020, "{told}");
        }
        let rpcs: Vec<String> = web.seen().iter().map(Request::rpc).collect();
        let first = rpcs.iter().position(|rpc| rpc == "tools/call").unwrap();
        assert_eq!(rpcs[first..], ["tools/call", "tools/list", "tools/call"]);
    }
}

#[tokio::test]
async fn each_way_of_failing_has_an_answer_of_its_own() {
    type Failure = fn(&Request, &mut std::net::TcpStream);
    let ways: [(&str, Failure); 6] = [
        ("500", |_, stream| respond(stream, "500 Oops", "", "oops")),
        ("not a JSON-RPC answer", |_, stream| {
            respond(stream, "200 OK", JSON, "garbage")
        }),
        ("before it was complete", |_, stream| {
            respond(stream, "200 OK", SSE, "data: {\"jsonrpc\":\"2.0\",");
        }),
        ("lost the connection", |_, _| {}),
        ("was cut off", |_, stream| {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nff\r\ndata";
            stream.write_all(head.as_bytes()).unwrap();
        }),
        ("message bytes", |_, stream| {
            let event = format!("data: \"{}\"\n\n", "x".repeat(20 << 20));
            respond(stream, "200 OK", SSE, &event);
        }),
    ];
    for (word, way) in ways {
        let web = server(way);
        let mut client = Lined::start(remote(&web.url));
        client.open().await;
        let told = client.ask(&call(1, "echo", json!({}))).await;
        let message = told["error"]["message"]
            .as_str()
            .unwrap_or_else(|| panic!("{told}"));
        assert!(message.contains(word), "{word}: {message}");
        // Other requests still succeed.
        let listed = client
            .ask(&json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))
            .await;
        assert!(listed["result"].is_object(), "{listed}");
    }
}

#[tokio::test]
async fn a_legacy_stream_is_taken_up_where_it_broke_off() {
    let web = Web::start(|request, stream| {
        if request.method == "GET" {
            match request.header("last-event-id") {
                Some("e-1") => {
                    let event = r#"data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"resumed"}]}}"#;
                    respond(stream, "200 OK", SSE, &format!("{event}\n\n"));
                }
                _ => respond(stream, "405 Method Not Allowed", "", ""),
            }
        } else if let Some((status, headers, body)) = known(request) {
            respond(stream, &status, headers, &body);
        } else {
            respond(stream, "200 OK", SSE, "id: e-1\nretry: 1\ndata:\n\n");
        }
    });
    let mut client = Lined::start(remote(&web.url));
    client.open().await;
    let told = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&told), "resumed", "{told}");
}

#[tokio::test]
async fn a_hanging_upstream_is_given_up_in_time() {
    let web = server(|request, stream| {
        if request.body.contains("hang") {
            // Silent until the client closes.
            let mut rest = [0; 1];
            let _closed = std::io::Read::read(stream, &mut rest);
        } else {
            respond(stream, "200 OK", JSON, &answer(request, "ok"));
        }
    });
    let mut policy = crate::common::policy();
    policy.request_timeout = Some(std::time::Duration::from_millis(300));
    let upstream = remote(&web.url);
    let options = crate::common::options(toolsure_proxy::guard::Listener::Stdio, upstream);
    let mut client = Lined::with(options, policy);
    client.open().await;
    let told = client.ask(&call(1, "hang", json!({}))).await;
    assert!(told["error"].is_object(), "{told}");
    let told = client.ask(&call(2, "echo", json!({}))).await;
    assert_eq!(text_of(&told), "ok");
}

/// A server that knows only its newest session. A call with `restart` makes it forget that one,
/// too. Without `reopens`, it opens only one session.
fn forgetful(reopens: bool) -> (Web, Arc<AtomicUsize>) {
    let opened = Arc::new(AtomicUsize::new(0));
    let (counted, restarted) = (Arc::clone(&opened), AtomicUsize::new(0));
    let web = Web::start(move |request, stream| {
        let asked = request.rpc();
        if asked == "initialize" {
            let number = counted.fetch_add(1, Ordering::AcqRel) + 1;
            if number > 1 && !reopens {
                return respond(stream, "503 Service Unavailable", "", "");
            }
            let result = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"web","version":"1"}}"#;
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
                request.id()
            );
            let headers = format!("{JSON}Mcp-Session-Id: s-{number}\r\n");
            return respond(stream, "200 OK", &headers, &body);
        }
        if request.body.contains(r#""restart""#) {
            restarted.store(counted.load(Ordering::Acquire), Ordering::Release);
        }
        let number = counted.load(Ordering::Acquire);
        let current = format!("s-{number}");
        let known = restarted.load(Ordering::Acquire) < number
            && request.header("mcp-session-id") == Some(&current);
        match (request.method.as_str(), asked.as_str()) {
            _ if !known => respond(stream, "404 Not Found", "", ""),
            ("POST", "tools/list") => {
                let body = format!(
                    r#"{{"jsonrpc":"2.0","id":{},"result":{{"tools":[{{"name":"echo","inputSchema":{{"type":"object"}}}}]}}}}"#,
                    request.id()
                );
                respond(stream, "200 OK", JSON, &body);
            }
            ("POST", "tools/call") => {
                let body = answer(request, &current);
                respond(stream, "200 OK", JSON, &body);
            }
            ("POST", _) => respond(stream, "202 Accepted", "", ""),
            _ => respond(stream, "405 Method Not Allowed", "", ""),
        }
    });
    (web, opened)
}

#[tokio::test]
async fn a_session_that_the_server_forgot_is_opened_again_and_the_request_repeated_once() {
    let (web, opened) = forgetful(true);
    let mut client = Lined::start(remote(&web.url));
    client.open().await;
    let told = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&told), "s-1");
    // The client is notified that the list may have changed, and gets its answer, in either order.
    client.send(&call(2, "echo", json!({"restart": 1}))).await;
    let (first, second) = (client.next().await, client.next().await);
    let (note, told) = match first["id"].is_null() {
        true => (first, second),
        false => (second, first),
    };
    assert_eq!(note["method"], "notifications/tools/list_changed");
    // The server restarts with every such call, so the repeated call fails too.
    let text = told["error"]["message"].as_str().unwrap();
    assert!(text.contains("404"), "{told}");
    assert_eq!(opened.load(Ordering::Acquire), 2);
    let told = client.ask(&call(3, "echo", json!({}))).await;
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    let told = client.next().await;
    assert_eq!(text_of(&told), "s-3");
    let calls = web.seen();
    let calls = calls.iter().filter(|it| it.rpc() == "tools/call");
    // Call 1; call 2 and its repetition; call 3, before which `tools/list` found no session.
    assert_eq!(calls.count(), 4);
    let openings = web.seen();
    let mut openings = openings.iter().filter(|it| it.rpc() == "initialize");
    let first = openings.next().unwrap();
    assert!(openings.all(|it| it.body == first.body && it.header("mcp-session-id").is_none()));
}

/// Calls in a session that was opened again are checked by the list of that session.
#[tokio::test]
async fn a_session_that_was_opened_again_has_its_own_tools() {
    let opened = Arc::new(AtomicUsize::new(0));
    let sessions = Arc::clone(&opened);
    // A call with `forget` finds no session 1 any more. The tool of session 2 requires `a`.
    let web = Web::start(move |request, stream| {
        let result = |result: &str| {
            let id = request.id();
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
        };
        let session = request.header("mcp-session-id").unwrap_or_default();
        match request.rpc().as_str() {
            "initialize" => {
                let number = sessions.fetch_add(1, Ordering::AcqRel) + 1;
                let headers = format!("{JSON}Mcp-Session-Id: s-{number}\r\n");
                let opened = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}"#;
                respond(stream, "200 OK", &headers, &result(opened));
            }
            "tools/list" => {
                let required = if session == "s-1" { "[]" } else { r#"["a"]"# };
                let tool = format!(
                    r#"{{"tools":[{{"name":"echo","inputSchema":{{"type":"object","required":{required}}}}}]}}"#
                );
                respond(stream, "200 OK", JSON, &result(&tool));
            }
            "tools/call" if session == "s-1" && request.body.contains("forget") => {
                respond(stream, "404 Not Found", "", "");
            }
            "tools/call" => respond(stream, "200 OK", JSON, &answer(request, session)),
            _ if request.method == "GET" => respond(stream, "405 Method Not Allowed", "", ""),
            _ => respond(stream, "202 Accepted", "", ""),
        }
    });
    let mut client = Lined::start(remote(&web.url));
    client.open().await;
    let first = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&first), "s-1");
    let again = client
        .ask(&call(2, "echo", json!({"forget": 1, "a": 1})))
        .await;
    assert_eq!(text_of(&again), "s-2", "{again}");
    let refused = client.ask(&call(3, "echo", json!({}))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let last = client.ask(&call(4, "echo", json!({"a": 1}))).await;
    assert_eq!(text_of(&last), "s-2", "{last}");
    assert_eq!(opened.load(Ordering::Acquire), 2);
}

/// A call was checked against the tool list of the lost session. With a lock it is not repeated in
/// a new session, which may have other tools.
#[tokio::test]
async fn a_call_is_not_repeated_past_a_lock() {
    let (web, opened) = forgetful(true);
    let mut policy = crate::common::policy();
    let lock = br#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#;
    policy.drift.lock = Some(Arc::new(Lock::read(lock, None).unwrap()));
    let options = crate::common::options(toolsure_proxy::guard::Listener::Stdio, remote(&web.url));
    let mut client = Lined::with(options, policy);
    client.open().await;
    let told = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&told), "s-1");
    client.send(&call(2, "echo", json!({"restart": 1}))).await;
    let (first, second) = (client.next().await, client.next().await);
    let told = if first["id"].is_null() { second } else { first };
    let text = told["error"]["message"].as_str().unwrap();
    assert!(text.contains("call it again"), "{told}");
    assert_eq!(opened.load(Ordering::Acquire), 2);
    let calls = web.seen();
    let calls = calls.iter().filter(|it| it.rpc() == "tools/call");
    assert_eq!(calls.count(), 2);
}

#[tokio::test]
async fn a_server_that_opens_no_other_session_fails_the_call() {
    let (web, opened) = forgetful(false);
    let mut client = Lined::start(remote(&web.url));
    client.open().await;
    let lost = client.ask(&call(1, "echo", json!({"restart": 1}))).await;
    let text = lost["error"]["message"].as_str().unwrap();
    assert!(
        text.contains("HTTP status 404, and no new session could be opened: HTTP status 503"),
        "{lost}"
    );
    assert_eq!(opened.load(Ordering::Acquire), 2);
}

#[tokio::test]
async fn ten_thousand_calls_at_once_are_all_answered_over_no_more_connections_than_there_may_be() {
    let (now, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let web = server(move |request, stream| {
        seen.fetch_max(now.fetch_add(1, Ordering::AcqRel) + 1, Ordering::AcqRel);
        let id = request.id();
        let body = answer(request, &id);
        now.fetch_sub(1, Ordering::AcqRel);
        respond(stream, "200 OK", JSON, &body);
    });
    let mut policy = crate::common::policy();
    policy.limits.pending = 20_000;
    policy.request_timeout = Some(std::time::Duration::from_secs(300));
    let listener = toolsure_proxy::guard::Listener::Stdio;
    let mut client = Lined::with(crate::common::options(listener, remote(&web.url)), policy);
    client.open().await;
    let mut to = client.to.take().unwrap();
    let writing = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        for id in 0..10_000 {
            let line = format!("{}\n", call(id, "echo", json!({})));
            to.write_all(line.as_bytes()).await.unwrap();
        }
        to
    });
    let mut seen = std::collections::HashSet::new();
    for _ in 0..10_000 {
        let told = client.next().await;
        assert_eq!(text_of(&told), told["id"].to_string(), "{told}");
        assert!(seen.insert(told["id"].as_i64()));
    }
    client.to = Some(writing.await.unwrap());
    let most = most.load(Ordering::Acquire);
    assert!((1..=512).contains(&most), "{most}");
}
