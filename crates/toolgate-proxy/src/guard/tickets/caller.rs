//! The part of a caller's identity that a session is bound to.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::header::{AUTHORIZATION, HeaderMap};
use sha2::{Digest as _, Sha256};
use toolgate_guard::hex;
use toolgate_json::{DuplicateKeys, Kind, Node as _, ReadLimits, Reader, View};

/// A digest of the caller; `None` without authorization.
///
/// A bearer token that is a JSON Web Token (RFC 7519) stands for its issuer and subject, which a
/// refreshed token has too. The signature is not looked at: a token that somebody made up opens
/// the name of a session here, and the server refuses the token. Any other authorization stands
/// for itself, so that a session ends with it.
pub(super) fn caller(headers: &HeaderMap) -> Option<[u8; 32]> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let first = all.next()?;
    let mut digest = Sha256::new();
    // If there are two, the server may take either.
    match subject(first.as_bytes()).filter(|_| all.next().is_none()) {
        Some((issuer, subject)) => {
            digest.update(b"subject\0");
            digest.update(issuer.len().to_be_bytes());
            digest.update(issuer);
            digest.update(subject);
        }
        None => {
            digest.update(b"header\0");
            for value in headers.get_all(AUTHORIZATION) {
                digest.update(value.len().to_be_bytes());
                digest.update(value.as_bytes());
            }
        }
    }
    Some(digest.finalize().into())
}

/// How a caller is called in records: the subject and the issuer that a JSON Web Token names, which
/// nobody here has verified, or the beginning of a digest; never what lets somebody in.
pub(in crate::guard) fn shown(headers: &HeaderMap) -> Option<String> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let first = all.next()?;
    match subject(first.as_bytes()).filter(|_| all.next().is_none()) {
        Some((issuer, subject)) => Some(format!("{subject}@{issuer}")),
        None => Some(digest(first.as_bytes())),
    }
}

/// A name for a secret that opens nothing.
pub(in crate::guard) fn digest(secret: &[u8]) -> String {
    let digest = Sha256::digest(secret);
    format!("sha256:{}", hex(digest.get(..SHOWN).unwrap_or_default()))
}

/// `iss` and `sub` of a JSON Web Token.
fn subject(authorization: &[u8]) -> Option<(String, String)> {
    let (scheme, token) = authorization.split_at_checked(BEARER.len())?;
    if !scheme.eq_ignore_ascii_case(BEARER) {
        return None;
    }
    let mut parts = token.trim_ascii().split(|byte| *byte == b'.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    let claims = URL_SAFE_NO_PAD.decode(claims).ok()?;
    let mut reader = Reader::new();
    let limits = ReadLimits {
        duplicate_keys: DuplicateKeys::Refuse,
        ..ReadLimits::default()
    };
    let document = reader.read(&claims, &limits).ok()?;
    let text = |name: &str| {
        let member: View<'_> = document.root().member(name)?;
        let filled = member.kind() == Kind::String && !member.string().is_empty();
        filled.then(|| member.string().to_owned())
    };
    Some((text("iss")?, text("sub")?))
}

const BEARER: &[u8] = b"Bearer ";
/// Bytes of a digest that are shown.
const SHOWN: usize = 8;

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn of(values: &[&str]) -> Option<[u8; 32]> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        caller(&headers)
    }

    fn token(claims: &str, signature: &str) -> String {
        let claims = URL_SAFE_NO_PAD.encode(claims);
        format!("Bearer eyJhbGciOiJFUzI1NiJ9.{claims}.{signature}")
    }

    #[test]
    fn a_refreshed_token_is_the_same_caller() {
        let old = token(r#"{"iss":"https://a","sub":"u1","exp":1}"#, "x");
        let new = token(r#"{"sub":"u1","exp":2,"iss":"https://a","jti":"7"}"#, "y");
        assert_eq!(of(&[&old]), of(&[&new]));
        assert_eq!(of(&[&old]), of(&[&new.replace("Bearer", "bearer")]));
        for other in [
            token(r#"{"iss":"https://a","sub":"u2"}"#, "x"),
            token(r#"{"iss":"https://b","sub":"u1"}"#, "x"),
            token(r#"{"iss":"https://au","sub":"1"}"#, "x"),
            token(r#"{"iss":"https://a","sub":["u1"]}"#, "x"),
            token(r#"{"iss":"https://a","sub":"u1","sub":"u1"}"#, "x"),
            token(r#"{"sub":"u1"}"#, "x"),
            format!("{old}.more"),
            old.replace("Bearer ", "Basic "),
        ] {
            assert_ne!(of(&[&old]), of(&[&other]), "{other}");
        }
    }

    #[test]
    fn anything_else_is_itself() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["Bearer a"]), of(&["Bearer a"]));
        assert_ne!(of(&["Bearer a"]), of(&["Bearer b"]));
        assert_ne!(of(&["Bearer a", "Bearer b"]), of(&["Bearer a"]));
        assert_ne!(of(&["Bearer a", "Bearer b"]), of(&["Bearer ab"]));
        let jwt = token(r#"{"iss":"https://a","sub":"u1"}"#, "x");
        assert_ne!(of(&[&jwt]), of(&[&jwt, "Bearer mine"]));
    }
}
