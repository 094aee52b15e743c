//! Limits of conversations: named, and on by default.

use toolsure_json::ReadLimits;

use super::PolicyError;

/// Limits on messages, on waiting requests, and on cached data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message. Default 16 MiB.
    pub message_bytes: usize,
    /// Open arrays and objects at any point of a message. Default 128.
    pub depth: usize,
    /// Values and keys of one message. Default 1,000,000.
    pub nodes: usize,
    /// Open requests in each direction of one conversation. Default 16,384.
    pub pending: usize,
    /// Calls of one conversation that are parked until the list of tools arrives. Default 1,024.
    pub parked: usize,
    /// Bytes of the parked calls. Default 32 MiB.
    pub parked_bytes: usize,
    /// Pages of one list that the guard fetches itself, or caches. Default 200.
    pub pages: usize,
    /// Tools of one list. Default 20,000.
    pub tools: usize,
    /// Bytes of one list. Default 64 MiB.
    pub listing_bytes: usize,
    /// Bytes of all cached lists. Default 256 MiB.
    pub tool_list_bytes: usize,
    /// Tasks that one scope remembers. Default 10,000.
    pub tasks: usize,
    /// Scopes that are remembered. Default 10,000.
    pub scopes: usize,
    /// Units of work of one check; see [`toolsure_schema::Limits::fuel`].
    /// Default 2,000,000.
    pub fuel: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // why: the largest message that rmcp and the TypeScript SDK admit.
            message_bytes: 16 << 20,
            depth: 128,
            nodes: 1_000_000,
            // why: more than any one client has open, at about 200 bytes each.
            pending: 16_384,
            parked: 1_024,
            parked_bytes: 32 << 20,
            pages: 200,
            // why: the largest published list known to us has under 500 tools.
            tools: 20_000,
            listing_bytes: 64 << 20,
            tool_list_bytes: 256 << 20,
            tasks: 10_000,
            scopes: 10_000,
            fuel: toolsure_schema::Limits::default().fuel,
        }
    }
}

impl Limits {
    pub(crate) fn read(&self) -> ReadLimits {
        ReadLimits {
            bytes: self.message_bytes,
            depth: self.depth,
            nodes: self.nodes,
            ..ReadLimits::default()
        }
    }

    pub(super) fn check(&self) -> Result<(), PolicyError> {
        for (name, value) in [
            ("message_bytes", self.message_bytes),
            ("depth", self.depth),
            ("nodes", self.nodes),
            ("pending", self.pending),
            ("pages", self.pages),
            ("tools", self.tools),
            ("listing_bytes", self.listing_bytes),
            ("tool_list_bytes", self.tool_list_bytes),
            ("scopes", self.scopes),
        ] {
            if value == 0 {
                return Err(PolicyError::new(format!("limits.{name}"), "must not be 0"));
            }
        }
        if self.fuel == 0 {
            return Err(PolicyError::new("limits.fuel", "must not be 0"));
        }
        Ok(())
    }
}
