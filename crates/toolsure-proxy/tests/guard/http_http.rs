//! Clients over HTTP, with an HTTP endpoint as upstream.

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use crate::common::{MODERN, Served, call, initialize, modern, python, remote, text_of};
use crate::web::{JSON, Request, Web, respond};

const SSE: &str = "Content-Type: text/event-stream\r\nMcp-Session-Id: s-1\r\n";

fn result(request: &Request, result: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        request.id()
    )
}

fn server(calls: impl Fn(&Request, &mut std::net::TcpStream) + Send + Sync + 'static) -> Web {
    Web::start(move |request, stream| {
        let opened = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}"#;
        let listed = r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":60000,"cacheScope":"public"}"#;
        match request.rpc().as_str() {
            "initialize" => {
                let event = format!(": hello\nid: 0\ndata: {}\n\n", result(request, opened));
                respond(stream, "200 OK", SSE, &event);
            }
            "tools/list" => respond(stream, "200 OK", JSON, &result(request, listed)),
            "notifications/initialized" => respond(stream, "202 Accepted", "", ""),
            _ => calls(request, stream),
        }
    })
}

fn ok(request: &Request) -> String {
    let modern = request.header("mcp-protocol-version") == Some(MODERN);
    let kind = if modern {
        r#","resultType":"complete""#
    } else {
        ""
    };
    let content = format!(r#"{{"content":[{{"type":"text","text":"ok"}}]{kind}}}"#);
    result(request, &content)
}

#[tokio::test]
async fn events_and_headers_go_through_as_they_came() {
    let events = Arc::new(Mutex::new(String::new()));
    let sent = Arc::clone(&events);
    let web = server(move |request, stream| {
        let text = format!(
            ": a comment\r\n\r\nid: 7\r\nretry: 20\r\ndata: {{\"jsonrpc\":\"2.0\", \"method\":\"notifications/progress\",\"params\":{{\"progressToken\":1,\"progress\":1.50}}}}\r\n\r\nevent: message\nid: 8\ndata: {}\n\n",
            ok(request)
        );
        sent.lock().unwrap().clone_from(&text);
        respond(stream, "200 OK", SSE, &text);
    });
    let served = Served::start(remote(&web.url)).await;
    let session = served.open().await;
    assert!(!session.contains("s-1"));
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
        ("Authorization", "Bearer hush"),
        ("Vendor-Thing", "kept"),
    ];
    let reply = served.post(&headers, &call(1, "echo", json!({}))).await;
    assert_eq!(reply.body, *events.lock().unwrap());
    assert_eq!(reply.header("mcp-session-id"), Some(session.as_str()));
    let seen = web.seen();
    let called = seen
        .iter()
        .find(|request| request.rpc() == "tools/call")
        .unwrap();
    assert_eq!(called.path, "/mcp");
    for (name, value) in headers {
        let value = if value == session { "s-1" } else { value };
        assert_eq!(called.header(name), Some(value));
    }
    assert!(!served.seen.0.lock().unwrap().join(" ").contains("hush"));
}

#[tokio::test]
async fn modern_messages_go_through_with_their_headers() {
    let web = server(|request, stream| respond(stream, "200 OK", JSON, &ok(request)));
    let served = Served::start(remote(&web.url)).await;
    let message = modern(call(1, "echo", json!({})));
    let mut headers = vec![
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
        ("Mcp-Param-Unknown", "kept"),
    ];
    let reply = served.post(&headers, &message).await;
    assert_eq!(text_of(&reply.message()), "ok");
    let seen = web.seen();
    let called = seen
        .iter()
        .find(|request| request.rpc() == "tools/call")
        .unwrap();
    assert_eq!(called.body, message.to_string());
    assert_eq!(called.header("mcp-param-unknown"), Some("kept"));
    headers[2].1 = "other";
    let reply = served.post(&headers, &message).await;
    assert_eq!(
        (reply.status, reply.message()["error"]["code"].as_i64()),
        (400, Some(-32020))
    );
}

/// The guard's own `tools/list` is sent first, so the client must get its refusal.
#[tokio::test]
async fn a_listing_that_is_refused_over_http_refuses_the_call_so() {
    for status in ["401 Unauthorized", "403 Forbidden", "404 Not Found"] {
        let web = Web::start(move |_, stream| {
            let wants = "WWW-Authenticate: Bearer resource_metadata=\"x\"\r\n";
            respond(stream, status, wants, "no");
        });
        let served = Served::start(remote(&web.url)).await;
        let headers = [
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "echo"),
        ];
        let reply = served
            .post(&headers, &modern(call(1, "echo", json!({}))))
            .await;
        assert!(
            status.starts_with(&reply.status.to_string()),
            "{}",
            reply.status
        );
        let wants = reply.header("www-authenticate").unwrap();
        assert!(wants.contains("resource_metadata"), "{wants}");
        assert_eq!(reply.message()["id"], 1);
        let seen: Vec<String> = web.seen().iter().map(|request| request.rpc()).collect();
        assert_eq!(seen, ["tools/list"]);
    }
}

/// A request that arrives after the guard was told to stop is not forwarded. Its answer tells load
/// balancers so.
#[tokio::test]
async fn a_request_that_comes_while_stopping_is_for_another_replica() {
    let web = server(|request, stream| respond(stream, "200 OK", JSON, &ok(request)));
    let served = Served::start(remote(&web.url)).await;
    let body = modern(call(7, "echo", json!({}))).to_string();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let stream = TcpStream::connect(("127.0.0.1", served.port)).await;
    let mut stream = BufReader::new(stream.unwrap());
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    assert!(line.contains("100 Continue"), "{line}");
    served.running.stop();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.contains("HTTP/1.1 503"), "{answer}");
    assert!(answer.contains("retry-after: 1"), "{answer}");
    assert!(answer.contains(r#""id":7,"error""#), "{answer}");
    assert!(web.seen().is_empty());
}

/// A session outlives the authorization that it was opened with.
#[tokio::test]
async fn the_guards_own_listing_is_asked_for_with_the_callers_newest_authorization() {
    let web = server(|request, stream| {
        let text = ok(request);
        respond(stream, "200 OK", JSON, &text);
    });
    let served = Served::start(remote(&web.url)).await;
    let session = served.open().await;
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
        ("Authorization", "Bearer newest"),
    ];
    let reply = served.post(&headers, &call(1, "echo", json!({}))).await;
    assert_eq!(reply.status, 200);
    let seen = web.seen();
    let listed = seen.iter().find(|request| request.rpc() == "tools/list");
    let listed = listed.unwrap();
    assert_eq!(listed.header("authorization"), Some("Bearer newest"));
}

#[tokio::test]
async fn refusals_of_the_upstream_are_passed_on_and_failures_answered() {
    let web = server(|request, stream| match request.header("authorization") {
        None => {
            let wants = "WWW-Authenticate: Bearer resource_metadata=\"x\"\r\n";
            respond(stream, "401 Unauthorized", wants, "who?");
        }
        Some("Bearer 500") => respond(stream, "500 Oops", "", "oops"),
        Some("Bearer gone") => {}
        Some("Bearer cut") => {
            respond(
                stream,
                "200 OK",
                "Content-Type: text/event-stream\r\n",
                ": hi\n\ndata: {\"jso",
            );
        }
        Some(_) => respond(stream, "200 OK", JSON, &ok(request)),
    });
    let served = Served::start(remote(&web.url)).await;
    let message = modern(call(1, "echo", json!({})));
    let with = |bearer: &'static str| {
        let mut headers = vec![
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "echo"),
        ];
        if !bearer.is_empty() {
            headers.push(("Authorization", bearer));
        }
        headers
    };
    let reply = served.post(&with(""), &message).await;
    assert_eq!((reply.status, reply.body.as_str()), (401, "who?"));
    assert!(
        reply
            .header("www-authenticate")
            .unwrap()
            .contains("resource_metadata")
    );
    for (bearer, status) in [
        ("Bearer 500", 502),
        ("Bearer gone", 502),
        ("Bearer cut", 200),
    ] {
        let reply = served.post(&with(bearer), &message).await;
        let answer = reply.message();
        assert_eq!(
            (reply.status, answer["id"].as_i64()),
            (status, Some(1)),
            "{reply:?}"
        );
        assert!(answer["error"].is_object(), "{answer}");
    }
    assert_eq!(
        text_of(&served.post(&with("Bearer x"), &message).await.message()),
        "ok"
    );
}

#[tokio::test]
async fn a_client_that_leaves_closes_the_upstreams_stream() {
    let (told, closed) = std::sync::mpsc::channel();
    let told = Mutex::new(told);
    let web = server(move |_, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n: at work\n\n";
        stream.write_all(head.as_bytes()).unwrap();
        let mut rest = [0; 1];
        let end = stream.read(&mut rest);
        told.lock()
            .unwrap()
            .send(matches!(end, Ok(0) | Err(_)))
            .unwrap();
    });
    let served = Served::start(remote(&web.url)).await;
    let mut leaving = served
        .modern_begin(&modern(call(1, "echo", json!({}))))
        .await;
    leaving.until("at work").await;
    drop(leaving);
    let closed = tokio::task::spawn_blocking(move || closed.recv_timeout(crate::common::PATIENCE));
    assert_eq!(closed.await.unwrap(), Ok(true));
}

/// Widely used connectors number all requests of a session 1.
#[tokio::test]
async fn requests_with_the_same_id_at_the_same_time_get_their_own_answers() {
    // Each answers only once all calls are there.
    let all = Arc::new(std::sync::Barrier::new(3));
    let web = server(move |request, stream| {
        all.wait();
        let message: Value = serde_json::from_str(&request.body).unwrap();
        let told = message["params"]["arguments"].to_string();
        let answer = json!({"content": [{"type": "text", "text": told}]}).to_string();
        respond(stream, "200 OK", JSON, &result(request, &answer));
    });
    let child = r#"
waiting = []
for m, id, name, args in calls():
    waiting.append((id, args))
    if len(waiting) == 3:
        for id, args in waiting: text(id, json.dumps(args, separators=(",", ":")))
        waiting = []
"#;
    for upstream in [remote(&web.url), python(child)] {
        let served = Served::start(upstream).await;
        let session = served.open().await;
        for id in [json!(1), json!("a")] {
            let calls = [0, 1, 2].map(|n| call(id.clone(), "echo", json!({"n": n})));
            let (one, two, three) = tokio::join!(
                served.in_session(&session, &calls[0]),
                served.in_session(&session, &calls[1]),
                served.in_session(&session, &calls[2]),
            );
            for (n, reply) in [one, two, three].into_iter().enumerate() {
                let answer = reply.message();
                assert_eq!(text_of(&answer), format!(r#"{{"n":{n}}}"#), "{reply:?}");
                assert_eq!(answer["id"], id, "{reply:?}");
            }
        }
    }
}

#[tokio::test]
async fn headers_that_are_true_of_the_upstreams_origin_only_stay_there() {
    const OWN: &str = "Set-Cookie: a=b\r\nServer: inner/1\r\nStrict-Transport-Security: max-age=9\r\nAlt-Svc: h3=\":443\"\r\n";
    for status in ["200 OK", "403 Forbidden"] {
        let web = server(move |request, stream| {
            let headers = format!("{JSON}{OWN}X-Other: kept\r\n");
            respond(stream, status, &headers, &ok(request));
        });
        let served = Served::start(remote(&web.url)).await;
        let reply = served.modern(&modern(call(1, "echo", json!({})))).await;
        assert_eq!(reply.header("x-other"), Some("kept"), "{reply:?}");
        for name in [
            "set-cookie",
            "server",
            "strict-transport-security",
            "alt-svc",
        ] {
            assert_eq!(reply.header(name), None, "{reply:?}");
        }
    }
}

#[tokio::test]
async fn an_upstream_that_is_not_there_is_an_answer_too() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    drop(listener);
    let served = Served::start(remote(&url)).await;
    let reply = served.post(&[], &initialize(1)).await;
    assert_eq!(
        (reply.status, reply.message()["id"].as_i64()),
        (502, Some(1))
    );
}

#[tokio::test]
async fn an_upstream_that_hangs_is_given_up_in_time_from_the_opening_on() {
    let web = Web::start(|request, stream| {
        if request.rpc() == "initialize" && !request.body.contains("hang") {
            let opened = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}"#;
            return respond(stream, "200 OK", JSON, &result(request, opened));
        }
        if request.rpc().starts_with("notifications/") {
            return respond(stream, "202 Accepted", "", "");
        }
        // Silent until the guard closes the connection.
        let mut rest = [0; 1];
        let _closed = stream.read(&mut rest);
    });
    let mut policy = crate::common::policy();
    policy.request_timeout = Some(std::time::Duration::from_millis(300));
    let served = Served::with(remote(&web.url), policy, |_| {}).await;
    let mut opening = initialize(1);
    opening["params"]["clientInfo"]["name"] = json!("hang");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for reply in [
        served.post(&[], &opening).await,
        served.post(&[], &ping).await,
        served.modern(&modern(ping)).await,
    ] {
        let answer = reply.message();
        assert_eq!(answer["id"], 1, "{reply:?}");
        assert_eq!(
            answer["error"]["data"]["code"], "server-timeout",
            "{answer}"
        );
    }
}

/// A client that lost an answer resumes the stream, and the server sends the answer again. It is
/// checked against the contract of its call again.
#[tokio::test]
async fn an_answer_that_comes_again_is_judged_again() {
    let web = server(|request, stream| {
        let replayed = |content: &str| {
            let event = r#"{"jsonrpc":"2.0","id":1,"result":{"content":"#;
            format!("id: 2\ndata: {event}{content}}}}}\n\n")
        };
        let body = match request.header("last-event-id") {
            Some("0") => replayed(r#"[{"type":"text","text":"ok"}]"#),
            Some("bad") => replayed(r#""not checked""#),
            Some("old") => replayed("[]").replace(r#""id":1"#, r#""id":"long ago""#),
            // The server answers one call twice.
            _ => format!("data: {}\n\n", ok(request)).repeat(2),
        };
        respond(stream, "200 OK", SSE, &body);
    });
    let served = Served::start(remote(&web.url)).await;
    let session = served.open().await;
    let listed = json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list"});
    served.in_session(&session, &listed).await;
    let answered = served
        .in_session(&session, &call(1, "echo", json!({})))
        .await;
    assert_eq!(answered.messages().len(), 1, "{answered:?}");
    let resume = async |last: &str| {
        let headers = [
            ("Mcp-Session-Id", session.as_str()),
            ("MCP-Protocol-Version", "2025-11-25"),
            ("Accept", "text/event-stream"),
            ("Last-Event-ID", last),
        ];
        let reply = served.request("GET", &headers, "").await;
        reply.messages().remove(0)
    };
    for _ in 0..2 {
        assert_eq!(text_of(&resume("0").await), "ok");
    }
    // It was read: its content has become one that clients can read.
    let bad = resume("bad").await;
    assert_eq!(text_of(&bad), "not checked", "{bad}");
    let old = resume("old").await;
    assert_eq!(old["error"]["data"]["code"], "answer-elsewhere", "{old}");
}
