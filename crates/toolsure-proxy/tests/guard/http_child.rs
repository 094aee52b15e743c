//! Clients over HTTP, a child on stdio: one child for each legacy session, one for all modern
//! clients.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Value, json};
use toolsure_guard::policy::{ProjectionLimits, Projector, reader};
use toolsure_proxy::guard::Exit;

use crate::common::{
    MODERN, Served, call, changing, initialize, modern, policy, python, restarting, text_of,
};

const ECHO: &str = r#"
for m, id, name, args in calls():
    token = m["params"].get("_meta", {}).get("progressToken")
    if name == "note":
        send({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 1}})
    if name == "die": os._exit(3)
    if name != "hang": text(id, json.dumps([os.getpid(), args]), **MORE)
"#;

/// Answers each call with all messages that came so far.
const HEARD: &str = r#"
heard = []
while True:
    m = read()
    if m is None: break
    heard.append(m)
    if not known(m): text(m["id"], json.dumps(heard), **MORE)
"#;

fn pid_of(answer: &Value) -> i64 {
    serde_json::from_str::<Value>(text_of(answer)).unwrap()[0]
        .as_i64()
        .unwrap()
}

#[tokio::test]
async fn each_legacy_session_has_a_child_of_its_own() {
    let served = Served::start(python(ECHO)).await;
    let (one, two) = (served.open().await, served.open().await);
    let first = served.in_session(&one, &call(1, "echo", json!({}))).await;
    assert_eq!(first.header("content-type"), Some("application/json"));
    let again = served.in_session(&one, &call(2, "echo", json!({}))).await;
    let other = served.in_session(&two, &call(1, "echo", json!({}))).await;
    assert_eq!(pid_of(&first.message()), pid_of(&again.message()));
    assert_ne!(pid_of(&first.message()), pid_of(&other.message()));
    // DELETE ends this session for good, and no other.
    let ended = served
        .request("DELETE", &[("Mcp-Session-Id", &one)], "")
        .await;
    assert_eq!(ended.status, 204);
    assert_eq!(
        served
            .in_session(&one, &call(3, "echo", json!({})))
            .await
            .status,
        404
    );
    assert_eq!(
        served
            .in_session(&two, &call(3, "echo", json!({})))
            .await
            .status,
        200
    );
    let lost = served.post(&[], &call(1, "echo", json!({}))).await;
    assert_eq!(lost.status, 400);
    assert!(matches!(served.stop().await, Exit::Stopped));
}

/// 2026-07-28, basic/transports: an unknown method has the status 404, a missing capability 400.
#[tokio::test]
async fn the_codes_of_errors_decide_the_statuses_of_modern_answers() {
    let script = r#"
while True:
    m = read()
    if m is None: break
    if not known(m): error(m["id"], m["params"]["code"])
"#;
    let served = Served::start(python(script)).await;
    for (code, status) in [(-32601, 404), (-32021, 400), (-32602, 400), (-32603, 200)] {
        let asked =
            json!({"jsonrpc": "2.0", "id": 1, "method": "vendor/x", "params": {"code": code}});
        let reply = served.modern(&modern(asked.clone())).await;
        assert_eq!(reply.status, status, "{code}");
        assert_eq!(reply.message()["error"]["code"], code);
        let session = served.open().await;
        let legacy = served.in_session(&session, &asked).await;
        assert_eq!(legacy.status, 200, "{code}");
    }
}

#[tokio::test]
async fn what_comes_before_the_answer_makes_it_a_stream() {
    let served = Served::start(python(ECHO)).await;
    let session = served.open().await;
    let mut asked = call(1, "note", json!({}));
    asked["params"]["_meta"] = json!({"progressToken": "mine"});
    let reply = served.in_session(&session, &asked).await;
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(reply.header("x-accel-buffering"), Some("no"));
    let messages = reply.messages();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert_eq!(messages[0]["params"]["progressToken"], "mine");
    assert_eq!(messages[1]["id"], 1);
}

#[tokio::test]
async fn a_childs_own_messages_go_to_the_listening_stream_and_answers_back() {
    let script = r#"
for m, id, name, args in calls():
    send({"jsonrpc": "2.0", "id": "s1", "method": "roots/list"})
    got = read()
    text(id, json.dumps(got["result"]))
"#;
    let served = Served::start(python(script)).await;
    let session = served.open().await;
    let mut listening = served.listen(&session).await;
    let call = call(1, "echo", json!({}));
    let (answer, ()) = tokio::join!(served.in_session(&session, &call), async {
        let asked = listening.until("roots/list").await;
        assert!(asked.contains(r#""id": "s1""#), "{asked}");
        let told = json!({"jsonrpc": "2.0", "id": "s1", "result": {"roots": []}});
        assert_eq!(served.in_session(&session, &told).await.status, 202);
    });
    assert_eq!(text_of(&answer.message()), r#"{"roots": []}"#);
}

#[tokio::test]
async fn modern_clients_share_a_child_and_keep_their_ids() {
    let served = Served::start(python(ECHO)).await;
    let asked: Vec<Value> = (0..40)
        .map(|n| {
            // All use the same id and the same token.
            let mut asked = call("same", "note", json!({"n": n}));
            asked["params"]["_meta"] = json!({"progressToken": 7});
            modern(asked)
        })
        .collect();
    let replies = asked.iter().map(|asked| served.modern(asked));
    let mut pids = HashSet::new();
    for (n, reply) in join_all(replies).await.into_iter().enumerate() {
        let messages = reply.messages();
        assert_eq!(messages[0]["params"]["progressToken"], 7, "{messages:?}");
        let answer = messages.last().unwrap();
        assert_eq!(answer["id"], "same");
        let told: Value = serde_json::from_str(text_of(answer)).unwrap();
        assert_eq!(told[1]["n"], n);
        pids.insert(pid_of(answer));
    }
    assert_eq!(pids.len(), 1);
}

#[tokio::test]
async fn a_modern_client_that_leaves_cancels_and_a_legacy_one_does_not() {
    let script = r#"
waiting = {}
while True:
    m = read()
    if m is None: break
    if m.get("method") == "notifications/cancelled":
        cancelled = m["params"]["requestId"]
        text(waiting.pop("asker"), "cancelled " + str(cancelled == waiting["hang"]), **MORE)
        continue
    if known(m): continue
    name, id = m["params"]["name"], m["id"]
    if name == "hang":
        waiting["hang"] = id
        send({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": m["params"]["_meta"]["progressToken"], "progress": 1}})
    elif name == "echo":
        waiting["asker"] = id
    else:
        text(waiting["hang"], "late")
        text(id, "not cancelled")
"#;
    let served = Served::start(python(script)).await;
    let mut hang = call(1, "hang", json!({}));
    hang["params"]["_meta"] = json!({"progressToken": "t"});
    let hang = modern(hang);
    let mut leaving = served.modern_begin(&hang).await;
    leaving.until("notifications/progress").await;
    let asker = modern(call(1, "echo", json!({})));
    let (answer, ()) = tokio::join!(served.modern(&asker), async { drop(leaving) });
    assert_eq!(text_of(&answer.message()), "cancelled True");

    let session = served.open().await;
    let mut hang = call(1, "hang", json!({}));
    hang["params"]["_meta"] = json!({"progressToken": "t"});
    let headers = [("Mcp-Session-Id", session.as_str())];
    let mut leaving = served.begin("POST", &headers, &hang.to_string()).await;
    leaving.until("notifications/progress").await;
    drop(leaving);
    let answer = served
        .in_session(&session, &call(2, "note", json!({})))
        .await;
    assert_eq!(text_of(&answer.message()), "not cancelled");
}

#[tokio::test]
async fn a_child_that_dies_answers_its_calls_and_comes_back_for_modern_clients() {
    let served = Served::start(restarting(python(ECHO))).await;
    let first = served
        .modern(&modern(call(1, "echo", json!({}))))
        .await
        .message();
    let mut hang = call(2, "hang", json!({}));
    hang["params"]["_meta"] = json!({"progressToken": "t"});
    let (hang, die) = (modern(hang), modern(call(3, "die", json!({}))));
    let (hanging, dying) = tokio::join!(served.modern(&hang), async { served.modern(&die).await });
    for (reply, id) in [(hanging, 2), (dying, 3)] {
        let answer = reply.message();
        assert_eq!(answer["id"], id);
        // Both calls were open when the child died.
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("status 3"),
            "{answer}"
        );
    }
    let second = served
        .modern(&modern(call(4, "echo", json!({}))))
        .await
        .message();
    assert_ne!(pid_of(&first), pid_of(&second));
    // A legacy session ends with its child, and its call gets an error.
    let session = served.open().await;
    let lost = served
        .in_session(&session, &call(1, "die", json!({})))
        .await
        .message();
    assert!(
        lost["error"]["message"]
            .as_str()
            .unwrap()
            .contains("status 3"),
        "{lost}"
    );
    loop {
        let reply = served
            .in_session(&session, &call(2, "echo", json!({})))
            .await;
        if reply.status == 404 {
            break;
        }
    }
}

/// Lists are those of a process, even if they are for everybody: the next process may have other tools.
#[tokio::test]
async fn a_list_of_tools_ends_with_its_process() {
    for cache_scope in ["public", "private"] {
        let served = Served::start(changing("http", cache_scope)).await;
        let echo = call(1, "echo", json!({}));
        let told = served.modern(&modern(echo.clone())).await.message();
        assert_eq!(text_of(&told), "ok", "{told}");
        // Each session has a process of its own.
        let session = served.open().await;
        let told = served.in_session(&session, &echo).await.message();
        assert!(text_of(&told).contains("missing property `a`"), "{told}");
        let lost = served.modern(&modern(call(2, "die", json!({})))).await;
        assert!(lost.message()["error"].is_object(), "{lost:?}");
        let told = served.modern(&modern(echo)).await.message();
        assert!(text_of(&told).contains("missing property `a`"), "{told}");
        let right = modern(call(3, "echo", json!({"a": 1})));
        let told = served.modern(&right).await.message();
        assert_eq!(text_of(&told), "ok", "{told}");
    }
}

/// A message without an id whose method is a request's is refused and recorded. No process gets it.
#[tokio::test]
async fn a_call_without_an_id_reaches_no_server() {
    let served = Served::start(python(HEARD)).await;
    let session = served.open().await;
    let first = modern(call(1, "echo", json!({})));
    served.modern(&first).await;
    let methods = ["tools/call", "Tools/Call", "resources/read", "tasks/cancel"];
    for method in methods {
        let mut silent = call(2, "silent", json!({}));
        silent["method"] = json!(method);
        silent.as_object_mut().unwrap().remove("id");
        for reply in [
            served.in_session(&session, &silent).await,
            served.modern(&modern(silent.clone())).await,
            served.post(&[], &silent).await,
        ] {
            assert_eq!(reply.status, 400, "{reply:?}");
            assert_eq!(reply.message()["error"]["code"], -32600, "{reply:?}");
            assert_eq!(reply.message()["id"], Value::Null);
        }
    }
    let last = call(3, "echo", json!({}));
    for heard in [
        served.in_session(&session, &last).await,
        served.modern(&modern(last.clone())).await,
    ] {
        let heard = heard.message();
        let heard = text_of(&heard);
        assert!(heard.contains(r#""name": "echo""#), "{heard}");
        assert!(!heard.contains("silent"), "{heard}");
    }
    let records = served.seen.1.lock().unwrap().clone();
    for method in methods {
        let of_method = |record: &&Value| record["method"] == method && record["id"].is_null();
        let refused: Vec<&Value> = records.iter().filter(of_method).collect();
        assert_eq!(refused.len(), 3, "{method}: {records:?}");
        for record in refused {
            assert_eq!(
                (&record["code"], &record["action"]),
                (&json!("client-method"), &json!("refused")),
                "{record}"
            );
        }
    }
    assert!(matches!(served.stop().await, Exit::Stopped));
}

#[tokio::test]
async fn who_may_not_come_in_is_told_why() {
    let served = Served::with(python(ECHO), policy(), |options| {
        options.bounds.message_bytes = 500;
        options.bounds.children = 1;
    })
    .await;
    let body = initialize(1).to_string();
    type Case = (&'static str, &'static [(&'static str, &'static str)], u16);
    let cases: [Case; 6] = [
        ("POST", &[("Host", "evil.example")], 403),
        ("POST", &[("Origin", "http://evil.example")], 403),
        ("POST", &[("Content-Type", "text/plain")], 415),
        ("POST", &[("Accept", "text/html")], 406),
        ("PUT", &[], 405),
        ("GET", &[("Accept", "text/event-stream")], 405),
    ];
    for (method, headers, status) in cases {
        let reply = served.request(method, headers, &body).await;
        assert_eq!(reply.status, status, "{method} {headers:?}");
        assert_eq!(reply.header("allow").is_some(), status == 405, "{method}");
    }
    let big = call(5, "echo", json!({"a": "x".repeat(5_000)}));
    assert_eq!(served.modern(&modern(big)).await.status, 413);
    let garbage = served.request("POST", &[], "{nope").await;
    assert_eq!(
        (garbage.status, garbage.message()["error"]["code"].as_i64()),
        (400, Some(-32700))
    );
    let session = served.open().await;
    let full = served.post(&[], &initialize(1)).await;
    assert_eq!((full.status, full.header("retry-after")), (503, Some("1")));
    assert_eq!(
        served
            .in_session(&session, &call(1, "echo", json!({})))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn headers_that_contradict_the_body_are_refused() {
    let served = Served::start(python(ECHO)).await;
    let message = modern(call(1, "echo", json!({})));
    let right = [
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
    ];
    assert_eq!(served.post(&right, &message).await.status, 200);
    for (index, wrong) in [(0, "2025-11-25"), (1, "tools/list"), (2, "note")] {
        let mut headers = right;
        headers[index].1 = wrong;
        let reply = served.post(&headers, &message).await;
        assert_eq!(
            (reply.status, reply.message()["error"]["code"].as_i64()),
            (400, Some(-32020))
        );
        let others = right.into_iter().enumerate().filter(|(at, _)| *at != index);
        let missing: Vec<_> = others.map(|(_, header)| header).collect();
        let reply = served.post(&missing, &message).await;
        assert_eq!(reply.message()["error"]["code"], -32020, "{index}");
    }
}

#[tokio::test]
async fn headers_that_contradict_annotated_arguments_are_refused() {
    let script = r#"
TOOLS[0]["inputSchema"]["properties"] = {"region": {"type": "string", "x-mcp-header": "Region"}}
"#;
    let served = Served::start(python(&format!("{script}{ECHO}"))).await;
    let eu = modern(call(1, "echo", json!({"region": "eu"})));
    let none = modern(call(1, "echo", json!({})));
    let call = async |message: &Value, region: &[&str]| {
        let mut headers = vec![
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "echo"),
        ];
        headers.extend(region.iter().map(|region| ("Mcp-Param-Region", *region)));
        served.post(&headers, message).await
    };
    // The guard gets the first call before it knows the tools.
    for (message, region, wrong) in [
        (
            &eu,
            &["us"][..],
            "`Mcp-Param-Region` does not match the body",
        ),
        (&eu, &[], "`Mcp-Param-Region` is missing"),
        (&eu, &["eu", "us"], "`Mcp-Param-Region` is given twice"),
        (&none, &["eu"], "`Mcp-Param-Region` has no counterpart"),
    ] {
        let reply = call(message, region).await;
        assert_eq!(reply.status, 400, "{reply:?}");
        let error = &reply.message()["error"];
        assert_eq!(error["code"], -32020, "{error}");
        assert!(
            error["message"].as_str().unwrap().contains(wrong),
            "{error}"
        );
    }
    for (message, region) in [
        (&eu, &["eu"][..]),
        (&eu, &["=?base64?ZXU=?="]),
        (&none, &[]),
    ] {
        let reply = call(message, region).await;
        assert_eq!(reply.status, 200, "{reply:?}");
    }
}

/// A server need not answer a call that was cancelled; the exchange ends anyway.
#[tokio::test]
async fn a_cancelled_call_of_an_older_client_ends() {
    let mut policy = policy();
    policy.list_timeout = std::time::Duration::from_millis(300);
    let script = "for m, id, name, args in calls(): pass";
    let served = Served::with(python(script), policy, |_| {}).await;
    let session = served.open().await;
    let asked = call(5, "hang", json!({}));
    let hanging = served.in_session(&session, &asked);
    let (ended, cancelled) = tokio::join!(hanging, async {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}});
        served.in_session(&session, &note).await
    });
    assert_eq!(cancelled.status, 202, "{cancelled:?}");
    assert_eq!((ended.status, ended.body.as_str()), (202, ""), "{ended:?}");
}

/// A guard that projects the tool for a reader, and the properties that it lists.
async fn projecting(reader: &str) -> (Served, Value) {
    let script = r#"
TOOLS[0]["inputSchema"]["properties"] = {"region": {"type": "string", "x-mcp-header": "Region"}, "at": {"const": 1}}
"#;
    let mut policy = policy();
    let reader = self::reader(reader).unwrap();
    let limits = ProjectionLimits::without_relations();
    policy.project_for = Some(Arc::new(Projector::new(reader).limits(limits)));
    let upstream = python(&format!("{script}{ECHO}"));
    let served = Served::with(upstream, policy, |_| {}).await;
    let list = modern(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let listed = served.modern(&list).await.message();
    let properties = listed["result"]["tools"][0]["inputSchema"]["properties"].clone();
    (served, properties)
}

#[tokio::test]
async fn headers_that_a_projected_schema_does_not_ask_for_may_be_absent() {
    let (gemini, properties) = projecting("gemini").await;
    assert_eq!(
        properties,
        json!({"region": {"type": "string"}, "at": {"type": "string", "enum": ["1"]}})
    );
    // This projection keeps the annotation.
    let (vscode, properties) = projecting("vscode").await;
    assert_eq!(properties["region"]["x-mcp-header"], "Region");
    for (served, at, region, status) in [
        (&gemini, json!("1"), None, 200),
        (&gemini, json!("1"), Some("eu"), 200),
        (&gemini, json!("1"), Some("us"), 400),
        (&vscode, json!(1), None, 400),
        (&vscode, json!(1), Some("eu"), 200),
        (&vscode, json!(1), Some("us"), 400),
    ] {
        let message = modern(call(2, "echo", json!({"region": "eu", "at": at})));
        let mut headers = vec![
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "echo"),
        ];
        headers.extend(region.map(|region| ("Mcp-Param-Region", region)));
        let reply = served.post(&headers, &message).await;
        assert_eq!(reply.status, status, "{region:?} {reply:?}");
        if status == 200 {
            let echoed: Value = serde_json::from_str(text_of(&reply.message())).unwrap();
            assert_eq!(echoed[1]["at"], 1, "{echoed}");
        }
    }
}

#[tokio::test]
async fn a_loris_is_dropped_and_the_others_are_served() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let served = Served::with(python(ECHO), policy(), |options| {
        options.times.head = std::time::Duration::from_millis(300);
        options.times.body = std::time::Duration::from_millis(300);
        options.bounds.connections = 3;
    })
    .await;
    let connect = || tokio::net::TcpStream::connect(("127.0.0.1", served.port));
    let mut head = connect().await.unwrap();
    head.write_all(b"POST /mcp HTTP/1.1\r\nHost: local")
        .await
        .unwrap();
    let mut body = connect().await.unwrap();
    let slow = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{";
    body.write_all(slow).await.unwrap();
    let reply = served.modern(&modern(call(1, "echo", json!({})))).await;
    assert_eq!(reply.status, 200);
    let (mut one, mut two) = (String::new(), String::new());
    head.read_to_string(&mut one).await.unwrap();
    body.read_to_string(&mut two).await.unwrap();
    assert!(one.is_empty() || one.contains(" 408 "), "{one}");
    assert!(two.contains(" 408 "), "{two}");
}

#[tokio::test]
async fn stop_answers_what_it_took_and_ends_the_streams() {
    let script = r#"
for m, id, name, args in calls():
    if name == "hang":
        send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "at work"}})
        held = id
    else:
        text(id, "ok", **MORE)
        threading.Timer(0.2, lambda: text(held, "late")).start()
"#;
    let served = Served::start(python(script)).await;
    let session = served.open().await;
    let mut listening = served.listen(&session).await;
    let hang = call(1, "hang", json!({})).to_string();
    let session_header = [("Mcp-Session-Id", session.as_str())];
    let mut waiting = served.begin("POST", &session_header, &hang).await;
    listening.until("at work").await;
    assert_eq!(
        served
            .in_session(&session, &call(2, "echo", json!({})))
            .await
            .status,
        200
    );
    let running = served.running;
    running.stop();
    assert!(matches!(running.finished().await, Exit::Stopped));
    assert_eq!(text_of(&waiting.rest().await.message()), "late");
    listening.rest().await;
}

#[tokio::test]
async fn thousands_of_calls_at_once_are_all_answered() {
    let mut policy = policy();
    policy.limits.pending = 20_000;
    let served = Served::with(python(ECHO), policy, |options| {
        options.bounds.connections = 200;
    })
    .await;
    let asked: Vec<Value> = (0..2_000)
        .map(|n| modern(call(1, "echo", json!({"n": n}))))
        .collect();
    let replies = join_all(asked.iter().map(|asked| served.modern(asked))).await;
    for (n, reply) in replies.into_iter().enumerate() {
        let told: Value = serde_json::from_str(text_of(&reply.message())).unwrap();
        assert_eq!(told[1]["n"], n);
    }
}

/// Polls all futures together, in one task.
async fn join_all<T>(futures: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut waiting: Vec<_> = futures
        .into_iter()
        .map(|future| (Box::pin(future), None))
        .collect();
    std::future::poll_fn(|context| {
        let mut all = true;
        for (future, done) in &mut waiting {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *done = Some(value),
                    std::task::Poll::Pending => all = false,
                }
            }
        }
        if all {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    waiting.into_iter().filter_map(|(_, done)| done).collect()
}

#[tokio::test]
async fn progress_goes_to_the_stream_of_its_call() {
    let served = Served::start(python(ECHO)).await;
    let session = served.open().await;
    let mut listening = served.listen(&session).await;
    let mut noted = call(1, "note", json!({}));
    noted["params"]["_meta"] = json!({"progressToken": "mine"});
    let reply = served.in_session(&session, &noted).await;
    let messages = reply.messages();
    assert_eq!(messages[0]["params"]["progressToken"], "mine", "{reply:?}");
    assert_eq!(messages[1]["id"], 1, "{reply:?}");
    // A client that reads no streams there gets its answer alone, and the progress where it listens.
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("Accept", "application/json"),
    ];
    let reply = served.post(&headers, &noted).await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.message()["id"], 1);
    served
        .request("DELETE", &[("Mcp-Session-Id", &session)], "")
        .await;
    let heard = listening.rest().await.body;
    assert_eq!(heard.matches("progressToken").count(), 1, "{heard}");
    // A subscription is nothing but a stream.
    let listen = modern(
        json!({"jsonrpc": "2.0", "id": 9, "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": true}}}),
    );
    let headers = [
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "subscriptions/listen"),
        ("Accept", "application/json"),
    ];
    assert_eq!(served.post(&headers, &listen).await.status, 406);
}
