//! What a hub does at its ends: when it starts, while a server is slow, and when somebody leaves.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;
use toolsure_guard::translate::Translate;
use toolsure_guard::{AggregatorLimits, Guard};
use toolsure_proxy::guard::{
    Aggregate, Bounds, Clock, GuardOptions, Listener, Times, Unobserved, Upstream,
};

use crate::aggregate::{aggregate, member, of, short};
use crate::common::{
    Lined, PATIENCE, Served, call, initialize, options, policy, python, remote, restarting, text_of,
};
use crate::web::{JSON, Web, respond};

const ECHO: &str = r#"
for m, id, name, args in calls():
    if name == "die": sys.exit(3)
    text(id, "ok", **MORE)
"#;

const LARGE: &str = r#"
for m, id, name, args in calls(): text(id, "x" * 1_000_000, **MORE)
"#;

fn translated(mut options: GuardOptions, translate: Translate) -> GuardOptions {
    let mut policy = policy();
    policy.translated_from_modern = translate == Translate::LegacyClients;
    let guard = Guard::new(policy).unwrap();
    options = options.translated(translate, &guard, Arc::new(Unobserved));
    options
}

/// The guard ends although the client does not read.
async fn stops(client: &mut Lined) {
    client.running.stop();
    let ended = timeout(PATIENCE / 2, client.running.ended()).await;
    assert!(
        ended.is_ok(),
        "the guard waits for a client that does not read"
    );
}

/// The next answer; other messages are skipped.
async fn answer(client: &mut Lined) -> Value {
    loop {
        let message = client.next().await;
        if message["method"].is_null() {
            return message;
        }
    }
}

#[tokio::test]
async fn a_client_that_does_not_read_does_not_keep_the_guard_from_ending() {
    let web = Web::start(|request, stream| {
        let text = "x".repeat(1_000_000);
        let result = match request.rpc().as_str() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
            _ => json!({"content": [{"type": "text", "text": text}]}),
        };
        let body = json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": result});
        respond(stream, "200 OK", JSON, &body.to_string());
    });
    for upstream in [python(LARGE), remote(&web.url)] {
        let mut options = options(Listener::Stdio, upstream);
        options.times.drain = Duration::from_millis(300);
        options.times.grace = Duration::from_millis(300);
        let mut client = Lined::with(options, policy());
        client.open().await;
        for id in 1..=3 {
            client.send(&call(id, "echo", json!({}))).await;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
        stops(&mut client).await;
    }
}

#[tokio::test]
async fn what_comes_before_the_process_runs_opens_one_session() {
    for is_translated in [false, true] {
        let mut options = options(Listener::Stdio, python(ECHO));
        if is_translated {
            options = translated(options, Translate::ModernClients);
        }
        let mut client = Lined::with(options, policy());
        let opened = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let lines = [initialize(0), opened, call(1, "echo", json!({}))];
        client
            .write(&lines.map(|line| line.to_string()).join("\n"))
            .await;
        let first = timeout(Duration::from_secs(10), answer(&mut client))
            .await
            .unwrap();
        assert_eq!(first["result"]["protocolVersion"], "2025-11-25", "{first}");
        assert_eq!(text_of(&answer(&mut client).await), "ok");
    }
}

/// The calls that find no room to wait for the list wait in front of the server's conversation.
#[tokio::test]
async fn a_server_whose_list_is_late_is_not_given_up() {
    const LATE: &str = r#"
known_at_once = known
def known(m):
    if m.get("method") == "tools/list": time.sleep(2)
    return known_at_once(m)
for m, id, name, args in calls(): text(id, "ok", **MORE)
"#;
    let mut strict = policy();
    strict.limits.parked = 2;
    let (late, _) = member("a", python(LATE), strict);
    let bounds = Bounds {
        message_bytes: 100_000,
        ..Bounds::default()
    };
    let upstream = aggregate(vec![late], bounds, short());
    let mut client = Lined::with(
        options(Listener::Stdio, upstream),
        policy().without_filters(),
    );
    client.open().await;
    let big = "x".repeat(20_000);
    for id in 1..=20 {
        client.send(&call(id, "a_echo", json!({"big": big}))).await;
    }
    for _ in 1..=20 {
        assert_eq!(text_of(&answer(&mut client).await), "ok");
    }
}

#[tokio::test]
async fn a_translated_server_that_comes_back_is_observed() {
    let behind = options(Listener::Stdio, python(ECHO));
    let (observed, seen) = member("a", Upstream::clone(&behind.upstream), policy());
    let guard = observed.guard.clone();
    let observer = Arc::clone(&observed.observer);
    let upstream = behind
        .translated(Translate::LegacyClients, &guard, observer)
        .upstream;
    let one = toolsure_proxy::guard::AggregateMember {
        upstream,
        ..observed
    };
    let several = aggregate(vec![one], Bounds::default(), short());
    let mut client = Lined::with(
        options(Listener::Stdio, several),
        policy().without_filters(),
    );
    client.open().await;
    assert_eq!(
        text_of(&client.ask(&call(1, "a_echo", json!({}))).await),
        "ok"
    );
    client.send(&call(2, "a_die", json!({}))).await;
    let lost = answer(&mut client).await;
    assert!(
        lost["error"]["message"].to_string().contains("status 3"),
        "{lost}"
    );
    for id in 3.. {
        client.send(&call(id, "a_echo", json!({}))).await;
        let again = answer(&mut client).await;
        if again["error"].is_null() {
            break;
        }
        assert!(id < 500, "{again}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let seen = seen.0.lock().unwrap();
    let count = |word: &str| seen.iter().filter(|event| event.contains(word)).count();
    assert_eq!(count("Upstream(Started)"), 2, "{seen:?}");
    assert_eq!(
        (count("Connected"), count("Disconnected")),
        (2, 1),
        "{seen:?}"
    );
    assert!(
        count("server-gone") > 0 && count("status 3") > 0,
        "{seen:?}"
    );
}

/// Answers openings and lists, and hands each notification to `heard`.
fn server(heard: impl Fn(String) + Send + Sync + 'static) -> Web {
    Web::start(move |request, stream| {
        let asked = request.json();
        let result = match request.rpc().as_str() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}),
            "tools/list" => json!({"tools": []}),
            other => {
                heard(other.to_owned());
                return respond(stream, "202 Accepted", "", "");
            }
        };
        let body = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result});
        respond(stream, "200 OK", JSON, &body.to_string());
    })
}

#[tokio::test]
async fn the_last_notification_of_a_client_reaches_every_server() {
    for _ in 0..5 {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let hears = |heard: &Arc<Mutex<Vec<String>>>| {
            let heard = Arc::clone(heard);
            server(move |method| heard.lock().unwrap().push(method))
        };
        let (one, other) = (hears(&heard), hears(&heard));
        let members = [("a", remote(&one.url)), ("b", remote(&other.url))];
        let members = members.map(|(name, upstream)| member(name, upstream, policy()).0);
        let upstream = aggregate(members.into(), Bounds::default(), short());
        let options = options(Listener::Stdio, upstream);
        let mut client = Lined::with(options, policy().without_filters());
        client.open().await;
        let changed = "notifications/roots/list_changed";
        client
            .send(&json!({"jsonrpc": "2.0", "method": changed}))
            .await;
        client.finished().await;
        let heard = heard.lock().unwrap();
        let count = heard.iter().filter(|method| *method == changed).count();
        assert_eq!(count, 2, "{heard:?}");
    }
}

#[tokio::test]
async fn a_url_that_takes_no_notifications_is_given_up() {
    let hangs = server(|method| {
        if method.ends_with("list_changed") {
            std::thread::sleep(Duration::from_secs(600));
        }
    });
    let (web, seen) = member("web", remote(&hangs.url), policy());
    let bounds = Bounds {
        message_bytes: 10_000,
        ..Bounds::default()
    };
    let times = Times {
        notify: Duration::from_secs(1),
        ..short()
    };
    let limits = AggregatorLimits::default();
    let several = Aggregate::new(vec![web], (bounds, times), limits, Clock::start());
    let several = Upstream::Several(Arc::new(several.unwrap()));
    let mut client = Lined::with(
        options(Listener::Stdio, several),
        policy().without_filters(),
    );
    client.open().await;
    let more = "x".repeat(1_000);
    for _ in 0..30 {
        let changed = "notifications/roots/list_changed";
        let params = json!({"_meta": {"more": more}});
        client
            .send(&json!({"jsonrpc": "2.0", "method": changed, "params": params}))
            .await;
    }
    let gone = async {
        loop {
            let told = seen.0.lock().unwrap().join("\n");
            if told.contains("it takes no messages") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, gone).await.expect("it is not given up");
    let here = async {
        while !seen
            .0
            .lock()
            .unwrap()
            .iter()
            .any(|event| event == "Upstream(Here)")
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, here)
        .await
        .expect("it does not come back");
}

#[tokio::test]
async fn a_server_that_dies_does_not_keep_the_guard_from_ending() {
    const DIES: &str = r#"
threading.Timer(0.5, lambda: os._exit(3)).start()
for m, id, name, args in calls(): text(id, "ok", **MORE)
"#;
    let (large, _) = member("a", python(LARGE), policy());
    let (dies, seen) = member("b", restarting(python(DIES)), policy());
    let upstream = aggregate(vec![large, dies], Bounds::default(), short());
    let mut options = options(Listener::Stdio, upstream);
    options.times.drain = Duration::from_millis(300);
    options.times.grace = Duration::from_millis(300);
    let mut client = Lined::with(options, policy().without_filters());
    client.open().await;
    for id in 1..=3 {
        client.send(&call(id, "a_echo", json!({}))).await;
    }
    let started = || {
        let seen = seen.0.lock().unwrap();
        seen.iter().filter(|it| *it == "Upstream(Started)").count()
    };
    while started() < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    stops(&mut client).await;
}

#[tokio::test]
async fn a_session_that_ends_while_it_is_opened_is_not_opened_again() {
    let web = Web::start(|request, stream| {
        let result = match request.rpc().as_str() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}),
            "tools/list" => json!({"tools": []}),
            "notifications/initialized" => {
                std::thread::sleep(Duration::from_millis(400));
                return respond(stream, "202 Accepted", "", "");
            }
            _ => return respond(stream, "404 Not Found", "", ""),
        };
        let headers = format!("{JSON}Mcp-Session-Id: s\r\n");
        let body = json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": result});
        respond(stream, "200 OK", &headers, &body.to_string());
    });
    let served = Served::with(
        of(vec![("web", remote(&web.url))]),
        policy().without_filters(),
        |_| {},
    )
    .await;
    let session = served.open().await;
    let gone = [("Mcp-Session-Id", session.as_str())];
    assert_eq!(served.request("DELETE", &gone, "").await.status, 204);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let seen = web.seen();
    let opened = seen.iter().filter(|request| request.rpc() == "initialize");
    assert_eq!(opened.count(), 1);
}

#[tokio::test]
async fn a_call_is_answered_although_its_session_is_deleted() {
    const SLOW: &str = r#"
for m, id, name, args in calls():
    time.sleep(4)
    text(id, "ok", **MORE)
"#;
    let served = Served::with(
        of(vec![("a", python(SLOW))]),
        policy().without_filters(),
        |_| {},
    )
    .await;
    let session = served.open().await;
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let asked = call(1, "a_echo", json!({})).to_string();
    let mut open = served.begin("POST", &headers, &asked).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(served.request("DELETE", &headers, "").await.status, 204);
    assert_eq!(text_of(&open.rest().await.message()), "ok");
}

/// A server that takes a notification only when it is told to, so that what follows waits.
#[tokio::test]
async fn a_call_that_timed_out_before_it_was_sent_is_never_sent() {
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Mutex::new(released);
    let web = Web::start(move |request, stream| {
        let result = match request.rpc().as_str() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}),
            "tools/call" => json!({"content": [{"type": "text", "text": "ok"}]}),
            "notifications/roots/list_changed" => {
                let _sender_is_gone = released.lock().unwrap().recv();
                return respond(stream, "202 Accepted", "", "");
            }
            _ => return respond(stream, "202 Accepted", "", ""),
        };
        let body = json!({"jsonrpc": "2.0", "id": request.json()["id"], "result": result});
        respond(stream, "200 OK", JSON, &body.to_string());
    });
    let mut of_member = policy();
    of_member.request_timeout = Some(Duration::from_millis(500));
    let (member, _) = member("web", remote(&web.url), of_member);
    let upstream = aggregate(vec![member], Bounds::default(), short());
    let served = Served::with(upstream, policy().without_filters(), |_| {}).await;
    let session = served.open().await;
    let echo = |id: i64, which: &str| call(id, "web_echo", json!({"which": which}));
    let told = served.in_session(&session, &echo(1, "first")).await;
    assert_eq!(text_of(&told.message()), "ok");
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    assert_eq!(served.in_session(&session, &changed).await.status, 202);
    let late = served
        .in_session(&session, &echo(2, "late"))
        .await
        .message();
    assert!(late["error"].is_object(), "{late}");
    release.send(()).unwrap();
    let told = served.in_session(&session, &echo(3, "last")).await;
    assert_eq!(text_of(&told.message()), "ok");
    let seen = web.seen();
    let sent: Vec<String> = seen.iter().map(|request| request.body.clone()).collect();
    assert!(sent.iter().any(|body| body.contains("last")), "{sent:?}");
    assert!(!sent.iter().any(|body| body.contains("late")), "{sent:?}");
}
