//! Requests on a server's standard input that rmcp's transport would drop or misread.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use toolsure_rmcp::{ServerHandlerExt as _, ServerLines};

/// Has the tool `t`, which takes any object, and counts the calls that reach it.
struct One(Arc<AtomicUsize>);

impl ServerHandler for One {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = json!({"name": name, "inputSchema": {"type": "object"}});
        let tool = serde_json::from_value(tool).ok();
        tool.filter(|_| name == "t")
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(CallToolResult::success(Vec::new()).into())
    }
}

/// Every request gets an answer, so no client waits for ever. `null` is not an object. Only
/// well-formed calls reach the handler.
#[tokio::test]
async fn every_request_is_answered() {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (read, write) = tokio::io::split(theirs);
    let calls = Arc::<AtomicUsize>::default();
    let handler = One(Arc::clone(&calls));
    tokio::spawn(async move {
        let running = handler
            .checked()
            .serve(ServerLines::new(read, write))
            .await
            .unwrap();
        running.waiting().await.unwrap();
    });
    let (read, mut write) = tokio::io::split(ours);
    let mut lines = BufReader::new(read).lines();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    let call = |id: u32, params: &str| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{params}}}")
    };
    write
        .write_all(format!("{hello}\n").as_bytes())
        .await
        .unwrap();
    lines.next_line().await.unwrap().unwrap();
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    write
        .write_all(format!("{ready}\n").as_bytes())
        .await
        .unwrap();
    // How many calls reached the handler.
    let mut reached = 0;
    // Another crate in the same build may have turned on serde_json's exact numbers.
    let numbers_are_exact = serde_json::from_str::<Value>("1e400").is_ok();
    for (id, (params, code)) in [
        (r#"{"name":"t","arguments":null}"#.to_owned(), -32602),
        (r#"{"name":"t","arguments":[1]}"#.to_owned(), -32602),
        (r#"{"name":null}"#.to_owned(), -32602),
        (r#"{"name":"t","name":"u"}"#.to_owned(), -32700),
        (
            r#"{"name":"t","arguments":{"a":"\ud800"}}"#.to_owned(),
            -32700,
        ),
        (r#"{"name":"t","arguments":{"a":01}}"#.to_owned(), -32700),
        (
            r#"{"name":"t","arguments":{"a":1e400}}"#.to_owned(),
            if numbers_are_exact { 0 } else { -32700 },
        ),
        (
            format!("{{\"name\":\"t\",\"arguments\":{{\"a\":{deep}}}}}"),
            -32700,
        ),
        (r#"{"name":"t","arguments":{}"#.to_owned(), -32700),
        (r#"{"name":"u","arguments":{}}"#.to_owned(), -32602),
        (r#"{"name":"t","arguments":{}}"#.to_owned(), 0),
        (r#"{"name":"t"}"#.to_owned(), 0),
    ]
    .into_iter()
    .enumerate()
    {
        let id = u32::try_from(id).unwrap() + 1;
        // Noise, malformed notifications and malformed answers get no answer.
        let noise = "not json\n\n\u{feff}\n{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{\"a\":\"\\ud800\"}}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":01}}\n";
        let text = format!("{noise}{}\r\n", call(id, &params));
        write.write_all(text.as_bytes()).await.unwrap();
        let answer = lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], id, "{params}");
        match code {
            0 => {
                reached += 1;
                assert!(answer["result"].is_object(), "{params} {answer}");
            }
            _ => assert_eq!(answer["error"]["code"], code, "{params} {answer}"),
        }
        assert_eq!(calls.load(Ordering::Relaxed), reached, "{params}");
    }

    // A request without a usable id is answered, too, without an id.
    for (text, code) in [
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/list"}"#,
            -32600,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}"#,
            -32600,
        ),
        (r#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#, -32600),
        (
            r#"{"jsonrpc":"2.0","id":true,"method":"tools/call","params":{"name":1}}"#,
            -32600,
        ),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"#,
            -32700,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"a":01}}"#,
            -32700,
        ),
        (r#"{}"#, -32600),
    ] {
        write
            .write_all(format!("{text}\n").as_bytes())
            .await
            .unwrap();
        let answer = lines.next_line().await.unwrap().unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer.get("id"), None, "{text}");
        assert_eq!(answer["error"]["code"], code, "{text} {answer}");
    }
    assert_eq!(calls.load(Ordering::Relaxed), reached);
}
