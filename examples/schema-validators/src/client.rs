//! The client: one session on a transport in an era.

use reqwest::redirect::Policy;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use tokio::net::TcpListener;
use tokio::process::Command;
use toolsure_rmcp::ClientLayer;

use crate::Failure;

/// Where the messages go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Transport {
    /// The standard input and output of this program, started again as the server.
    Stdio,
    /// HTTP on a loopback port, served by this process.
    Http,
}

/// A connected client.
pub(crate) type Session = RunningService<RoleClient, ()>;

/// Connects by `transport`, in the era of `version`, through a layer that holds the server
/// to its tools' contracts.
///
/// # Errors
///
/// Whatever keeps client and server apart.
pub(crate) async fn connect(
    transport: Transport,
    version: ProtocolVersion,
) -> Result<Session, Failure> {
    let lifecycle = if version == ProtocolVersion::V_2026_07_28 {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![version],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    let layer = ClientLayer::new();
    match transport {
        Transport::Stdio => {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["serve", "stdio"]);
            let child = TokioChildProcess::new(command)?;
            Ok(
                ().serve_with_lifecycle(layer.transport(child), lifecycle)
                    .await?,
            )
        }
        Transport::Http => {
            let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
            let url = format!("http://{}/mcp", listener.local_addr()?);
            let server = crate::http()?;
            // Ends with this program; each leg has a server of its own.
            tokio::spawn(async move { axum::serve(listener, server).await });
            // The HTTP client asks for one even where nothing is encrypted.
            let _already = rustls::crypto::ring::default_provider().install_default();
            let client = reqwest::Client::builder()
                .redirect(Policy::none())
                .build()?;
            let config = StreamableHttpClientTransportConfig::with_uri(url);
            let http = StreamableHttpClientTransport::with_client(layer.http(client), config);
            Ok(
                ().serve_with_lifecycle(layer.transport(http), lifecycle)
                    .await?,
            )
        }
    }
}
