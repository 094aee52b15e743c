//! The part of a caller's identity that a session is bound to.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::header::{AUTHORIZATION, HeaderMap};
use sha2::{Digest as _, Sha256};
use toolsure_guard::hex;
use toolsure_json::{DuplicateKeys, Kind, Node as _, ReadLimits, Reader, View};

/// A digest of the caller; `None` without authorization.
///
/// A bearer token that is a JSON Web Token (RFC 7519) identifies the caller by issuer and subject,
/// which stay the same when the token is refreshed. The signature is not verified: a forged token
/// can open a session id here, but the server refuses the token. Any other authorization identifies
/// only itself, so the session ends with it.
pub(in crate::guard) fn caller(headers: &HeaderMap) -> Option<[u8; 32]> {
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

/// The name of a caller in records: the subject and the issuer of a JSON Web Token, unverified, or
/// the beginning of a digest. It never contains a credential.
pub(in crate::guard) fn shown(headers: &HeaderMap) -> Option<String> {
    let mut all = headers.get_all(AUTHORIZATION).iter();
    let first = all.next()?;
    match subject(first.as_bytes()).filter(|_| all.next().is_none()) {
        Some((issuer, subject)) => Some(format!("{subject}@{issuer}")),
        None => Some(digest(first.as_bytes())),
    }
}

/// Names a secret by the beginning of its digest.
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
