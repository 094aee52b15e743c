//! The admin server: the page of the guard, `/state`, `/healthz`, `/readyz`, `/metrics`, and the approval of changes.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use toolsure_guard::Digest;
use toolsure_json::quote;

use super::config::Config;
use super::metrics::Metrics;
use super::page::{self, Decision};
use super::recent::Recent;
use super::state::State as Guards;

/// The running admin server; dropping it ends it.
pub(super) struct Admin {
    pub(super) address: SocketAddr,
    task: JoinHandle<()>,
}

/// What the pages show, and what approvals need.
#[derive(Clone)]
pub(super) struct AdminState {
    metrics: Arc<Metrics>,
    guards: Arc<Guards>,
    recent: Arc<Recent>,
    loopback: bool,
    /// The digest of the token that approvals need; without one there are none.
    token: Option<Digest>,
    /// Reads the settings and lock files again.
    reload: Arc<Notify>,
}

impl AdminState {
    pub(super) fn new(
        config: &Config,
        (metrics, guards, recent): (&Arc<Metrics>, &Arc<Guards>, &Arc<Recent>),
        reload: &Arc<Notify>,
    ) -> Self {
        Self {
            metrics: Arc::clone(metrics),
            guards: Arc::clone(guards),
            recent: Arc::clone(recent),
            loopback: true,
            token: config.admin_token.as_deref().and_then(Digest::read),
            reload: Arc::clone(reload),
        }
    }
}

impl Admin {
    /// Binds the address and serves it on the current runtime.
    pub(super) async fn start(address: SocketAddr, state: AdminState) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let state = AdminState {
            loopback: address.ip().is_loopback(),
            ..state
        };
        let router = Router::new()
            .route("/", get(page))
            .route("/state", get(as_json))
            .route("/decide", post(decide))
            .layer(DefaultBodyLimit::max(FORM_BYTES))
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

/// Does what may take long without holding up calls.
async fn blocking<T: Default + Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    // Fails only if it panicked, which was already printed.
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_default()
}

/// `/`: everything, for people.
async fn page(State(state): State<AdminState>) -> Response {
    let html = blocking(move || {
        let found = page::state(&state.guards, &state.recent, true);
        page::html(&found, state.token.is_some())
    });
    let html = html.await;
    let headers = [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (CACHE_CONTROL, "no-store"),
    ];
    (headers, html).into_response()
}

/// `/state`: the same, for programs.
async fn as_json(State(state): State<AdminState>) -> Response {
    let found = blocking(move || page::state(&state.guards, &state.recent, false)).await;
    ([(CONTENT_TYPE, "application/json")], format!("{found:#}\n")).into_response()
}

/// `/decide`: approves or rejects the definition of a tool that the page showed.
async fn decide(State(state): State<AdminState>, form: String) -> Response {
    let fields: Vec<(String, String)> = form_urlencoded::parse(form.as_bytes())
        .into_owned()
        .collect();
    let field = |name: &str| {
        let found = fields.iter().find(|(field, _)| field == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    let given = Digest::of_bytes(field("token").as_bytes());
    match &state.token {
        None => {
            let why = "nothing can be approved here: `admin.token` is not set\n";
            return (StatusCode::FORBIDDEN, why).into_response();
        }
        Some(token) if !token.is(given.bytes()) => {
            return (
                StatusCode::FORBIDDEN,
                "this is not the token of `admin.token`\n",
            )
                .into_response();
        }
        Some(_) => {}
    }
    let decision = match field("decision") {
        "approve" => Decision::Approve,
        "reject" => Decision::Reject,
        _ => {
            let why = "the decision must be `approve` or `reject`\n";
            return (StatusCode::BAD_REQUEST, why).into_response();
        }
    };
    let (upstream, tool, digest) = (field("upstream"), field("tool"), field("digest"));
    match page::decide(&state.guards, (upstream, tool, digest), decision) {
        Ok(()) => {
            tracing::info!(upstream, tool = %quote(tool, 128), digest, "{} on the page", decision.name());
            state.reload.notify_one();
            Redirect::to("/").into_response()
        }
        Err(why) => (StatusCode::CONFLICT, format!("{why}\n")).into_response(),
    }
}

/// `/healthz`: the process runs.
async fn health(State(state): State<AdminState>) -> String {
    state.guards.health()
}

/// `/readyz`: 200 if calls can be accepted, 503 if not; a line for each upstream.
async fn ready(State(state): State<AdminState>) -> Response {
    let (ready, lines) = blocking(move || state.guards.readiness()).await;
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

/// Forms have a token, names and a digest.
const FORM_BYTES: usize = 64 << 10;
/// The page loads nothing, runs nothing, and sends forms only here.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

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
