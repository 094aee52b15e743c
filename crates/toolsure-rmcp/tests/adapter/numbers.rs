//! A whole number reaches a handler however it is written, or is refused with its location.
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::schemars::JsonSchema;
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::{Value, json};
use toolsure_rmcp::{
    CallTyped as _, ClientLayer, ServerHandlerExt as _, ServerLayer, ToolDefinition,
};

use crate::support::Wire;

#[derive(Deserialize, JsonSchema)]
struct Numbers {
    signed: Option<i64>,
    unsigned: Option<u64>,
    small: Option<u8>,
    any: Option<f64>,
}

struct Adder;

#[tool_router]
impl Adder {
    #[tool(description = "what arrives")]
    fn echo(&self, Parameters(numbers): Parameters<Numbers>) -> Json<Vec<String>> {
        Json(vec![format!(
            "{:?} {:?} {:?} {:?}",
            numbers.signed, numbers.unsigned, numbers.small, numbers.any
        )])
    }
}

#[tool_handler]
impl ServerHandler for Adder {}

#[tokio::test]
async fn whole_numbers_arrive_or_are_refused_with_a_place() {
    let mut wire = Wire::modern(Adder.checked());
    for (arguments, expected) in [
        (r#"{"signed":1.0}"#, "Some(1) None None None"),
        (
            r#"{"signed":1e2,"any":2.0}"#,
            "Some(100) None None Some(2.0)",
        ),
        (
            r#"{"unsigned":1.0e3,"small":2.55e2}"#,
            "None Some(1000) Some(255) None",
        ),
        (
            r#"{"signed":-5.0,"any":0.5}"#,
            "Some(-5) None None Some(0.5)",
        ),
        (
            r#"{"unsigned":18446744073709551615}"#,
            "None Some(18446744073709551615) None None",
        ),
    ] {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let result = wire.call("echo", arguments).await;
        assert_eq!(result["structuredContent"], json!([expected]), "{result}");
    }
    for (arguments, place) in [
        (r#"{"signed":9223372036854775808}"#, "/signed"),
        (r#"{"unsigned":-1}"#, "/unsigned"),
        (r#"{"small":256.0}"#, "/small"),
        (r#"{"signed":1.5}"#, "/signed"),
    ] {
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let result = wire.call("echo", arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(place), "{text}");
    }
}

/// Its tool has an argument schema, and its results have whole numbers such as `1e2` and `1.0`. It
/// counts the calls that reach it.
#[derive(Default)]
struct Plain(Arc<AtomicUsize>);

impl ServerHandler for Plain {
    async fn list_tools(
        &self,
        _: Option<rmcp::model::PaginatedRequestParams>,
        _: rmcp::service::RequestContext<rmcp::RoleServer>,
    ) -> Result<rmcp::model::ListToolsResult, rmcp::ErrorData> {
        let tool = ToolDefinition::new("search").argument_schema(
            r#"{"q": {"type": "string", "required": true, "minLength": 3}, "mode": {"type": "enum", "enum": ["fast", "accurate"]}, "limit": {"type": "integer", "maximum": 100}}"#,
        );
        let tool = toolsure_rmcp::tool(tool).unwrap();
        Ok(rmcp::model::ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        _: rmcp::model::CallToolRequestParams,
        _: rmcp::service::RequestContext<rmcp::RoleServer>,
    ) -> Result<rmcp::model::CallToolResponse, rmcp::ErrorData> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let content = serde_json::from_str(r#"{"n": 1e2, "m": [1.0, "x"]}"#).unwrap();
        Ok(rmcp::model::CallToolResult::structured(content).into())
    }

    fn get_info(&self) -> rmcp::model::ServerConfig {
        let capabilities = rmcp::model::ServerCapabilities::builder();
        rmcp::model::ServerConfig::new(capabilities.enable_tools().build())
    }
}

/// A server publishes an argument schema, and refuses arguments with its messages before the
/// handler runs.
#[tokio::test]
async fn an_argument_schema_is_published_and_checked_by() {
    let plain = Plain::default();
    let calls = Arc::clone(&plain.0);
    let mut wire = Wire::modern(ServerLayer::new().wrap(plain));
    let listed = wire.listed("search").await.unwrap();
    assert_eq!(listed["inputSchema"]["type"], "object");
    assert_eq!(listed["inputSchema"]["required"], json!(["q"]));
    assert_eq!(listed["inputSchema"]["properties"]["q"]["minLength"], 3);
    assert_eq!(
        listed["_meta"]["toolsure/argument-schema"]["limit"]["maximum"],
        100
    );
    for (arguments, text) in [
        (json!({}), "missing required argument 'q'"),
        (
            json!({"q": "ab"}),
            "argument 'q' string length must be >= 3",
        ),
        (
            json!({"q": "abc", "limit": 101, "mode": "slow"}),
            "argument 'mode' must be one of the enum values; argument 'limit' value must be <= 100",
        ),
    ] {
        let result = wire.call("search", arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        assert_eq!(result["content"][0]["text"], text, "{result}");
    }
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    let result = wire.call("search", json!({"q": "abc"})).await;
    assert_eq!(result["structuredContent"]["n"], 100.0, "{result}");
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    let refused = toolsure_rmcp::tool(ToolDefinition::new("x").argument_schema("[]"));
    assert!(refused.unwrap_err().to_string().contains("argument schema"));
}

#[derive(Deserialize, Debug, PartialEq)]
struct Typed {
    n: i64,
    m: (i64, String),
}

#[derive(Deserialize, Debug)]
struct Wrong {
    #[expect(dead_code, reason = "never read: it cannot be made")]
    m: Vec<i64>,
}

/// A client reads whole numbers in the same way.
#[tokio::test]
async fn whole_numbers_are_read_by_typed_calls() {
    use rmcp::ServiceExt as _;
    let (near, far) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let running = ServerLayer::new()
            .wrap(Plain::default())
            .serve(far)
            .await
            .unwrap();
        running.waiting().await.unwrap();
    });
    let (read, write) = tokio::io::split(near);
    let client = ().serve(ClientLayer::new().lines(read, write)).await.unwrap();
    let arguments = json!({"q": "abc"});
    let typed: Typed = client.call_typed("search", &arguments).await.unwrap();
    let expected = Typed {
        n: 100,
        m: (1, "x".to_owned()),
    };
    assert_eq!(typed, expected);
    let wrong = client.call_typed::<_, Wrong>("search", &arguments).await;
    let wrong = wrong.unwrap_err().to_string();
    assert!(wrong.contains("at `m[1]`"), "{wrong}");
}
