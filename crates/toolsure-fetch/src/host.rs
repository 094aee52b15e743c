//! The hosts that an operator allows.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;
use toolsure_json::quote;

/// A host that documents may be fetched from: `schemas.example.com`, all names below a domain
/// (`*.example.com`), or a host with another port than 443 (`schemas.example.com:8443`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    name: String,
    below: bool,
    port: u16,
}

/// Why a host cannot be allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid host `{host}`: {reason}")]
#[non_exhaustive]
pub struct HostError {
    host: String,
    reason: &'static str,
}

impl Host {
    /// Parses a host as an operator writes it.
    ///
    /// # Errors
    ///
    /// The text is not a host name: a URL, an address, a bare `*`, or a wildcard for a whole
    /// top-level domain.
    ///
    /// ```
    /// use toolsure_fetch::Host;
    ///
    /// assert!(Host::parse("schemas.example.com").is_ok());
    /// assert!(Host::parse("*.example.com").is_ok());
    /// assert!(Host::parse("*").is_err());
    /// assert!(Host::parse("127.0.0.1").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, HostError> {
        let refuse = |reason| HostError {
            host: quote(text, 200).to_string(),
            reason,
        };
        let (below, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
        if rest.is_empty() || !rest.chars().all(plain) {
            return Err(refuse(
                "write `example.com`, `*.example.com` or `example.com:8443`",
            ));
        }
        let url = Url::parse(&format!("https://{rest}/"))
            .map_err(|_invalid| refuse("it is not a host name"))?;
        let name = match url.domain() {
            Some(name) if !name.ends_with('.') => name.to_owned(),
            _ => return Err(refuse("it must be a name, not an address")),
        };
        if below && !name.contains('.') {
            return Err(refuse("a wildcard needs a domain below a top-level domain"));
        }
        Ok(Self {
            name,
            below,
            port: url.port_or_known_default().unwrap_or(HTTPS),
        })
    }

    /// Whether a name and port match this host. The name is in lower case, as in URLs.
    pub(crate) fn allows(&self, name: &str, port: u16) -> bool {
        let named = if self.below {
            let before = name.strip_suffix(self.name.as_str());
            before.is_some_and(|before| before.len() > 1 && before.ends_with('.'))
        } else {
            name == self.name
        };
        named && port == self.port
    }
}

impl FromStr for Host {
    type Err = HostError;

    fn from_str(text: &str) -> Result<Self, HostError> {
        Self::parse(text)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.below {
            f.write_str("*.")?;
        }
        f.write_str(&self.name)?;
        if self.port != HTTPS {
            write!(f, ":{}", self.port)?;
        }
        Ok(())
    }
}

const HTTPS: u16 = 443;

#[cfg(test)]
mod tests {
    use super::Host;

    #[test]
    fn hosts_are_names_with_ports() {
        let exact = Host::parse("Schemas.Example.com").unwrap();
        assert!(exact.allows("schemas.example.com", 443));
        for (name, port) in [
            ("schemas.example.com", 8443),
            ("a.schemas.example.com", 443),
            ("example.com", 443),
            ("schemas.example.com.", 443),
            ("schemas.example.com.evil.test", 443),
        ] {
            assert!(!exact.allows(name, port), "{name}");
        }
        let below = Host::parse("*.example.com:8443").unwrap();
        assert!(below.allows("a.b.example.com", 8443));
        assert!(!below.allows("example.com", 8443));
        assert!(!below.allows("evilexample.com", 8443));
        assert!(!below.allows("a.example.com", 443));
        assert_eq!(below.to_string(), "*.example.com:8443");
        for text in [
            "",
            "*",
            "*.",
            "*.com",
            "a.*.com",
            "https://example.com",
            "example.com/",
            "u@example.com",
            "127.0.0.1",
            "0x7f.1",
            "2130706433",
            "[::1]",
            "::1",
            "example.com.",
            "example.com:x",
            "a b",
        ] {
            assert!(Host::parse(text).is_err(), "{text}");
        }
    }
}
