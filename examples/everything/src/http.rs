//! A handler on Streamable HTTP, on a loopback port.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

/// Serves clones of `handler` at `/mcp` on a loopback port until the process ends: the one that the variable `PORT`
/// names, or a free one.
/// The address is printed as one line, `listening on ADDRESS`.
///
/// # Errors
///
/// If no port can be had, or the server fails.
pub async fn serve<S>(handler: S) -> std::io::Result<()>
where
    S: ServerHandler + Clone,
{
    let named = std::env::var("PORT")
        .ok()
        .and_then(|port| port.parse().ok());
    let listener = TcpListener::bind(("127.0.0.1", named.unwrap_or(0))).await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, router(handler)).await
}

/// The router that [`serve`] runs: only loopback hosts and origins come through.
pub fn router<S>(handler: S) -> axum::Router
where
    S: ServerHandler + Clone,
{
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(["http://localhost:*", "http://127.0.0.1:*"]);
    let service = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    axum::Router::new().nest_service("/mcp", service)
}
