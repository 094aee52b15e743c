//! The same tools over two transports in two eras of the protocol.
//!
//! `schema-validators` alone runs a client against the server on all four legs (stdio and
//! HTTP, 2025-11-25 and 2026-07-28), checks what each must see, and closes with
//! `N passed, 0 failed`. `schema-validators serve stdio` and `schema-validators serve http`
//! run the server for other clients.

mod client;
mod legs;
mod server;

use std::process::ExitCode;

use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::server::Forecaster;

/// What may go wrong where nothing is checked yet.
type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match *words.as_slice() {
        [] => return legs::run().await,
        ["serve", "stdio"] => {
            let server = server::layer()?.wrap(Forecaster::new()?);
            server.serve(stdio()).await?.waiting().await?;
        }
        ["serve", "http"] => {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            println!("listening on http://{}/mcp", listener.local_addr()?);
            axum::serve(listener, http()?).await?;
        }
        _ => return Err("usage: schema-validators [serve stdio | serve http]".into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// The server on HTTP. One layer serves all sessions and requests.
fn http() -> Result<axum::Router, Failure> {
    let server = server::layer()?.wrap(Forecaster::new()?);
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default().enforce_origin_validation(),
    );
    Ok(axum::Router::new().nest_service("/mcp", service))
}
