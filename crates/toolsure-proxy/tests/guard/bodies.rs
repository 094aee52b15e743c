//! The guard and the other side read the same message: lines, charsets, content codings, unexpected
//! bodies, and batches over HTTP.

use serde_json::{Value, json};

use crate::common::{Lined, MODERN, Served, call, initialize, modern, python, remote, text_of};
use crate::web::{JSON, Request, Web, respond};

const ECHO: &str = r#"
for m, id, name, args in calls():
    text(id, "ok", **MORE)
"#;

/// An HTTP server that opens sessions of 2025-03-26 and has one tool.
fn web(calls: impl Fn(&Request, &mut std::net::TcpStream) + Send + Sync + 'static) -> Web {
    Web::start(move |request, stream| {
        let result = |result: &str| {
            let id = request.id();
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
        };
        match request.rpc().as_str() {
            "initialize" => {
                let version = &request.json()["params"]["protocolVersion"];
                let opened = json!({"protocolVersion": version, "capabilities": {"tools": {}},
                    "serverInfo": {"name": "web", "version": "1"}});
                let headers = "Content-Type: application/json\r\nMcp-Session-Id: s-1\r\n";
                respond(stream, "200 OK", headers, &result(&opened.to_string()));
            }
            "tools/list" => {
                let listed = r#"{"tools":[{"name":"typed","inputSchema":{"type":"object"}}]}"#;
                respond(stream, "200 OK", JSON, &result(listed));
            }
            "notifications/initialized" => respond(stream, "202 Accepted", "", ""),
            _ => calls(request, stream),
        }
    })
}

/// The answer to a call; the content of a bad one is not an array.
fn answer(id: &Value, good: bool) -> Value {
    let content = match good {
        true => json!([{"type": "text", "text": "ok"}]),
        false => json!("not checked"),
    };
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": content}})
}

/// Opens a session of 2025-03-26, the version with batches, and lists the tools.
async fn open(served: &Served) -> String {
    let mut message = initialize(0);
    message["params"]["protocolVersion"] = json!("2025-03-26");
    let opened = served.post(&[], &message).await;
    let session = opened.header("mcp-session-id").unwrap().to_owned();
    for message in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list"}),
    ] {
        let reply = served.post(&[("Mcp-Session-Id", &session)], &message).await;
        assert!(reply.status < 300, "{reply:?}");
    }
    session
}

/// A message is sent to a process, or to a client on standard output, as one line: after a line
/// break, the reader would see another message.
#[tokio::test]
async fn a_line_break_between_tokens_begins_no_message() {
    let mut lined = Lined::start(python(
        r#"
sys.stdin.reconfigure(newline="\n")
while True:
    line = sys.stdin.readline()
    m = json.loads(line)
    if m["method"] == "notifications/progress":
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": line}})
    else: known(m)
"#,
    ));
    lined.open().await;
    for gap in ["\r", "\r\r"] {
        let hidden = call(7, "drop", json!({})).to_string();
        let outer = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"progress":1,"x":[{gap}{hidden}{gap}]}}}}"#
        );
        lined.write(&outer).await;
        let heard = lined.next().await;
        let heard = heard["params"]["data"].as_str().unwrap();
        assert!(!heard.trim_end().contains(['\r', '\n']), "{heard:?}");
    }
    let web = web(|request, stream| {
        let id = request.json()["id"].clone();
        let pretty = serde_json::to_string_pretty(&answer(&id, true)).unwrap();
        let event = pretty.replace('\n', "\ndata: ");
        let (headers, body) = match id == json!(1) {
            true => (JSON, pretty),
            false => (
                "Content-Type: text/event-stream\r\n",
                format!("data: {event}\n\n"),
            ),
        };
        respond(stream, "200 OK", headers, &body);
    });
    let mut lined = Lined::start(remote(&web.url));
    lined.open().await;
    for id in [1, 2] {
        let answer = lined.ask(&call(id, "typed", json!({}))).await;
        assert_eq!(text_of(&answer), "ok", "{answer}");
    }
}

#[tokio::test]
async fn a_body_in_another_charset_or_packed_is_refused() {
    let served = Served::start(python(ECHO)).await;
    let session = served.open().await;
    for (name, value, status) in [
        ("Content-Type", "application/json; charset=utf-7", 415),
        (
            "Content-Type",
            "application/json;a=b; Charset = \"utf-16\"",
            415,
        ),
        ("Content-Type", "application/json; charset=\"UTF-8\"", 200),
        ("Content-Encoding", "gzip", 415),
        ("Content-Encoding", "identity", 200),
    ] {
        let headers = [("Mcp-Session-Id", session.as_str()), (name, value)];
        let reply = served.post(&headers, &call(1, "echo", json!({}))).await;
        assert_eq!(reply.status, status, "{name}: {value}: {reply:?}");
    }
}

/// The server gets the media type without parameters, and a compressed answer is an error.
#[tokio::test]
async fn a_packed_answer_of_a_server_reaches_no_client() {
    for kind in ["application/json", "text/event-stream"] {
        let web = web(move |request, stream| {
            let answered = answer(&request.json()["id"], false).to_string();
            let headers = format!("Content-Type: {kind}\r\nContent-Encoding: gzip\r\n");
            respond(stream, "200 OK", &headers, &format!("data: {answered}\n\n"));
        });
        let served = Served::start(remote(&web.url)).await;
        let session = open(&served).await;
        let given = "application/json; charset=utf-8";
        let headers = [
            ("Mcp-Session-Id", session.as_str()),
            ("Content-Type", given),
        ];
        let reply = served.post(&headers, &call(1, "typed", json!({}))).await;
        let message = reply.message();
        let text = message["error"]["message"].as_str().unwrap();
        assert!(text.contains("Content-Encoding"), "{reply:?}");
        assert!(!reply.body.contains("not checked"), "{reply:?}");
        assert_eq!(reply.header("content-encoding"), None);
        let seen = web.seen();
        let sent = seen.last().unwrap().header("content-type");
        assert_eq!(sent, Some("application/json"));
    }
}

/// RFC 8259 §8.1: readers may ignore a byte order mark, and `fetch` does.
#[tokio::test]
async fn a_byte_order_mark_before_a_body_is_dropped() {
    let web = web(|request, stream| {
        let answered = answer(&request.json()["id"], true).to_string();
        let headers = "Content-Type: application/json\r\n";
        respond(stream, "200 OK", headers, &format!("\u{feff}{answered}"));
    });
    let served = Served::start(remote(&web.url)).await;
    let session = open(&served).await;
    let headers = [("Mcp-Session-Id", session.as_str())];
    let reply = served.post(&headers, &call(1, "typed", json!({}))).await;
    assert_eq!(
        (reply.status, &reply.message()["id"]),
        (200, &json!(1)),
        "{reply:?}"
    );
}

/// The response to a notification is not forwarded to its sender. It may contain the answer to a
/// call, which is checked against the call's schema.
#[tokio::test]
async fn the_answer_to_a_notification_is_read() {
    let web = web(|request, stream| {
        if request.rpc() == "notifications/progress" {
            let stray = answer(&json!(5), false);
            respond(stream, "200 OK", JSON, &stray.to_string());
        } else {
            std::thread::sleep(std::time::Duration::from_millis(400));
            let answered = answer(&request.json()["id"], true);
            respond(stream, "200 OK", JSON, &answered.to_string());
        }
    });
    let served = Served::start(remote(&web.url)).await;
    let session = open(&served).await;
    let asked = call(5, "typed", json!({}));
    let headers = [("Mcp-Session-Id", session.as_str())];
    let (answer, stray) = tokio::join!(served.post(&headers, &asked), async {
        tokio::time::sleep(std::time::Duration::from_millis(150)).await;
        let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": 1, "progress": 1}});
        served.post(&headers, &progress).await
    });
    assert_eq!((stray.status, stray.body.as_str()), (202, ""));
    // It was read: its content has become one that clients can read.
    assert_eq!(text_of(&answer.message()), "not checked", "{answer:?}");
}

/// Each request of a batch is answered, and each result is checked: with a process as upstream, and
/// with an endpoint that answers with JSON, with events, in part, or not at all.
#[tokio::test]
async fn each_message_of_a_batch_over_http_is_checked() {
    let batch = json!([
        call(3, "typed", json!({})),
        call(4, "typed", json!({})),
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}},
    ]);
    for how in ["array", "events", "one", "none", "child", "child array"] {
        let web = web(move |request, stream| {
            let calls = request.json();
            let mut answers: Vec<Value> = Vec::new();
            for (at, call) in calls.as_array().unwrap().iter().enumerate().take(2) {
                answers.push(answer(&call["id"], at == 0));
            }
            match how {
                "array" => respond(stream, "200 OK", JSON, &json!(answers).to_string()),
                "one" => respond(stream, "200 OK", JSON, &json!([answers[0]]).to_string()),
                "none" => respond(stream, "202 Accepted", "", ""),
                _ => {
                    let events: String = answers
                        .iter()
                        .map(|one| format!("data: {one}\n\n"))
                        .collect();
                    let headers = "Content-Type: text/event-stream\r\n";
                    respond(stream, "200 OK", headers, &events);
                }
            }
        });
        let child = python(&format!(
            r#"
TOOLS[0] = {{"name": "typed", "inputSchema": {{"type": "object"}}}}
while True:
    m = read()
    if isinstance(m, list):
        ids = [one["id"] for one in m if "id" in one]
        answers = [{{"jsonrpc": "2.0", "id": id, "result": {{"content": [{{"type": "text", "text": "ok"}}] if id == 3 else "not checked"}}}} for id in ids]
        if "{how}" == "child array": raw(json.dumps(answers) + "\n")
        else:
            for one in answers: send(one)
    elif m.get("method") == "initialize":
        answer(m["id"], {{"protocolVersion": "2025-03-26", "capabilities": {{"tools": {{}}}}, "serverInfo": {{"name": "py", "version": "1"}}}})
    elif m.get("method") == "tools/list": answer(m["id"], {{"tools": TOOLS}})
"#
        ));
        let upstream = match how.starts_with("child") {
            true => child,
            false => remote(&web.url),
        };
        let served = Served::start(upstream).await;
        let session = open(&served).await;
        let headers = [("Mcp-Session-Id", session.as_str())];
        // Twice, because requests that were answered are not open any more.
        for _ in 0..2 {
            let reply = served.post(&headers, &batch).await;
            assert_eq!(reply.status, 200, "{how}: {reply:?}");
            let mut messages = reply.messages();
            messages.sort_by_key(|message| message["id"].as_i64());
            let [first, second] = messages.as_slice() else {
                panic!("{how}: {reply:?}");
            };
            assert_eq!(
                (&first["id"], &second["id"]),
                (&json!(3), &json!(4)),
                "{how}"
            );
            if how == "none" {
                assert!(first["error"].is_object(), "{reply:?}");
            } else {
                assert_eq!(text_of(first), "ok", "{how}: {reply:?}");
            }
            match how {
                "one" | "none" => assert!(second["error"].is_object(), "{how}: {reply:?}"),
                // Its content has become one that clients can read.
                _ => assert_eq!(text_of(second), "not checked", "{how}: {reply:?}"),
            }
        }
        // The refusal of the second request with an id is not the answer to the first.
        if matches!(how, "events" | "child") {
            let twice = [5, 5, 6].map(|id| call(id, "typed", json!({})));
            let reply = served.post(&headers, &json!(twice)).await;
            let messages = reply.messages();
            let count = |id: i64, member: &str| {
                let of = |message: &&Value| message["id"] == id && message[member].is_object();
                messages.iter().filter(of).count()
            };
            assert_eq!(messages.len(), 3, "{how}: {reply:?}");
            let counts = (count(5, "error"), count(5, "result"), count(6, "result"));
            assert_eq!(counts, (1, 1, 1), "{how}: {reply:?}");
        }
        // A batch is answered by events, which this client does not accept.
        let json_only = [headers[0], ("Accept", "application/json")];
        assert_eq!(served.post(&json_only, &batch).await.status, 406, "{how}");
        let one = json!([call(9, "typed", json!({}))]);
        if how == "events" {
            let reply = served.post(&headers, &one).await;
            assert_eq!(reply.messages().len(), 1, "{reply:?}");
        }
    }
}

/// A request whose header names 2026-07-28 and whose body names no version is refused, because
/// header and body say different things.
#[tokio::test]
async fn a_header_of_2026_needs_a_body_of_2026() {
    let served = Served::start(python(ECHO)).await;
    let headers = [
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/list"),
    ];
    let reply = served.post(&headers, &call(1, "echo", json!({}))).await;
    assert_eq!(
        (reply.status, &reply.message()["error"]["code"]),
        (400, &json!(-32602))
    );
}

/// If an answer of a shared process cannot be read, the client gets an error at once.
#[tokio::test]
async fn an_unreadable_answer_of_a_shared_process_is_no_silence() {
    let script = r#"
for m, id, name, args in calls():
    how = args["how"]
    if how == "nan": raw('{"jsonrpc":"2.0","id":%d,"result":{"content":[],"x":NaN}}\n' % id)
    elif how == "unmarked": raw('{"id":%d,"result":{"content":[]}}\n' % id)
    elif how == "batch": raw('[{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","content":[]}}]\n' % id)
    elif how == "cut": raw('{"jsonrpc":"2.0","id":%d,"result":{"content":[\n' % id)
    else: text(id, "ok", **MORE)
"#;
    let served = Served::start(python(script)).await;
    for how in ["nan", "unmarked", "cut", "batch", "none"] {
        let message = modern(call(1, "echo", json!({"how": how})));
        let reply =
            tokio::time::timeout(crate::common::PATIENCE / 2, served.modern(&message)).await;
        let answer = reply.expect(how).message();
        let is_error = !matches!(how, "batch" | "none");
        assert_eq!(answer["error"].is_object(), is_error, "{how}: {answer}");
        assert_eq!(answer["id"], 1, "{how}");
    }
}
