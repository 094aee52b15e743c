//! Both gates over Streamable HTTP, in both eras, with rmcp's own server and
//! client between them.
#![cfg(feature = "http-client")]
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, RequestContext, RoleClient, RunningService,
    ServiceError,
};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{
    StreamableHttpClientTransport, StreamableHttpServerConfig, StreamableHttpService,
};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use toolgate_rmcp::{CallTyped as _, ClientGate, ServerGate};

/// An HTTP client that asks no proxy. It wants a cryptography provider even where nothing
/// is encrypted.
fn http_client() -> reqwest::Client {
    let _already = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// A parameter in a header, an array for output, and one tool whose annotation
/// breaks the rules.
#[derive(Clone)]
struct Region {
    calls: Arc<AtomicUsize>,
}

fn tools() -> Vec<Tool> {
    let region = json!({"name": "region", "inputSchema": {"type": "object", "properties":
        {"region": {"type": "string", "minLength": 2, "x-mcp-header": "Region"}}},
        "outputSchema": {"type": "array", "items": {"type": "string"}}});
    let broken = json!({"name": "broken", "inputSchema": {"type": "object", "properties":
        {"a": {"type": "number", "x-mcp-header": "A"}}}});
    [region, broken]
        .into_iter()
        .map(|tool| serde_json::from_value(tool).unwrap())
        .collect()
}

impl ServerHandler for Region {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let region = request.arguments.unwrap_or_default().remove("region");
        let region = region.unwrap_or_else(|| "none".into());
        let mut result = CallToolResult::success(Vec::new());
        result.structured_content = Some(json!([region]));
        Ok(result.into())
    }
}

/// Where the server listens, and how often its handler ran.
async fn serve(json: bool) -> (String, Arc<AtomicUsize>) {
    let calls = Arc::<AtomicUsize>::default();
    let (gate, handler) = (
        ServerGate::new(),
        Region {
            calls: Arc::clone(&calls),
        },
    );
    let config = StreamableHttpServerConfig::default().with_json_response(json);
    let service = StreamableHttpService::new(
        move || Ok(gate.wrap(handler.clone())),
        LocalSessionManager::default().into(),
        config,
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().nest_service("/mcp", service);
    tokio::spawn(async move { axum::serve(listener, router).await });
    (format!("http://{address}/mcp"), calls)
}

async fn connect(uri: &str, gate: &ClientGate, modern: bool) -> RunningService<RoleClient, ()> {
    let config = StreamableHttpClientTransportConfig::with_uri(uri);
    let http = gate.http(http_client());
    let transport = gate.transport(StreamableHttpClientTransport::with_client(http, config));
    let mode = if modern {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    ().serve_with_lifecycle(transport, mode).await.unwrap()
}

/// L1, C7: the same calls in both eras, cold, with header parameters.
#[tokio::test]
async fn both_eras_over_http() {
    for json in [true, false] {
        let (uri, calls) = serve(json).await;
        for modern in [true, false] {
            let client = connect(&uri, &ClientGate::new(), modern).await;
            let got: Vec<String> = client
                .call_typed("region", &json!({"region": "eu"}))
                .await
                .unwrap();
            assert_eq!(got, ["eu"], "{json} {modern}");
            let raw = client
                .call_tool(CallToolRequestParams::new("region"))
                .await
                .unwrap();
            let expected = if modern {
                json!(["none"])
            } else {
                json!({"result": ["none"]})
            };
            assert_eq!(raw.structured_content, Some(expected));
            let refused = client
                .call_typed::<_, Value>("region", &json!({"region": "e"}))
                .await;
            assert!(refused.unwrap_err().to_string().contains("/region"));
            let names: Vec<_> = client.list_all_tools().await.unwrap();
            let names: Vec<_> = names.iter().map(|tool| &*tool.name).collect();
            assert_eq!(names.contains(&"broken"), !modern, "C7: {names:?}");
        }
        assert_eq!(calls.load(Ordering::Relaxed), 4);
    }
}

/// S1, S2 over HTTP: a client without a gate meets the server's.
#[tokio::test]
async fn a_plain_client_over_http() {
    let (uri, calls) = serve(true).await;
    let client = {
        let config = StreamableHttpClientTransportConfig::with_uri(&*uri);
        let http = http_client();
        let transport = StreamableHttpClientTransport::with_client(http, config);
        ().serve_with_lifecycle(transport, ClientLifecycleMode::Initialize)
            .await
            .unwrap()
    };
    let arguments = json!({"region": "e"}).as_object().cloned().unwrap();
    let result = client
        .call_tool(CallToolRequestParams::new("region").with_arguments(arguments))
        .await
        .unwrap();
    assert_eq!(result.is_error, Some(true));
    let unknown = client.call_tool(CallToolRequestParams::new("nope")).await;
    assert!(matches!(unknown, Err(ServiceError::McpError(error)) if error.code.0 == -32602));
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}
