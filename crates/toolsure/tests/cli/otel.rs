//! Telemetry of `toolsure guard`: what a collector receives, what the server behind the guard
//! receives, and what happens without a collector.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};

use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use serde_json::{Value, json};

use crate::collector::{Far, attributes};
use crate::run::{PROGRAM, toolsure};

const SERVER: i32 = 2;
const CLIENT: i32 = 3;
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A guard with a client on standard input and output.
fn guard(server: &[&str], environment: &[(&str, &str)], flags: &[&str]) -> Child {
    let mut command = Command::new(PROGRAM);
    command
        .args(["guard", "--log", "error"])
        .args(flags)
        .args(server)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OTEL_") {
            command.env_remove(name);
        }
    }
    command.envs(environment.iter().copied()).spawn().unwrap()
}

/// Sends lines, reads an answer to each line that has an id, and closes the input.
fn converse(mut child: Child, lines: &[String]) -> Vec<Value> {
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answers = Vec::new();
    for line in lines {
        writeln!(input, "{line}").unwrap();
        if line.contains("\"id\"") {
            let mut answer = String::new();
            output.read_line(&mut answer).unwrap();
            answers.push(serde_json::from_str(&answer).unwrap());
        }
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    answers
}

fn opened(more: &[Value]) -> Vec<String> {
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        }}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": "list", "method": "tools/list"}),
    ];
    lines.extend_from_slice(more);
    lines.iter().map(Value::to_string).collect()
}

fn call(id: u64, tool: &str, arguments: &Value, meta: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "_meta": meta, "name": tool, "arguments": arguments,
    }})
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_collector_sees_calls_and_the_server_is_given_the_guards_context() {
    let far = Far::start(0);
    let endpoint = far.endpoint();
    let url = format!("{endpoint}/mcp");
    let child = guard(
        &["--upstream", &url],
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint),
            (
                "OTEL_RESOURCE_ATTRIBUTES",
                "deployment.environment.name=test",
            ),
        ],
        &[],
    );
    let meta = json!({
        "traceparent": format!("00-{TRACE}-{PARENT}-01"), "tracestate": "a=1", "baggage": "b=2",
    });
    let answers = converse(
        child,
        &opened(&[
            call(1, "good", &json!({"x": "hunter2"}), &meta),
            call(2, "good", &json!({"y": "hunter2"}), &json!({})),
            call(3, "bad", &json!({"x": 1}), &json!({})),
            call(4, "nobody", &json!({}), &json!({})),
        ]),
    );
    assert_eq!(answers[2]["result"]["structuredContent"]["x"], 1);
    assert_eq!(answers[3]["result"]["isError"], true);
    assert_eq!(answers[4]["result"]["isError"], true);
    assert_eq!(answers[5]["error"]["code"], -32602);

    let (address, seen) = (far.address, far.seen());
    let resource = attributes(&seen.resource);
    assert_eq!(resource["service.name"], "toolsure-guard");
    assert_eq!(resource["deployment.environment.name"], "test");

    // A good call: the guard's two spans are below the client's; the server gets their context.
    let (server, client) = (
        seen.spans(SERVER, "tools/call good"),
        seen.spans(CLIENT, "tools/call good"),
    );
    assert_eq!((server.len(), client.len()), (2, 1));
    assert_eq!(hex(&server[0].trace_id), TRACE);
    assert_eq!(hex(&server[0].parent_span_id), PARENT);
    assert_eq!(server[0].trace_state, "a=1");
    assert_eq!(client[0].parent_span_id, server[0].span_id);
    assert_eq!(client[0].trace_id, server[0].trace_id);
    assert!(server[0].start_time_unix_nano <= client[0].start_time_unix_nano);
    assert!(client[0].end_time_unix_nano <= server[0].end_time_unix_nano);
    assert_eq!(
        attributes(&server[0].attributes),
        json!({
            "mcp.method.name": "tools/call",
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "good",
            "mcp.protocol.version": "2025-11-25",
            "jsonrpc.request.id": "1",
            "network.transport": "pipe",
            "toolsure.upstream": "server",
        })
    );
    let told = attributes(&client[0].attributes);
    assert_eq!(told["network.transport"], "tcp");
    assert_eq!(told["server.address"], "127.0.0.1");
    assert_eq!(told["server.port"], address.port());
    let calls: Vec<_> = seen.calls.iter().collect();
    let (headers, good) = calls
        .iter()
        .find(|(_, message)| message["id"] == 1)
        .unwrap();
    let parent = format!("00-{TRACE}-{}-01", hex(&client[0].span_id));
    assert_eq!(
        good["params"]["_meta"],
        json!({"baggage": "b=2", "traceparent": parent, "tracestate": "a=1"})
    );
    assert_eq!(headers["traceparent"], parent.as_str());

    // A refused call is not sent to the server, and starts a trace of its own.
    assert!(server[1].parent_span_id.is_empty());
    let told = attributes(&server[1].attributes);
    assert_eq!(told["error.type"], "tool_error");
    assert_eq!(told["toolsure.code"], "arguments-invalid");
    assert_eq!(server[1].status.as_ref().unwrap().code, 2);
    assert!(calls.iter().all(|(_, message)| message["id"] != 2));

    // A bad result: the server answered, but the client got an error.
    let bad = seen.spans(SERVER, "tools/call bad")[0];
    assert_eq!(
        attributes(&bad.attributes)["toolsure.code"],
        "result-invalid"
    );
    assert_eq!(attributes(&bad.attributes)["error.type"], "tool_error");
    let bad = seen.spans(CLIENT, "tools/call bad")[0];
    assert!(attributes(&bad.attributes).get("error.type").is_none());
    assert!(bad.status.as_ref().is_none_or(|status| status.code == 0));

    // An unknown tool is a protocol error.
    let nobody = seen.spans(SERVER, "tools/call nobody")[0];
    let told = attributes(&nobody.attributes);
    assert_eq!(told["error.type"], "-32602");
    assert_eq!(told["rpc.response.status_code"], "-32602");

    for (name, count) in [
        ("mcp.server.operation.duration", 6),
        ("mcp.client.operation.duration", 4),
        ("mcp.server.session.duration", 1),
        ("mcp.client.session.duration", 1),
    ] {
        let metric = seen.metric(name);
        assert_eq!(metric.unit, "s", "{name}");
        let Some(Data::Histogram(histogram)) = &metric.data else {
            panic!("{name} is not a histogram");
        };
        let points = &histogram.data_points;
        let all: u64 = points.iter().map(|point| point.count).sum();
        assert_eq!(all, count, "{name}");
        let bounds = &points[0].explicit_bounds;
        assert_eq!((bounds[0], bounds[13], bounds.len()), (0.01, 300.0, 14));
        let told: Vec<Value> = points
            .iter()
            .map(|point| attributes(&point.attributes))
            .collect();
        if name == "mcp.server.operation.duration" {
            // A name that the client made up is not kept.
            let expected = json!({
                "mcp.method.name": "tools/call",
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "_OTHER",
                "mcp.protocol.version": "2025-11-25",
                "network.transport": "pipe",
                "toolsure.upstream": "server",
                "error.type": "-32602",
                "rpc.response.status_code": "-32602",
            });
            assert!(told.contains(&expected), "{told:?}");
        }
    }
    let told = format!("{:?}{:?}", seen.spans, seen.metrics);
    assert!(!told.contains("hunter2"));
}

#[test]
fn without_an_endpoint_messages_are_untouched() {
    let far = Far::start(0);
    let url = format!("{}/mcp", far.endpoint());
    for environment in [
        &[][..],
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", far.endpoint().as_str()),
            ("OTEL_SDK_DISABLED", "true"),
        ],
    ] {
        let child = guard(&["--upstream", &url], environment, &[]);
        let meta = json!({"traceparent": format!("00-{TRACE}-{PARENT}-01")});
        converse(child, &opened(&[call(1, "good", &json!({"x": 1}), &meta)]));
    }
    let seen = far.seen();
    assert!(seen.spans.is_empty() && seen.metrics.is_empty());
    for (_, message) in &seen.calls {
        let context = &message["params"]["_meta"]["traceparent"];
        let client = format!("00-{TRACE}-{PARENT}-01");
        match message["method"].as_str().unwrap_or_default() {
            "tools/call" => assert_eq!(context, client.as_str()),
            _ => assert!(context.is_null()),
        }
    }
}

#[test]
fn what_is_not_sampled_is_passed_on_only_where_there_was_a_context() {
    let far = Far::start(0);
    let endpoint = far.endpoint();
    let url = format!("{endpoint}/mcp");
    let set = format!("telemetry.endpoint={endpoint}/");
    let flags = ["--set", &set, "--set", "telemetry.sample=0"];
    let child = guard(&["--upstream", &url], &[], &flags);
    let context = |flags: &str| json!({"traceparent": format!("00-{TRACE}-{PARENT}-{flags}")});
    converse(
        child,
        &opened(&[
            call(1, "good", &json!({"x": 1}), &context("00")),
            call(2, "good", &json!({"x": 1}), &json!({})),
            call(3, "good", &json!({"x": 1}), &context("01")),
        ]),
    );
    let seen = far.seen();
    let given = |id: u64| {
        let mut calls = seen.calls.iter();
        let (_, call) = calls.find(|(_, message)| message["id"] == id).unwrap();
        call["params"]["_meta"]["traceparent"].clone()
    };
    let first = given(1).as_str().unwrap().to_owned();
    assert!(
        first.starts_with(&format!("00-{TRACE}-")) && first.ends_with("-00"),
        "{first}"
    );
    assert!(given(2).is_null());
    let [span] = &seen.spans(CLIENT, "tools/call good")[..] else {
        panic!("one span");
    };
    assert_eq!(given(3), format!("00-{TRACE}-{}-01", hex(&span.span_id)));
    // Metrics count all of them.
    let Some(Data::Histogram(histogram)) = &seen.metric("mcp.client.operation.duration").data
    else {
        panic!("no histogram");
    };
    assert_eq!(
        histogram.data_points.iter().map(|it| it.count).sum::<u64>(),
        5
    );
}

/// A guard on a network.
struct Network {
    child: Child,
    log: BufReader<ChildStderr>,
    admin: String,
    address: String,
}

impl Network {
    fn start(far: &Far, environment: &[(&str, &str)], flags: &[&str]) -> Self {
        let url = format!("{}/mcp", far.endpoint());
        let mut child = Command::new(PROGRAM)
            .args(["guard", "--upstream", &url, "--log-format", "json"])
            .args(["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
            .args(flags)
            .envs(environment.iter().copied())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(child.stderr.take().unwrap());
        let mut guard = Self {
            child,
            log,
            admin: String::new(),
            address: String::new(),
        };
        guard.admin = guard.until("admin")["address"].as_str().unwrap().to_owned();
        let line = guard.until("listening on http://");
        let line = line["message"].as_str().unwrap();
        let address = line.strip_prefix("listening on http://").unwrap();
        guard.address = address.strip_suffix("/mcp").unwrap().to_owned();
        guard.until("ready");
        guard
    }

    fn until(&mut self, start: &str) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(
                self.log.read_line(&mut line).unwrap(),
                0,
                "no line `{start}`"
            );
            let line: Value = serde_json::from_str(&line).unwrap();
            let message = line["message"].as_str().unwrap_or_default();
            if message.starts_with(start) {
                return line;
            }
        }
    }

    /// Calls `good` as a client of 2026-07-28, with further header lines.
    fn call(&self, id: u64, head: &str) -> String {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body = call(id, "good", &json!({"x": 1}), &meta).to_string();
        let (host, length) = (&self.address, body.len());
        let request = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: good\r\nContent-Length: {length}\r\n{head}\r\n{body}"
        );
        let answer = send(host, &request);
        assert!(
            answer.contains(r#""structuredContent":{"x":1}"#),
            "{answer}"
        );
        answer
    }

    fn metrics(&self) -> String {
        let host = &self.admin;
        let request = format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        send(host, &request)
    }

    fn stop(&mut self) {
        let id = self.child.id().to_string();
        let status = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(status.success());
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        // It has already ended if the test passed.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn send(address: &str, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_context_in_http_headers_counts_and_a_collector_may_come_back() {
    let far = Far::start(1);
    let endpoint = far.endpoint();
    let mut guard = Network::start(
        &far,
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint),
            ("OTEL_SERVICE_NAME", "mine"),
            ("OTEL_BSP_SCHEDULE_DELAY", "1"),
        ],
        &[],
    );
    guard.call(1, "");
    assert!(!far.export());
    guard.until("telemetry is not exported");
    guard.call(2, &format!("traceparent: 00-{TRACE}-{PARENT}-01\r\n"));
    while !far.export() {}
    guard.until("telemetry is exported again");
    guard.stop();
    let seen = far.seen();
    assert_eq!(attributes(&seen.resource)["service.name"], "mine");
    let server = seen.spans(SERVER, "tools/call good");
    let [server] = server
        .iter()
        .filter(|span| hex(&span.trace_id) == TRACE)
        .collect::<Vec<_>>()[..]
    else {
        panic!("one span of the trace");
    };
    assert_eq!(hex(&server.parent_span_id), PARENT);
    let clients = seen.spans(CLIENT, "tools/call good");
    let mut clients = clients.iter();
    let client = clients
        .find(|span| span.parent_span_id == server.span_id)
        .unwrap();
    let parent = format!("00-{TRACE}-{}-01", hex(&client.span_id));
    let mut calls = seen.calls.iter();
    let (headers, message) = calls.find(|(_, message)| message["id"] == 2).unwrap();
    assert_eq!(headers["traceparent"], parent.as_str());
    assert_eq!(message["params"]["_meta"]["traceparent"], parent);
}

#[test]
fn a_collector_that_hangs_holds_nobody_up_and_what_is_dropped_is_counted() {
    let far = Far::start(0);
    // The system accepts connections, but nobody answers.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", silent.local_addr().unwrap());
    let mut guard = Network::start(
        &far,
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint),
            ("OTEL_BSP_MAX_QUEUE_SIZE", "2"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "600000"),
        ],
        &["--set", "times.drain=0ms"],
    );
    for id in 0..10 {
        guard.call(id, "");
    }
    let metrics = guard.metrics();
    let dropped = "toolsure_guard_telemetry_total{signal=\"spans\",outcome=\"dropped\"} 18";
    assert!(metrics.lines().any(|line| line == dropped), "{metrics}");
    guard.stop();
}

#[test]
fn a_collector_that_is_not_there_changes_no_answer() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", taken.local_addr().unwrap());
    drop(taken);
    let environment = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str())];
    let child = guard(&["--", PROGRAM, "serve-demo"], &environment, &[]);
    let arguments = json!({"collection": "orders"});
    let answers = converse(
        child,
        &opened(&[call(1, "get-count", &arguments, &json!({}))]),
    );
    assert!(answers[2]["result"].is_object(), "{answers:?}");
}

#[test]
fn an_endpoint_that_is_none_is_refused() {
    let set = "telemetry.endpoint=localhost:4318";
    let run = toolsure(&["guard", "--check-config", "--set", set, "--", "x"]);
    assert_eq!(run.code, 2);
    let told = "`telemetry.endpoint`: `localhost:4318` is not an http or https URL";
    assert!(run.stderr.contains(told), "{}", run.stderr);
}
