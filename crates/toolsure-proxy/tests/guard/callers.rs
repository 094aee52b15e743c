//! Rates over HTTP count the calls of an authorization, in whatever session they come.

use std::time::Duration;

use serde_json::json;
use toolsure_guard::policy::Rate;
use toolsure_proxy::guard::Bounds;

use crate::aggregate::{aggregate, member, short};
use crate::common::{MODERN, Served, call, initialize, modern, policy, python, text_of};

const ECHO: &str = r#"
for m, id, name, args in calls():
    text(id, "ok", **MORE)
"#;

fn rate() -> Option<Rate> {
    Some(Rate {
        calls: 1,
        per: Duration::from_secs(3_600),
        burst: 1,
    })
}

async fn served() -> Served {
    let mut policy = policy();
    policy.rate = rate();
    Served::with(python(ECHO), policy, |_| ()).await
}

#[tokio::test]
async fn a_caller_with_several_sessions_has_one_rate() {
    let served = served().await;
    let mut answers = Vec::new();
    for token in ["Bearer a", "Bearer a", "Bearer b"] {
        let authorization = ("Authorization", token);
        let opened = served.post(&[authorization], &initialize(0)).await;
        let session = opened.header("mcp-session-id").unwrap().to_owned();
        let headers = [("Mcp-Session-Id", session.as_str()), authorization];
        let answer = served.post(&headers, &call(1, "echo", json!({}))).await;
        answers.push(text_of(&answer.message()) == "ok");
    }
    assert_eq!(answers, [true, false, true]);
}

/// The servers of an aggregate count calls by caller, too.
#[tokio::test]
async fn a_caller_of_several_servers_has_one_rate_in_all_sessions() {
    let mut strict = policy();
    strict.rate = rate();
    let (one, _) = member("a", python(ECHO), strict);
    let (other, _) = member("b", python(ECHO), policy());
    let upstream = aggregate(vec![one, other], Bounds::default(), short());
    let served = Served::with(upstream, policy().without_filters(), |_| ()).await;
    let mut answers = Vec::new();
    for token in ["Bearer a", "bearer  a", "Bearer b"] {
        let authorization = ("Authorization", token);
        let opened = served.post(&[authorization], &initialize(0)).await;
        let session = opened.header("mcp-session-id").unwrap().to_owned();
        let headers = [("Mcp-Session-Id", session.as_str()), authorization];
        let answer = served
            .post(&headers, &call(1, "a_echo", json!({})))
            .await
            .messages();
        answers.push(text_of(answer.last().unwrap()) == "ok");
    }
    assert_eq!(answers, [true, false, true]);
}

/// A log message names no request. If several callers share a process, it may be about another
/// caller's request.
#[tokio::test]
async fn log_messages_reach_nobody_where_several_callers_share_a_process() {
    let script = r#"
for m, id, name, args in calls():
    send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "secret"}})
    text(id, "ok", **MORE)
"#;
    let served = Served::start(python(script)).await;
    let mut heard = Vec::new();
    for (id, token) in ["Bearer a", "Bearer a", "Bearer b", "Bearer a"]
        .into_iter()
        .enumerate()
    {
        let headers = [
            ("Authorization", token),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "echo"),
        ];
        let asked = modern(call(id, "echo", json!({})));
        let answer = served.post(&headers, &asked).await;
        assert!(answer.body.contains("\"ok\""), "{answer:?}");
        heard.push(answer.body.contains("secret"));
    }
    assert_eq!(heard, [true, true, false, false]);
}

#[tokio::test]
async fn callers_who_share_a_process_have_a_rate_each() {
    let served = served().await;
    let mut answers = Vec::new();
    for (id, token) in ["Bearer a", "Bearer b", "Bearer b", "Bearer a"]
        .into_iter()
        .enumerate()
    {
        let headers = [
            ("Authorization", token),
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "echo"),
        ];
        let answer = served
            .post(&headers, &modern(call(id, "echo", json!({}))))
            .await;
        answers.push(text_of(&answer.message()) == "ok");
    }
    assert_eq!(answers, [true, true, false, false]);
}

/// `initialize` opens a legacy session, whatever version its header names: it never reaches the
/// process that clients of 2026-07-28 share.
#[tokio::test]
async fn an_opening_with_the_header_of_a_newer_version_opens_a_session() {
    // Answers each call with the methods of all messages that came so far.
    let script = r#"
heard = []
while True:
    m = read()
    if m is None: break
    heard.append(m.get("method"))
    if not known(m): text(m["id"], " ".join(heard), **MORE)
"#;
    let served = Served::start(python(script)).await;
    let asked = call(1, "echo", json!({}));
    served.modern(&modern(asked.clone())).await;
    let headers = [("MCP-Protocol-Version", MODERN)];
    let opened = served.post(&headers, &initialize(0)).await;
    assert_eq!(opened.status, 200, "{opened:?}");
    let session = opened.header("mcp-session-id").unwrap();
    let own = served.in_session(session, &asked).await.message();
    assert!(text_of(&own).starts_with("initialize "), "{own}");
    let shared = served.modern(&modern(asked)).await.message();
    let heard = text_of(&shared);
    assert_eq!(heard.matches("tools/call").count(), 2, "{heard}");
    assert!(!heard.contains("initialize"), "{heard}");
}

/// The server's messages go to the newest stream that a client listens on, to an older one if that
/// has ended, and to an open request if there is none.
#[tokio::test]
async fn a_stream_that_ended_gets_nothing() {
    let script = r#"
for m, id, name, args in calls():
    send({"jsonrpc": "2.0", "id": f"s{id}", "method": "roots/list"})
    got = read()
    text(id, json.dumps(got.get("result", "none")))
"#;
    let served = Served::start(python(script)).await;
    let session = served.open().await;
    let mut older = served.listen(&session).await;
    let mut newer = served.listen(&session).await;
    let answer = async |id: i64| {
        let answer = json!({"jsonrpc": "2.0", "id": format!("s{id}"), "result": {"roots": []}});
        assert_eq!(served.in_session(&session, &answer).await.status, 202);
    };
    for (id, stream) in [(1, &mut newer), (2, &mut older)] {
        let asked = call(id, "echo", json!({}));
        let (reply, ()) = tokio::join!(served.in_session(&session, &asked), async {
            stream.until(&format!("s{id}")).await;
            answer(id).await;
        });
        assert_eq!(text_of(&reply.message()), r#"{"roots": []}"#);
        stream.leave().await;
    }
    let body = call(3, "echo", json!({})).to_string();
    let session_header = [("Mcp-Session-Id", session.as_str())];
    let mut calling = served.begin("POST", &session_header, &body).await;
    calling.until("s3").await;
    answer(3).await;
    let messages = calling.rest_of_stream().await;
    assert_eq!(text_of(messages.last().unwrap()), r#"{"roots": []}"#);
}

/// A message of the server that no stream takes to the client is named, with its session: as a warning if it was a
/// request, and as a detail if nobody waits for it.
#[tokio::test]
async fn a_message_without_a_stream_is_named() {
    let script = r#"
for m, id, name, args in calls():
    text(id, "ok")
    # The answer must have been read, or its stream takes the message.
    time.sleep(1)
    if name == "note": send({"jsonrpc": "2.0", "method": "notifications/prompts/list_changed"})
    else:
        send({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"})
        read()
"#;
    let served = Served::start(python(script)).await;
    let session = served.open().await;
    let events = |start: &str| {
        let events = served.seen.0.lock().unwrap();
        let found = events
            .iter()
            .filter(|event| event.starts_with(start) && event.contains("undeliverable"));
        found.cloned().collect::<Vec<_>>()
    };
    for (tool, start, method) in [
        ("note", "Detail", "notifications/prompts/list_changed"),
        ("echo", "Note", "roots/list"),
    ] {
        served.in_session(&session, &call(1, tool, json!({}))).await;
        let mut found = events(start);
        for _ in 0..200 {
            if !found.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            found = events(start);
        }
        let [event] = &found[..] else {
            panic!("{start} {found:?}")
        };
        assert!(
            event.contains(method) && event.contains("sha256:"),
            "{event}"
        );
    }
    assert_eq!(events("Note").len(), 1);
}
