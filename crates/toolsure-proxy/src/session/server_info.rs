//! What a server says about itself when a session opens.

use toolsure_mcp::era::Era;

/// What a server says about itself. All texts are untrusted and not escaped. Only this crate creates it,
/// from the answer that opens a session.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerInfo {
    /// The protocol version that was negotiated.
    pub era: Era,
    /// `serverInfo.name`, empty if the server did not say.
    pub name: String,
    /// `serverInfo.version`, empty if the server did not say.
    pub version: String,
    /// The raw JSON text of `serverInfo`.
    pub raw: Option<String>,
    /// What it tells models about itself (`instructions`).
    pub instructions: Option<String>,
    /// Whether the server declared the `tools` capability.
    pub declares_tools: bool,
}
