//! With the feature `exact`, numbers are published, checked and handed on as they are written.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt as _};
use rmcp::{ErrorData, ServerHandler};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use toolsure_mcp::publish::ToolDefinition;
use toolsure_rmcp::{ClientLayer, ServerHandlerExt as _};

/// Members out of the alphabet's order, numbers that no `f64` holds or would write so. An
/// exponent without a sign would get one from `serde_json`.
const INPUT: &str = r#"{"type":"object","properties":{"n":{"maximum":12345678901234567890123,"default":1.10,"x-scale":1e+400}}}"#;
const OUTPUT: &str = r#"{"type":"array","items":{"minimum":-0.10000000000000000000001}}"#;

/// Answers with its argument.
struct Numbers;

impl ServerHandler for Numbers {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let definition = ToolDefinition::new("numbers").input(INPUT).output(OUTPUT);
        (name == "numbers").then(|| toolsure_rmcp::tool(definition).unwrap())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            self.get_tool("numbers").into_iter().collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let number = request.arguments.unwrap_or_default().remove("n").unwrap();
        let mut result = CallToolResult::success(Vec::new());
        result.structured_content = Some(Value::Array(vec![number]));
        Ok(result.into())
    }
}

/// A connection of lines to the server, after the handshake.
struct Wire(BufReader<DuplexStream>);

impl Wire {
    async fn new(version: &str) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            let running = Numbers.checked().serve(theirs).await.unwrap();
            running.waiting().await.unwrap();
        });
        let mut wire = Self(BufReader::new(ours));
        let hello = format!(
            r#"{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"0"}}}}"#
        );
        wire.ask("initialize", &hello).await;
        wire.line(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
            .await;
        wire
    }

    async fn line(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.0.write_all(line.as_bytes()).await.unwrap();
    }

    /// The text of the answer.
    async fn ask(&mut self, method: &str, params: &str) -> String {
        self.line(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#
        ))
        .await;
        let mut answer = String::new();
        self.0.read_line(&mut answer).await.unwrap();
        answer
    }

    async fn call(&mut self, number: &str) -> String {
        let params = format!(r#"{{"name":"numbers","arguments":{{"n":{number}}}}}"#);
        self.ask("tools/call", &params).await
    }
}

/// S6, L2: a list has the schemas as they are written, to old readers the wrapped one too.
#[tokio::test]
async fn lists_keep_numbers_and_order() {
    let listed = Wire::new("2025-11-25").await.ask("tools/list", "{}").await;
    assert!(listed.contains(INPUT), "{listed}");
    assert!(listed.contains(OUTPUT), "{listed}");
    assert!(listed.contains(r#""required":["result"]"#), "{listed}");
}

/// S1, V6: the bound itself passes, one more does not, and the text is what was sent.
#[tokio::test]
async fn calls_keep_numbers() {
    let mut wire = Wire::new("2025-11-25").await;
    for number in [
        "12345678901234567890123",
        "1.10",
        "-0.10000000000000000000001",
        "1e-400",
    ] {
        let answer = wire.call(number).await;
        let sent = format!(r#""structuredContent":{{"result":[{number}]}}"#);
        assert!(answer.contains(&sent), "{number}: {answer}");
    }
    for number in ["12345678901234567890124", "1e400"] {
        let answer = wire.call(number).await;
        assert!(answer.contains(r#""isError":true"#), "{number}: {answer}");
        assert!(answer.contains("/n"), "{number}: {answer}");
    }
    // S3: one digit beyond what the output schema allows.
    let answer = wire.call("-0.10000000000000000000002").await;
    assert!(answer.contains(r#""isError":true"#), "{answer}");
}

/// C4, C8: the same through both layers: sent, checked and received digit for digit.
#[tokio::test]
async fn a_checked_client_keeps_numbers() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let running = Numbers.checked().serve(theirs).await.unwrap();
        running.waiting().await.unwrap();
    });
    let (read, write) = tokio::io::split(ours);
    let client = ().serve(ClientLayer::new().lines(read, write)).await.unwrap();
    let call = async |number: &str| {
        let arguments: Value = serde_json::from_str(&format!(r#"{{"n":{number}}}"#)).unwrap();
        let arguments = arguments.as_object().cloned().unwrap();
        client
            .call_tool(CallToolRequestParams::new("numbers").with_arguments(arguments))
            .await
    };
    let result = call("12345678901234567890123").await.unwrap();
    let sent = result.structured_content.unwrap().to_string();
    assert_eq!(sent, r#"{"result":[12345678901234567890123]}"#);
    let refused = call("12345678901234567890124").await.unwrap_err();
    assert!(refused.to_string().contains("/n"), "{refused}");
}
