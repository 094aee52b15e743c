//! A client on stdio, a child on stdio.

use std::time::Duration;

use serde_json::{Value, json};
use toolsure_proxy::guard::Exit;

use crate::common::{
    Lined, call, changing, initialize, modern, options, policy, python, restarting, text_of,
};
use toolsure_proxy::guard::Listener;

const ECHO: &str = r#"
for m, id, name, args in calls():
    text(id, json.dumps(args))
"#;

#[tokio::test]
async fn a_session_goes_through_and_ends_with_its_client() {
    let mut client = Lined::start(python(ECHO));
    client.open().await;
    let listed = client
        .ask(&json!({"jsonrpc": "2.0", "id": "l", "method": "tools/list"}))
        .await;
    assert_eq!(
        listed["result"]["tools"].as_array().unwrap().len(),
        5,
        "{listed}"
    );
    let answer = client.ask(&call(1, "echo", json!({"a": 1}))).await;
    assert_eq!(
        (text_of(&answer), &answer["id"]),
        (r#"{"a": 1}"#, &json!(1))
    );
    assert!(matches!(client.finished().await, Exit::ClientGone));
}

#[tokio::test]
async fn a_byte_order_mark_before_all_else_is_dropped() {
    let mark = r#"sys.stdout.buffer.write(b"\xef\xbb\xbf"); sys.stdout.buffer.flush()"#;
    let mut client = Lined::start(python(&format!("{mark}\n{ECHO}")));
    client.open().await;
    let answer = client.ask(&call(1, "echo", json!({"a": 1}))).await;
    assert_eq!(text_of(&answer), r#"{"a": 1}"#);
    let seen = client.seen.0.lock().unwrap().join("\n");
    assert_eq!(seen.matches("byte-order-mark").count(), 1, "{seen}");
    // Before a later message, a byte order mark is not dropped.
    let late = r#"
for m, id, name, args in calls():
    sys.stdout.buffer.write(b"\xef\xbb\xbf"); sys.stdout.buffer.flush()
    text(id, "marked")
"#;
    let mut client = Lined::start(python(late));
    client.open().await;
    let answer = client.ask(&call(1, "echo", json!({}))).await;
    assert!(answer["error"].is_object(), "{answer}");
}

#[tokio::test]
async fn what_is_asked_before_the_input_closes_is_answered() {
    let mut client = Lined::start(python(ECHO));
    client.open().await;
    for id in 1..=50 {
        client.send(&call(id, "echo", json!({"n": id}))).await;
    }
    client.to = None;
    for id in 1..=50 {
        assert_eq!(client.next().await["id"], id);
    }
    assert_eq!(client.line().await, None);
    assert!(matches!(client.finished().await, Exit::ClientGone));
}

#[tokio::test]
async fn who_ends_the_input_and_the_guard_waits_for_no_answer() {
    // It goes on after the end of its input, until SIGTERM.
    let script = r#"
for m, id, name, args in calls():
    pass
time.sleep(3600)
"#;
    for input_first in [true, false] {
        let mut options = options(Listener::Stdio, python(script));
        options.times.drain = Duration::from_secs(3_600);
        options.times.grace = Duration::from_secs(3_600);
        let mut patient = policy();
        patient.request_timeout = None;
        let mut client = Lined::with(options, patient);
        client.open().await;
        client.send(&call(1, "echo", json!({}))).await;
        if input_first {
            client.to = None;
        }
        client.running.stop();
        client.finished().await;
    }
}

#[tokio::test]
async fn a_message_that_is_not_touched_keeps_its_bytes() {
    let script = r#"
for line in sys.stdin:
    m = json.loads(line)
    if m["method"] != "vendor/x":
        known(m)
        continue
    raw('{"jsonrpc":"2.0", "id":7.0,"vendor":[1.10,1E2],  "result":{"got":%s}}\n' % json.dumps(line.rstrip("\n")))
"#;
    let mut client = Lined::start(python(script));
    client.open().await;
    let odd = r#"{"z":1.50, "method":"vendor/x","jsonrpc":"2.0","id":7e0,"params":[1e400]}"#;
    client.write(odd).await;
    let line = client.line().await.unwrap();
    let expected = format!(
        r#"{{"jsonrpc":"2.0", "id":7.0,"vendor":[1.10,1E2],  "result":{{"got":{}}}}}"#,
        json!(odd)
    );
    assert_eq!(line, expected);
}

#[tokio::test]
async fn a_list_of_tools_ends_with_its_process() {
    for cache_scope in ["public", "private"] {
        let mut client = Lined::start(changing("stdio", cache_scope));
        let told = client.ask(&modern(call(1, "echo", json!({})))).await;
        assert_eq!(text_of(&told), "ok", "{told}");
        let lost = client.ask(&modern(call(2, "die", json!({})))).await;
        assert!(lost["error"].is_object(), "{lost}");
        let told = client.ask(&modern(call(3, "echo", json!({})))).await;
        assert!(text_of(&told).contains("missing property `a`"), "{told}");
    }
}

#[tokio::test]
async fn a_child_killed_in_a_call_leaves_no_call_unanswered() {
    let script = r#"
seen = 0
for m, id, name, args in calls():
    seen += 1
    if seen == 3: os.kill(os.getpid(), signal.SIGKILL)
"#;
    let mut client = Lined::start(python(script));
    client.open().await;
    for id in 1..=3 {
        client.send(&call(id, "hang", json!({}))).await;
    }
    let mut ids = Vec::new();
    for _ in 1..=3 {
        let answer = client.next().await;
        let told = answer["error"]["message"].as_str().unwrap_or_default();
        assert!(told.contains("killed by signal 9"), "{answer}");
        ids.push(answer["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3]);
    assert!(matches!(client.finished().await, Exit::UpstreamGone(how) if how.contains("signal 9")));
}

#[tokio::test]
async fn a_child_that_may_be_restarted_is_opened_again_as_the_client_had_opened_it() {
    // Answers with its process id and the messages that came before the first call.
    let script = r#"
opening = []
while True:
    m = read()
    if m is None: break
    if m["method"] in ["initialize", "notifications/initialized"]: opening.append(m)
    if known(m): continue
    if m["params"]["name"] == "die": os._exit(3)
    text(m["id"], json.dumps([os.getpid(), opening]))
"#;
    let mut client = Lined::start(restarting(python(script)));
    client.open().await;
    let opening = |answer: &Value| {
        let seen: Value = serde_json::from_str(text_of(answer)).unwrap();
        (seen[0].clone(), seen[1].clone())
    };
    let first = client.ask(&call(1, "echo", json!({}))).await;
    let (first, opened) = opening(&first);
    assert_eq!(opened[0]["params"], initialize(0)["params"]);
    assert_eq!(opened[1]["method"], "notifications/initialized");
    let lost = client.ask(&call(2, "die", json!({}))).await;
    assert!(
        lost["error"]["message"]
            .as_str()
            .unwrap()
            .contains("status 3"),
        "{lost}"
    );
    // A call between two children waits for the second.
    let second = client.ask(&call(3, "echo", json!({}))).await;
    let (second, opened_again) = opening(&second);
    assert_ne!(first, second);
    assert_eq!(opened_again, opened);
    let ends = client
        .seen
        .0
        .lock()
        .unwrap()
        .iter()
        .filter(|e| e.contains("Ended"))
        .count();
    assert_eq!(ends, 1);
    assert!(matches!(client.finished().await, Exit::ClientGone));
}

/// Calls of a child that was started again are checked by its own list, not by the list of the
/// child before it.
#[tokio::test]
async fn a_restarted_child_is_asked_for_its_tools() {
    // The second child requires `a`.
    let marker = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("restarted-{}", std::process::id()));
    let _absent = std::fs::remove_file(&marker);
    let script = format!(
        r#"
MARKER = {marker:?}
if os.path.exists(MARKER): TOOLS[0]["inputSchema"]["required"] = ["a"]
else: open(MARKER, "w").close()
for m, id, name, args in calls():
    if name == "die": os._exit(3)
    text(id, "ok")
"#
    );
    let mut client = Lined::start(restarting(python(&script)));
    client.open().await;
    let first = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&first), "ok");
    client.ask(&call(2, "die", json!({}))).await;
    let refused = client.ask(&call(3, "echo", json!({}))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(text_of(&refused).contains("`a`"), "{refused}");
    let second = client.ask(&call(4, "echo", json!({"a": 1}))).await;
    assert_eq!(text_of(&second), "ok");
    std::fs::remove_file(&marker).unwrap();
}

#[tokio::test]
async fn a_command_that_cannot_start_is_a_fault_and_no_hang() {
    let launch = toolsure_proxy::Launch::new("/no/such/server");
    let upstream = toolsure_proxy::guard::Upstream::Child {
        launch,
        restart: toolsure_proxy::guard::Restart::NEVER,
    };
    let client = Lined::start(upstream);
    assert!(matches!(client.finished().await, Exit::Failed(fault) if fault.help().is_some()));
}

#[tokio::test]
async fn stop_answers_every_accepted_call_first() {
    let script = r#"
waiting = []
for m, id, name, args in calls():
    waiting.append(id)
    if len(waiting) == 20:
        raw('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"all here"}}\n')
        for id in waiting: text(id, "late")
"#;
    let mut client = Lined::start(python(script));
    client.open().await;
    for id in 1..=19 {
        client.send(&call(id, "hang", json!({}))).await;
    }
    client
        .send(&json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}))
        .await;
    assert_eq!(client.next().await["id"], "p");
    client.running.stop();
    client.running.stop();
    // A call after the stop is refused; the child must not get it as its twentieth.
    let refused = client.ask(&call(20, "echo", json!({}))).await;
    assert_eq!(refused["id"], 20);
    assert!(refused["error"].is_object(), "{refused}");
    let mut ids = Vec::new();
    while let Some(line) = client.line().await {
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert!(answer["error"].is_object(), "{answer}");
        ids.push(answer["id"].as_i64().unwrap());
    }
    ids.sort_unstable();
    assert_eq!(ids, (1..=19).collect::<Vec<_>>());
    assert!(matches!(client.finished().await, Exit::Stopped));
}

#[tokio::test]
async fn a_message_over_the_bound_is_answered_by_its_id_and_the_next_goes_through() {
    let mut options = options(Listener::Stdio, python(ECHO));
    options.bounds.message_bytes = 1_000;
    let mut policy = policy();
    policy.limits.message_bytes = 1_000;
    let mut client = Lined::with(options, policy);
    client.open().await;
    let big = "x".repeat(300_000);
    let answer = client.ask(&call("big", "echo", json!({"a": big}))).await;
    assert_eq!(answer["id"], "big", "{answer}");
    assert!(answer["error"].is_object(), "{answer}");
    let answer = client.ask(&call(2, "echo", json!({"a": 2}))).await;
    assert_eq!(text_of(&answer), r#"{"a": 2}"#);
}

#[tokio::test]
async fn a_slow_reader_holds_up_itself_and_loses_nothing() {
    // The answers are more than all pipes in between hold.
    let script = r#"
for m, id, name, args in calls():
    text(id, "x" * 100000)
"#;
    let mut client = Lined::start(python(script));
    client.open().await;
    for id in 1..=20 {
        client.send(&call(id, "big", json!({}))).await;
    }
    for id in 1..=20 {
        let answer = client.next().await;
        assert_eq!(
            (answer["id"].as_i64(), text_of(&answer).len()),
            (Some(id), 100_000)
        );
    }
}

#[tokio::test]
async fn noise_is_kept_out_and_deep_text_is_answered() {
    let script = r#"
for m, id, name, args in calls():
    raw("Starting up...\n\n")
    text(id, "ok")
"#;
    let mut client = Lined::start(python(script));
    client.open().await;
    let answer = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&answer), "ok");
    let deep = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"echo","arguments":{{"a":{}{}}}}}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    client.write(&deep).await;
    let answer = client.next().await;
    assert_eq!(answer["id"], 2, "{answer}");
    let answer = client.ask(&call(3, "echo", json!({}))).await;
    assert_eq!((text_of(&answer), &answer["id"]), ("ok", &json!(3)));
}

#[tokio::test]
async fn ten_thousand_calls_at_once_are_all_answered() {
    let mut policy = policy();
    policy.limits.pending = 20_000;
    let mut client = Lined::with(options(Listener::Stdio, python(ECHO)), policy);
    client.open().await;
    // Once the list is known, no call has to wait for it (`limits.parked`).
    let first = client.ask(&call(10_000, "echo", json!({"n": 1}))).await;
    assert_eq!(text_of(&first), r#"{"n": 1}"#);
    let to = client.to.take().unwrap();
    let writing = tokio::spawn(async move {
        use tokio::io::AsyncWriteExt;
        let mut to = to;
        for id in 0..10_000 {
            let line = format!("{}\n", call(id, "echo", json!({"n": id})));
            to.write_all(line.as_bytes()).await.unwrap();
        }
        to
    });
    let mut seen = std::collections::HashSet::new();
    for _ in 0..10_000 {
        let answer = client.next().await;
        let id = answer["id"].as_i64().unwrap();
        assert_eq!(text_of(&answer), format!(r#"{{"n": {id}}}"#), "{answer}");
        assert!(seen.insert(id));
    }
    client.to = Some(writing.await.unwrap());
    assert!(matches!(client.finished().await, Exit::ClientGone));
}

#[tokio::test]
async fn calls_to_a_child_that_reads_nothing_are_answered_in_time() {
    let script = r#"
for m, id, name, args in calls():
    if name == "hang":
        while True: time.sleep(60)
    text(id, "heard")
"#;
    let mut policy = policy();
    policy.request_timeout = Some(Duration::from_secs(2));
    let mut client = Lined::with(options(Listener::Stdio, python(script)), policy);
    client.open().await;
    let heard = client.ask(&call("first", "echo", json!({}))).await;
    assert_eq!(text_of(&heard), "heard");
    client.send(&call("deaf", "hang", json!({}))).await;
    // More than the pipe to the child holds; later calls stay with the client.
    let big = "x".repeat(50_000);
    for id in 0..2 {
        client.send(&call(id, "echo", json!({"big": big}))).await;
    }
    for _ in 0..3 {
        let lost = client.next().await;
        let text = lost["error"]["message"].as_str().unwrap();
        assert!(!text.is_empty(), "{lost}");
    }
}

#[tokio::test]
async fn calls_that_find_no_place_to_wait_for_the_listing_are_left_with_the_client() {
    // The server sends the listing only after `notifications/go`.
    let script = r#"
held = None
while True:
    m = read()
    if m is None: break
    if m.get("method") == "tools/list": held = m
    elif m.get("method") == "notifications/go": known(held)
    elif not known(m): text(m["id"], "ok")
"#;
    let mut policy = policy();
    policy.limits.parked = 3;
    let mut client = Lined::with(options(Listener::Stdio, python(script)), policy);
    client.open().await;
    client.send(&call(0, "echo", json!({}))).await;
    client.send(&call(1, "echo", json!({}))).await;
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/go"}))
        .await;
    for id in 2..40 {
        client.send(&call(id, "echo", json!({}))).await;
    }
    for id in 0..40 {
        let told = client.next().await;
        assert_eq!((text_of(&told), &told["id"]), ("ok", &json!(id)), "{told}");
    }
}
