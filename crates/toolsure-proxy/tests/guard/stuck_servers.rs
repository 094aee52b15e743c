//! Programs that do not end, that do not read, and that close their input, behind clients over HTTP.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolsure_proxy::guard::{GuardOptions, Upstream};

use crate::aggregate::of;
use crate::common::{Lined, PATIENCE, Reply, Served, call, modern, policy, python, text_of};

/// Goes on after the end of its input.
const STAYS: &str = r#"
for m, id, name, args in calls(): text(id, str(os.getpid()), **MORE)
while True: time.sleep(60)
"#;

/// Reads nothing after a call of `hang`.
const DEAF: &str = r#"
for m, id, name, args in calls():
    if name == "hang":
        send({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": m["params"]["_meta"]["progressToken"], "progress": 1}})
        while True: time.sleep(60)
    text(id, "heard", **MORE)
"#;

/// Closes its input before it answers `hang`, or after it has answered `note` and got another message, and
/// goes on.
const CLOSES: &str = r#"
import select
for m, id, name, args in calls():
    if name == "hang": os.close(0)
    text(id, "heard", **MORE)
    if name == "note":
        select.select([0], [], [])
        os.close(0)
    if name != "echo": time.sleep(600)
"#;

fn one_child(options: &mut GuardOptions) {
    options.bounds.children = 1;
    options.times.grace = Duration::from_millis(200);
    options.times.drain = Duration::from_millis(200);
}

/// A guard whose servers may leave little unread.
async fn with_little_unread(upstream: Upstream) -> Served {
    let mut policy = policy();
    policy.limits.parked_bytes = 10_000;
    Served::with(upstream, policy, |options| {
        options.bounds.message_bytes = 100_000;
    })
    .await
}

fn runs(process: &str) -> bool {
    std::path::Path::new(&format!("/proc/{process}")).exists()
}

/// Opens a session as soon as a program may be started for it.
async fn open_soon(served: &Served) -> String {
    let begun = Instant::now();
    loop {
        let opened = served.post(&[], &crate::common::initialize(0)).await;
        if opened.status == 200 {
            return opened.header("mcp-session-id").unwrap().to_owned();
        }
        assert!(begun.elapsed() < PATIENCE, "{opened:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn delete(served: &Served, session: &str) -> Reply {
    let headers = [("Mcp-Session-Id", session)];
    served.request("DELETE", &headers, "").await
}

#[tokio::test]
async fn a_program_that_stays_after_its_session_is_ended_and_another_may_start() {
    let served = Served::with(python(STAYS), policy(), one_child).await;
    let session = open_soon(&served).await;
    let echo = call(1, "echo", json!({}));
    let told = served.in_session(&session, &echo).await.message();
    let process = text_of(&told).to_owned();
    assert!(runs(&process), "{told}");
    let begun = Instant::now();
    assert_eq!(delete(&served, &session).await.status, 204);
    let next = open_soon(&served).await;
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(!runs(&process));
    let told = served.in_session(&next, &echo).await.message();
    assert_ne!(text_of(&told), process);
}

#[tokio::test]
async fn a_program_that_reads_nothing_is_ended_with_its_session() {
    let served = Served::with(python(DEAF), policy(), one_child).await;
    let session = open_soon(&served).await;
    let echo = call(1, "echo", json!({}));
    let told = served.in_session(&session, &echo).await.message();
    assert_eq!(text_of(&told), "heard");
    let headers = [("Mcp-Session-Id", session.as_str())];
    let mut left = served.begin("POST", &headers, &hang().to_string()).await;
    left.until("notifications/progress").await;
    // More than the pipe holds.
    for _ in 0..4 {
        let note = notification(50_000);
        assert_eq!(served.in_session(&session, &note).await.status, 202);
    }
    assert_eq!(delete(&served, &session).await.status, 204);
    open_soon(&served).await;
}

/// A call that the program never answers.
fn hang() -> Value {
    let mut hang = call(2, "hang", json!({}));
    hang["params"]["_meta"] = json!({"progressToken": "t"});
    hang
}

fn notification(bytes: usize) -> Value {
    let params = json!({"_meta": {"more": "x".repeat(bytes)}});
    json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed", "params": params})
}

#[tokio::test]
async fn what_waits_for_a_program_that_reads_nothing_is_limited() {
    let merged = of(vec![("a", python(DEAF))]);
    for (upstream, prefix) in [(python(DEAF), ""), (merged, "a_")] {
        let served = with_little_unread(upstream).await;
        let session = served.open().await;
        let echo = call(1, &format!("{prefix}echo"), json!({}));
        let told = served.in_session(&session, &echo).await.message();
        assert_eq!(text_of(&told), "heard");
        let headers = [("Mcp-Session-Id", session.as_str())];
        let mut hang = hang();
        hang["params"]["name"] = json!(format!("{prefix}hang"));
        let mut left = served.begin("POST", &headers, &hang.to_string()).await;
        left.until("notifications/progress").await;
        for _ in 0..10 {
            let note = notification(50_000);
            assert_eq!(served.in_session(&session, &note).await.status, 202);
        }
        let begun = Instant::now();
        let refused = served.in_session(&session, &echo).await.message();
        let why = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(why.contains("does not read"), "{refused}");
        assert!(begun.elapsed() < Duration::from_secs(10));
        let seen = served.seen.0.lock().unwrap();
        let dropped = seen.iter().filter(|event| event.contains("does not read"));
        assert!(dropped.count() >= 1, "{seen:?}");
    }
}

#[tokio::test]
async fn what_waits_for_a_shared_program_that_reads_nothing_is_limited() {
    let served = with_little_unread(python(DEAF)).await;
    let told = served.modern(&modern(call(1, "echo", json!({})))).await;
    assert_eq!(text_of(&told.message()), "heard");
    let mut first = served.modern_begin(&modern(hang())).await;
    first.until("notifications/progress").await;
    let mut left = Vec::new();
    let big = "x".repeat(50_000);
    for id in 0..10 {
        let big = modern(call(id, "echo", json!({"big": big})));
        left.push(served.modern_begin(&big).await);
    }
    let begun = Instant::now();
    let more = modern(call(3, "echo", json!({"big": big})));
    let refused = served.modern(&more).await.message();
    let why = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(why.contains("does not read"), "{refused}");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn a_program_that_closes_its_input_and_goes_on_is_given_up() {
    let begun = Instant::now();
    // Not every system tells what nobody has read.
    let closing: &[&str] = match cfg!(target_os = "linux") {
        true => &["hang", "note"],
        false => &["hang"],
    };
    for closes in closing {
        let closes = call(1, closes, json!({}));
        let echo = call(2, "echo", json!({}));
        let served = Served::start(python(CLOSES)).await;
        let session = served.open().await;
        let told = served.in_session(&session, &closes).await;
        assert_eq!(text_of(&told.message()), "heard");
        let lost = served.in_session(&session, &echo).await;
        assert!(lost.message()["error"].is_object(), "{lost:?}");

        let mut client = Lined::start(python(CLOSES));
        client.open().await;
        let told = client.ask(&closes).await;
        assert_eq!(text_of(&told), "heard");
        let lost = client.ask(&echo).await;
        assert!(lost["error"].is_object(), "{lost}");
    }
    // Much earlier than the timeout of a call.
    assert!(begun.elapsed() < Duration::from_secs(18));
}
