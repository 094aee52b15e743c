//! Faults of either side, on each of the four pairs of transports: every fault is answered, and the
//! next call succeeds.

use serde_json::{Value, json};

use crate::common::{Lined, Open, Reply, Served, call, modern, policy, python, remote, text_of};
use crate::web::{JSON, Web, respond};

/// A child that does what the argument `do` says.
const CHILD: &str = r#"
for m, id, name, args in calls():
    asked = args.get("do")
    if asked == "big":
        text(id, "x" * (64 << 20))
    elif asked == "deep":
        raw('{"jsonrpc":"2.0","id":%d,"result":{"content":[],"a":%s%s}}\n' % (id, "[" * 100000, "]" * 100000))
    elif asked == "twice":
        raw('{"jsonrpc":"2.0","id":%d,"result":{"content":[],"structuredContent":{"n":1,"n":2}}}\n' % id)
    elif asked == "garbage":
        raw('{"jsonrpc":"2.0","id":%d,"result":{"content":[}}\n' % id)
    elif asked == "hang":
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "at work"}})
    else:
        text(id, "ok")
"#;

/// The same over HTTP.
fn web() -> Web {
    Web::start(|request, stream| {
        let id = request.id();
        let answer = |result: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        let message: Value = serde_json::from_str(&request.body).unwrap_or_default();
        let body = match (
            request.rpc().as_str(),
            message["params"]["arguments"]["do"].as_str(),
        ) {
            ("initialize", _) => {
                let body = answer(
                    r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}"#,
                );
                let headers = format!("{JSON}Mcp-Session-Id: s-1\r\n");
                return respond(stream, "200 OK", &headers, &body);
            }
            ("tools/list", _) => {
                answer(r#"{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}"#)
            }
            (_, Some("big")) => {
                let text = "x".repeat(64 << 20);
                answer(&format!(
                    r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#
                ))
            }
            (_, Some("deep")) => {
                let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
                answer(&format!(r#"{{"content":[],"a":{open}{close}}}"#))
            }
            (_, Some("twice")) => answer(r#"{"content":[],"structuredContent":{"n":1,"n":2}}"#),
            (_, Some("garbage")) => answer(r#"{"content":[}"#),
            (_, Some("hang")) => {
                let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"at work"}}"#;
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
                let text = format!("{head}data: {note}\n\n");
                let _reader_may_be_gone = std::io::Write::write_all(stream, text.as_bytes());
                let mut rest = [0; 1];
                let _closed = std::io::Read::read(stream, &mut rest);
                return;
            }
            ("tools/call", _) => answer(r#"{"content":[{"type":"text","text":"ok"}]}"#),
            _ => return respond(stream, "202 Accepted", "", ""),
        };
        respond(stream, "200 OK", JSON, &body);
    })
}

/// A client with an open session.
enum Client {
    Lines(Box<Lined>),
    Http(Served, String),
}

impl Client {
    async fn ask(&mut self, message: &str) -> Value {
        match self {
            Self::Lines(client) => {
                client.write(message).await;
                client.next().await
            }
            Self::Http(served, session) => {
                // A message that is too long is answered before all of it has come, so only a part
                // is sent.
                let length = message.len().to_string();
                let sent = match message.len() {
                    0..=LONG => message,
                    _ => message.get(..LONG).unwrap(),
                };
                let headers = [
                    ("Mcp-Session-Id", session.as_str()),
                    ("Content-Length", length.as_str()),
                ];
                let reply: Reply = served.request("POST", &headers, sent).await;
                if sent.len() < message.len() {
                    assert_eq!(reply.status, 413, "{reply:?}");
                }
                reply.message()
            }
        }
    }

    /// Sends a call that is not answered, and waits until the server has received it.
    async fn hang(&mut self, message: &str) -> Option<Open> {
        match self {
            Self::Lines(client) => {
                client.write(message).await;
                assert_eq!(client.next().await["method"], "notifications/message");
                None
            }
            Self::Http(served, session) => {
                let headers = [("Mcp-Session-Id", session.as_str())];
                let mut open = served.begin("POST", &headers, message).await;
                open.until("at work").await;
                Some(open)
            }
        }
    }
}

async fn crossings(web: &Web) -> Vec<(&'static str, Client)> {
    let mut all = Vec::new();
    for (name, upstream) in [
        ("stdio to child", python(CHILD)),
        ("stdio to HTTP", remote(&web.url)),
    ] {
        let mut client = Lined::start(upstream);
        client.open().await;
        all.push((name, Client::Lines(Box::new(client))));
    }
    for (name, upstream) in [
        ("HTTP to child", python(CHILD)),
        ("HTTP to HTTP", remote(&web.url)),
    ] {
        let served = Served::with(upstream, policy(), |_| {}).await;
        let session = served.open().await;
        all.push((name, Client::Http(served, session)));
    }
    all
}

/// Maximum bytes of a message that are sent over HTTP.
const LONG: usize = 1 << 20;

fn asked(id: i64, what: &str) -> String {
    call(id, "echo", json!({"do": what})).to_string()
}

/// Whether an answer is an error, or a result that reports one.
fn is_refusal(answer: &Value) -> bool {
    answer["error"].is_object() || answer["result"]["isError"] == true
}

#[tokio::test]
async fn each_fault_has_its_answer_and_the_next_call_goes_through() {
    let web = web();
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let from_client = |id: i64, arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{arguments}}}}}"#
        )
    };
    for (name, mut client) in crossings(&web).await {
        let fine = client.ask(&asked(1, "ok")).await;
        assert_eq!(text_of(&fine), "ok", "{name}: {fine}");
        let big = "x".repeat(64 << 20);
        let faults = [
            ("big", from_client(10, &format!(r#"{{"a":"{big}"}}"#))),
            (
                "deep",
                from_client(11, &format!(r#"{{"a":{open}{close}}}"#)),
            ),
            ("twice", from_client(12, r#"{"a":1,"a":2}"#)),
            ("server big", asked(13, "big")),
            ("server deep", asked(14, "deep")),
            ("server twice", asked(15, "twice")),
            ("server garbage", asked(16, "garbage")),
        ];
        for (at, (fault, message)) in (10..).zip(faults) {
            let answer = client.ask(&message).await;
            assert_eq!(answer["id"], at, "{name}, {fault}: {answer}");
            assert!(is_refusal(&answer), "{name}, {fault}: {answer}");
            let fine = client.ask(&asked(1, "ok")).await;
            assert_eq!(text_of(&fine), "ok", "{name}, {fault}: {fine}");
        }
        let _open = client.hang(&asked(20, "hang")).await;
        let second = client.ask(&asked(20, "ok")).await;
        assert_eq!(second["id"], 20, "{name}: {second}");
        // Over HTTP each POST is an exchange of its own.
        let is_http = matches!(client, Client::Http(..));
        assert_eq!(is_refusal(&second), !is_http, "{name}: {second}");
        let fine = client.ask(&asked(21, "ok")).await;
        assert_eq!(text_of(&fine), "ok", "{name}: {fine}");
    }
}

#[tokio::test]
async fn a_modern_client_that_does_not_read_is_given_up_and_the_others_are_served() {
    let script = r#"
for m, id, name, args in calls():
    if name == "note":
        token = m["params"]["_meta"]["progressToken"]
        for n in range(600):
            send({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": n, "message": "x" * 65536}})
    text(id, name, **MORE)
"#;
    let served = Served::with(python(script), policy(), |options| {
        options.bounds.message_bytes = 1 << 20;
    })
    .await;
    let mut asked = call(1, "note", json!({}));
    asked["params"]["_meta"] = json!({"progressToken": "t"});
    let mut slow = served.modern_begin(&modern(asked)).await;
    slow.until("progress").await;
    let other = served.modern(&modern(call(2, "echo", json!({})))).await;
    assert_eq!(text_of(&other.message()), "echo");
    // The rest is more than a socket buffers, and the other client did not wait for it.
    let rest = slow.rest_of_stream().await;
    let last = rest.last().unwrap();
    assert_eq!(last["id"], 1, "{last}");
    assert_eq!(last["error"]["data"]["code"], "client-slow", "{last}");
    assert!(rest.len() < 600, "{}", rest.len());
}

#[tokio::test]
async fn a_session_with_too_many_calls_before_the_listing_is_told_to_come_again() {
    let script = r#"
while True:
    m = read()
    if m is None: break
    if m.get("method") == "tools/list":
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "asked"}})
    else: known(m)
"#;
    let mut policy = policy();
    policy.limits.parked = 1;
    let served = Served::with(python(script), policy, |_| {}).await;
    let session = served.open().await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let first = call(1, "echo", json!({})).to_string();
    let mut waiting = served.begin("POST", &headers, &first).await;
    waiting.until("asked").await;
    let reply = served
        .in_session(&session, &call(2, "echo", json!({})))
        .await;
    assert_eq!(reply.status, 503, "{reply:?}");
    assert_eq!(reply.header("retry-after"), Some("1"));
    let ping = json!({"jsonrpc": "2.0", "id": 3, "method": "ping"});
    assert_eq!(served.in_session(&session, &ping).await.status, 200);
}
