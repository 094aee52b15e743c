//! The fixture client's connections.

use std::process::Stdio;

use reqwest::redirect::Policy;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use tokio::process::Command;
use toolsure_rmcp::ClientLayer;

use crate::client::Host;

/// What may go wrong on the way.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A connected client.
pub(crate) type Session = RunningService<RoleClient, Host>;

/// A server.
#[derive(Debug)]
pub enum Target {
    /// At an address.
    Http(String),
    /// A program and its arguments, on its standard input and output.
    Stdio(Vec<String>),
}

/// Connects in the era of `version`, through a layer that holds the server to its tools'
/// contracts.
///
/// # Errors
///
/// Whatever keeps client and server apart.
pub(crate) async fn connect(
    target: &Target,
    version: &ProtocolVersion,
) -> Result<Session, Failure> {
    let lifecycle = if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![version.clone()],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    let layer = ClientLayer::new();
    match target {
        Target::Http(url) => {
            // The HTTP client asks for one even where nothing is encrypted.
            let _already = rustls::crypto::ring::default_provider().install_default();
            // why: on a connection that is kept, a call overtakes the opening of the stream
            // for the server's questions, and a question that is asked before is lost.
            let client = reqwest::Client::builder()
                .pool_max_idle_per_host(0)
                .redirect(Policy::none())
                .build()?;
            let config = StreamableHttpClientTransportConfig::with_uri(url.clone());
            let http = StreamableHttpClientTransport::with_client(layer.http(client), config);
            Ok(Host
                .serve_with_lifecycle(layer.transport(http), lifecycle)
                .await?)
        }
        Target::Stdio(words) => {
            let (program, arguments) = words.split_first().ok_or("no command")?;
            let mut command = Command::new(program);
            command.args(arguments).kill_on_drop(true);
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn()?;
            let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
                return Err("the server has no pipes".into());
            };
            // Ends with its input, or with this program.
            tokio::spawn(async move { child.wait().await });
            Ok(Host
                .serve_with_lifecycle(layer.lines(stdout, stdin), lifecycle)
                .await?)
        }
    }
}
