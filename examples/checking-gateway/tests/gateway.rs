//! The gateway in front of a server: calls and results get each of the three verdicts.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use axum::http::header::CONTENT_TYPE;
use axum::{Json, Router, routing::post};
use serde_json::{Value, json};

/// What the server lists.
fn tools() -> Value {
    json!([
        {"name": "double", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
         "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        {"name": "sum", "inputSchema": {"type": "object", "properties": {"n": {"items": {"type": "integer", "minimum": 0}}}}},
        {"name": "malformed", "inputSchema": 7}
    ])
}

/// Doubles `n`, but says so with a word if `n` is 7, and in an event stream if it is 9.
async fn serve(Json(request): Json<Value>) -> String {
    let member = |pointer| request.pointer(pointer).cloned().unwrap_or_default();
    let result = match member("/method").as_str() {
        Some("tools/list") => json!({"tools": tools()}),
        _ => {
            let n = match member("/params/arguments/n").as_i64() {
                Some(7) => json!("many"),
                n => json!(n.map(|n| n * 2)),
            };
            json!({"resultType": "complete", "content": [], "structuredContent": {"n": n}})
        }
    };
    let answer = json!({"jsonrpc": "2.0", "id": member("/id"), "result": result});
    match member("/params/arguments/n") == 9 {
        true => format!("event: message\ndata: {answer}\n\n"),
        false => answer.to_string(),
    }
}

/// The gateway, which ends with the test.
struct Gateway(Child);

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

#[tokio::test]
async fn calls_and_results_get_each_verdict() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let upstream = format!("http://{}/", listener.local_addr().unwrap());
    let router = Router::new().route("/", post(serve));
    tokio::spawn(async move { axum::serve(listener, router).await });

    let mut program = Command::new(env!("CARGO_BIN_EXE_checking-gateway"));
    let mut child = program
        .arg(&upstream)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    let _gateway = Gateway(child);
    let first = said.next().unwrap().unwrap();
    let address = first.strip_prefix("listening on ").unwrap();
    let _already = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::new();
    let send = async |method: &str, params: Value| -> Value {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let sent = client
            .post(address)
            .header(CONTENT_TYPE, "application/json");
        let answer = sent.body(body.to_string()).send().await.unwrap();
        serde_json::from_str(&answer.text().await.unwrap()).unwrap()
    };

    let call = async |name: &str, n: Value| {
        send("tools/call", json!({"name": name, "arguments": {"n": n}})).await
    };
    // Before a listing came through, no tool is known.
    assert_eq!(call("double", json!(1)).await["error"]["code"], -32602);
    assert_eq!(
        send("tools/list", json!({})).await["result"]["tools"],
        tools()
    );
    assert_eq!(
        call("double", json!(4)).await["result"]["structuredContent"],
        json!({"n": 8})
    );
    assert_eq!(call("double", json!("4")).await["result"]["isError"], true);
    // A message of 3 MiB is within the limit, and what is no message is the client's fault.
    let long = json!("4".repeat(3 << 20));
    assert_eq!(call("double", long).await["result"]["isError"], true);
    let malformed = client.post(address).body("{").send().await.unwrap();
    assert_eq!(malformed.status(), 400);
    // More numbers than the gateway's fuel is for.
    let many = json!(vec![1; 300_000]);
    assert_eq!(call("sum", many).await["result"]["isError"], true);
    assert_eq!(call("malformed", json!(4)).await["error"]["code"], -32602);
    assert_eq!(call("double", json!(7)).await["result"]["isError"], true);
    assert_eq!(call("double", json!(9)).await["error"]["code"], -32700);
    for code in [
        "tool-unknown",
        "arguments-invalid",
        "arguments-invalid",
        "arguments-undecided",
        "tool-malformed",
        "result-invalid",
        "message-json",
    ] {
        let line = said.next().unwrap().unwrap();
        assert!(line.starts_with(&format!("{code}: ")), "{line}");
    }
}

/// The page shows the example as it is.
#[test]
fn the_page_has_the_program() {
    let page = include_str!("../../../docs/embedding.md");
    assert!(
        page.contains(include_str!("../src/main.rs")),
        "docs/embedding.md must have src/main.rs"
    );
}
