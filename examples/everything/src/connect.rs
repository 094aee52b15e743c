//! The fixture client's connections.

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use tokio::process::Command;

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

/// Connects in the era of `version`.
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
    match target {
        Target::Http(url) => {
            // The HTTP client asks for one even where nothing is encrypted.
            let _already = rustls::crypto::ring::default_provider().install_default();
            let http = StreamableHttpClientTransport::from_uri(url.clone());
            Ok(Host.serve_with_lifecycle(http, lifecycle).await?)
        }
        Target::Stdio(words) => {
            let (program, arguments) = words.split_first().ok_or("no command")?;
            let mut command = Command::new(program);
            command.args(arguments);
            let child = TokioChildProcess::new(command)?;
            Ok(Host.serve_with_lifecycle(child, lifecycle).await?)
        }
    }
}
