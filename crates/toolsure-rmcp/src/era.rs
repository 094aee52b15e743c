//! The era of rmcp's messages.

use rmcp::model::ProtocolVersion;
use toolsure_mcp::era::Era;

/// The era of a negotiated version. An unknown version counts as the newest era that is not newer
/// than it. No version at all (a connection without a handshake) counts as 2025-11-25, the last era
/// with a handshake.
pub(crate) fn of_version(version: Option<&ProtocolVersion>) -> Era {
    let Some(version) = version else {
        return Era::V2025_11_25;
    };
    let version = version.as_str();
    let known = Era::ALL.into_iter().rev();
    let mut not_newer = known.filter(|era| era.version() <= version);
    not_newer.next().unwrap_or(Era::V2024_11_05)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_eras() {
        for version in ProtocolVersion::KNOWN_VERSIONS {
            assert_eq!(of_version(Some(version)).version(), version.as_str());
        }
        let of = |text: &str| {
            serde_json::from_value(text.into()).map(|version| of_version(Some(&version)))
        };
        assert_eq!(of("2099-01-01").ok(), Some(Era::V2026_07_28));
        assert_eq!(of("2025-12-24").ok(), Some(Era::V2025_11_25));
        assert_eq!(of("2020-01-01").ok(), Some(Era::V2024_11_05));
        assert_eq!(of_version(None), Era::V2025_11_25);
    }
}
