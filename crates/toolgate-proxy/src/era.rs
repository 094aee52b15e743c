//! The protocol's published versions, in their two families.

use std::fmt;

/// The two families of protocol versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25 and older: `initialize`, state per connection.
    Legacy,
    /// 2026-07-28: no opening, metadata in every request.
    Modern,
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        })
    }
}

/// The modern version that we speak.
pub(crate) const MODERN: &str = toolgate_mcp::era::Era::NEWEST.version();
/// The legacy versions that we speak, newest first.
pub(crate) const LEGACY: [&str; 4] = toolgate_mcp::era::Era::SESSION_VERSIONS;
