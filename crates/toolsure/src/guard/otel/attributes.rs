//! The attributes of spans and metrics, by the semantic conventions, and values that they have.

use toolsure_guard::Carrier;

/// The conventions' name of a transport.
pub(super) fn transport(carrier: Carrier) -> &'static str {
    match carrier {
        Carrier::Stdio => "pipe",
        Carrier::Http => "tcp",
    }
}

pub(super) const TRANSPORT: &str = "network.transport";
pub(super) const UPSTREAM: &str = "toolsure.upstream";
pub(super) const METHOD: &str = "mcp.method.name";
pub(super) const VERSION: &str = "mcp.protocol.version";
pub(super) const ID: &str = "jsonrpc.request.id";
pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const TOOL: &str = "gen_ai.tool.name";
pub(super) const PROMPT: &str = "gen_ai.prompt.name";
pub(super) const ERROR: &str = "error.type";
/// The conventions' word for a name without a series of its own.
pub(super) const OTHER: &str = "_OTHER";
