//! A client of one era and a server that knows only the other, for all four pairs of transports.

use std::sync::Arc;

use serde_json::{Value, json};
use toolsure_guard::Guard;
use toolsure_guard::translate::Translate;
use toolsure_proxy::guard::{Exit, GuardOptions, Listener, Unobserved, Upstream};

use crate::common::{
    Lined, MODERN, Reply, Served, call, changing, initialize, modern, options, policy, python,
    remote, text_of,
};

/// A server that refuses everything that does not declare 2026-07-28.
const MODERN_ONLY: &str = r#"
def tool(name, **more):
    return {"name": name, "inputSchema": {"type": "object"}, **more}
LISTED = [tool("users", outputSchema={"type": "array"}), tool("ask"), tool("change"), tool("die")]
listening = None
while True:
    m = read()
    if m is None:
        break
    id, method, p = m.get("id"), m.get("method"), m.get("params", {})
    meta = p.get("_meta", {})
    if id is None:
        continue
    if meta.get("io.modelcontextprotocol/protocolVersion") != "2026-07-28":
        error(id, -32602)
    elif method == "server/discover":
        answer(id, {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": True}},
            "ttlMs": 0, "cacheScope": "private", **MORE})
    elif method == "subscriptions/listen":
        listening = {"io.modelcontextprotocol/subscriptionId": id}
        send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
            "params": {"_meta": listening, "notifications": p["notifications"]}})
    elif method == "tools/list":
        answer(id, {"tools": LISTED, "ttlMs": 60000, "cacheScope": "private", **MORE})
    elif p["name"] == "users":
        answer(id, {"content": [{"type": "text", "text": "[1]"}], "structuredContent": [1], **MORE})
    elif p["name"] == "change":
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": listening}})
        text(id, "changed", **MORE)
    elif p["name"] == "die":
        os._exit(3)
    elif "inputResponses" not in p:
        answer(id, {"resultType": "input_required", "requestState": "s", "inputRequests":
            {"who": {"method": "elicitation/create", "params": {"message": "who?", "requestedSchema": {"type": "object", "properties": {}}}}}})
    else:
        text(id, p["requestState"] + " " + p["inputResponses"]["who"]["content"]["name"], **MORE)
"#;

/// A server that refuses everything outside a session of 2025-11-25.
pub(crate) const LEGACY_ONLY: &str = r#"
session = None
def tool(name, **more):
    return {"name": name, "inputSchema": {"type": "object"}, **more}
while True:
    m = read()
    if m is None:
        break
    id, method, p = m.get("id"), m.get("method"), m.get("params", {})
    if method == "initialize" and session is None:
        session = p
        answer(id, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "old", "version": "1"}})
    elif id is None:
        continue
    elif session is None or any(k.startswith("io.modelcontextprotocol/") for k in p.get("_meta", {})):
        error(id, -32600)
    elif method == "tools/list":
        tools = [tool("users"), tool("change"), tool("die")]
        answer(id, {"tools": tools + ([tool("ask")] if "elicitation" in session["capabilities"] else [])})
    elif method != "tools/call":
        error(id, -32601)
    elif p["name"] == "users":
        answer(id, {"content": [{"type": "text", "text": "1"}], "structuredContent": {"n": 1}})
    elif p["name"] == "change":
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        text(id, "changed")
    elif p["name"] == "die":
        os._exit(3)
    else:
        send({"jsonrpc": "2.0", "id": "e", "method": "elicitation/create",
            "params": {"message": "who?", "requestedSchema": {"type": "object", "properties": {}}}})
        said = read()
        text(id, json.dumps(said.get("result", said.get("error"))))
"#;

fn with(translate: Translate) -> impl FnOnce(&mut GuardOptions) {
    move |options| *options = across(options.clone(), translate)
}

fn across(options: GuardOptions, translate: Translate) -> GuardOptions {
    let guard = Guard::new(policy()).unwrap();
    options.translated(translate, &guard, Arc::new(Unobserved))
}

fn lined(upstream: Upstream, translate: Translate) -> Lined {
    Lined::with(
        across(options(Listener::Stdio, upstream), translate),
        policy(),
    )
}

async fn served(upstream: Upstream, translate: Translate) -> Served {
    Served::with(upstream, policy(), with(translate)).await
}

fn opening() -> Value {
    let mut message = initialize(0);
    message["params"]["capabilities"] = json!({"elicitation": {}});
    message
}

pub(crate) fn asking(mut message: Value) -> Value {
    message = modern(message);
    message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        json!({"elicitation": {}});
    message
}

fn names(listed: &Value) -> Vec<&str> {
    let tools = listed["result"]["tools"].as_array().unwrap();
    tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect()
}

/// What a legacy client on stdio sees of the modern server.
async fn old_client_over_lines(mut client: Lined) {
    let opened = client.ask(&opening()).await;
    assert_eq!(
        opened["result"]["protocolVersion"], "2025-11-25",
        "{opened}"
    );
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    let listed = client
        .ask(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}))
        .await;
    assert_eq!(names(&listed), ["users", "ask", "change", "die"]);
    // The guard in front still changes the listing to what the old client can read.
    let schema = &listed["result"]["tools"][0]["outputSchema"];
    assert_eq!(schema["properties"]["result"]["type"], "array", "{listed}");
    assert!(listed["result"].get("resultType").is_none(), "{listed}");
    let called = client.ask(&call(2, "users", json!({}))).await;
    assert_eq!(
        called["result"],
        json!({"content": [{"type": "text", "text": "[1]"}], "structuredContent": {"result": [1]}})
    );
    let asked = client.ask(&call(3, "ask", json!({}))).await;
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"],
        "result": {"action": "accept", "content": {"name": "Ann"}}});
    let done = client.ask(&answer).await;
    assert_eq!(
        (&done["id"], text_of(&done)),
        (&json!(3), "s Ann"),
        "{done}"
    );
    // The notification comes before the answer, or over HTTP after it, on a stream of its own.
    client.send(&call(4, "change", json!({}))).await;
    let mut both = [client.next().await, client.next().await];
    both.sort_by_key(|message| message["id"].is_null());
    assert_eq!(text_of(&both[0]), "changed", "{both:?}");
    assert_eq!(
        both[1]["method"], "notifications/tools/list_changed",
        "{both:?}"
    );
    let pong = client
        .ask(&json!({"jsonrpc": "2.0", "id": 5, "method": "ping"}))
        .await;
    assert_eq!(pong["result"], json!({}));
    assert!(matches!(client.finished().await, Exit::ClientGone));
}

#[tokio::test]
async fn an_old_client_on_stdio_uses_a_new_server_on_stdio() {
    old_client_over_lines(lined(python(MODERN_ONLY), Translate::LegacyClients)).await;
}

#[tokio::test]
async fn an_old_client_on_stdio_uses_a_new_server_over_http() {
    let far = Served::start(python(MODERN_ONLY)).await;
    let url = format!("http://127.0.0.1:{}/mcp", far.port);
    old_client_over_lines(lined(remote(&url), Translate::LegacyClients)).await;
    assert!(matches!(far.stop().await, Exit::Stopped));
}

/// What a legacy client over HTTP sees of the modern server.
async fn old_client_over_http(served: Served) {
    let opened = served.post(&[], &opening()).await;
    let session = opened.header("mcp-session-id").unwrap().to_owned();
    assert_eq!(opened.message()["result"]["protocolVersion"], "2025-11-25");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    served.in_session(&session, &initialized).await;
    let called = served
        .in_session(&session, &call(2, "users", json!({})))
        .await;
    assert_eq!(
        called.message()["result"]["structuredContent"],
        json!({"result": [1]})
    );
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let body = call(3, "ask", json!({})).to_string();
    let mut open = served.begin("POST", &headers, &body).await;
    let line = open.until("elicitation/create").await;
    let asked: Value = serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap();
    let answer = json!({"jsonrpc": "2.0", "id": asked["id"],
        "result": {"action": "accept", "content": {"name": "Ann"}}});
    let told = served.in_session(&session, &answer).await;
    assert_eq!(told.status, 202, "{told:?}");
    let line = open.until("s Ann").await;
    assert!(
        line.contains("\"id\":3") || line.contains("\"id\": 3"),
        "{line}"
    );
    let gone = served.request("DELETE", &headers, "").await;
    assert!(gone.status < 300, "{gone:?}");
    assert!(matches!(served.stop().await, Exit::Stopped));
}

#[tokio::test]
async fn an_old_client_over_http_uses_a_new_server_on_stdio() {
    old_client_over_http(served(python(MODERN_ONLY), Translate::LegacyClients).await).await;
}

#[tokio::test]
async fn an_old_client_over_http_uses_a_new_server_over_http() {
    let far = Served::start(python(MODERN_ONLY)).await;
    let url = format!("http://127.0.0.1:{}/mcp", far.port);
    old_client_over_http(served(remote(&url), Translate::LegacyClients).await).await;
    assert!(matches!(far.stop().await, Exit::Stopped));
}

/// What a modern client on stdio sees of the legacy server.
async fn new_client_over_lines(mut client: Lined) {
    let discover = json!({"jsonrpc": "2.0", "id": "d", "method": "server/discover"});
    let found = client.ask(&asking(discover)).await;
    assert_eq!(
        found["result"]["supportedVersions"],
        json!([MODERN]),
        "{found}"
    );
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let listed = client.ask(&asking(list.clone())).await;
    assert_eq!(names(&listed), ["users", "change", "die", "ask"]);
    assert_eq!(listed["result"]["resultType"], "complete");
    assert_eq!(listed["result"]["ttlMs"], 0);
    // A client with fewer capabilities sees what the server lists for these.
    let mut list = list;
    list["id"] = json!(2);
    assert_eq!(
        names(&client.ask(&modern(list)).await),
        ["users", "change", "die"]
    );
    let called = client.ask(&asking(call(3, "users", json!({})))).await;
    assert_eq!(
        called["result"]["structuredContent"],
        json!({"n": 1}),
        "{called}"
    );
    assert_eq!(called["result"]["resultType"], "complete");
    let asked = client.ask(&asking(call(4, "ask", json!({})))).await;
    let retry = answered(5, &asked);
    let done = client.ask(&retry).await;
    assert_eq!(
        text_of(&done),
        r#"{"action": "accept", "content": {"name": "Ann"}}"#
    );
    // A client that listens is notified of changes.
    let listen = json!({"jsonrpc": "2.0", "id": 6, "method": "subscriptions/listen",
        "params": {"notifications": {"toolsListChanged": true}}});
    let heard = client.ask(&asking(listen)).await;
    assert_eq!(
        heard["method"], "notifications/subscriptions/acknowledged",
        "{heard}"
    );
    client.send(&asking(call(7, "change", json!({})))).await;
    let mut both = [client.next().await, client.next().await];
    both.sort_by_key(|message| message["id"].is_null());
    assert_eq!(text_of(&both[0]), "changed", "{both:?}");
    let id = &both[1]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(*id, 6, "{both:?}");
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 6}});
    client.send(&cancel).await;
    assert!(matches!(client.finished().await, Exit::ClientGone));
}

/// Repeats the call, with the input that was asked for.
pub(crate) fn answered(id: i64, asked: &Value) -> Value {
    let result = &asked["result"];
    assert_eq!(result["resultType"], "input_required", "{asked}");
    let wanted = result["inputRequests"].as_object().unwrap();
    let (name, request) = wanted.iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    let mut retry = asking(call(id, "ask", json!({})));
    retry["params"]["requestState"] = result["requestState"].clone();
    retry["params"]["inputResponses"][name] =
        json!({"action": "accept", "content": {"name": "Ann"}});
    retry
}

#[tokio::test]
async fn a_new_client_on_stdio_uses_an_old_server_on_stdio() {
    new_client_over_lines(lined(python(LEGACY_ONLY), Translate::ModernClients)).await;
}

#[tokio::test]
async fn a_new_client_on_stdio_uses_an_old_server_over_http() {
    let far = Served::start(python(LEGACY_ONLY)).await;
    let url = format!("http://127.0.0.1:{}/mcp", far.port);
    new_client_over_lines(lined(remote(&url), Translate::ModernClients)).await;
    assert!(matches!(far.stop().await, Exit::Stopped));
}

/// What modern clients over HTTP see of the legacy server.
async fn new_clients_over_http(served: Served) {
    let called = served.modern(&asking(call(3, "users", json!({})))).await;
    assert_eq!(
        called.message()["result"]["structuredContent"],
        json!({"n": 1})
    );
    // Two clients are asked at the same time, each for its own call.
    let (one, two) = tokio::join!(
        ask(&served, asking(call(1, "ask", json!({})))),
        ask(&served, asking(call(1, "ask", json!({}))))
    );
    for asked in [two, one] {
        let done = ask(&served, answered(2, &asked)).await;
        assert_eq!(
            text_of(&done),
            r#"{"action": "accept", "content": {"name": "Ann"}}"#
        );
        let again = ask(&served, answered(3, &asked)).await;
        assert_eq!(again["error"]["data"]["code"], "request-state", "{again}");
    }
    assert!(matches!(served.stop().await, Exit::Stopped));
}

async fn ask(served: &Served, message: Value) -> Value {
    let reply: Reply = served.modern(&message).await;
    reply.message()
}

#[tokio::test]
async fn new_clients_over_http_use_an_old_server_on_stdio() {
    new_clients_over_http(served(python(LEGACY_ONLY), Translate::ModernClients).await).await;
}

#[tokio::test]
async fn new_clients_over_http_use_an_old_server_over_http() {
    let far = Served::start(python(LEGACY_ONLY)).await;
    let url = format!("http://127.0.0.1:{}/mcp", far.port);
    new_clients_over_http(served(remote(&url), Translate::ModernClients).await).await;
    assert!(matches!(far.stop().await, Exit::Stopped));
}

#[tokio::test]
async fn the_end_of_a_server_is_told_and_another_session_opened() {
    let mut client = lined(python(LEGACY_ONLY), Translate::ModernClients);
    let lost = client.ask(&modern(call(1, "die", json!({})))).await;
    let text = lost["error"]["message"].as_str().unwrap();
    assert!(text.contains("exited with status 3"), "{lost}");
    let called = client.ask(&modern(call(2, "users", json!({})))).await;
    assert_eq!(
        called["result"]["structuredContent"],
        json!({"n": 1}),
        "{called}"
    );
    assert!(matches!(client.finished().await, Exit::ClientGone));
    // A server without sessions is not opened again: the guard ends with it.
    let mut client = lined(python(MODERN_ONLY), Translate::LegacyClients);
    client.ask(&opening()).await;
    let lost = client.ask(&call(1, "die", json!({}))).await;
    assert!(lost["error"]["message"].is_string(), "{lost}");
    assert!(matches!(client.finished().await, Exit::UpstreamGone(_)));
}

/// A call for the next process is not checked against the tools of the first one. (The helper's tool requires an
/// argument in every process but the first.)
#[tokio::test]
async fn a_restarted_server_behind_a_translator_is_asked_for_its_tools_again() {
    let upstream = || changing("behind-a-translator", "private");
    let mut client = lined(upstream(), Translate::LegacyClients);
    client.ask(&opening()).await;
    let called = client.ask(&call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&called), "ok", "{called}");
    client.ask(&call(2, "die", json!({}))).await;
    let refused = client.ask(&call(3, "echo", json!({}))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(matches!(client.finished().await, Exit::ClientGone));

    let served = served(upstream(), Translate::LegacyClients).await;
    let session = served.open().await;
    let say = async |message| served.in_session(&session, &message).await.message();
    let called = say(call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&called), "ok", "{called}");
    say(call(2, "die", json!({}))).await;
    let refused = say(call(3, "echo", json!({}))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(matches!(served.stop().await, Exit::Stopped));
}

/// The same for the sessions of modern clients.
#[tokio::test]
async fn a_lost_session_behind_a_translator_takes_its_tools_with_it() {
    let upstream = || changing("sessions-behind-a-translator", "private");
    let mut client = lined(upstream(), Translate::ModernClients);
    let called = client.ask(&modern(call(1, "echo", json!({})))).await;
    assert_eq!(text_of(&called), "ok", "{called}");
    client.ask(&modern(call(2, "die", json!({})))).await;
    let refused = client.ask(&modern(call(3, "echo", json!({})))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(matches!(client.finished().await, Exit::ClientGone));

    let served = served(upstream(), Translate::ModernClients).await;
    let say = async |message| served.modern(&modern(message)).await.message();
    let called = say(call(1, "echo", json!({}))).await;
    assert_eq!(text_of(&called), "ok", "{called}");
    say(call(2, "die", json!({}))).await;
    let refused = say(call(3, "echo", json!({}))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(matches!(served.stop().await, Exit::Stopped));
}

#[tokio::test]
async fn a_server_that_cannot_be_started_is_said_to_be_so() {
    let nothing = || Upstream::Child {
        launch: toolsure_proxy::Launch::new("/nowhere/to/be/found"),
        restart: toolsure_proxy::guard::Restart::NEVER,
    };
    for (translate, message) in [
        (
            Translate::ModernClients,
            modern(json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover"})),
        ),
        (Translate::LegacyClients, opening()),
    ] {
        let mut client = lined(nothing(), translate);
        let answer = client.ask(&message).await;
        let text = answer["error"]["message"].as_str().unwrap();
        assert!(text.contains("/nowhere/to/be/found"), "{answer}");
    }
}

/// A call that is refused reaches neither the translation nor the server.
#[tokio::test]
async fn arguments_are_judged_in_front_of_the_translation() {
    let strict = MODERN_ONLY.replace(
        r#"tool("die")"#,
        r#"{"name": "die", "inputSchema": {"type": "object", "required": ["a"]}}"#,
    );
    let mut client = lined(python(&strict), Translate::LegacyClients);
    client.ask(&opening()).await;
    let refused = client.ask(&call(1, "die", json!({}))).await;
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    assert!(refused["result"].get("resultType").is_none(), "{refused}");
    // The server would have ended.
    let answer = client.ask(&call(2, "users", json!({}))).await;
    assert_eq!(text_of(&answer), "[1]", "{answer}");
    let lost = client.ask(&call(3, "die", json!({"a": 1}))).await;
    assert!(lost["error"].is_object(), "{lost}");
}
