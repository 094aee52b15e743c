//! Callers that are not let in, and what one caller may take of what all share.

use std::time::Duration;

use serde_json::{Value, json};
use toolsure_guard::policy::{AllowList, CallerRule};
use toolsure_guard::{Digest, Policy};
use toolsure_proxy::guard::{
    Authentication, Authenticator, Bounds, GuardOptions, Listener, Upstream,
};

use crate::aggregate::{aggregate, member, short};
use crate::common::{
    MODERN, Reply, Served, call, initialize, modern, policy, python, remote, text_of,
};
use crate::hubs::Hubs;
use crate::web::{JSON, Web, respond};

const ECHO: &str = r#"
for m, id, name, args in calls():
    text(id, "ok", **(MORE if "_meta" in m["params"] else {}))
"#;

/// Callers `ann`, `bob` and `eve` authenticate with tokens of their names.
pub(crate) fn tokens(options: &mut GuardOptions) {
    let mut authentication = Authentication::default();
    for name in ["ann", "bob", "eve"] {
        let digest = Digest::of_bytes(name.as_bytes()).to_string();
        authentication.tokens.push((name.to_owned(), digest));
    }
    if let Listener::Http(http) = &mut options.listener {
        http.authenticator = Some(Authenticator::new(&authentication).unwrap());
    }
}

/// Rules for `ann` and `bob`.
fn rules() -> Vec<std::sync::Arc<CallerRule>> {
    let rule = |name: &str| {
        let mut rule = CallerRule::new(name);
        rule.token = Some(name.to_owned());
        rule.tools = Some(AllowList::new(["*"]).unwrap());
        rule.into()
    };
    vec![rule("ann"), rule("bob")]
}

async fn open(served: &Served, token: &str) -> Reply {
    let authorization = format!("Bearer {token}");
    let headers = [("Authorization", authorization.as_str())];
    served.post(&headers, &initialize(7)).await
}

async fn ask(served: &Served, token: &str, tool: &str) -> Reply {
    let authorization = format!("Bearer {token}");
    let headers = [
        ("Authorization", authorization.as_str()),
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    let asked = modern(call(1, tool, json!({})));
    served.post(&headers, &asked).await
}

fn session(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.header("mcp-session-id").unwrap().to_owned()
}

fn message(reply: &Reply) -> String {
    reply.message()["error"]["message"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

/// A server over HTTP that opens any number of sessions.
fn sessions() -> Web {
    let number = std::sync::atomic::AtomicU64::new(0);
    Web::start(move |request, stream| {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let opened = r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"web","version":"1"}}"#;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{opened}}}"#,
            request.id()
        );
        let headers = format!("{JSON}Mcp-Session-Id: s-{number}\r\n");
        respond(stream, "200 OK", &headers, &body);
    })
}

/// The same; it reads no resource.
fn sessions_that_wait() -> Web {
    let number = std::sync::atomic::AtomicU64::new(0);
    Web::start(move |request, stream| {
        if request.rpc() == "resources/read" {
            std::thread::sleep(Duration::from_secs(5));
            return;
        }
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let opened = r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"web","version":"1"}}"#;
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{opened}}}"#,
            request.id()
        );
        let headers = format!("{JSON}Mcp-Session-Id: s-{number}\r\n");
        respond(stream, "200 OK", &headers, &body);
    })
}

async fn refuses_eve(served: &Served, tool: &str) {
    for (method, version) in [
        ("POST", "2025-11-25"),
        ("GET", "2025-11-25"),
        ("DELETE", MODERN),
    ] {
        let headers = [
            ("Authorization", "Bearer eve"),
            ("MCP-Protocol-Version", version),
        ];
        let body = initialize(1).to_string();
        let reply = served.request(method, &headers, &body).await;
        assert_eq!(reply.status, 403, "{method} {reply:?}");
    }
    let reply = ask(served, "eve", tool).await;
    assert_eq!(reply.status, 403);
    assert!(
        message(&reply).contains("no rule lets it use anything"),
        "{reply:?}"
    );
    assert_eq!(reply.header("www-authenticate"), None);
    {
        let events = served.seen.0.lock().unwrap();
        let began = events
            .iter()
            .filter(|event| event.contains("Started") || event.contains("SessionOpened"));
        assert_eq!(began.count(), 0, "{events:?}");
        let records = served.seen.1.lock().unwrap();
        assert_eq!(records.len(), 4);
        for record in records.iter() {
            assert_eq!(record["code"], "caller-not-allowed");
            assert_eq!(record["caller"], "token:eve");
            assert_eq!(record["action"], "refused");
        }
    }
    let session = session(&open(served, "ann").await);
    let own = [
        ("Mcp-Session-Id", session.as_str()),
        ("Authorization", "Bearer ann"),
    ];
    let reply = served.post(&own, &call(1, tool, json!({}))).await;
    assert_eq!(text_of(&reply.message()), "ok", "{reply:?}");
    let reply = ask(served, "ann", tool).await;
    assert_eq!(text_of(&reply.message()), "ok", "{reply:?}");
}

#[tokio::test]
async fn a_caller_that_no_rule_is_for_starts_nothing() {
    let mut own = policy();
    own.callers = rules();
    let served = Served::with(python(ECHO), own, tokens).await;
    refuses_eve(&served, "echo").await;
}

#[tokio::test]
async fn nor_does_it_behind_an_aggregate() {
    let mut own = policy();
    own.callers = rules();
    let (one, _) = member("a", python(ECHO), own);
    let upstream: Upstream = aggregate(vec![one], Bounds::default(), short());
    let mut front: Policy = policy().without_filters();
    front.admission = rules();
    let served = Served::with(upstream, front, tokens).await;
    refuses_eve(&served, "a_echo").await;
    // What no server behind it gets is recorded too, with who asked for what.
    ask(&served, "ann", "nope").await;
    let unknown = call(2, "b_nope", json!({}));
    let session = session(&open(&served, "bob").await);
    let own = [
        ("Mcp-Session-Id", session.as_str()),
        ("Authorization", "Bearer bob"),
    ];
    served.post(&own, &unknown).await;
    let vendor = json!({"jsonrpc": "2.0", "id": 3, "method": "vendor/x"});
    served.post(&own, &vendor).await;
    let records = served.seen.1.lock().unwrap();
    let refused = records.iter().skip(4);
    let refused: Vec<[&Value; 4]> = refused
        .map(|it| [&it["code"], &it["caller"], &it["tool"], &it["method"]])
        .collect();
    let expected = [
        json!(["tool-unknown", "token:ann", "nope", "tools/call"]),
        json!(["tool-unknown", "token:bob", "b_nope", "tools/call"]),
        json!(["method-unknown", "token:bob", null, "vendor/x"]),
    ];
    assert_eq!(json!(refused), json!(expected));
}

/// Half of the processes are for others, and the text names the setting.
#[tokio::test]
async fn one_caller_leaves_processes_for_others() {
    let served = Served::with(python(ECHO), policy(), |options| {
        options.bounds.children = 4;
        tokens(options);
    })
    .await;
    let first = session(&open(&served, "eve").await);
    session(&open(&served, "eve").await);
    for _ in 0..3 {
        let full = open(&served, "eve").await;
        assert_eq!((full.status, full.header("retry-after")), (429, Some("1")));
        assert!(
            message(&full).contains("limits.caller_children"),
            "{full:?}"
        );
        assert_eq!(full.message()["id"], 7);
    }
    session(&open(&served, "ann").await);
    session(&open(&served, "bob").await);
    let full = open(&served, "bob").await;
    assert_eq!(full.status, 503);
    assert!(message(&full).contains("limits.children"), "{full:?}");
    // What it ends makes room for it.
    let own = [
        ("Mcp-Session-Id", first.as_str()),
        ("Authorization", "Bearer eve"),
    ];
    assert_eq!(served.request("DELETE", &own, "").await.status, 204);
    let mut last = open(&served, "eve").await;
    for _ in 0..100 {
        if last.status == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        last = open(&served, "eve").await;
    }
    assert_eq!(last.status, 200, "{last:?}");
}

/// One caller's further session ends its own longest idle one, not that of another.
#[tokio::test]
async fn one_caller_gives_up_its_own_sessions_first() {
    let web = sessions();
    let closed = |served: &Served| {
        let events = served.seen.0.lock().unwrap();
        events
            .iter()
            .filter(|event| event.starts_with("SessionClosed"))
            .count()
    };
    // The limit of one caller, and that of all, which the caller reaches.
    for (all, own) in [(10, 2), (3, 3)] {
        let served = Served::with(remote(&web.url), policy(), |options| {
            options.bounds.sessions = all;
            options.bounds.caller_sessions = own;
            tokens(options);
        })
        .await;
        let before = web.seen().len();
        let of_ann = session(&open(&served, "ann").await);
        for _ in 0..2 {
            session(&open(&served, "eve").await);
        }
        assert_eq!(closed(&served), 0);
        session(&open(&served, "eve").await);
        assert_eq!(closed(&served), 1);
        // Ann's session is still open: it is not opened again.
        let headers = [
            ("Mcp-Session-Id", of_ann.as_str()),
            ("Authorization", "Bearer ann"),
        ];
        let asked: Value = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        assert_eq!(served.post(&headers, &asked).await.status, 200);
        let events = served.seen.0.lock().unwrap().clone();
        let opened = events
            .iter()
            .filter(|event| event.as_str() == "SessionOpened");
        assert_eq!(opened.count(), 4, "{events:?}");
        assert_eq!(web.seen().len() - before, 5);
    }
}

/// Where all sessions are used, a caller at its bound, or with as many as others, ends no session of others.
#[tokio::test]
async fn one_caller_takes_no_sessions_of_others() {
    let web = sessions_that_wait();
    let served = Served::with(remote(&web.url), policy(), |options| {
        options.bounds.sessions = 4;
        options.bounds.caller_sessions = 2;
        tokens(options);
    })
    .await;
    let count = |what: &str| {
        let events = served.seen.0.lock().unwrap();
        events.iter().filter(|it| it.starts_with(what)).count()
    };
    let of_eve = [
        session(&open(&served, "eve").await),
        session(&open(&served, "eve").await),
    ];
    let stuck =
        json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "a:b"}});
    // They cannot be ended.
    let busy = |name: &str| {
        let headers = [
            ("Mcp-Session-Id".to_owned(), name.to_owned()),
            ("Authorization".to_owned(), "Bearer eve".to_owned()),
        ];
        let (served, stuck) = (&served, &stuck);
        async move {
            let headers: Vec<(&str, &str)> =
                headers.iter().map(|(name, it)| (&**name, &**it)).collect();
            served.post(&headers, stuck).await
        }
    };
    let rest = async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let of_ann = session(&open(&served, "ann").await);
        session(&open(&served, "bob").await);
        for _ in 0..2 {
            let full = open(&served, "eve").await;
            assert_eq!((full.status, full.header("retry-after")), (429, Some("1")));
            assert!(message(&full).contains("limits.caller_sessions"));
        }
        assert_eq!(count("SessionClosed"), 0);
        // Bob gives up his own, and Ann's stays.
        session(&open(&served, "bob").await);
        assert_eq!(count("SessionClosed"), 1);
        let headers = [
            ("Mcp-Session-Id", of_ann.as_str()),
            ("Authorization", "Bearer ann"),
        ];
        let asked: Value = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        assert_eq!(served.post(&headers, &asked).await.status, 200);
        assert_eq!(count("SessionOpened"), 5);
    };
    tokio::select! {
        reply = busy(&of_eve[0]) => panic!("{reply:?}"),
        reply = busy(&of_eve[1]) => panic!("{reply:?}"),
        () = rest => {}
    }
}

/// Sessions count from when they begin to open, and a place is free again if that fails.
#[tokio::test]
async fn sessions_that_are_opening_count() {
    let opened = r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"web","version":"1"}}"#;
    let number = std::sync::atomic::AtomicU64::new(0);
    let web = Web::start(move |request, stream| {
        std::thread::sleep(Duration::from_millis(500));
        let number = number.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        if number < 2 {
            return respond(stream, "500 Internal Server Error", JSON, "{}");
        }
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{opened}}}"#,
            request.id()
        );
        let headers = format!("{JSON}Mcp-Session-Id: s-{number}\r\n");
        respond(stream, "200 OK", &headers, &body);
    });
    let served = Served::with(remote(&web.url), policy(), |options| {
        options.bounds.sessions = 4;
        options.bounds.caller_sessions = 2;
        tokens(options);
    })
    .await;
    let statuses = async || {
        let all = tokio::join!(
            open(&served, "eve"),
            open(&served, "eve"),
            open(&served, "eve"),
            open(&served, "eve"),
            open(&served, "eve"),
        );
        let mut statuses: Vec<u16> = [all.0, all.1, all.2, all.3, all.4]
            .iter()
            .map(|reply| reply.status)
            .collect();
        statuses.sort_unstable();
        statuses
    };
    assert_eq!(statuses().await, [429, 429, 429, 502, 502]);
    assert_eq!(statuses().await, [200, 200, 429, 429, 429]);
}

/// Without a valid answer to `initialize` there is no session, and no process.
#[tokio::test]
async fn a_session_that_does_not_open_keeps_nothing() {
    let script = r#"
m = read()
how, id = m["params"]["clientInfo"]["name"], m["id"]
if how == "error": error(id, -32602)
if how == "text": answer(id, "no")
if how == "other": answer(id, {"capabilities": {}})
if how == "early":
    send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1}})
    error(id, -32602)
while read(): pass
"#;
    let mut own = policy();
    own.request_timeout = Some(Duration::from_millis(500));
    let served = Served::with(python(script), own, |options| options.bounds.children = 2).await;
    let ended = || {
        let events = served.seen.0.lock().unwrap();
        let ended = events.iter().filter(|it| it.starts_with("SessionClosed"));
        ended.count()
    };
    for (before, how) in ["error", "text", "other", "early", "silent"]
        .iter()
        .enumerate()
    {
        let mut asked = initialize(1);
        asked["params"]["clientInfo"]["name"] = json!(how);
        let reply = served.post(&[], &asked).await;
        let messages = reply.messages();
        let answer = messages.last().unwrap();
        assert!(
            !answer["result"]["protocolVersion"].is_string(),
            "{how}: {reply:?}"
        );
        if *how != "early" {
            assert_eq!(reply.header("mcp-session-id"), None, "{how}: {reply:?}");
        }
        for _ in 0..100 {
            if ended() > before {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(ended(), before + 1, "{how}");
        // The process has a second to end, and counts until then.
        tokio::time::sleep(Duration::from_millis(1_200)).await;
    }
    // Neither does an HTTP server's.
    let web = Web::start(move |request, stream| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":-32602,"message":"no"}}}}"#,
            request.id()
        );
        let headers = format!("{JSON}Mcp-Session-Id: s\r\n");
        respond(stream, "200 OK", &headers, &body);
    });
    let served = Served::start(remote(&web.url)).await;
    let reply = served.post(&[], &initialize(1)).await;
    assert_eq!(reply.message()["error"]["code"], -32602);
    assert_eq!(reply.header("mcp-session-id"), None, "{reply:?}");
    let events = served.seen.0.lock().unwrap();
    assert!(!events.iter().any(|it| it == "SessionOpened"), "{events:?}");
}

/// A caller with several tokens that go on to servers has a peer for each; a further one ends its own unused one.
#[tokio::test]
async fn one_caller_gives_up_its_own_peers_first() {
    let hubs = Hubs::new();
    let served = Served::with(hubs.upstream(), policy(), |options| {
        options.bounds.children = 4;
        options.bounds.caller_children = 1;
        let mut authentication = Authentication::default();
        authentication.passes_on = true;
        for (name, token) in [("ann", "1"), ("ann", "2"), ("bob", "3")] {
            let digest = Digest::of_bytes(token.as_bytes()).to_string();
            authentication.tokens.push((name.to_owned(), digest));
        }
        if let Listener::Http(http) = &mut options.listener {
            http.authenticator = Some(Authenticator::new(&authentication).unwrap());
        }
    })
    .await;
    let mut told = Vec::new();
    for token in ["3", "1", "2", "3"] {
        told.push(text_of(&ask(&served, token, "p_echo").await.message()).to_owned());
    }
    assert_eq!(told, ["0", "1", "2", "0"]);
    hubs.until_ended(1).await;
}
