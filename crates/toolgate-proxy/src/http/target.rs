//! Where an HTTP server is and which headers the operator adds.

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use toolgate_json::quote;

use super::caller::Caller;
use crate::fault::{Fault, FaultKind, Party, Phase};

/// The URL of a Streamable HTTP endpoint and the operator's own headers.
///
/// Header values are secrets: they are in no message and no `Debug` output.
#[derive(Clone)]
pub struct HttpTarget {
    url: Url,
    headers: HeaderMap,
    caller: Caller,
}

impl std::fmt::Debug for HttpTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HttpTarget")
            .field("origin", &self.url.origin().ascii_serialization())
            .finish_non_exhaustive()
    }
}

impl HttpTarget {
    /// Parses an `http` or `https` URL.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] for anything else.
    pub fn new(url: &str) -> Result<Self, Fault> {
        let parsed = Url::parse(url)
            .map_err(|error| config(format!("`{}` is no URL: {error}", quote(url, 100))))?;
        if !matches!(parsed.scheme(), "http" | "https") || parsed.host_str().is_none() {
            return Err(config(format!(
                "`{}` is no http or https URL",
                quote(url, 100)
            )));
        }
        Ok(Self {
            url: parsed,
            headers: HeaderMap::new(),
            caller: Caller::default(),
        })
    }

    /// Adds a header that goes with every request.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] if HTTP does not allow the name or the value, or the header is one
    /// that the protocol sets itself.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Fault> {
        let shown = quote(name, 60).to_string();
        let name = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| config(format!("`{shown}` is no header name")))?;
        if OURS.contains(&name.as_str()) {
            return Err(config(format!(
                "the header `{shown}` is set by the protocol"
            )));
        }
        let mut value = HeaderValue::from_str(value).map_err(|_| {
            config(format!(
                "the value of the header `{shown}` is not allowed in HTTP"
            ))
        })?;
        value.set_sensitive(true);
        self.headers.append(name, value);
        Ok(self)
    }

    /// The same endpoint on behalf of a client, whose `Authorization` goes with every request
    /// unless the operator has set one.
    #[must_use]
    pub fn on_behalf_of(mut self, caller: Caller) -> Self {
        self.caller = caller;
        self
    }

    pub(super) fn into_parts(self) -> (Url, HeaderMap, Caller) {
        (self.url, self.headers, self.caller)
    }
}

fn config(message: String) -> Fault {
    Fault::new(Party::Operator, FaultKind::Config, Phase::Start, message)
}

const OURS: [&str; 7] = [
    "accept",
    "content-type",
    "content-length",
    "host",
    "mcp-session-id",
    "mcp-protocol-version",
    "mcp-method",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_reached_over_http_is_refused() {
        for url in [
            "",
            "localhost:3000",
            "ftp://a/",
            "file:///etc/passwd",
            "http://",
        ] {
            assert_eq!(
                HttpTarget::new(url).unwrap_err().kind(),
                FaultKind::Config,
                "{url}"
            );
        }
    }

    #[test]
    fn headers_are_checked_and_their_values_never_shown() {
        let target = HttpTarget::new("http://127.0.0.1/mcp").unwrap();
        let target = target.header("Authorization", "Bearer hush").unwrap();
        assert!(!format!("{target:?}").contains("hush"));
        let error = target.clone().header("X-A", "hush\nX-B: c").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the value of the header `X-A` is not allowed in HTTP"
        );
        assert_eq!(
            target.clone().header("a b", "c").unwrap_err().to_string(),
            "`a b` is no header name"
        );
        assert!(target.header("Mcp-Session-Id", "1").is_err());
    }
}
