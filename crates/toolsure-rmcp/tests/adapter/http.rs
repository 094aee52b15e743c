//! Both layers over Streamable HTTP in both eras, with rmcp's own server and client between them.
#![cfg(all(feature = "http-client", feature = "http-server"))]
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
use toolsure_rmcp::{CallTyped as _, ClientLayer, ServerHttp, ServerLayer};

/// An HTTP client without a proxy. It needs a cryptography provider even if nothing is encrypted.
fn http_client() -> reqwest::Client {
    let _already = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// One tool with a header parameter and an array as output, and one whose header annotation breaks
/// the rules.
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

/// Starts a server. Returns its address and a counter of the calls to its handler.
async fn serve(json: bool) -> (String, Arc<AtomicUsize>) {
    let calls = Arc::<AtomicUsize>::default();
    let (layer, handler) = (
        ServerLayer::new(),
        Region {
            calls: Arc::clone(&calls),
        },
    );
    let config = StreamableHttpServerConfig::default().with_json_response(json);
    let service = StreamableHttpService::new(
        move || Ok(layer.wrap(handler.clone())),
        LocalSessionManager::default().into(),
        config,
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().nest_service("/mcp", ServerHttp::new(service));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (format!("http://{address}/mcp"), calls)
}

async fn connect(uri: &str, layer: &ClientLayer, modern: bool) -> RunningService<RoleClient, ()> {
    let config = StreamableHttpClientTransportConfig::with_uri(uri);
    let http = layer.http(http_client());
    let transport = layer.transport(StreamableHttpClientTransport::with_client(http, config));
    let mode = if modern {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    ().serve_with_lifecycle(transport, mode).await.unwrap()
}

/// The same calls in both eras, without a list before them, with header parameters.
#[tokio::test]
async fn both_eras_over_http() {
    for json in [true, false] {
        let (uri, calls) = serve(json).await;
        for modern in [true, false] {
            let client = connect(&uri, &ClientLayer::new(), modern).await;
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
            assert_eq!(names.contains(&"broken"), !modern, "{names:?}");
        }
        assert_eq!(calls.load(Ordering::Relaxed), 4);
    }
}

/// Without a layer in the client, the server's layer checks the calls.
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

/// Posts a body. Returns the status and text of the answer.
async fn post(uri: &str, body: &str, origin: Option<&str>) -> (u16, String) {
    let mut request = http_client()
        .post(uri)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(body.to_owned());
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

/// Bodies that rmcp would read as another call, or answer without a JSON-RPC error.
#[tokio::test]
async fn bodies_are_read_before_rmcp_reads_them() {
    let (uri, calls) = serve(true).await;
    let call = |params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#)
    };
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    for (body, id, code) in [
        (
            call(r#"{"name":"region","arguments":null}"#),
            json!(7),
            -32602,
        ),
        (
            call(r#"{"name":"region","arguments":[1]}"#),
            json!(7),
            -32602,
        ),
        (call(r#"{"name":5,"arguments":{}}"#), json!(7), -32602),
        (
            call(r#"{"name":"region","arguments":{"region":"eu","region":"us"}}"#),
            json!(7),
            -32700,
        ),
        (
            call(r#"{"name":"region","arguments":{"region":"\ud800"}}"#),
            json!(7),
            -32700,
        ),
        (
            call(&format!(
                r#"{{"name":"region","arguments":{{"x":{deep}}}}}"#
            )),
            json!(7),
            -32700,
        ),
        (
            r#"{"jsonrpc":"2.0","id":"a","method":5}"#.to_owned(),
            json!("a"),
            -32600,
        ),
        ("[]".to_owned(), Value::Null, -32600),
        (
            call(r#"{"name":"region","arguments":{"region":"eu"}}"#).replace(r#""id":7,"#, ""),
            Value::Null,
            -32600,
        ),
        ("{".to_owned(), Value::Null, -32700),
        (String::new(), Value::Null, -32700),
    ] {
        let (status, text) = post(&uri, &body, None).await;
        let answer: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(status, 400, "{body}");
        assert_eq!(answer.get("id").cloned().unwrap_or_default(), id, "{body}");
        assert_eq!(
            answer.pointer("/error/code"),
            Some(&json!(code)),
            "{body} {text}"
        );
    }
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",
        "capabilities":{},"clientInfo":{"name":"t","version":"0"}}}"#;
    assert_eq!(post(&uri, hello, None).await.0, 200);
}

/// The checks of the inner service come first: a foreign origin learns nothing about its body.
#[tokio::test]
async fn origins_come_before_bodies() {
    let service = StreamableHttpService::new(
        || {
            Ok(ServerLayer::new().wrap(Region {
                calls: Arc::default(),
            }))
        },
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default().with_allowed_origins(["http://localhost:*"]),
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}/mcp", listener.local_addr().unwrap());
    let router = axum::Router::new().nest_service("/mcp", ServerHttp::new(service));
    tokio::spawn(async move { axum::serve(listener, router).await });
    assert_eq!(post(&uri, "{", Some("http://evil.example")).await.0, 403);
    assert_eq!(post(&uri, "{", Some("http://localhost:1")).await.0, 400);
}

/// A service that answers with the body that it received.
#[derive(Clone)]
struct Echo;

type Bytes = bytes::Bytes;
type Answer = http::Response<http_body_util::combinators::BoxBody<Bytes, std::convert::Infallible>>;

impl<B> tower_service::Service<http::Request<B>> for Echo
where
    B: http_body_util::BodyExt<Data = Bytes> + Send + 'static,
{
    type Response = Answer;
    type Error = std::convert::Infallible;
    type Future = futures::future::BoxFuture<'static, Result<Answer, Self::Error>>;

    fn poll_ready(
        &mut self,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Result<(), Self::Error>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        Box::pin(async move {
            let collected = request.into_body().collect().await;
            let text = collected.map_or_else(|_| Bytes::from("none"), |body| body.to_bytes());
            let body = http_body_util::BodyExt::boxed(http_body_util::Full::new(text));
            Ok(http::Response::new(body))
        })
    }
}

/// The answer of an echo service behind `ServerHttp` to a body in pieces of `piece` bytes.
async fn echoed(text: &str, piece: usize, limit: usize) -> (u16, Bytes) {
    use tower_service::Service as _;
    let frames: Vec<Result<_, std::convert::Infallible>> = text
        .as_bytes()
        .chunks(piece)
        .map(|piece| Ok(http_body::Frame::data(Bytes::copy_from_slice(piece))))
        .collect();
    let body = http_body_util::StreamBody::new(futures::stream::iter(frames));
    let mut service = ServerHttp::new(Echo).max_body_bytes(limit);
    let response = service.call(http::Request::new(body)).await.unwrap();
    let status = response.status().as_u16();
    let body = http_body_util::BodyExt::collect(response.into_body()).await;
    (status, body.unwrap().to_bytes())
}

/// A body is passed on byte for byte, however it was split, up to the limit and not beyond.
#[tokio::test]
async fn a_body_goes_on_as_it_came() {
    let text = " {\"params\" : {\"name\":\"é\", \"arguments\":{\"n\":1.10}},\r\n\"id\":3,\"method\":\"tools/call\",\"jsonrpc\":\"2.0\"}\n";
    for piece in [1, 2, 7, text.len()] {
        let (status, body) = echoed(text, piece, text.len()).await;
        assert_eq!((status, &*body), (200, text.as_bytes()), "{piece}");
        let (status, body) = echoed(text, piece, text.len() - 1).await;
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(status, 413, "{piece}");
        assert_eq!(
            answer.pointer("/error/code"),
            Some(&json!(-32700)),
            "{answer}"
        );
    }
}
