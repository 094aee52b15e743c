//! How often the guard reads the messages of one call. A binary of its own with one test: the counter is
//! of the whole process, and the clients and servers here read with `serde_json`.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail as tests do, with a panic"
)]

#[path = "guard/common.rs"]
#[expect(dead_code, reason = "shared with the tests of the guard's transports")]
mod common;
#[path = "transports/web.rs"]
#[expect(dead_code, reason = "shared with the tests of the transports")]
mod web;

use std::sync::Arc;

use serde_json::{Value, json};
use toolsure_guard::translate::Translate;
use toolsure_guard::{AggregatorLimits, Guard};
use toolsure_proxy::guard::{
    Aggregate, AggregateMember, Bounds, Clock, GuardOptions, Listener, Observer, Unobserved,
    Upstream,
};

use crate::common::{Lined, MODERN, Served, call, modern, options, policy, python, remote};
use crate::web::{JSON, Request, Web, respond};

/// How many texts are read whole for one `tools/call` and its answer, which pass their checks.
const READS: [(Client, Servers, u64); 10] = [
    (Client::Lines, Servers::Program, 2),
    (Client::Lines, Servers::Http, 2),
    (Client::Lines, Servers::Translated, 2),
    (Client::Lines, Servers::Two, 2),
    (Client::Lines, Servers::TwoTranslated, 2),
    (Client::Session, Servers::Program, 2),
    (Client::Modern, Servers::Program, 2),
    (Client::Modern, Servers::Translated, 2),
    (Client::Modern, Servers::Two, 2),
    (Client::Modern, Servers::TwoTranslated, 2),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Client {
    /// On stdio, 2025-11-25.
    Lines,
    /// Over HTTP, 2025-11-25: a session with processes of its own.
    Session,
    /// Over HTTP, 2026-07-28: all clients share the processes.
    Modern,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Servers {
    /// A program that speaks the version of the client.
    Program,
    /// The same over HTTP.
    Http,
    /// A program that speaks only the other version.
    Translated,
    /// Two programs; the calls go to the second.
    Two,
    /// Two programs that speak only the other version.
    TwoTranslated,
}

#[tokio::test]
async fn each_path_reads_the_messages_of_a_call_a_fixed_number_of_times() {
    let mut counted = Vec::new();
    for (client, servers, _) in READS {
        // The lists are read before the last of the few calls.
        let few = reads_of(client, servers, 20).await;
        let many = reads_of(client, servers, 120).await;
        counted.push((client, servers, many - few));
    }
    let expected = READS.map(|(client, servers, reads)| (client, servers, 100 * reads));
    assert_eq!(counted, expected, "in 100 calls");
}

/// All that a new guard reads until it has answered this many calls.
async fn reads_of(client: Client, servers: Servers, calls: u64) -> u64 {
    let before = toolsure_json::reads();
    let is_two = matches!(servers, Servers::Two | Servers::TwoTranslated);
    let (policy, tool) = if is_two {
        (policy().without_filters(), "b_add")
    } else {
        (policy(), "add")
    };
    let upstream = match servers {
        Servers::Program => program(client == Client::Modern),
        Servers::Http => remote(&Web::start(answer).url),
        Servers::Translated => program(client != Client::Modern),
        Servers::Two => two(|| program(client == Client::Modern)),
        Servers::TwoTranslated => two(|| {
            let behind = options(Listener::Stdio, program(client != Client::Modern));
            translated(behind, client).upstream
        }),
    };
    let adjust = |options: GuardOptions| match servers {
        Servers::Translated => translated(options, client),
        _ => options,
    };
    if client == Client::Lines {
        let options = adjust(options(Listener::Stdio, upstream));
        let mut lined = Lined::with(options, policy);
        lined.open().await;
        for id in 0..calls {
            answered(&lined.ask(&asking(id, tool)).await, id);
        }
    } else {
        let change = |options: &mut GuardOptions| *options = adjust(options.clone());
        let served = Served::with(upstream, policy, change).await;
        let session = match client {
            Client::Session => Some(served.open().await),
            _ => None,
        };
        for id in 0..calls {
            let reply = match &session {
                Some(session) => served.in_session(session, &asking(id, tool)).await,
                None => served.modern(&modern(asking(id, tool))).await,
            };
            answered(&reply.message(), id);
        }
    }
    toolsure_json::reads() - before
}

/// The arguments of the first call and the result of the second fail their checks.
fn asking(id: u64, tool: &str) -> Value {
    let a = if id == 0 { json!([]) } else { json!(id) };
    call(id, tool, json!({"a": a, "b": "x"}))
}

fn answered(answer: &Value, id: u64) {
    assert_eq!(answer["id"], id, "{answer}");
    if id > 1 {
        let expected = json!({"sum": id + 1});
        assert_eq!(answer["result"]["structuredContent"], expected, "{answer}");
    } else {
        assert_eq!(answer["result"]["isError"], true, "{answer}");
    }
}

fn translated(options: GuardOptions, client: Client) -> GuardOptions {
    let guard = Guard::new(policy()).unwrap();
    let translate = match client {
        Client::Modern => Translate::ModernClients,
        _ => Translate::LegacyClients,
    };
    options.translated(translate, &guard, Arc::new(Unobserved))
}

fn two(upstream: impl Fn() -> Upstream) -> Upstream {
    let members = ["a", "b"].map(|name| {
        let observer: Arc<dyn Observer> = Arc::new(Unobserved);
        AggregateMember {
            name: name.to_owned(),
            prefix: format!("{name}_"),
            upstream: upstream(),
            guard: Guard::new(policy()).unwrap(),
            observer,
        }
    });
    let times = options(Listener::Stdio, python("")).times;
    let limits = AggregatorLimits::default();
    let aggregate = Aggregate::new(
        members.into(),
        (Bounds::default(), times),
        limits,
        Clock::start(),
    );
    Upstream::Several(Arc::new(aggregate.unwrap()))
}

/// A program that refuses requests of the other version.
fn program(is_modern: bool) -> Upstream {
    let version = if is_modern { MODERN } else { "" };
    python(&format!("VERSION = '{version}'\nTOOLS = [{TOOL}]{CALLS}"))
}

const TOOL: &str = r#"{"name": "add",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
    "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}}"#;

const CALLS: &str = r#"
known_of_both = known
def known(m):
    meta = m.get("params", {}).get("_meta", {})
    if "id" in m and meta.get("io.modelcontextprotocol/protocolVersion", "") != VERSION:
        error(m["id"], -32602)
        return True
    return known_of_both(m)
for m, id, name, args in calls():
    a = args["a"]
    answer(id, {"content": [], "structuredContent": {"sum": "2" if a == 1 else a + 1}, **(MORE if VERSION else {})})
"#;

/// What the HTTP server answers.
fn answer(request: &Request, stream: &mut std::net::TcpStream) {
    let asked = request.json();
    let result = match (request.method.as_str(), asked["method"].as_str()) {
        ("POST", Some("initialize")) => json!({"protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}}, "serverInfo": {"name": "web", "version": "1"}}),
        ("POST", Some("tools/list")) => {
            let tool: Value = serde_json::from_str(TOOL).unwrap();
            json!({"tools": [tool]})
        }
        ("POST", Some("tools/call")) => {
            let a = asked["params"]["arguments"]["a"].as_u64().unwrap();
            let sum = if a == 1 { json!("2") } else { json!(a + 1) };
            json!({"content": [], "structuredContent": {"sum": sum}})
        }
        ("POST", _) => return respond(stream, "202 Accepted", "", ""),
        _ => return respond(stream, "405 Method Not Allowed", "", ""),
    };
    let body = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string();
    respond(stream, "200 OK", JSON, &body);
}
