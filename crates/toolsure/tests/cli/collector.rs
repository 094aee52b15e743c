//! A collector and a server behind the guard, in the test's own process.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::Metric;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use serde_json::{Value, json};

/// The collector and the server, on one address.
pub(crate) struct Far {
    pub(crate) address: SocketAddr,
    state: Arc<Mutex<Seen>>,
    exports: Receiver<bool>,
    /// Serves until it is dropped.
    _runtime: tokio::runtime::Runtime,
}

/// What was received.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) spans: Vec<Span>,
    pub(crate) metrics: Vec<Metric>,
    /// The attributes of the process in the last export of spans.
    pub(crate) resource: Vec<KeyValue>,
    /// Requests to the server.
    pub(crate) calls: Vec<(HeaderMap, Value)>,
    /// How many exports of spans are still to be refused.
    refuse: usize,
    told: Option<Sender<bool>>,
}

type Shared = State<Arc<Mutex<Seen>>>;

impl Far {
    /// Starts both. The first `refuse` exports of spans are refused.
    pub(crate) fn start(refuse: usize) -> Self {
        let (told, exports) = channel();
        let state = Arc::new(Mutex::new(Seen {
            refuse,
            told: Some(told),
            ..Seen::default()
        }));
        let router = Router::new()
            .route("/v1/traces", post(traces))
            .route("/v1/metrics", post(metrics))
            .route("/mcp", post(serve))
            .with_state(Arc::clone(&state));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let bound = tokio::net::TcpListener::bind("127.0.0.1:0");
        let listener = runtime.block_on(bound).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move { axum::serve(listener, router).await });
        Self {
            address,
            state,
            exports,
            _runtime: runtime,
        }
    }

    pub(crate) fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn seen(self) -> Seen {
        std::mem::take(&mut self.state.lock().unwrap())
    }

    /// Waits for the next export of spans; returns whether it was accepted.
    pub(crate) fn export(&self) -> bool {
        self.exports.recv().unwrap()
    }
}

impl Seen {
    /// The spans with this kind and name, the oldest first.
    pub(crate) fn spans(&self, kind: i32, name: &str) -> Vec<&Span> {
        let all = self.spans.iter();
        let mut all: Vec<&Span> = all
            .filter(|span| span.kind == kind && span.name == name)
            .collect();
        all.sort_by_key(|span| span.start_time_unix_nano);
        all
    }

    pub(crate) fn metric(&self, name: &str) -> &Metric {
        let mut all = self.metrics.iter().rev();
        all.find(|metric| metric.name == name).unwrap()
    }
}

/// Attributes as JSON.
pub(crate) fn attributes(all: &[KeyValue]) -> Value {
    let of = |value: &Option<AnyValue>| match value.as_ref().and_then(|it| it.value.clone()) {
        Some(Any::StringValue(text)) => json!(text),
        Some(Any::IntValue(number)) => json!(number),
        other => json!(format!("{other:?}")),
    };
    let all = all.iter();
    all.map(|one| (one.key.clone(), of(&one.value))).collect()
}

async fn traces(State(state): Shared, body: Bytes) -> StatusCode {
    let mut state = state.lock().unwrap();
    let taken = state.refuse == 0;
    state.refuse = state.refuse.saturating_sub(1);
    if taken {
        let request = ExportTraceServiceRequest::decode(body).unwrap();
        for resource in request.resource_spans {
            state.resource = resource.resource.unwrap().attributes;
            for scope in resource.scope_spans {
                assert_eq!(scope.scope.unwrap().name, "toolsure");
                state.spans.extend(scope.spans);
            }
        }
    }
    // Fails only once the test has stopped waiting.
    let _gone = state.told.as_ref().map(|told| told.send(taken));
    if taken {
        StatusCode::OK
    } else {
        // An exporter does not retry after this status.
        StatusCode::BAD_REQUEST
    }
}

async fn metrics(State(state): Shared, body: Bytes) -> StatusCode {
    let request = ExportMetricsServiceRequest::decode(body).unwrap();
    let resources = request.resource_metrics.into_iter();
    let metrics = resources
        .flat_map(|resource| resource.scope_metrics)
        .flat_map(|scope| scope.metrics);
    state.lock().unwrap().metrics.extend(metrics);
    StatusCode::OK
}

/// A server of both eras with the tools `good` and `bad`.
async fn serve(State(state): Shared, headers: HeaderMap, body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).unwrap();
    state.lock().unwrap().calls.push((headers, message.clone()));
    let schema = json!({"type": "object", "required": ["x"]});
    let tool = |name| json!({"name": name, "inputSchema": schema, "outputSchema": schema});
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "far", "version": "1"},
        }),
        "tools/list" => json!({
            "resultType": "complete", "ttlMs": 60_000, "cacheScope": "public",
            "tools": [tool("good"), tool("bad")],
        }),
        "tools/call" => match message["params"]["name"].as_str().unwrap() {
            "good" => json!({
                "resultType": "complete", "content": [], "structuredContent": {"x": 1},
            }),
            _ => json!({"resultType": "complete", "content": [], "structuredContent": {}}),
        },
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
    let json = [("content-type", "application/json")];
    (json, answer.to_string()).into_response()
}
