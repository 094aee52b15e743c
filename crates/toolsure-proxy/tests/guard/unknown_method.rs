//! Servers that do not survive a client's `server/discover`: the guard starts them again, and the
//! client opens them with `initialize`.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::{Lined, Served, call, initialize, modern, policy, python, text_of};

fn discover(id: i64) -> Value {
    modern(json!({"jsonrpc": "2.0", "id": id, "method": "server/discover"}))
}

/// A server that answers calls, unless its first request is `server/discover`: then it does this.
fn server(at_the_probe: &str) -> String {
    format!(
        r#"
first = read()
if first and first["method"] == "server/discover":
    {at_the_probe}
if first: known(first)
for m, id, name, args in calls():
    text(id, str(os.getpid()))
"#
    )
}

/// The server ends before the client has sent anything else.
#[tokio::test]
async fn a_server_that_dies_of_the_probe_is_one_that_does_not_know_it() {
    for end in ["sys.exit(1)", "os.kill(os.getpid(), 9)"] {
        let mut client = Lined::start(python(&server(end)));
        let refused = client.ask(&discover(1)).await;
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!(1), &json!(-32601)),
            "{refused}"
        );
        client.open().await;
        let answer = client.ask(&call(2, "echo", json!({}))).await;
        assert!(text_of(&answer).parse::<u32>().is_ok(), "{answer}");
    }
}

/// The server ends when it gets `initialize`, which the client has not to send again.
#[tokio::test]
async fn initialize_is_sent_again_to_a_server_that_dies_at_the_next_line() {
    for end in [
        "read(); sys.exit(1)",
        "read(); time.sleep(0.5); sys.exit(1)",
        "os.close(1); time.sleep(60)",
    ] {
        let mut client = Lined::start(python(&server(end)));
        client.send(&discover(1)).await;
        // As a client that waits no longer.
        tokio::time::sleep(Duration::from_millis(200)).await;
        client.send(&initialize(2)).await;
        let mut answers = [client.next().await, client.next().await];
        answers.sort_by_key(|answer| answer["id"].as_i64());
        let [refused, opened] = answers;
        assert_eq!(refused["error"]["code"], -32601, "{end}: {refused}");
        assert_eq!(
            opened["result"]["protocolVersion"], "2025-11-25",
            "{end}: {opened}"
        );
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        let answer = client.ask(&call(3, "echo", json!({}))).await;
        assert!(text_of(&answer).parse::<u32>().is_ok(), "{end}: {answer}");
    }
}

/// Only the probe is excused: a server that ends at something else is not started again.
#[tokio::test]
async fn an_end_after_the_probe_was_answered_is_final() {
    let dies = "known(first); known(read()); read(); sys.exit(1)";
    let mut client = Lined::start(python(&server(dies)));
    let known = client.ask(&discover(1)).await;
    assert!(known["result"].is_object(), "{known}");
    client.open().await;
    client.send(&call(2, "echo", json!({}))).await;
    let lost = client.next().await;
    assert!(lost["error"].is_object(), "{lost}");
    assert_eq!(client.line().await, None);
}

async fn over_http(at_the_probe: &str, discovery: Duration) -> Served {
    let upstream = python(&server(at_the_probe));
    Served::with(upstream, policy(), |options| {
        options.times.discovery = discovery;
    })
    .await
}

/// Modern clients over HTTP share a child, which gets their probes.
#[tokio::test]
async fn clients_over_http_learn_that_the_server_does_not_know_the_probe() {
    for (end, is_fast) in [
        ("sys.exit(1)", true),
        ("pass", false),
        ("time.sleep(60)", false),
        ("read(); sys.exit(1)", false),
    ] {
        // A server that ignores the probe answers nothing to it.
        let end = if end == "pass" { "first = None" } else { end };
        // Long for a server that dies, so that its end and not the time answers.
        let discovery = Duration::from_secs(if is_fast { 25 } else { 3 });
        let served = over_http(end, discovery).await;
        let start = Instant::now();
        let refused = served.modern(&discover(1)).await.message();
        assert_eq!(refused["error"]["code"], -32601, "{end}: {refused}");
        if !is_fast {
            assert!(start.elapsed() >= Duration::from_secs(3), "{end}");
            // The next client need not wait, and the server is left alone.
            let again = Instant::now();
            let refused = served.modern(&discover(2)).await.message();
            assert_eq!(refused["error"]["code"], -32601, "{end}: {refused}");
            assert!(again.elapsed() < Duration::from_secs(3), "{end}");
        }
        let session = served.open().await;
        let answer = served
            .in_session(&session, &call(1, "echo", json!({})))
            .await;
        assert!(
            text_of(&answer.message()).parse::<u32>().is_ok(),
            "{end}: {}",
            answer.message()
        );
    }
}

/// A server that knows the method, but needs longer than that for its first answer.
#[tokio::test]
async fn a_late_answer_to_the_probe_counts_for_the_next_client() {
    let served = over_http("time.sleep(4)", Duration::from_secs(1)).await;
    let refused = served.modern(&discover(1)).await.message();
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
    let mut known = refused;
    for id in 2..60 {
        tokio::time::sleep(Duration::from_millis(500)).await;
        known = served.modern(&discover(id)).await.message();
        if known["result"].is_object() {
            break;
        }
    }
    assert!(known["result"].is_object(), "{known}");
}
