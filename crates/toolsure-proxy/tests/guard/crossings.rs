//! What must hold on every path through the guard: clients of both eras over HTTP and stdio, with
//! one server, with an aggregate, and with a translator.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use toolsure_guard::Guard;
use toolsure_guard::translate::Translate;
use toolsure_proxy::guard::{GuardOptions, Listener, Unobserved, Upstream};

use crate::aggregate::of;
use crate::common::{
    Lined, PATIENCE, Served, call, modern, options, policy, python, remote, restarting, text_of,
};
use crate::web::{JSON, Request, Web, respond};

/// What stands between the client's guard and the server.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Between {
    Nothing,
    /// Aggregation, with another server beside it.
    Aggregate,
    /// Translation to the other era.
    Translation,
}

enum Side {
    Http(Served, Option<String>),
    Lines(Lined),
}

/// One path through the guard.
struct Crossing {
    name: String,
    side: Side,
    modern: bool,
    tool: &'static str,
}

impl Crossing {
    async fn start(between: Between, http: bool, modern: bool, upstream: Upstream) -> Self {
        let (upstream, tool) = match between {
            Between::Aggregate => {
                let beside = restarting(python("for m, id, name, args in calls(): pass"));
                (of(vec![("a", upstream), ("b", beside)]), "a_echo")
            }
            _ => (upstream, "echo"),
        };
        let policy = match between {
            Between::Aggregate => policy().without_filters(),
            _ => policy(),
        };
        let change = |options: &mut GuardOptions| {
            if between == Between::Translation {
                let translate = match modern {
                    true => Translate::ModernClients,
                    false => Translate::LegacyClients,
                };
                let guard = Guard::new(crate::common::policy()).unwrap();
                let behind = options.clone();
                *options = behind.translated(translate, &guard, Arc::new(Unobserved));
            }
        };
        let side = if http {
            let served = Served::with(upstream, policy, change).await;
            let session = match modern {
                true => None,
                false => Some(served.open().await),
            };
            Side::Http(served, session)
        } else {
            let mut options = options(Listener::Stdio, upstream);
            change(&mut options);
            let mut lined = Lined::with(options, policy);
            if !modern {
                lined.open().await;
            }
            Side::Lines(lined)
        };
        let client = if http { "HTTP" } else { "lines" };
        let era = if modern { "modern" } else { "legacy" };
        Self {
            name: format!("{era} over {client}, {between:?} between"),
            side,
            modern,
            tool,
        }
    }

    /// All paths to this server, opened one after the other.
    async fn all(upstream: impl Fn() -> Upstream) -> Vec<Self> {
        let mut all = Vec::new();
        for between in [Between::Nothing, Between::Aggregate, Between::Translation] {
            for (http, modern) in [(true, false), (true, true), (false, false), (false, true)] {
                all.push(Self::start(between, http, modern, upstream()).await);
            }
        }
        all
    }

    /// The answer to a message. `LONE` is half a surrogate pair, which `serde_json` refuses.
    async fn ask(&mut self, message: Value) -> Value {
        let message = match self.modern {
            true => modern(message),
            false => message,
        };
        let (id, text) = (&message["id"], message.to_string().replace("LONE", LONE));
        match &mut self.side {
            Side::Http(served, session) => {
                let method = message["method"].as_str().unwrap_or("");
                let name = message["params"]["name"].as_str().unwrap_or("");
                let headers = match session {
                    Some(session) => vec![
                        ("Mcp-Session-Id", session.as_str()),
                        ("MCP-Protocol-Version", "2025-11-25"),
                    ],
                    None => vec![
                        ("MCP-Protocol-Version", crate::common::MODERN),
                        ("Mcp-Method", method),
                        ("Mcp-Name", name),
                    ],
                };
                let mut reply = served.request("POST", &headers, &text).await;
                reply.body = reply.body.replace(LONE, "LONE");
                reply.message()
            }
            Side::Lines(lined) => {
                lined.write(&text).await;
                loop {
                    let line = lined.line().await.expect("the guard closed its output");
                    let said: Value = serde_json::from_str(&line.replace(LONE, "LONE")).unwrap();
                    if said["method"].is_null() && said["id"] == *id {
                        return said;
                    }
                }
            }
        }
    }

    async fn call(&mut self, id: i64, arguments: Value) -> Value {
        self.ask(call(id, self.tool, arguments)).await
    }
}

const LONE: &str = r"\ud83d";

/// A server of both eras; the function answers calls.
fn server(calls: impl Fn(&Request, &mut std::net::TcpStream) + Send + Sync + 'static) -> Web {
    Web::start(move |request, stream| {
        let result = match request.rpc().as_str() {
            "server/discover" => json!({"supportedVersions": ["2026-07-28"], "ttlMs": 60000,
                "cacheScope": "public", "capabilities": {"tools": {}}, "resultType": "complete"}),
            "initialize" => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "web", "version": "1"}}),
            "tools/list" => json!({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
                "resultType": "complete", "ttlMs": 60000, "cacheScope": "public"}),
            "tools/call" => return calls(request, stream),
            _ => return respond(stream, "202 Accepted", "", ""),
        };
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
            request.id()
        );
        let head = format!("{JSON}Mcp-Session-Id: s\r\n");
        respond(stream, "200 OK", &head, &body);
    })
}

fn result_of(request: &Request, stream: &mut std::net::TcpStream, result: &str) {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        request.id()
    );
    respond(stream, "200 OK", JSON, &body);
}

fn text_result(text: &str) -> String {
    json!({"content": [{"type": "text", "text": text}], "resultType": "complete"}).to_string()
}

/// A redirect moves one request, on its origin; other requests do not follow it.
#[tokio::test]
async fn a_redirect_moves_one_request_at_most() {
    let elsewhere = Web::start(|_, stream| respond(stream, "200 OK", "", ""));
    let away = format!("Location: {}\r\n", elsewhere.url);
    let web = server(move |request, stream| {
        let arguments = &request.json()["params"]["arguments"];
        match (arguments["redirect"].as_str(), request.path.as_str()) {
            (Some("307"), "/mcp") => {
                respond(stream, "307 Temporary Redirect", "Location: /mcp/x\r\n", "");
            }
            (Some("302"), _) => respond(stream, "302 Found", "Location: /mcp/y\r\n", ""),
            (Some("away"), _) => respond(stream, "307 Temporary Redirect", &away, ""),
            _ => result_of(request, stream, &text_result(&request.path)),
        }
    });
    let origin = web.url.trim_end_matches("/mcp");
    for crossing in &mut Crossing::all(|| remote(&web.url)).await {
        let name = crossing.name.clone();
        let followed = crossing.call(1, json!({"redirect": "307"})).await;
        assert_eq!(text_of(&followed), "/mcp/x", "{name}: {followed}");
        for (id, kind, to) in [(2, "302", "/mcp/y"), (3, "away", &*elsewhere.url)] {
            let refused = crossing.call(id, json!({"redirect": kind})).await;
            let told = refused["error"]["message"].as_str().unwrap_or_default();
            let expected = format!("`{origin}` redirects to `{to}`");
            assert!(told.contains(&expected), "{name}: {refused}");
            let next = crossing.call(id + 10, json!({})).await;
            assert_eq!(text_of(&next), "/mcp", "{name}: {next}");
        }
    }
    assert!(elsewhere.seen().is_empty());
    assert!(web.seen().iter().all(|it| it.path != "/mcp/y"));
}

/// Half a surrogate pair is legal JSON, so the server's answer to a message with one reaches the
/// client.
#[tokio::test]
async fn half_a_surrogate_pair_is_answered() {
    let web = server(|request, stream| {
        let half = request.body.contains(LONE) || request.body.contains(r"\ufffd");
        let text = text_result(if half { "LONE" } else { "none" });
        result_of(request, stream, &text.replace("LONE", LONE));
    });
    let child = r#"
for m, id, name, args in calls():
    x = args.get("x", "")
    text(id, "\ud83d" if "\ud83d" in x or "\ufffd" in x else "none", **MORE)
"#;
    let mut all = Crossing::all(|| remote(&web.url)).await;
    all.extend(Crossing::all(|| python(child)).await);
    for crossing in &mut all {
        let name = crossing.name.clone();
        // The server's answer contains one, too.
        let answer = crossing.call(1, json!({"x": "aLONEb"})).await;
        assert_eq!(answer["id"], 1, "{name}: {answer}");
        // A message that the guard had to alter has U+FFFD instead.
        let text = text_of(&answer);
        assert!(["LONE", "\u{fffd}"].contains(&text), "{name}: {answer}");
        let answer = crossing.call(2, json!({"x": "b"})).await;
        assert_eq!(text_of(&answer), "none", "{name}: {answer}");
    }
}

/// An id or a name has to be compared, so a request with half a pair in one is refused, with what
/// is known of the request.
#[tokio::test]
async fn a_request_whose_id_is_half_a_pair_is_answered_too() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let web = server(move |request, stream| {
        count.fetch_add(1, Ordering::Relaxed);
        result_of(request, stream, &text_result("here"));
    });
    for crossing in &mut Crossing::all(|| remote(&web.url)).await {
        let name = crossing.name.clone();
        let mut odd = call(1, crossing.tool, json!({}));
        odd["params"]["name"] = json!("LONE");
        if crossing.modern && matches!(crossing.side, Side::Http(..)) {
            // An HTTP header cannot contain it.
            continue;
        }
        let refused = crossing.ask(odd).await;
        assert!(refused["error"].is_object(), "{name}: {refused}");
    }
    assert_eq!(asked.load(Ordering::Relaxed), 0);
}

/// What a hostile or broken server may do with one call, and whether that is still an answer. `ID`
/// is the call's id, `OK` a good answer to it.
const ODD: [(&str, &str, bool); 24] = [
    (
        "accepts and says no more",
        "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
        false,
    ),
    ("has no content", "HTTP/1.1 204 No Content\r\n\r\n", false),
    (
        "has content where none may be",
        "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
        false,
    ),
    ("says nothing", "", false),
    ("leaves in the head", "HTTP/1.1 200 OK\r\nContent-Ty", false),
    ("is not HTTP", "hello\r\n\r\n", false),
    (
        "switches protocols",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        false,
    ),
    (
        "has a page",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\n<p/>\n",
        false,
    ),
    (
        "leaves in the body",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999\r\n\r\n{\"jsonrpc\"",
        false,
    ),
    (
        "has packed its body",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x08\x08\x08",
        false,
    ),
    (
        "has two lengths",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nnull\n",
        false,
    ),
    (
        "has JSON that is not a message",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[[[]]]",
        false,
    ),
    (
        "has more after its answer",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\nOK}",
        false,
    ),
    (
        "answers another request",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}",
        false,
    ),
    (
        "ends its stream at once",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
        false,
    ),
    (
        "streams what is not an event",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\nOK",
        false,
    ),
    (
        "cuts its event",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: OK\n",
        false,
    ),
    (
        "cuts its message",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"x\n\n",
        false,
    ),
    (
        "answers another request in a stream",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n\n",
        false,
    ),
    (
        "has a broken chunk",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nOK\r\n0\r\n\r\n",
        false,
    ),
    (
        "hints first",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\nOK",
        true,
    ),
    (
        "has a byte order mark and odd lines",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n\u{feff}: hello\r\revent: message\rdata: OK\r\r",
        true,
    ),
    (
        "streams noise first",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: noise\n\ndata:\n\nid\ndata: []\n\ndata: OK\n\n",
        true,
    ),
    (
        "does not end its stream",
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: OK\n\nSTAY",
        true,
    ),
];

/// Whatever a server does with a call, the call gets one answer, and does not have to wait for a
/// deadline.
#[tokio::test]
async fn every_call_has_its_answer_whatever_the_server_does() {
    let web = server(|request, stream| {
        use std::io::Write as _;
        let odd = request.json()["params"]["arguments"]["odd"]
            .as_u64()
            .unwrap();
        let (_, text, _) = ODD[usize::try_from(odd).unwrap()];
        let ok = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{}}}"#,
            request.id(),
            text_result("ok")
        );
        let text = text.replace("OK}", &format!("{ok}}}"));
        let text = text.replace("data: OK", &format!("data: {ok}"));
        let text = text.replace("\r\n\r\nOK", &format!("\r\n\r\n{ok}"));
        let stays = text.contains("STAY");
        let text = text.replace("STAY", "").replace("ID", &request.id());
        let _reader_may_be_gone = stream.write_all(text.as_bytes());
        if stays {
            std::thread::sleep(std::time::Duration::from_secs(600));
        }
    });
    for crossing in &mut Crossing::all(|| remote(&web.url)).await {
        for (at, (what, _, good)) in ODD.iter().enumerate() {
            let id = i64::try_from(at).unwrap() + 1;
            let answer = crossing.call(id, json!({"odd": at})).await;
            let name = format!("{}: the server {what}: {answer}", crossing.name);
            assert_eq!(answer["id"], id, "{name}");
            if *good {
                assert_eq!(text_of(&answer), "ok", "{name}");
            } else {
                let why = answer["error"]["message"].as_str().unwrap_or("");
                assert!(!why.is_empty() && !why.contains("in time"), "{name}");
            }
        }
    }
}

/// A child that writes far more than a pipe holds before it reads again: requests that the guard
/// answers itself, so it also sends more than a pipe holds. Neither waits for the other.
#[tokio::test]
async fn a_child_that_writes_before_it_reads_has_every_answer() {
    // The first may reach the client, which does not answer it; the others use its id again, or
    // need a capability that the client does not have.
    let flood = r#"
asks = "".join(json.dumps({"jsonrpc": "2.0", "id": "q", "method": "roots/list"}) + "\n" for _ in range(3000))
while True:
    m = read()
    if m is None:
        break
    if "method" not in m or known(m):
        continue
    raw(asks)
    refused = 0
    while refused < 2999:
        refused += "error" in read()
    text(m["id"], "asked", **MORE)
"#;
    for crossing in &mut Crossing::all(|| python(flood)).await {
        let name = crossing.name.clone();
        let answer = crossing.call(1, json!({})).await;
        assert_eq!(text_of(&answer), "asked", "{name}: {answer}");
    }
}

/// The same while many calls that waited for the tool list are sent at once.
#[tokio::test]
async fn calls_that_waited_reach_a_child_that_is_still_writing() {
    let listing = r#"
log = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "data": "x" * 1000}}
while True:
    m = read()
    if m is None:
        break
    if m.get("method") == "tools/list":
        raw("".join(json.dumps(log) + "\n" for _ in range(300)))
        known(m)
        raw("".join(json.dumps(log) + "\n" for _ in range(300)))
    elif not known(m):
        text(m["id"], "here", **MORE)
"#;
    for between in [Between::Nothing, Between::Translation] {
        for modern_client in [false, true] {
            let mut crossing =
                Crossing::start(between, false, modern_client, python(listing)).await;
            let Side::Lines(lined) = &mut crossing.side else {
                panic!("a client of lines");
            };
            let (to, from) = (lined.to.as_mut().unwrap(), &mut lined.from);
            let write = async {
                for id in 1..=100 {
                    let one = call(id, "echo", json!({"x": "y".repeat(4000)}));
                    let one = if modern_client { modern(one) } else { one };
                    to.write_all(format!("{one}\n").as_bytes()).await.unwrap();
                }
            };
            let read = async {
                let (mut answers, mut line) = (0, String::new());
                while answers < 100 {
                    line.clear();
                    assert!(from.read_line(&mut line).await.unwrap() > 0);
                    let said: Value = serde_json::from_str(&line).unwrap();
                    answers += usize::from(text_of(&said) == "here");
                }
            };
            let both = async { tokio::join!(write, read) };
            let done = tokio::time::timeout(PATIENCE, both).await;
            assert!(done.is_ok(), "{}: calls are not answered", crossing.name);
        }
    }
}
