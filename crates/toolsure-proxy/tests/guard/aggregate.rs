//! Several upstreams behind one guard.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolsure_guard::policy::ToolRule;
use toolsure_guard::translate::Translate;
use toolsure_guard::{AggregatorLimits, Guard, Policy};
use toolsure_proxy::guard::{
    Aggregate, AggregateMember, Bounds, Clock, Exit, Listener, Observer, Restart, Times,
    Unobserved, Upstream,
};

use crate::common::{
    Lined, MODERN, Seen, Served, call, initialize, modern, options, policy, python, remote,
    restarting, text_of,
};
use crate::web::{JSON, Web, respond};

const ECHO: &str = r#"
for m, id, name, args in calls():
    token = m["params"].get("_meta", {}).get("progressToken")
    if name == "note":
        send({"jsonrpc": "2.0", "method": "notifications/progress",
            "params": {"progressToken": token, "progress": 1}})
    if name == "die": os._exit(3)
    if name != "hang": text(id, json.dumps([os.getpid(), args]), **MORE)
"#;

/// Asks its client before it answers.
const ASKER: &str = r#"
for m, id, name, args in calls():
    send({"jsonrpc": "2.0", "id": 1, "method": "roots/list"})
    got = read()
    text(id, json.dumps([got["id"], got["result"]]))
"#;

pub(crate) fn member(
    name: &str,
    upstream: Upstream,
    policy: Policy,
) -> (AggregateMember, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let observer: Arc<dyn Observer> = Arc::<Seen>::clone(&seen);
    let member = AggregateMember {
        name: name.to_owned(),
        prefix: format!("{name}_"),
        upstream,
        guard: Guard::new(policy).unwrap(),
        observer,
    };
    (member, seen)
}

pub(crate) fn aggregate(members: Vec<AggregateMember>, bounds: Bounds, times: Times) -> Upstream {
    let limits = AggregatorLimits::default();
    let aggregate = Aggregate::new(members, (bounds, times), limits, Clock::start());
    Upstream::Several(Arc::new(aggregate.unwrap()))
}

pub(crate) fn of(upstreams: Vec<(&str, Upstream)>) -> Upstream {
    let members = upstreams.into_iter();
    let members = members.map(|(name, upstream)| member(name, upstream, policy()).0);
    aggregate(members.collect(), Bounds::default(), short())
}

pub(crate) fn short() -> Times {
    options(Listener::Stdio, python("")).times
}

/// A client on stdio in front of the aggregate, with a guard that has no filters.
fn client(upstream: Upstream) -> Lined {
    Lined::with(
        options(Listener::Stdio, upstream),
        policy().without_filters(),
    )
}

async fn serve(upstream: Upstream) -> Served {
    Served::with(upstream, policy().without_filters(), |_| {}).await
}

pub(crate) fn names(listed: &Value) -> Vec<&str> {
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    tools.map(|tool| tool["name"].as_str().unwrap()).collect()
}

pub(crate) fn list(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})
}

fn pid_of(answer: &Value) -> i64 {
    serde_json::from_str::<Value>(text_of(answer)).unwrap()[0]
        .as_i64()
        .unwrap()
}

#[tokio::test]
async fn a_client_of_lines_has_the_tools_of_all_each_under_its_own_policy() {
    let mut strict = policy();
    let mut rule = ToolRule::new("d*");
    rule.hidden = Some(true);
    strict.tools.push(rule);
    let (a, seen) = member("a", python(ECHO), strict);
    let (b, _) = member("b", python(ASKER), policy());
    let mut client = client(aggregate(vec![a, b], Bounds::default(), short()));
    client.open().await;
    let listed = client.ask(&list(1)).await;
    let expected = [
        "a_echo", "a_hang", "a_note", "a_big", "b_echo", "b_die", "b_hang", "b_note", "b_big",
    ];
    assert_eq!(names(&listed), expected);
    // The rule applies to the server's own names.
    let hidden = client.ask(&call(2, "a_die", json!({}))).await;
    assert_eq!(hidden["error"]["code"], -32602, "{hidden}");
    let mut noted = call("n", "a_note", json!({"n": 1}));
    noted["params"]["_meta"] = json!({"progressToken": "mine"});
    let progress = client.ask(&noted).await;
    assert_eq!(progress["params"]["progressToken"], "mine");
    let answer = client.next().await;
    assert_eq!(answer["id"], "n");
    assert!(text_of(&answer).ends_with(r#", {"n": 1}]"#), "{answer}");
    // A server's request reaches the client, and the answer comes back.
    let asked = client.ask(&call(3, "b_echo", json!({}))).await;
    assert_eq!(asked["method"], "roots/list");
    let told = json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": []}});
    let answer = client.ask(&told).await;
    assert_eq!(text_of(&answer), r#"[1, {"roots": []}]"#);
    assert!(matches!(client.finished().await, Exit::ClientGone));
    let seen = seen.0.lock().unwrap();
    assert!(
        seen.iter().any(|word| word.contains("Ended")),
        "the server was not ended: {seen:?}"
    );
}

#[tokio::test]
async fn one_that_dies_in_a_call_is_named_and_comes_back() {
    let upstream = of(vec![("a", python(ECHO)), ("b", restarting(python(ECHO)))]);
    let mut client = client(upstream);
    client.open().await;
    let first = client.ask(&call(1, "b_echo", json!({}))).await;
    let other = client.ask(&call(2, "a_echo", json!({}))).await;
    let lost = client.ask(&call(3, "b_die", json!({}))).await;
    let text = lost["error"]["message"].as_str().unwrap();
    assert!(text.contains("status 3"), "{lost}");
    // Its tools disappear and come back.
    for _ in 0..2 {
        let told = client.next().await;
        assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    }
    let again = client.ask(&call(4, "b_echo", json!({}))).await;
    assert_ne!(pid_of(&first), pid_of(&again));
    let still = client.ask(&call(5, "a_echo", json!({}))).await;
    assert_eq!(pid_of(&other), pid_of(&still));
    assert_eq!(names(&client.ask(&list(6)).await).len(), 10);
}

#[tokio::test]
async fn one_that_stays_away_takes_only_its_own_tools() {
    let (a, _) = member("a", python(ECHO), policy());
    let (b, seen) = member("b", python(ECHO), policy());
    let nowhere = toolsure_proxy::Launch::new("/nowhere/at-all");
    let never = Upstream::Child {
        launch: nowhere,
        restart: Restart::NEVER,
    };
    let (c, _) = member("c", never, policy());
    let mut client = client(aggregate(vec![a, b, c], Bounds::default(), short()));
    let opened = client.ask(&initialize(0)).await;
    assert_eq!(
        opened["result"]["serverInfo"]["name"], "toolsure",
        "{opened}"
    );
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    let lost = client.ask(&call(1, "b_die", json!({}))).await;
    assert_eq!(lost["id"], 1);
    assert_eq!(
        client.next().await["method"],
        "notifications/tools/list_changed"
    );
    let listed = client.ask(&list(2)).await;
    assert!(
        names(&listed).iter().all(|name| name.starts_with("a_")),
        "{listed}"
    );
    let away = client.ask(&call(3, "b_echo", json!({}))).await;
    let text = away["error"]["message"].as_str().unwrap();
    assert!(
        text.starts_with("`b` cannot be reached: `python3`") && text.contains("status 3"),
        "{away}"
    );
    let nowhere = client.ask(&call(4, "c_echo", json!({}))).await;
    let text = nowhere["error"]["message"].as_str().unwrap();
    assert!(text.starts_with("`c` cannot be reached: "), "{nowhere}");
    let noted = seen.0.lock().unwrap().join("\n");
    assert!(
        noted.contains("server-gone") && noted.contains("left-out"),
        "{noted}"
    );
}

#[tokio::test]
async fn one_that_takes_nothing_is_given_up_and_the_rest_goes_on() {
    const DEAF: &str = r#"
for m, id, name, args in calls():
    if name == "hang": time.sleep(600)
    text(id, "ok", **MORE)
"#;
    let bounds = Bounds {
        message_bytes: 100_000,
        ..Bounds::default()
    };
    let (a, _) = member("a", python(DEAF), policy());
    let (b, _) = member("b", python(DEAF), policy());
    let times = Times {
        notify: Duration::from_secs(1),
        ..short()
    };
    let mut client = client(aggregate(vec![a, b], bounds, times));
    client.open().await;
    // Its guard learns the tools, so that no call waits for the list.
    let heard = client.ask(&call("first", "b_echo", json!({}))).await;
    assert_eq!(text_of(&heard), "ok");
    client.send(&call("deaf", "b_hang", json!({}))).await;
    let big = "x".repeat(50_000);
    for id in 0..20 {
        client.send(&call(id, "b_echo", json!({"big": big}))).await;
    }
    let mut errors = 0;
    while errors < 21 {
        let lost = client.next().await;
        if lost["method"].is_string() {
            continue;
        }
        let text = lost["error"]["message"].as_str().unwrap();
        assert!(text.contains("it takes no messages"), "{lost}");
        errors += 1;
    }
    client.send(&call("a", "a_echo", json!({}))).await;
    let mut answer = client.next().await;
    while answer["method"].is_string() {
        answer = client.next().await;
    }
    assert_eq!((text_of(&answer), &answer["id"]), ("ok", &json!("a")));
}

#[tokio::test]
async fn over_http_each_authorization_has_its_own_and_it_reaches_who_is_behind() {
    let web = Web::start(|request, stream| {
        let by = request
            .header("authorization")
            .unwrap_or("nobody")
            .to_owned();
        let id = request.id();
        let result = match request.rpc().as_str() {
            "initialize" => json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "who", "inputSchema": {"type": "object"}}],
                "resultType": "complete", "ttlMs": 60000, "cacheScope": "private"}),
            "tools/call" => json!({"content": [{"type": "text", "text": by}],
                "resultType": "complete"}),
            _ => return respond(stream, "202 Accepted", "", ""),
        };
        let id: Value = serde_json::from_str(&id).unwrap();
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
        respond(stream, "200 OK", JSON, &answer.to_string());
    });
    let upstream = of(vec![("py", python(ECHO)), ("web", remote(&web.url))]);
    let served = serve(upstream).await;
    for by in ["Bearer one", "Bearer two"] {
        let headers = [
            ("MCP-Protocol-Version", MODERN),
            ("Mcp-Method", "tools/call"),
            ("Mcp-Name", "web_who"),
            ("Authorization", by),
        ];
        let asked = modern(call(1, "web_who", json!({})));
        let told = served.post(&headers, &asked).await.message();
        assert_eq!(text_of(&told), by, "{told}");
    }
    let listed = served.modern(&modern(list(1))).await.message();
    assert_eq!(names(&listed).len(), 6, "{listed}");
    assert_eq!(listed["result"]["cacheScope"], "private");
    let asked = modern(call(2, "py_echo", json!({"n": 1})));
    assert_eq!(served.modern(&asked).await.message()["id"], 2);
    // A legacy session gets the older version of the two servers.
    let opened = served.post(&[], &initialize(0)).await;
    let version = &opened.message()["result"]["protocolVersion"];
    assert_eq!(version, "2025-06-18");
    assert!(matches!(served.stop().await, Exit::Stopped));
    // The session was opened without an authorization, so no `initialize` may carry one.
    let leaked = web.seen().into_iter().any(|request| {
        let by = request.header("authorization").map(str::to_owned);
        by.is_some() && request.rpc() == "initialize"
    });
    assert!(!leaked);
}

/// What the guard makes of the place of the metadata in a challenge.
const OURS: &str =
    "resource_metadata=\"http://localhost/.well-known/oauth-protected-resource/mcp\"";

/// A server that accepts one token.
fn protected() -> Web {
    Web::start(|request, stream| {
        if request.header("authorization") != Some("Bearer good") {
            let challenge =
                "WWW-Authenticate: Bearer resource_metadata=\"https://as.example/m\"\r\n";
            return respond(stream, "401 Unauthorized", challenge, "no");
        }
        let result = match request.rpc().as_str() {
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "who", "inputSchema": {"type": "object"}}],
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
            "tools/call" => json!({"content": [], "resultType": "complete"}),
            _ => return respond(stream, "202 Accepted", "", ""),
        };
        let id: Value = serde_json::from_str(&request.id()).unwrap();
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
        respond(stream, "200 OK", JSON, &answer.to_string());
    })
}

#[tokio::test]
async fn a_refusal_over_http_is_the_clients_to_act_on() {
    let web = protected();
    let refused = |reply: &crate::common::Reply| {
        assert_eq!(reply.status, 401, "{reply:?}");
        let challenge = reply.header("www-authenticate");
        assert_eq!(challenge, Some(format!("Bearer {OURS}").as_str()));
        assert_eq!(reply.header("mcp-session-id"), None);
    };
    // Beside another server: calls to the protected one are refused, and the rest goes on.
    let served = serve(of(vec![("py", python(ECHO)), ("web", remote(&web.url))])).await;
    let session = served.open().await;
    let listed = served.in_session(&session, &list(1)).await.message();
    assert!(
        names(&listed).iter().all(|name| name.starts_with("py_")),
        "{listed}"
    );
    for id in 2..4 {
        refused(
            &served
                .in_session(&session, &call(id, "web_who", json!({})))
                .await,
        );
    }
    let told = served
        .in_session(&session, &call(4, "py_echo", json!({})))
        .await;
    assert_eq!(told.status, 200);
    refused(&served.modern(&modern(call(5, "web_who", json!({})))).await);
    let good = [
        ("MCP-Protocol-Version", MODERN),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "web_who"),
        ("Authorization", "Bearer good"),
    ];
    let told = served
        .post(&good, &modern(call(6, "web_who", json!({}))))
        .await;
    assert_eq!(told.status, 200, "{told:?}");
    // A refusal of the old authorization is not repeated to a client that has renewed it.
    let renewed = [
        ("Mcp-Session-Id", &*session),
        ("Authorization", "Bearer good"),
    ];
    let told = served.post(&renewed, &call(7, "web_who", json!({}))).await;
    assert_eq!(told.status, 200, "{told:?}");
    // As the only server: nothing can be opened or listed without authorization.
    let served = serve(of(vec![("web", remote(&web.url))])).await;
    refused(&served.post(&[], &initialize(0)).await);
    refused(&served.modern(&modern(list(1))).await);
    let session = served
        .post(&[("Authorization", "Bearer good")], &initialize(0))
        .await;
    assert_eq!(session.status, 200, "{session:?}");
}

/// The same behind a translator, which sends requests of its own to open a session.
#[tokio::test]
async fn a_refusal_over_http_is_told_through_a_translation() {
    let web = protected();
    for translate in [Translate::LegacyClients, Translate::ModernClients] {
        let served = Served::with(remote(&web.url), policy(), |options| {
            let guard = Guard::new(policy()).unwrap();
            let behind = options.clone();
            *options = behind.translated(translate, &guard, Arc::new(Unobserved));
        })
        .await;
        let message = match translate {
            Translate::LegacyClients => served.post(&[], &initialize(0)).await,
            Translate::ModernClients => served.modern(&modern(list(1))).await,
        };
        assert_eq!(message.status, 401, "{message:?}");
        let challenge = message.header("www-authenticate").unwrap();
        assert!(challenge.contains(OURS), "{message:?}");
        let error = &message.message()["error"];
        assert!(error["message"].is_string(), "{message:?}");
    }
}

#[tokio::test]
async fn thousands_of_calls_at_once_are_all_answered() {
    let upstream = of(vec![("a", python(ECHO)), ("b", python(ECHO))]);
    let mut client = client(upstream);
    client.open().await;
    let writing = async {
        let mut to = client.to.take().unwrap();
        for id in 0..5_000 {
            let name = if id % 2 == 0 { "a_echo" } else { "b_echo" };
            let line = format!("{}\n", call(id, name, json!({"n": id})));
            tokio::io::AsyncWriteExt::write_all(&mut to, line.as_bytes())
                .await
                .unwrap();
        }
        to
    };
    let from = &mut client.from;
    let reading = async {
        let mut seen = std::collections::HashSet::new();
        while seen.len() < 5_000 {
            let mut line = String::new();
            tokio::io::AsyncBufReadExt::read_line(from, &mut line)
                .await
                .unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            let told: Value = serde_json::from_str(text_of(&answer)).unwrap();
            assert_eq!(told[1]["n"], answer["id"]);
            assert!(seen.insert(answer["id"].as_i64().unwrap()));
        }
    };
    let (_to, ()) = tokio::join!(writing, reading);
}

/// A server that is down, hangs or answers nonsense removes only its own tools, for clients of both
/// eras, in every message that is sent to all servers.
#[tokio::test]
async fn a_url_that_is_down_hangs_or_talks_nonsense_leaves_the_others_to_be_served() {
    let nonsense = Web::start(|_, stream| respond(stream, "200 OK", JSON, "<html>hello</html>"));
    let odd = Web::start(|request, stream| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"protocolVersion":7,"supportedVersions":"x","tools":5}}}}"#,
            request.id()
        );
        respond(stream, "200 OK", JSON, &body);
    });
    let broken = Web::start(|_, stream| respond(stream, "502 Bad Gateway", "", "no"));
    let hangs = Web::start(|_, _| std::thread::sleep(Duration::from_secs(600)));
    let nobody = "http://127.0.0.1:1/mcp".to_owned();
    for url in [nobody, nonsense.url, odd.url, broken.url, hangs.url] {
        let members = [("a", python(ECHO)), ("web", remote(&url))];
        let members = members.map(|(name, upstream)| member(name, upstream, policy()).0);
        let bounds = AggregatorLimits {
            patience: Duration::from_secs(3),
            ..AggregatorLimits::default()
        };
        let set = (Bounds::default(), short());
        let aggregate = Aggregate::new(members.into(), set, bounds, Clock::start());
        let served = serve(Upstream::Several(Arc::new(aggregate.unwrap()))).await;
        let discover = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"});
        let found = served.modern(&modern(discover)).await.message();
        let versions = &found["result"]["supportedVersions"];
        assert_eq!(versions, &json!(["2026-07-28"]), "{url}: {found}");
        let listed = served.modern(&modern(list(2))).await.message();
        assert_eq!(names(&listed).len(), 5, "{url}: {listed}");
        let told = served.modern(&modern(call(3, "a_echo", json!({})))).await;
        assert_eq!(told.status, 200, "{url}: {told:?}");
        let session = served.open().await;
        let listed = served.in_session(&session, &list(4)).await.message();
        assert_eq!(names(&listed).len(), 5, "{url}: {listed}");
        let lost = served
            .in_session(&session, &call(5, "web_x", json!({})))
            .await;
        let text = lost.message()["error"]["message"].to_string();
        assert!(text.contains("`web` cannot be reached"), "{url}: {text}");
    }
}
