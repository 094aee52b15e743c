//! The options of a session, and the parts of its requests that are made from them.

use toolsure_json::json_string;
use toolsure_mcp::era::Era;

use crate::limits::{Deadlines, Limits};

/// Limits of a session, and our name and version.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write some fields and `..Options::default()`; a new field breaks only those that write all"
)]
pub struct Options {
    /// Limits on bytes and counts.
    pub limits: Limits,
    /// Limits on time.
    pub deadlines: Deadlines,
    /// Whether a server is asked for its protocol version with `server/discover`. If not, it is
    /// opened with `initialize` alone, and a server without sessions cannot be opened. Default
    /// `true`.
    pub probe: bool,
    /// Our name in `clientInfo`. Default `toolsure`.
    pub name: String,
    /// The capabilities that we declare, as the JSON text of an object: some servers list more to clients that have
    /// some. Requests of the server are declined in any case. Default `{}`.
    pub capabilities: String,
    /// Our version in `clientInfo`. Default this crate's.
    pub version: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            deadlines: Deadlines::default(),
            probe: true,
            name: "toolsure".to_owned(),
            capabilities: "{}".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// Puts the modern `_meta` in front of the members of `params`.
pub(super) fn with_meta(params: &str, options: &Options) -> String {
    let rest = params.trim().strip_prefix('{').unwrap_or("}").trim_start();
    let comma = if rest.starts_with('}') { "" } else { "," };
    format!(
        concat!(
            r#"{{"_meta":{{"io.modelcontextprotocol/protocolVersion":"{}","#,
            r#""io.modelcontextprotocol/clientCapabilities":{},"#,
            r#""io.modelcontextprotocol/clientInfo":{}}}{}{}"#
        ),
        Era::NEWEST.version(),
        options.capabilities,
        client_info(options),
        comma,
        rest
    )
}

/// Our `clientInfo`.
pub(super) fn client_info(options: &Options) -> String {
    format!(
        r#"{{"name":{},"version":{}}}"#,
        json_string(&options.name),
        json_string(&options.version)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meta_goes_in_front_of_what_is_there() {
        let options = Options::default();
        for (params, end) in [("{}", r#"}}}"#), (r#"{"cursor":""}"#, r#"}},"cursor":""}"#)] {
            let text = with_meta(params, &options);
            assert!(text.ends_with(end), "{text}");
            assert!(
                serde_json::from_str::<serde_json::Value>(&text).is_ok(),
                "{text}"
            );
        }
    }
}
