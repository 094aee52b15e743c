//! An upstream in this process: one peer for a client on stdio, one for each legacy session, one
//! for each authorization of modern clients.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use toolsure_proxy::Fault;
use toolsure_proxy::guard::{
    Caller, Exit, InProcessPeer, InProcessUpstream, Upstream, message_channel,
};

use crate::common::{Lined, MODERN, PATIENCE, Served, call, initialize, modern, policy, text_of};

/// Peers that answer with their number and their caller: `echo` answers at once, `hang` never,
/// `die` ends the peer, and after `deaf` it reads nothing.
#[derive(Debug)]
pub(crate) struct Peers {
    opened: AtomicUsize,
    /// The peers that have ended, in order.
    ended: watch::Sender<Vec<usize>>,
    callers: Mutex<Vec<Caller>>,
}

impl Peers {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            opened: AtomicUsize::new(0),
            ended: watch::Sender::new(Vec::new()),
            callers: Mutex::default(),
        })
    }

    pub(crate) fn upstream(self: &Arc<Self>) -> Upstream {
        Upstream::InProcess(Arc::new(Door(Arc::clone(self))))
    }

    fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    async fn until_ended(&self, which: usize) {
        let mut ended = self.ended.subscribe();
        let waiting = ended.wait_for(|ended| ended.contains(&which));
        let waited = tokio::time::timeout(PATIENCE, waiting).await;
        waited.expect("the peer did not end").unwrap();
    }
}

#[derive(Debug)]
struct Door(Arc<Peers>);

impl InProcessUpstream for Door {
    fn open(&self, caller: &Caller) -> Result<InProcessPeer, Fault> {
        let number = self.0.opened.fetch_add(1, Ordering::SeqCst);
        self.0.callers.lock().unwrap().push(caller.clone());
        let (to, mut input) = message_channel();
        let (output, from) = message_channel();
        let peers = Arc::clone(&self.0);
        let caller = caller.clone();
        let task = tokio::spawn(async move {
            let output = output;
            while let Some(message) = input.next().await {
                let message: Value = serde_json::from_slice(message.bytes()).unwrap();
                if message["params"]["name"] == "die" {
                    break;
                }
                if message["params"]["name"] == "deaf" {
                    std::future::pending::<()>().await;
                }
                if let Some(answer) = answer(&message, number, &caller) {
                    output.push(answer.to_string().into_bytes());
                    output.flush().await.unwrap();
                }
            }
            peers.ended.send_modify(|ended| ended.push(number));
        });
        let ended = async move {
            task.await.unwrap();
            "was closed".to_owned()
        };
        Ok(InProcessPeer {
            name: "peer".to_owned(),
            from,
            to,
            ended: Box::pin(ended),
        })
    }
}

fn answer(message: &Value, number: usize, caller: &Caller) -> Option<Value> {
    let id = message.get("id")?;
    let result = match message["method"].as_str().unwrap() {
        "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
            "serverInfo": {"name": "peer", "version": "1"}}),
        "tools/list" => {
            let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
            json!({"tools": [tool("echo"), tool("hang"), tool("die"), tool("deaf")],
                "resultType": "complete", "ttlMs": 60000, "cacheScope": "private"})
        }
        "tools/call" if message["params"]["name"] == "hang" => {
            let token = message["params"]["_meta"].get("progressToken")?;
            return Some(json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": token, "progress": 1}}));
        }
        "tools/call" => {
            let by = caller.authorization().unwrap_or_default();
            json!({"content": [{"type": "text", "text": format!("{number} {by}")}],
                "resultType": "complete"})
        }
        _ => json!({}),
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// Sends a modern call with an authorization.
async fn ask(served: &Served, id: i64, authorization: Option<&str>) -> Value {
    let mut headers = vec![
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
    ];
    headers.extend(authorization.map(|value| ("Authorization", value)));
    let message = modern(call(id, "echo", json!({})));
    served.post(&headers, &message).await.message()
}

#[tokio::test]
async fn a_client_of_lines_has_one_and_takes_it_along() {
    let peers = Peers::new();
    let mut client = Lined::start(peers.upstream());
    client.open().await;
    let answer = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&answer), "0 ");
    assert!(matches!(client.finished().await, Exit::ClientGone));
    peers.until_ended(0).await;
    assert_eq!(peers.opened(), 1);
}

#[tokio::test]
async fn one_that_ends_answers_its_calls_and_the_guard_ends_with_it() {
    let peers = Peers::new();
    let mut client = Lined::start(peers.upstream());
    client.open().await;
    client.send(&call(1, "hang", json!({}))).await;
    client.send(&call(2, "die", json!({}))).await;
    for id in [1, 2] {
        let lost = client.next().await;
        assert_eq!(lost["id"], id);
        let text = lost["error"]["message"].as_str().unwrap();
        assert!(text.contains("`peer` was closed"), "{lost}");
    }
    let exit = client.finished().await;
    assert!(
        matches!(&exit, Exit::UpstreamGone(how) if how.contains("`peer`")),
        "{exit:?}"
    );
}

#[tokio::test]
async fn each_legacy_session_has_one_of_its_own_and_may_renew_its_authorization() {
    let peers = Peers::new();
    let served = Served::start(peers.upstream()).await;
    let (one, two) = (served.open().await, served.open().await);
    let echo = call(1, "echo", json!({}));
    let first = served.in_session(&one, &echo).await.message();
    let other = served.in_session(&two, &echo).await.message();
    assert_eq!((text_of(&first), text_of(&other)), ("0 ", "1 "));
    let headers = [("Mcp-Session-Id", &*one), ("Authorization", "Bearer new")];
    let renewed = served.post(&headers, &echo).await.message();
    assert_eq!(text_of(&renewed), "0 Bearer new");
    let gone = [("Mcp-Session-Id", &*one)];
    assert_eq!(served.request("DELETE", &gone, "").await.status, 204);
    peers.until_ended(0).await;
    let alive = served.in_session(&two, &echo).await;
    assert_eq!(text_of(&alive.message()), "1 ");
    assert!(matches!(served.stop().await, Exit::Stopped));
    assert_eq!(*peers.ended.borrow(), [0, 1]);
    assert!(!format!("{:?}", peers.callers).contains("new"));
}

#[tokio::test]
async fn modern_clients_share_one_under_one_authorization_and_never_under_two() {
    let peers = Peers::new();
    let served = Served::start(peers.upstream()).await;
    let (a, b) = (Some("Bearer a"), Some("Bearer b"));
    let mut told = Vec::new();
    for authorization in [a, b, None, a, None, b] {
        told.push(text_of(&ask(&served, 1, authorization).await).to_owned());
    }
    let expected = [
        "0 Bearer a",
        "1 Bearer b",
        "2 ",
        "0 Bearer a",
        "2 ",
        "1 Bearer b",
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_shared_one_that_ends_is_opened_again() {
    let peers = Peers::new();
    let served = Served::start(peers.upstream()).await;
    let die = modern(call(1, "die", json!({})));
    let lost = served.modern(&die).await.message();
    let text = lost["error"]["message"].as_str().unwrap();
    assert!(text.contains("`peer` was closed"), "{lost}");
    assert_eq!(text_of(&ask(&served, 2, None).await), "1 ");
}

#[tokio::test]
async fn shared_ones_are_bounded_and_the_idle_ones_make_room() {
    let peers = Peers::new();
    let served = Served::with(peers.upstream(), policy(), |options| {
        options.bounds.children = 2;
    })
    .await;
    ask(&served, 1, Some("Bearer a")).await;
    let session = served.open().await;
    // The peer of a session is never evicted; the unused peer of `a` is.
    assert_eq!(
        text_of(&ask(&served, 2, Some("Bearer b")).await),
        "2 Bearer b"
    );
    peers.until_ended(0).await;
    let full = served.post(&[], &initialize(1)).await;
    assert_eq!(full.status, 503);
    assert_eq!(
        text_of(&ask(&served, 3, Some("Bearer a")).await),
        "3 Bearer a"
    );
    peers.until_ended(2).await;
    let alive = served
        .in_session(&session, &call(1, "echo", json!({})))
        .await;
    assert_eq!(text_of(&alive.message()), "1 ");
    // A peer in use is not evicted: a client with another authorization gets an error.
    let mut hang = call(1, "hang", json!({}));
    hang["params"]["_meta"] = json!({"progressToken": 1});
    let headers = [
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "hang"),
        ("Authorization", "Bearer a"),
    ];
    let mut open = served
        .begin("POST", &headers, &modern(hang).to_string())
        .await;
    open.until("notifications/progress").await;
    let answer = ask(&served, 4, Some("Bearer c")).await;
    assert_eq!(answer["error"]["message"], "too many children");
}

#[tokio::test]
async fn the_only_place_goes_from_one_authorization_to_the_next() {
    let peers = Peers::new();
    let served = Served::with(peers.upstream(), policy(), |options| {
        options.bounds.children = 1;
    })
    .await;
    for (number, by) in ["Bearer a", "Bearer b", "Bearer a"].into_iter().enumerate() {
        let told = ask(&served, 1, Some(by)).await;
        assert_eq!(text_of(&told), format!("{number} {by}"));
    }
    peers.until_ended(1).await;
}

#[tokio::test]
async fn idle_ones_are_ended() {
    let peers = Peers::new();
    let served = Served::with(peers.upstream(), policy(), |options| {
        options.times.idle = Duration::from_millis(200);
    })
    .await;
    ask(&served, 1, Some("Bearer a")).await;
    peers.until_ended(0).await;
    assert_eq!(
        text_of(&ask(&served, 2, Some("Bearer a")).await),
        "1 Bearer a"
    );
}
