//! Several servers, or a translator, in place of one server: one hub for a client on stdio, one for each
//! legacy session, one for each authorization of modern clients.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolsure_proxy::guard::{Exit, Upstream};

use crate::aggregate::of;
use crate::common::{
    Lined, MODERN, PATIENCE, Served, call, initialize, modern, policy, python, text_of,
};

/// Hubs with one process each, which answers with the number of its hub: `echo` answers at once, `hang`
/// never, and `die` ends the process.
pub(crate) struct Hubs {
    dir: PathBuf,
}

impl Hubs {
    pub(crate) fn new() -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::SeqCst);
        let name = format!("toolsure-hubs-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        let _from_an_earlier_run = std::fs::remove_dir_all(&dir);
        std::fs::create_dir(&dir).unwrap();
        Self { dir }
    }

    pub(crate) fn upstream(&self) -> Upstream {
        let script = format!("import atexit\ndir = {:?}\n{SCRIPT}", self.dir);
        of(vec![("p", python(&script))])
    }

    fn count(&self, word: &str) -> usize {
        let names = std::fs::read_dir(&self.dir).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name());
        let named = names.filter(|name| name.to_str().unwrap().starts_with(word));
        named.count()
    }

    fn opened(&self) -> usize {
        self.count("opened")
    }

    pub(crate) async fn until_ended(&self, which: usize) {
        let begun = Instant::now();
        while !self.dir.join(format!("ended-{which}")).exists() {
            assert!(begun.elapsed() < PATIENCE, "the process did not end");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for Hubs {
    fn drop(&mut self) {
        let _leave_it = std::fs::remove_dir_all(&self.dir);
    }
}

const SCRIPT: &str = r#"
number = 0
while True:
    try:
        open(f"{dir}/opened-{number}", "x").close()
        break
    except FileExistsError: number += 1
atexit.register(lambda: open(f"{dir}/ended-{number}", "w").close())
for m, id, name, args in calls():
    token = m["params"].get("_meta", {}).get("progressToken")
    if name == "die": sys.exit(3)
    if name == "hang":
        if token is not None: send({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 1}})
    else: text(id, str(number), **MORE)
"#;

/// Sends a modern call with an authorization.
async fn ask(served: &Served, id: i64, authorization: Option<&str>) -> Value {
    let mut headers = vec![
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "p_echo"),
    ];
    headers.extend(authorization.map(|value| ("Authorization", value)));
    let message = modern(call(id, "p_echo", json!({})));
    served.post(&headers, &message).await.message()
}

#[tokio::test]
async fn a_client_of_lines_has_one_and_takes_it_along() {
    let hubs = Hubs::new();
    let mut client = Lined::start(hubs.upstream());
    client.open().await;
    let answer = client.ask(&call(1, "p_echo", json!({}))).await;
    assert_eq!(text_of(&answer), "0");
    assert!(matches!(client.finished().await, Exit::ClientGone));
    hubs.until_ended(0).await;
    assert_eq!(hubs.opened(), 1);
}

#[tokio::test]
async fn each_legacy_session_has_one_of_its_own_and_may_renew_its_authorization() {
    let hubs = Hubs::new();
    let served = Served::start(hubs.upstream()).await;
    let (one, two) = (served.open().await, served.open().await);
    let echo = call(1, "p_echo", json!({}));
    let first = served.in_session(&one, &echo).await.message();
    let other = served.in_session(&two, &echo).await.message();
    assert_eq!((text_of(&first), text_of(&other)), ("0", "1"));
    let headers = [("Mcp-Session-Id", &*one), ("Authorization", "Bearer new")];
    let renewed = served.post(&headers, &echo).await.message();
    assert_eq!(text_of(&renewed), "0");
    let gone = [("Mcp-Session-Id", &*one)];
    assert_eq!(served.request("DELETE", &gone, "").await.status, 204);
    hubs.until_ended(0).await;
    let alive = served.in_session(&two, &echo).await;
    assert_eq!(text_of(&alive.message()), "1");
    assert!(matches!(served.stop().await, Exit::Stopped));
    hubs.until_ended(1).await;
}

#[tokio::test]
async fn modern_clients_share_one_under_one_authorization_and_never_under_two() {
    let hubs = Hubs::new();
    let served = Served::start(hubs.upstream()).await;
    let (a, b) = (Some("Bearer a"), Some("Bearer b"));
    let mut told = Vec::new();
    for authorization in [a, b, None, a, None, b] {
        told.push(text_of(&ask(&served, 1, authorization).await).to_owned());
    }
    assert_eq!(told, ["0", "1", "2", "0", "2", "1"]);
}

#[tokio::test]
async fn shared_ones_are_bounded_and_the_idle_ones_make_room() {
    let hubs = Hubs::new();
    let served = Served::with(hubs.upstream(), policy(), |options| {
        options.bounds.children = 2;
        options.bounds.caller_children = 2;
    })
    .await;
    ask(&served, 1, Some("Bearer a")).await;
    let session = served.open().await;
    // The peer of a session is never evicted; the unused peer of `a` is.
    assert_eq!(text_of(&ask(&served, 2, Some("Bearer b")).await), "2");
    hubs.until_ended(0).await;
    let full = served.post(&[], &initialize(1)).await;
    assert_eq!(full.status, 503);
    assert_eq!(text_of(&ask(&served, 3, Some("Bearer a")).await), "3");
    hubs.until_ended(2).await;
    let alive = served
        .in_session(&session, &call(1, "p_echo", json!({})))
        .await;
    assert_eq!(text_of(&alive.message()), "1");
    // A peer in use is not evicted: a client with another authorization gets an error.
    let mut hang = call(1, "p_hang", json!({}));
    hang["params"]["_meta"] = json!({"progressToken": 1});
    let headers = [
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "p_hang"),
        ("Authorization", "Bearer a"),
    ];
    let mut open = served
        .begin("POST", &headers, &modern(hang).to_string())
        .await;
    open.until("notifications/progress").await;
    let answer = ask(&served, 4, Some("Bearer c")).await;
    assert_eq!(
        answer["error"]["message"],
        "too many server processes are running (limits.children)"
    );
}

/// A request that got no peer leaves nothing behind that seems to make room for the next.
#[tokio::test]
async fn a_refused_request_leaves_no_place_behind() {
    let hubs = Hubs::new();
    let served = Served::with(hubs.upstream(), policy(), |options| {
        options.bounds.children = 2;
        options.bounds.caller_children = 2;
    })
    .await;
    let _session = served.open().await;
    let mut hang = call(1, "p_hang", json!({}));
    hang["params"]["_meta"] = json!({"progressToken": 1});
    let headers = [
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "p_hang"),
        ("Authorization", "Bearer a"),
    ];
    let mut open = served
        .begin("POST", &headers, &modern(hang).to_string())
        .await;
    open.until("notifications/progress").await;
    let refused = ask(&served, 2, Some("Bearer b")).await;
    assert!(refused["error"].is_object(), "{refused}");
    open.leave().await;
    // The peer has been used after the request that was refused.
    assert_eq!(text_of(&ask(&served, 3, Some("Bearer a")).await), "1");
    let begun = Instant::now();
    let answer = ask(&served, 4, Some("Bearer c")).await;
    assert!(begun.elapsed() < Duration::from_secs(5), "{answer}");
    assert_eq!(text_of(&answer), "2");
}

#[tokio::test]
async fn the_only_place_goes_from_one_authorization_to_the_next() {
    let hubs = Hubs::new();
    let served = Served::with(hubs.upstream(), policy(), |options| {
        options.bounds.children = 1;
    })
    .await;
    for (number, by) in ["Bearer a", "Bearer b", "Bearer a"].into_iter().enumerate() {
        let told = ask(&served, 1, Some(by)).await;
        assert_eq!(text_of(&told), number.to_string());
    }
    hubs.until_ended(1).await;
}

#[tokio::test]
async fn idle_ones_are_ended() {
    let hubs = Hubs::new();
    let served = Served::with(hubs.upstream(), policy(), |options| {
        options.times.idle = Duration::from_millis(200);
    })
    .await;
    ask(&served, 1, Some("Bearer a")).await;
    hubs.until_ended(0).await;
    assert_eq!(text_of(&ask(&served, 2, Some("Bearer a")).await), "1");
}
