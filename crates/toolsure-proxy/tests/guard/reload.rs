//! A reload of the policy: clients are notified that their tools have changed.

use std::time::Duration;

use serde_json::{Value, json};
use toolsure_guard::Guard;
use toolsure_guard::policy::ToolRule;
use toolsure_proxy::guard::Listener;

use crate::common::{Lined, Served, modern, options, policy, python, remote};

/// Answers, and acknowledges subscriptions (2026-07-28).
const SERVER: &str = r#"
while True:
    m = read()
    if m is None: break
    if m.get("method") == "subscriptions/listen":
        send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {
            "_meta": {"io.modelcontextprotocol/subscriptionId": m["id"]}, "notifications": m["params"]["notifications"]}})
    elif not known(m):
        text(m["id"], "heard", **MORE)
"#;

const CHANGED: &str = "notifications/tools/list_changed";

/// Hides a tool of the server, or shows it again.
fn hide(guard: &Guard, hidden: bool) {
    let mut rule = ToolRule::new("note");
    rule.hidden = Some(hidden);
    let mut policy = policy();
    policy.tools = vec![rule];
    guard.replace(policy).unwrap();
}

fn list(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}})
}

fn shows(listing: &Value) -> bool {
    listing["result"]["tools"].to_string().contains("\"note\"")
}

/// A guard in front of a process, and one in front of that guard's URL.
async fn over_http() -> [Served; 2] {
    let of_process = Served::with(python(SERVER), policy(), |_| {}).await;
    let url = format!("http://127.0.0.1:{}/mcp", of_process.port);
    let of_url = Served::with(remote(&url), policy(), |_| {}).await;
    [of_url, of_process]
}

#[tokio::test]
async fn a_client_on_stdio_is_notified_of_a_reload() {
    let mut client = Lined::with(options(Listener::Stdio, python(SERVER)), policy());
    client.open().await;
    for hidden in [true, false] {
        hide(&client.guard, hidden);
        assert_eq!(
            client.next().await,
            json!({"jsonrpc": "2.0", "method": CHANGED})
        );
        assert_eq!(shows(&client.ask(&list(1)).await), !hidden);
    }
    // The same settings again change nothing: the next line is the answer.
    hide(&client.guard, false);
    assert!(shows(&client.ask(&list(2)).await));
}

#[tokio::test]
async fn sessions_over_http_are_notified_of_a_reload_on_their_streams() {
    for served in &over_http().await {
        let session = served.open().await;
        let mut listening = served.listen(&session).await;
        // Another session listens on no stream, which is nothing to note.
        served.open().await;
        hide(&served.guard, true);
        listening.until(CHANGED).await;
        let listing = served.in_session(&session, &list(1)).await.message();
        assert!(!shows(&listing), "{listing}");
        let seen = served.seen.0.lock().unwrap().join("\n");
        assert!(!seen.contains("undeliverable"), "{seen}");
    }
}

#[tokio::test]
async fn subscriptions_are_notified_of_a_reload() {
    for served in &over_http().await {
        let listen = |id: &str, kind: &str| {
            let notifications = json!({kind: true});
            modern(
                json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen",
                "params": {"notifications": notifications}}),
            )
        };
        let mut tools = served.modern_begin(&listen("t", "toolsListChanged")).await;
        tools.until("acknowledged").await;
        let mut prompts = served
            .modern_begin(&listen("p", "promptsListChanged"))
            .await;
        prompts.until("acknowledged").await;
        hide(&served.guard, true);
        let told = tools.until(CHANGED).await;
        assert!(told.contains(r#"subscriptionId":"t""#), "{told}");
    }
}

/// A guard that ends waits for calls, and not for subscriptions.
#[tokio::test]
async fn a_subscription_ends_with_the_guard() {
    let served = Served::with(python(SERVER), policy(), |options| {
        options.times.drain = Duration::from_secs(3600);
    })
    .await;
    let listen = modern(
        json!({"jsonrpc": "2.0", "id": "t", "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": true}}}),
    );
    let mut stream = served.modern_begin(&listen).await;
    stream.until("acknowledged").await;
    served.stop().await;
    let messages = stream.rest_of_stream().await;
    let result = json!({"resultType": "complete",
        "_meta": {"io.modelcontextprotocol/subscriptionId": "t"}});
    let expected = json!({"jsonrpc": "2.0", "id": "t", "result": result});
    assert_eq!(messages, [expected]);
}
