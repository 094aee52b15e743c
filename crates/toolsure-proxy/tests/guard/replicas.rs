//! Several guards that share nothing but keys, in front of one server.

use std::time::Duration;

use serde_json::{Value, json};
use toolsure_proxy::guard::{GuardOptions, SessionKeys, Upstream};

use crate::common::{Served, call, initialize, modern, policy, python, remote, text_of};
use crate::web::{JSON, Request, Web, respond};

pub(crate) const KEY: &str = "a key that all replicas have in common";
const EVENTS: &str = "Content-Type: text/event-stream\r\nMcp-Session-Id: s-1\r\n";

pub(crate) fn keys(secrets: &[&str]) -> SessionKeys {
    let keys = SessionKeys::default();
    keys.replace(secrets).unwrap();
    keys
}

/// A guard with its own `SessionKeys`, made from the same secrets.
async fn replica(upstream: Upstream, change: impl FnOnce(&mut GuardOptions)) -> Served {
    Served::with(upstream, policy(), |options| {
        options.sessions.keys = keys(&[KEY]);
        change(options);
    })
    .await
}

/// A server with one session, which answers calls with the `Authorization` that it got.
fn server() -> Web {
    Web::start(|request, stream| {
        let answer = |result: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
                request.id()
            )
        };
        let session = request.header("mcp-session-id");
        let method = request.rpc();
        if method == "initialize" {
            let opened = answer(
                r#"{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"web","version":"1"}}"#,
            );
            let text = format!("id: 0\ndata: \n\nid: 1\ndata: {opened}\n\n");
            return respond(stream, "200 OK", EVENTS, &text);
        }
        if session != Some("s-1") {
            return respond(stream, "404 Not Found", "", "");
        }
        match (request.method.as_str(), method.as_str()) {
            ("GET", _) => {
                let last = request.header("last-event-id").unwrap_or("none");
                let asked = r#"{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{}}"#;
                let text = format!(": after {last}\n\nid: 8\ndata: {asked}\n\n");
                respond(stream, "200 OK", EVENTS, &text);
            }
            ("DELETE", _) => respond(stream, "204 No Content", "Mcp-Session-Id: s-1\r\n", ""),
            (_, "tools/list") => {
                let tools = r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#;
                respond(stream, "200 OK", JSON, &answer(tools));
            }
            (_, "tools/call") => {
                let who = request.header("authorization").unwrap_or("nobody");
                let result = format!(r#"{{"content":[{{"type":"text","text":"{who}"}}]}}"#);
                let headers = format!("{JSON}Mcp-Session-Id: s-1\r\n");
                respond(stream, "200 OK", &headers, &answer(&result));
            }
            _ => respond(stream, "202 Accepted", "", ""),
        }
    })
}

async fn open(served: &Served, more: &[(&str, &str)]) -> String {
    let opened = served.post(more, &initialize(0)).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    // The event before the answer is not lost, and stays before it.
    assert!(opened.body.starts_with("id: 0\ndata: \n\nid: 1\ndata: {"));
    opened.header("mcp-session-id").unwrap().to_owned()
}

fn echo(id: i64) -> Value {
    call(id, "echo", json!({}))
}

/// The server never sees the client's session id, and the client never sees the server's.
fn never_meet(web: &Web, name: &str) {
    let seen: Vec<Request> = web.seen();
    let given = |request: &Request| request.header("mcp-session-id").map(str::to_owned);
    let mut names = seen.iter().filter_map(given);
    assert!(names.all(|id| id == "s-1"), "{seen:?}");
    assert!(seen.iter().all(|request| !request.body.contains(name)));
    assert!(!name.contains("s-1"));
}

#[tokio::test]
async fn a_session_goes_on_with_any_replica() {
    let web = server();
    let one = replica(remote(&web.url), |_| {}).await;
    let two = replica(remote(&web.url), |_| {}).await;
    let name = open(&one, &[]).await;
    for (id, served) in [(1, &two), (2, &one), (3, &two)] {
        let reply = served.in_session_of(VERSION, &name, &echo(id)).await;
        assert_eq!(text_of(&reply.message()), "nobody", "{reply:?}");
        assert_eq!(reply.header("mcp-session-id"), Some(name.as_str()));
    }
    let named = ("Mcp-Session-Id", name.as_str());
    // The server asks on the stream of one replica, the client answers to the other.
    let headers = [
        named,
        ("Accept", "text/event-stream"),
        ("Last-Event-ID", "5"),
    ];
    let stream = two.request("GET", &headers, "").await;
    assert!(
        stream.body.starts_with(": after 5\n\nid: 8\n"),
        "{stream:?}"
    );
    assert_eq!(stream.header("mcp-session-id"), Some(name.as_str()));
    let answer = json!({"jsonrpc": "2.0", "id": 7, "result": {"action": "accept"}});
    assert_eq!(one.in_session_of(VERSION, &name, &answer).await.status, 202);
    let sent = answer.to_string();
    let seen = web.seen();
    assert!(seen.iter().any(|request| request.body == sent));
    // Each replica has listed the tools itself, with an id of its own.
    let lists = seen.iter().filter(|request| request.rpc() == "tools/list");
    let mut ids: Vec<String> = lists.map(Request::id).collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    ids.dedup();
    assert_eq!(ids.len(), 2, "{ids:?}");
    let ended = two.request("DELETE", &[named], "").await;
    assert_eq!(ended.status, 204);
    assert_eq!(ended.header("mcp-session-id"), None);
    never_meet(&web, &name);
}

#[tokio::test]
async fn a_version_without_a_header_is_remembered() {
    // 2025-03-26 has no header for the version, and its clients do not know `structuredContent`.
    let web = Web::start(|request, stream| {
        let id = request.id();
        let result = match request.rpc().as_str() {
            "initialize" => {
                r#"{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"web","version":"1"}}"#
            }
            "tools/list" => {
                r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}]}"#
            }
            _ => r#"{"content":[{"type":"text","text":"[1]"}],"structuredContent":[1]}"#,
        };
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        let headers = format!("{JSON}Mcp-Session-Id: s-1\r\n");
        respond(stream, "200 OK", &headers, &body);
    });
    let one = replica(remote(&web.url), |_| {}).await;
    let two = replica(remote(&web.url), |_| {}).await;
    let opened = one.post(&[], &initialize(0)).await;
    let name = opened.header("mcp-session-id").unwrap();
    for served in [&one, &two] {
        let named = [("Mcp-Session-Id", name)];
        let reply = served.post(&named, &echo(1)).await.message();
        assert_eq!(text_of(&reply), "[1]");
        assert!(
            reply["result"].get("structuredContent").is_none(),
            "{reply}"
        );
    }
}

#[tokio::test]
async fn a_name_that_was_not_given_opens_nothing() {
    let web = server();
    let one = replica(remote(&web.url), |_| {}).await;
    let name = open(&one, &[("Authorization", "Bearer mine")]).await;
    let before = web.seen().len();
    let mut bent = name.clone().into_bytes();
    bent[60] = if bent[60] == b'A' { b'B' } else { b'A' };
    let bent = String::from_utf8(bent).unwrap();
    let long = "A".repeat(20_000);
    let stranger = Served::start(remote(&web.url)).await;
    let other = replica(remote(&web.url), |options| options.name = "other".into()).await;
    let mine = ("Authorization", "Bearer mine");
    for (served, name, caller) in [
        (&one, bent.as_str(), Some(mine)),
        (&one, "s-1", Some(mine)),
        (&one, long.as_str(), Some(mine)),
        (&one, "", Some(mine)),
        (&one, &name, Some(("Authorization", "Bearer theirs"))),
        (&one, &name, None),
        (&stranger, &name, Some(mine)),
        (&other, &name, Some(mine)),
    ] {
        let mut headers = vec![("Mcp-Session-Id", name)];
        headers.extend(caller);
        let reply = served.post(&headers, &echo(1)).await;
        let text = reply.message()["error"]["message"].clone();
        assert_eq!(reply.status, 404, "{reply:?}");
        assert_eq!(text, "there is no such session; open one with `initialize`");
        for method in ["GET", "DELETE"] {
            headers.push(("Accept", "text/event-stream"));
            let reply = served.request(method, &headers, "").await;
            assert_eq!(reply.status, 404, "{method} {reply:?}");
        }
    }
    assert_eq!(web.seen().len(), before);
    let headers = [("Mcp-Session-Id", name.as_str()), mine];
    let reply = one.post(&headers, &echo(1)).await;
    assert_eq!(text_of(&reply.message()), "Bearer mine");
    never_meet(&web, &name);
}

#[tokio::test]
async fn sessions_grow_old_and_keys_are_replaced() {
    let web = server();
    let one = replica(remote(&web.url), |_| {}).await;
    let name = open(&one, &[]).await;
    let late = replica(remote(&web.url), |options| {
        options.sessions.age = Duration::ZERO;
    })
    .await;
    let reply = late.in_session_of(VERSION, &name, &echo(1)).await;
    assert_eq!(reply.status, 404);
    assert!(reply.body.contains("the session is too old"), "{reply:?}");
    let shared = keys(&[KEY]);
    let two = replica(remote(&web.url), |options| {
        options.sessions.keys = shared.clone();
    })
    .await;
    assert_eq!(
        two.in_session_of(VERSION, &name, &echo(1)).await.status,
        200
    );
    let next = "the key that comes after the one before";
    shared.replace(&[next, KEY]).unwrap();
    assert_eq!(
        two.in_session_of(VERSION, &name, &echo(2)).await.status,
        200
    );
    let fresh = open(&two, &[]).await;
    assert_eq!(
        one.in_session_of(VERSION, &fresh, &echo(1)).await.status,
        404
    );
    // Sessions end with the key that encrypted their ids, even if they are known.
    shared.replace(&[next]).unwrap();
    assert_eq!(
        two.in_session_of(VERSION, &name, &echo(3)).await.status,
        404
    );
    assert_eq!(
        two.in_session_of(VERSION, &fresh, &echo(1)).await.status,
        200
    );
}

#[tokio::test]
async fn a_session_with_a_process_beside_its_replica_cannot_move() {
    let script = "for m, id, name, a in calls():\n    text(id, 'ok')";
    let one = replica(python(script), |_| {}).await;
    let two = replica(python(script), |_| {}).await;
    let name = one.open().await;
    let reply = one.in_session(&name, &echo(1)).await;
    assert_eq!(text_of(&reply.message()), "ok");
    let reply = two.in_session(&name, &echo(2)).await;
    assert_eq!(reply.status, 404);
    let said = "the session belongs to another replica of the guard";
    assert!(reply.body.contains(said), "{reply:?}");
    assert_eq!(reply.message()["id"], 2);
    assert_eq!(one.in_session(&name, &echo(3)).await.status, 200);
}

#[tokio::test]
async fn a_server_that_names_sessions_by_more_than_fits_is_told_of() {
    let long = format!("{JSON}Mcp-Session-Id: {}\r\n", "x".repeat(2_049));
    let web = Web::start(move |request, stream| {
        let result = r#"{"protocolVersion":"2025-11-25"}"#;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
            request.id()
        );
        respond(stream, "200 OK", &long, &body);
    });
    let served = replica(remote(&web.url), |_| {}).await;
    let reply = served.post(&[], &initialize(5)).await;
    assert_eq!((reply.status, reply.header("mcp-session-id")), (502, None));
    let answer = reply.message();
    assert_eq!(answer["id"], 5);
    let text = "the server's own session id has more than 2048 bytes";
    assert_eq!(answer["error"]["message"], text);
}

#[tokio::test]
async fn modern_messages_have_no_session() {
    let web = Web::start(|request, stream| {
        let result = r#"{"content":[],"resultType":"complete","tools":[{"name":"echo","inputSchema":{"type":"object"}}],"ttlMs":1000,"cacheScope":"public"}"#;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
            request.id()
        );
        let headers = format!("{JSON}Mcp-Session-Id: s-1\r\n");
        respond(stream, "200 OK", &headers, &body);
    });
    let served = replica(remote(&web.url), |_| {}).await;
    let message = modern(echo(1));
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
        ("Mcp-Session-Id", "mine"),
    ];
    let reply = served.post(&headers, &message).await;
    assert_eq!((reply.status, reply.header("mcp-session-id")), (200, None));
    let seen = web.seen();
    assert!(
        seen.iter()
            .all(|one| one.header("mcp-session-id").is_none())
    );
}

/// The version of the sessions of [`server`].
const VERSION: &str = "2025-03-26";
