//! The admin server: `/healthz`, `/readyz`, `/metrics`.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::metrics::Metrics;
use super::state::State as Guards;

/// The running admin server; dropping it ends it.
pub(super) struct Admin {
    pub(super) address: SocketAddr,
    task: JoinHandle<()>,
}

/// What the pages show.
#[derive(Clone)]
struct AdminState {
    metrics: Arc<Metrics>,
    guards: Arc<Guards>,
    loopback: bool,
}

impl Admin {
    /// Binds the address and serves it on the current runtime.
    pub(super) async fn start(
        address: SocketAddr,
        metrics: Arc<Metrics>,
        guards: Arc<Guards>,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let state = AdminState {
            metrics,
            guards,
            loopback: address.ip().is_loopback(),
        };
        let router = Router::new()
            .route("/healthz", get(health))
            .route("/readyz", get(ready))
            .route("/metrics", get(numbers))
            .layer(middleware::from_fn_with_state(state.clone(), admit))
            .with_state(state);
        let task = tokio::spawn(async move {
            // It never returns; if it did, the guard would go on without it.
            let _never = axum::serve(listener, router).await;
        });
        Ok(Self { address, task })
    }
}

impl Drop for Admin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// `/healthz`: the process runs.
async fn health(State(state): State<AdminState>) -> String {
    state.guards.health()
}

/// `/readyz`: 200 if calls can be accepted, 503 if not; a line for each upstream.
async fn ready(State(state): State<AdminState>) -> Response {
    let (ready, lines) = state.guards.readiness();
    let status = match ready {
        true => StatusCode::OK,
        false => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, lines).into_response()
}

async fn numbers(State(state): State<AdminState>) -> Response {
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, kind)], state.metrics.text()).into_response()
}

/// On a loopback address, admits only requests with a local host name, so that a web page cannot
/// read the metrics by DNS rebinding.
async fn admit(State(state): State<AdminState>, request: Request, next: Next) -> Response {
    if state.loopback && !is_local(request.headers()) {
        return (
            StatusCode::FORBIDDEN,
            "this address is for this machine only\n",
        )
            .into_response();
    }
    next.run(request).await
}

fn is_local(headers: &HeaderMap) -> bool {
    // Browsers always send one; some health checks do not.
    let Some(host) = headers.get(HOST) else {
        return true;
    };
    let host = host.to_str().unwrap_or_default();
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name.eq_ignore_ascii_case("localhost")
        || name
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_names() {
        for (host, expected) in [
            ("localhost:9090", true),
            ("LOCALHOST", true),
            ("127.0.0.1:1", true),
            ("[::1]:1", true),
            ("example.com", false),
            ("127.0.0.1.example.com", false),
            ("10.0.0.1", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            assert_eq!(is_local(&headers), expected, "{host}");
        }
        assert!(is_local(&HeaderMap::new()));
    }
}
