//! The context of a caller.

use hyper::header::HeaderValue;
use sha2::{Digest as _, Sha256};
use toolsure_guard::Context;

/// The context for an `Authorization` header: a digest, from which the header cannot be read.
pub(crate) fn bearer(authorization: Option<&HeaderValue>) -> Context {
    let Some(given) = authorization else {
        return Context::Anonymous;
    };
    // The scheme is case-insensitive, and any number of spaces may follow it (RFC 9110, sections
    // 11.1 and 11.4).
    let given = given.as_bytes();
    let scheme = given.iter().position(|byte| *byte == b' ');
    let (scheme, rest) = given
        .split_at_checked(scheme.unwrap_or(given.len()))
        .unwrap_or((given, b""));
    let mut digest = Sha256::new();
    digest.update(scheme.to_ascii_lowercase());
    digest.update(b" ");
    digest.update(rest.trim_ascii());
    Context::Bearer(digest.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_authorization_has_one_key() {
        let key = |text: &str| bearer(Some(&HeaderValue::from_str(text).unwrap()));
        for same in ["bearer tok", "BEARER tok", "Bearer   tok", "Bearer tok "] {
            assert_eq!(key(same), key("Bearer tok"), "{same}");
        }
        for other in ["Bearer Tok", "Basic tok", "Bearertok", "Bearer to k", "tok"] {
            assert_ne!(key(other), key("Bearer tok"), "{other}");
        }
        assert_eq!(bearer(None), Context::Anonymous);
    }
}
