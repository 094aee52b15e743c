//! Sessions with an upstream in the guard's process: another replica opens them as the client had,
//! or says why it cannot.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsure_guard::Guard;
use toolsure_guard::translate::Translate;
use toolsure_proxy::guard::{Unobserved, Upstream};

use crate::aggregate::{list, names, of};
use crate::common::{Served, call, initialize, policy, python, remote, text_of};
use crate::replicas::{KEY, keys};
use crate::web::{JSON, Request, Web, respond};

/// A server of both eras, with sessions only if `sessions` is set. It answers calls with the
/// `Authorization` that it got.
pub(crate) fn server(sessions: bool) -> Web {
    Web::start(move |request, stream| {
        let modern = request.header("mcp-method").is_some();
        let more = match modern {
            true => json!({"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
            false => json!({}),
        };
        let mut result = match (request.method.as_str(), request.rpc().as_str()) {
            ("POST", "initialize") => json!({"protocolVersion": "2025-11-25",
                "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}),
            ("POST", "server/discover") => json!({"supportedVersions": ["2026-07-28"],
                "capabilities": {"tools": {}}}),
            ("POST", "tools/list") => {
                json!({"tools": [{"name": "who", "inputSchema": {"type": "object"}}]})
            }
            ("POST", "tools/call") => {
                let by = request.header("authorization").unwrap_or("nobody");
                json!({"content": [{"type": "text", "text": by}]})
            }
            ("GET", _) => return respond(stream, "405 Method Not Allowed", "", ""),
            _ => return respond(stream, "202 Accepted", "", ""),
        };
        if let (Value::Object(result), Value::Object(more)) = (&mut result, more) {
            result.extend(more);
        }
        let id: Value = serde_json::from_str(&request.id()).unwrap();
        let body = json!({"jsonrpc": "2.0", "id": id, "result": result});
        let named = if sessions {
            "Mcp-Session-Id: s-1\r\n"
        } else {
            ""
        };
        respond(
            stream,
            "200 OK",
            &format!("{JSON}{named}"),
            &body.to_string(),
        );
    })
}

async fn merged(upstream: Upstream) -> Served {
    Served::with(upstream, policy().without_filters(), |options| {
        options.sessions.keys = keys(&[KEY]);
    })
    .await
}

async fn translated(upstream: Upstream) -> Served {
    Served::with(upstream, policy(), |options| {
        options.sessions.keys = keys(&[KEY]);
        let guard = Guard::new(policy()).unwrap();
        let observer = Arc::new(Unobserved);
        *options = options
            .clone()
            .translated(Translate::LegacyClients, &guard, observer);
    })
    .await
}

fn opened(web: &Web) -> Vec<Request> {
    let seen = web.seen().into_iter();
    seen.filter(|request| request.rpc() == "initialize")
        .collect()
}

const ALICE: (&str, &str) = ("Authorization", "Bearer alice");

async fn ask(served: &Served, session: &str, message: &Value) -> Value {
    let headers = [("Mcp-Session-Id", session), ALICE];
    let reply = served.post(&headers, message).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.message()
}

#[tokio::test]
async fn a_session_with_several_servers_goes_on_where_it_is_used() {
    let (a, b) = (server(false), server(false));
    let both = || of(vec![("a", remote(&a.url)), ("b", remote(&b.url))]);
    let (one, two) = (merged(both()).await, merged(both()).await);
    let reply = one.post(&[ALICE], &initialize(0)).await;
    let name = reply.header("mcp-session-id").unwrap().to_owned();
    assert!(name.len() < 1_000, "{name}");
    // Concurrent requests open the session once.
    let (first, second) = (list(1), call(2, "b_who", json!({})));
    let (listed, called) = tokio::join!(ask(&two, &name, &first), ask(&two, &name, &second));
    assert_eq!(names(&listed), ["a_who", "b_who"], "{listed}");
    assert_eq!(text_of(&called), "Bearer alice", "{called}");
    let told = ask(&one, &name, &call(3, "a_who", json!({}))).await;
    assert_eq!(text_of(&told), "Bearer alice");
    for web in [&a, &b] {
        let opened = opened(web);
        assert_eq!(opened.len(), 2, "{opened:?}");
        // As the client had opened it: version, capabilities and client info.
        let told: Vec<Value> = opened
            .iter()
            .map(|it| serde_json::from_str(&it.body).unwrap())
            .collect();
        assert_eq!(told[0]["params"], told[1]["params"]);
        assert_eq!(told[0]["params"], initialize(0)["params"]);
    }
    // Another caller that knows the session id does not get the session, and does not open it.
    let stolen = [
        ("Mcp-Session-Id", name.as_str()),
        ("Authorization", "Bearer mallory"),
    ];
    let reply = two.post(&stolen, &list(4)).await;
    assert_eq!(reply.status, 404, "{reply:?}");
    // A deleted session is not opened again.
    let own = [("Mcp-Session-Id", name.as_str()), ALICE];
    assert_eq!(two.request("DELETE", &own, "").await.status, 204);
    let reply = two.post(&own, &list(5)).await;
    assert_eq!(reply.status, 404, "{reply:?}");
    assert_eq!(opened(&a).len(), 2);
}

#[tokio::test]
async fn a_translated_session_goes_on_where_it_is_used() {
    let web = server(false);
    let one = translated(remote(&web.url)).await;
    let two = translated(remote(&web.url)).await;
    let reply = one.post(&[ALICE], &initialize(0)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let name = reply.header("mcp-session-id").unwrap();
    for (id, served) in [(1, &two), (2, &one), (3, &two)] {
        let told = ask(served, name, &call(id, "who", json!({}))).await;
        assert_eq!(text_of(&told), "Bearer alice", "{told}");
    }
    // The replica that opened the session may be gone.
    one.stop().await;
    let told = ask(&two, name, &call(4, "who", json!({}))).await;
    assert_eq!(text_of(&told), "Bearer alice");
}

#[tokio::test]
async fn what_cannot_move_says_why() {
    let (web, keeps) = (server(false), server(true));
    let mut wordy = initialize(0);
    wordy["params"]["clientInfo"]["icons"] = json!([{"src": "x".repeat(2_000)}]);
    let echo = "for m, id, name, args in calls(): text(id, name)";
    for (members, opening, expected) in [
        (
            vec![("a", remote(&web.url)), ("b", python(echo))],
            initialize(0),
            "its server is a process of that replica",
        ),
        (
            vec![("a", remote(&web.url)), ("b", remote(&keeps.url))],
            initialize(0),
            "a server behind it keeps a session of its own",
        ),
        (
            vec![("a", remote(&web.url))],
            wordy,
            "longer than the limit of 2048 bytes",
        ),
    ] {
        let (one, two) = (merged(of(members.clone())).await, merged(of(members)).await);
        let reply = one.post(&[], &opening).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        let name = reply.header("mcp-session-id").unwrap();
        let reply = two.in_session(name, &list(1)).await;
        assert_eq!(reply.status, 404, "{reply:?}");
        assert!(reply.body.contains(expected), "{reply:?}");
        assert_eq!(one.in_session(name, &list(2)).await.status, 200);
    }
}

#[tokio::test]
async fn a_session_whose_servers_cannot_be_opened_here_waits_for_another_time() {
    let web = server(false);
    let one = merged(of(vec![("a", remote(&web.url))])).await;
    // The same configuration, but nothing listens at the server's address.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = format!("http://{}/mcp", closed.local_addr().unwrap());
    drop(closed);
    let two = merged(of(vec![("a", remote(&nowhere))])).await;
    let name = one.open().await;
    let reply = two.in_session(&name, &list(1)).await;
    assert_eq!(reply.status, 503, "{reply:?}");
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(one.in_session(&name, &list(2)).await.status, 200);
}
