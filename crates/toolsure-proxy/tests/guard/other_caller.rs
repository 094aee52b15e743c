//! What belongs to one caller is used by another: its session, streams and answers, here and at another replica
//! with the same store.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsure_guard::policy::DriftMode;
use toolsure_guard::translate::Translate;
use toolsure_guard::{Guard, Share, ShareTerms};
use toolsure_proxy::guard::{Bounds, GuardOptions, Unobserved, Upstream};

use crate::admission::tokens;
use crate::aggregate::{aggregate, member, short};
use crate::common::{MODERN, Reply, Served, call, initialize, policy, python, remote, text_of};
use crate::eras::{LEGACY_ONLY, answered, asking};
use crate::moved::server;
use crate::replicas::{KEY, keys};

const ANN: (&str, &str) = ("Authorization", "Bearer ann");
const BOB: (&str, &str) = ("Authorization", "Bearer bob");

/// A guard with the session keys and the store of others, whose callers authenticate. `is_front`: the servers
/// behind it have guards of their own.
async fn replica(
    upstream: Upstream,
    is_front: bool,
    change: impl FnOnce(&mut GuardOptions),
) -> Served {
    let terms = ShareTerms {
        pins: DriftMode::Refuse,
        quarantine: true,
    };
    let share = Share::new(terms, b"the secret of the store", || ());
    let policy = match is_front {
        true => policy().without_filters(),
        false => policy(),
    };
    let guard = Guard::sharing(policy, "test", &share).unwrap();
    Served::of(upstream, guard, |options| {
        options.sessions.keys = keys(&[KEY]);
        tokens(options);
        change(options);
    })
    .await
}

fn translated(options: &mut GuardOptions, translate: Translate) {
    let guard = Guard::new(policy()).unwrap();
    *options = options
        .clone()
        .translated(translate, &guard, Arc::new(Unobserved));
}

async fn open(served: &Served, caller: (&str, &str)) -> String {
    let opened = served.post(&[caller], &initialize(0)).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    opened.header("mcp-session-id").unwrap().to_owned()
}

async fn say(served: &Served, caller: (&str, &str), session: &str, message: &Value) -> Reply {
    let headers = [caller, ("Mcp-Session-Id", session)];
    served.post(&headers, message).await
}

/// With a server over HTTP, with one behind an aggregate, and with one behind a translator.
#[tokio::test]
async fn a_session_is_of_no_other_caller_at_any_replica() {
    for (path, tool) in [(0, "who"), (1, "a_who"), (2, "who")] {
        let web = server(path == 0);
        let one_of_two = async || {
            let upstream = remote(&web.url);
            match path {
                0 => replica(upstream, false, |_| {}).await,
                1 => {
                    let (a, _) = member("a", upstream, policy());
                    let all = aggregate(vec![a], Bounds::default(), short());
                    replica(all, true, |_| {}).await
                }
                _ => {
                    let legacy = |options: &mut GuardOptions| {
                        translated(options, Translate::LegacyClients);
                    };
                    replica(upstream, false, legacy).await
                }
            }
        };
        let (one, two) = (one_of_two().await, one_of_two().await);
        let session = open(&one, ANN).await;
        let before = web.seen().len();
        let messages = [
            call(1, tool, json!({})),
            json!({"jsonrpc": "2.0", "id": 7, "result": {"action": "accept", "content": {}}}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        ];
        for served in [&one, &two] {
            for message in &messages {
                let reply = say(served, BOB, &session, message).await;
                assert_eq!(reply.status, 404, "path {path} {message} {reply:?}");
                assert!(reply.body.contains("there is no such session"), "{reply:?}");
            }
            for method in ["GET", "DELETE"] {
                let headers = [
                    BOB,
                    ("Mcp-Session-Id", session.as_str()),
                    ("Accept", "text/event-stream"),
                    ("Last-Event-ID", "0"),
                ];
                let reply = served.request(method, &headers, "").await;
                assert_eq!(reply.status, 404, "path {path} {method} {reply:?}");
            }
        }
        assert_eq!(web.seen().len(), before, "path {path}");
        for served in [&two, &one] {
            let reply = say(served, ANN, &session, &messages[0]).await;
            let answer = reply.messages().pop().unwrap();
            assert_eq!(text_of(&answer), "nobody", "path {path} {answer}");
        }
    }
}

/// The server asks during Ann's call. Bob neither sees the request nor answers it, in whatever session.
#[tokio::test]
async fn what_a_server_asks_one_caller_is_answered_by_no_other() {
    for method in ["elicitation/create", "sampling/createMessage", "roots/list"] {
        let script = format!(
            r#"
for m, id, name, args in calls():
    send({{"jsonrpc": "2.0", "id": "s1", "method": "{method}", "params": {{"message": "who?"}}}})
    got = read()
    text(id, json.dumps(got.get("result", "none")))
"#
        );
        let upstream = || python(&script);
        let one = replica(upstream(), false, |_| {}).await;
        let two = replica(upstream(), false, |_| {}).await;
        let (session, own) = (open(&one, ANN).await, open(&one, BOB).await);
        let listen = [
            BOB,
            ("Mcp-Session-Id", own.as_str()),
            ("Accept", "text/event-stream"),
        ];
        let mut heard = one.begin("GET", &listen, "").await;
        heard.until("text/event-stream").await;
        let body = call(1, "echo", json!({})).to_string();
        let headers = [ANN, ("Mcp-Session-Id", session.as_str())];
        let mut calling = one.begin("POST", &headers, &body).await;
        calling.until("s1").await;
        let answer = |by: &str| json!({"jsonrpc": "2.0", "id": "s1", "result": {"by": by}});
        for served in [&one, &two] {
            let reply = say(served, BOB, &session, &answer("bob")).await;
            assert_eq!(reply.status, 404, "{reply:?}");
        }
        // In his own session nobody has asked him.
        assert_eq!(say(&one, BOB, &own, &answer("bob")).await.status, 202);
        assert_eq!(say(&one, ANN, &session, &answer("ann")).await.status, 202);
        let messages = calling.rest_of_stream().await;
        assert_eq!(text_of(messages.last().unwrap()), r#"{"by": "ann"}"#);
        let ended = one.request("DELETE", &listen[..2], "").await;
        assert_eq!(ended.status, 204);
        assert_eq!(heard.rest_of_stream().await, [Value::Null; 0]);
        let records = one.seen.1.lock().unwrap();
        let unasked = records
            .iter()
            .filter(|record| record["code"] == "client-answer-unasked");
        assert!(
            unasked
                .clone()
                .all(|record| record["caller"] == "token:bob")
        );
        assert_eq!(unasked.count(), 1, "{records:?}");
    }
}

/// The same for a client of 2026-07-28 and a server before it: the guard waits for the input of the caller.
#[tokio::test]
async fn a_call_that_waits_for_input_is_continued_by_no_other_caller() {
    let modern = |options: &mut GuardOptions| translated(options, Translate::ModernClients);
    let one = replica(python(LEGACY_ONLY), false, modern).await;
    let two = replica(python(LEGACY_ONLY), false, modern).await;
    let ask = async |served: &Served, caller, message: &Value| {
        let headers = [
            caller,
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "ask"),
        ];
        served.post(&headers, message).await.message()
    };
    let asked = ask(&one, ANN, &asking(call(1, "ask", json!({})))).await;
    let mut retry = answered(2, &asked);
    for served in [&one, &two] {
        let refused = ask(served, BOB, &retry).await;
        assert_eq!(
            refused["error"]["data"]["code"], "request-state",
            "{refused}"
        );
    }
    retry["id"] = json!(3);
    let done = ask(&one, ANN, &retry).await;
    assert_eq!(
        text_of(&done),
        r#"{"action": "accept", "content": {"name": "Ann"}}"#,
        "{done}"
    );
}
