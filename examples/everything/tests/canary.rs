//! Nothing that a schema says makes anybody connect anywhere: a listener on the loopback
//! interface sees no connection, whatever position and spelling the reference has, when
//! tools are registered, listed and called, with our layer on either side.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, RequestContext, RoleClient, RoleServer,
    RunningService, ServiceExt as _,
};
use rmcp::{ErrorData, ServerHandler};
use serde_json::{Value, json};
use tokio::io::DuplexStream;
use tokio::net::{TcpListener, TcpStream};
use toolsure_mcp::publish::ToolDefinition;
use toolsure_rmcp::{ClientLayer, ServerLayer};

/// Every way to name the canary, or a file, as a reference's target.
fn spellings(port: u16) -> Vec<String> {
    let host = format!("127.0.0.1:{port}");
    vec![
        format!("http://{host}/schema.json"),
        format!("HTTP://{host}/schema.json"),
        format!("http://{host}/%73chema.json#/$defs/a"),
        format!("http://{host}/a/../schema.json#anchor"),
        format!("http://user:word@{host}/schema.json?query"),
        format!("https://{host}/schema.json"),
        format!("//{host}/schema.json"),
        format!("ws://{host}/schema.json"),
        format!("ftp://{host}/schema.json"),
        format!("http://localhost:{port}/schema.json"),
        format!("http://[::ffff:127.0.0.1]:{port}/schema.json"),
        format!("http://2130706433:{port}/schema.json"),
        "file:///etc/hostname".to_owned(),
        "schema.json".to_owned(),
        "urn:example:schema".to_owned(),
        "data:application/json,true".to_owned(),
    ]
}

/// Every position in which a schema can name another document, `target` in it.
fn positions(target: &str, port: u16) -> Vec<Value> {
    let base = format!("http://127.0.0.1:{port}/base/");
    vec![
        json!({ "properties": { "a": { "$ref": target } } }),
        json!({ "$ref": target }),
        json!({ "properties": { "a": { "$dynamicRef": target } } }),
        json!({ "$schema": "https://json-schema.org/draft/2019-09/schema",
                "properties": { "a": { "$recursiveRef": target } } }),
        json!({ "$id": base, "properties": { "a": { "$ref": target } } }),
        json!({ "properties": { "a": { "$id": base, "$ref": target } } }),
        json!({ "$defs": { "unused": { "$ref": target } } }),
        json!({ "allOf": [{ "$ref": target }] }),
        json!({ "not": { "$ref": target } }),
        json!({ "if": { "$ref": target }, "then": {} }),
        json!({ "patternProperties": { "": { "$ref": target } } }),
        json!({ "additionalProperties": { "$ref": target } }),
        json!({ "unevaluatedProperties": { "$ref": target } }),
        json!({ "propertyNames": { "$ref": target } }),
        json!({ "dependentSchemas": { "a": { "$ref": target } } }),
        json!({ "properties": { "a": { "items": { "$ref": target } } } }),
        json!({ "properties": { "a": { "prefixItems": [{ "$ref": target }] } } }),
        json!({ "properties": { "a": { "contains": { "$ref": target } } } }),
        json!({ "$schema": target }),
        json!({ "$id": target }),
        json!({ "$vocabulary": { (target): true } }),
        json!({ "properties": { "a": { "const": { "$ref": target } } } }),
        json!({ "properties": { "a": { "default": { "$ref": target } } } }),
        json!({ "properties": { "a": { "format": "uri", "examples": [target] } } }),
        json!({ "properties": { "a": { "contentSchema": { "$ref": target } } } }),
    ]
}

/// A tool with each schema as its input, and one with each as its output.
fn tools(port: u16) -> Vec<Value> {
    let mut tools = Vec::new();
    for target in spellings(port) {
        for mut schema in positions(&target, port) {
            schema["type"] = json!("object");
            let name = format!("t{}", tools.len());
            tools.push(json!({ "name": name, "inputSchema": schema }));
            let name = format!("t{}", tools.len());
            let input = json!({ "type": "object" });
            tools.push(json!({ "name": name, "inputSchema": input, "outputSchema": schema }));
        }
    }
    tools
}

/// A server that publishes what it is given, and answers every call alike.
#[derive(Clone)]
struct Publisher(Vec<Tool>);

impl ServerHandler for Publisher {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.0.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::structured(json!({ "a": { "a": ["a"] } })).into())
    }
}

fn lifecycle(version: ProtocolVersion) -> ClientLifecycleMode {
    if version == ProtocolVersion::V_2026_07_28 {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![version],
        }
    } else {
        ClientLifecycleMode::Initialize
    }
}

fn pipe<S: ServerHandler>(server: S) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        let running = server.serve(theirs).await.unwrap();
        running.waiting().await.unwrap();
    });
    ours
}

/// Lists all tools and calls every one, listed or not; refusals are as good as results here.
async fn list_and_call(client: &RunningService<RoleClient, ()>, all: &[Value]) -> (usize, usize) {
    let listed = client.list_all_tools().await.unwrap().len();
    let mut answered = 0;
    for tool in all {
        let name = tool["name"].as_str().unwrap().to_owned();
        let arguments = json!({ "a": { "a": ["a"] } });
        let request =
            CallToolRequestParams::new(name).with_arguments(arguments.as_object().unwrap().clone());
        if let Ok(result) = client.call_tool(request).await
            && result.is_error != Some(true)
        {
            answered += 1;
        }
    }
    (listed, answered)
}

/// C1, S5: no reference is followed out of its document.
#[tokio::test]
async fn no_schema_makes_anybody_connect() {
    let canary = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = canary.local_addr().unwrap().port();
    let all = tools(port);
    assert_eq!(all.len(), 800);

    let mut registered = 0;
    for tool in &all {
        let mut definition = ToolDefinition::new(tool["name"].as_str().unwrap())
            .input(tool["inputSchema"].to_string());
        if let Some(output) = tool.get("outputSchema") {
            definition = definition.output(output.to_string());
        }
        registered += usize::from(toolsure_rmcp::tool(definition).is_ok());
    }
    // Those whose target is data, or the base of what is inside.
    assert!(registered > 0 && registered < all.len(), "{registered}");

    let typed: Vec<Tool> = serde_json::from_value(json!(all)).unwrap();
    for version in [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28] {
        let checked = ServerLayer::new().wrap(Publisher(typed.clone()));
        let plain = ().serve_with_lifecycle(pipe(checked), lifecycle(version.clone()));
        let client = plain.await.unwrap();
        let (listed, answered) = list_and_call(&client, &all).await;
        assert!(listed > 0 && listed < all.len(), "{version}: {listed}");
        assert!(answered > 0 && answered <= listed, "{version}: {answered}");
        client.cancel().await.unwrap();

        let transport = ClientLayer::new().transport(pipe(Publisher(typed.clone())));
        let checked = ().serve_with_lifecycle(transport, lifecycle(version.clone()));
        let client = checked.await.unwrap();
        let (_, answered) = list_and_call(&client, &all).await;
        assert!(
            answered > 0 && answered < all.len(),
            "{version}: {answered}"
        );
        client.cancel().await.unwrap();
    }

    // Connections are accepted in their order: were there one before ours, it would be first.
    let ours = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let (_, first) = canary.accept().await.unwrap();
    assert_eq!(first, ours.local_addr().unwrap(), "somebody connected");
}
