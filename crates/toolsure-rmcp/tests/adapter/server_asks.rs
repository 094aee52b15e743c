//! What handlers send themselves, through the transport of their layer.
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]
#![expect(
    deprecated,
    reason = "clients of older versions are asked so as long as rmcp has the request"
)]

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CreateMessageRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use toolsure_rmcp::{ServerLayer, ServerLines};

/// Its tools ask the client's model about a result with this structured content.
#[derive(Clone)]
struct Asks(Value);

impl ServerHandler for Asks {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = json!({"name": name, "inputSchema": {"type": "object"}});
        serde_json::from_value(tool).ok()
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let asked = json!({"maxTokens": 9, "messages": [
            {"role": "assistant", "content": {"type": "tool_use", "id": "1", "name": "n", "input": {}}},
            {"role": "user", "content": [{"type": "tool_result", "toolUseId": "1", "content": [], "structuredContent": self.0}]},
        ]});
        let asked: CreateMessageRequestParams = serde_json::from_value(asked).unwrap();
        let answer = context.peer.create_message(asked).await;
        let text = answer.map_or_else(|why| why.to_string(), |_| "answered".to_owned());
        let result = json!({"content": [{"type": "text", "text": text}]});
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        Ok(result.into())
    }
}

/// What a client of 2025-11-25 is asked when it calls a tool.
async fn asked(structured: Value, is_wrapped: bool) -> Value {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let layer = ServerLayer::new();
    tokio::spawn(async move {
        let pipes = ServerLines::new(read, write);
        let running = match is_wrapped {
            true => {
                layer
                    .wrap(Asks(structured))
                    .serve(layer.transport(pipes))
                    .await
            }
            false => layer.wrap(Asks(structured)).serve(pipes).await,
        };
        running.unwrap().waiting().await.unwrap();
    });
    let (read, mut write) = tokio::io::split(ours);
    let mut lines = BufReader::new(read).lines();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        {"protocolVersion": "2025-11-25", "capabilities": {"sampling": {"tools": {}}},
        "clientInfo": {"name": "t", "version": "0"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
        {"name": "any", "arguments": {}}});
    for message in [hello, ready, call] {
        let line = format!("{message}\n");
        write.write_all(line.as_bytes()).await.unwrap();
    }
    loop {
        let line = lines.next_line().await.unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        let is = |member: &str, value: Value| message.get(member) == Some(&value);
        if is("id", json!(1)) || is("method", json!("sampling/createMessage")) {
            return message;
        }
    }
}

/// No call by hand is needed; without the transport the array is sent as it is.
#[tokio::test]
async fn results_in_sampling_messages_are_projected_by_the_transport() {
    for (is_wrapped, expected) in [(true, json!({"result": [1]})), (false, json!([1]))] {
        let message = asked(json!([1]), is_wrapped).await;
        let content = &message["params"]["messages"][1]["content"];
        let content = content.get(0).unwrap_or(content);
        assert_eq!(content["structuredContent"], expected, "{message}");
    }
}

/// A message that cannot be projected is not sent, and the handler is told why.
#[tokio::test]
async fn what_cannot_be_projected_is_not_sent() {
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let answer = asked(deep, true).await;
    let text = &answer["result"]["content"][0]["text"];
    let text = text.as_str().unwrap_or_default();
    assert!(text.contains("cannot be projected"), "{answer}");
}
