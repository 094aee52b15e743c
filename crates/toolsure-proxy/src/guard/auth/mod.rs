//! Authentication of callers: static tokens, JSON Web Tokens, client certificates, and users that a trusted
//! proxy names.
//!
//! ```text
//!   a request ─► client certificate (verified by TLS) ─┐
//!             ─► Authorization: Bearer ─ static token ─┤
//!             │                        └ JWT ── keys ──┼─► caller ─► rules
//!             ─► header of a trusted proxy ────────────┘
//!             └─ none of them, or one that is wrong ─────► 401; keys cannot be had ─► 503
//! ```

mod certificate;
mod issuer;
mod keys;
mod refusal;
mod signature;
mod token_issuer;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use ring::digest::{SHA256, digest};
use toolsure_guard::{Digest, VerifiedCaller};
use toolsure_json::quote;

use super::identity::Identity;
use crate::fault::Fault;
pub(crate) use certificate::names as certificate_names;
use issuer::Issuer;
pub(super) use refusal::Unauthenticated;
use refusal::{SHOWN, config, invalid};
pub use token_issuer::TokenIssuer;

/// How callers prove who they are. Every way that is set may be used; a request that uses none of them, or one
/// of them wrongly, is refused.
///
/// It has no `Debug` of its tokens' digests.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Authentication {
    /// Static bearer tokens: a name, and `sha256:` with the hexadecimal digest of the token. Several tokens may
    /// have one name. Default none.
    pub tokens: Vec<(String, String)>,
    /// Who issues JSON Web Tokens (RFC 9068). Default nobody.
    pub issuer: Option<TokenIssuer>,
    /// The header in which a proxy among the [trusted ones](super::HttpListener::trusted_proxies) names the user.
    /// Default none.
    pub header: Option<String>,
    /// Whether a client certificate that the [authorities](super::HttpListener::client_authorities) have signed
    /// is enough. Default no.
    pub certificates: bool,
    /// Whether the `Authorization` of callers goes on to servers ([`HttpTarget`](crate::HttpTarget)). Default no.
    pub passes_on: bool,
}

impl std::fmt::Debug for Authentication {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authentication").finish_non_exhaustive()
    }
}

/// Verifies callers. A handle: clones share the settings, and see them replaced.
#[derive(Clone)]
pub struct Authenticator(Arc<RwLock<Arc<Verifier>>>);

impl Authenticator {
    /// Checks the settings. Nothing is fetched before the first token comes.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`](crate::FaultKind::Config) for the first setting that is wrong.
    pub fn new(authentication: &Authentication) -> Result<Self, Fault> {
        let verifier = Verifier::new(authentication)?;
        Ok(Self(Arc::new(RwLock::new(Arc::new(verifier)))))
    }

    /// Replaces the settings, for new requests. The keys of an issuer that stays the same are kept.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn replace(&self, authentication: &Authentication) -> Result<(), Fault> {
        let mut new = Verifier::new(authentication)?;
        let mut current = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let (Some(issuer), Some(old)) = (&mut new.issuer, &current.issuer) {
            issuer.take_keys_of(old);
        }
        *current = Arc::new(new);
        Ok(())
    }

    pub(super) fn current(&self) -> Arc<Verifier> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for Authenticator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Authenticator")
    }
}

/// What a request brings besides its headers.
pub(super) struct Proof<'c> {
    /// The names in the client certificate, which TLS has verified.
    pub(super) certificates: &'c [Arc<str>],
    /// Whether the connection is that of a trusted proxy.
    pub(super) is_from_proxy: bool,
}

/// The settings in force.
pub(super) struct Verifier {
    /// The digests of the static tokens, and their names.
    tokens: Vec<(Digest, Arc<str>)>,
    issuer: Option<Issuer>,
    pub(super) header: Option<HeaderName>,
    certificates: bool,
    passes_on: bool,
    /// Callers whose tokens were verified, by the digests of their `Authorization`.
    known: Mutex<HashMap<[u8; 32], Known>>,
}

struct Known {
    identity: Arc<Identity>,
    /// When the token ends, in seconds since 1970, and the generation of the keys that it was verified with.
    until: Option<u64>,
    generation: u64,
}

impl Verifier {
    /// # Errors
    ///
    /// [`FaultKind::Config`](crate::FaultKind::Config) if a setting is wrong.
    pub(super) fn new(authentication: &Authentication) -> Result<Self, Fault> {
        let tokens = authentication.tokens.iter();
        let tokens = tokens.map(|(name, digest)| match Digest::read(digest) {
            Some(digest) => Ok((digest, Arc::from(name.as_str()))),
            None => Err(config(format!(
                "the token `{}` must be `sha256:` with the 64 hexadecimal digits of its digest",
                quote(name, SHOWN)
            ))),
        });
        let tokens: Vec<(Digest, Arc<str>)> = tokens.collect::<Result<_, Fault>>()?;
        let mut named = HashMap::new();
        for (digest, name) in &tokens {
            let shown = quote(name, SHOWN);
            if *digest == Digest::of_bytes(b"") {
                return Err(config(format!(
                    "the token `{shown}` is empty: its digest is that of no text"
                )));
            }
            if let Some(other) = named.insert(*digest, name)
                && other != name
            {
                let other = quote(other, SHOWN);
                return Err(config(format!(
                    "the tokens `{other}` and `{shown}` have one digest: a caller with that token would be only one of them"
                )));
            }
        }
        let header = authentication.header.as_deref().map(|name| {
            HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| config(format!("`{}` is not a header name", quote(name, SHOWN))))
        });
        Ok(Self {
            tokens,
            issuer: authentication
                .issuer
                .as_ref()
                .map(Issuer::new)
                .transpose()?,
            header: header.transpose()?,
            certificates: authentication.certificates,
            passes_on: authentication.passes_on,
            known: Mutex::default(),
        })
    }

    /// Whether the `Authorization` of callers goes on to servers.
    pub(super) fn passes_on(&self) -> bool {
        self.passes_on
    }

    /// The issuer of the tokens that it takes, for its metadata.
    pub(super) fn issuer(&self) -> Option<&str> {
        self.issuer.as_ref().map(Issuer::name)
    }

    /// The caller of a request.
    pub(super) async fn identify(
        &self,
        headers: &HeaderMap,
        proof: &Proof<'_>,
    ) -> Result<Arc<Identity>, Unauthenticated> {
        let user = self.user(headers, proof)?;
        // The certificate of a proxy is not that of its users.
        let is_own = self.certificates && !(self.header.is_some() && proof.is_from_proxy);
        let certificates = if is_own { proof.certificates } else { &[] };
        let mut caller = VerifiedCaller {
            certificates: certificates.to_vec(),
            ..VerifiedCaller::default()
        };
        let Some(authorization) = headers.get(AUTHORIZATION) else {
            caller.subject = user;
            let is_somebody = caller.subject.is_some() || !certificates.is_empty();
            return match is_somebody {
                true => Ok(Identity::verified(caller, None, None)),
                false => Err(Unauthenticated::Missing),
            };
        };
        let token = bearer_token(authorization.as_bytes())
            .ok_or_else(|| invalid("`Authorization` is not `Bearer` with a token"))?;
        let digest = sha256(token);
        // A caller that proves itself by its token alone was maybe verified before.
        let is_alone = certificates.is_empty() && user.is_none();
        if let Some(known) = self.known(&digest).filter(|_| is_alone) {
            return Ok(known);
        }
        let (mut until, mut generation) = (None, 0);
        match (self.static_token(&digest), &self.issuer) {
            (Some(name), _) => caller.token = Some(name),
            (None, Some(issuer)) => {
                let otherwise = match self.tokens.is_empty() {
                    true => NOT_SIGNED,
                    false => UNKNOWN_AND_NOT_SIGNED,
                };
                let claims = issuer.verify(token, otherwise).await?;
                (until, generation) = (Some(claims.until), claims.generation);
                caller.issuer = Some(claims.issuer);
                caller.subject = Some(claims.subject);
                caller.groups = claims.groups;
                caller.scopes = claims.scopes;
            }
            (None, None) => return Err(invalid("the token is unknown")),
        }
        let identity = Identity::verified(caller, self.passed_on(token), until);
        if is_alone {
            let known = Known {
                identity: Arc::clone(&identity),
                until,
                generation,
            };
            self.keep(digest, known);
        }
        Ok(identity)
    }

    /// The user whom a trusted proxy names.
    fn user(
        &self,
        headers: &HeaderMap,
        proof: &Proof<'_>,
    ) -> Result<Option<Arc<str>>, Unauthenticated> {
        let Some(name) = self.header.as_ref().filter(|_| proof.is_from_proxy) else {
            return Ok(None);
        };
        let mut all = headers.get_all(name).iter();
        let Some(user) = all.next() else {
            return Ok(None);
        };
        // The client may have sent the one, and the proxy have added the other.
        if all.next().is_some() {
            return Err(invalid(&format!("`{name}` is given twice")));
        }
        let user = user.to_str().ok().filter(|user| !user.is_empty());
        let user = user.ok_or_else(|| invalid(&format!("`{name}` is not a name")))?;
        Ok(Some(user.into()))
    }

    /// The `Authorization` with a token that goes on to servers, in one spelling: what belongs to a caller depends
    /// on it.
    fn passed_on(&self, token: &str) -> Option<HeaderValue> {
        let value = self.passes_on.then(|| format!("Bearer {token}"))?;
        let mut value = HeaderValue::from_str(&value).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// The name of a static token. All are compared, and each in constant time.
    fn static_token(&self, given: &[u8; 32]) -> Option<Arc<str>> {
        let mut found = None;
        for (digest, name) in &self.tokens {
            if digest.is(given) {
                found = Some(Arc::clone(name));
            }
        }
        found
    }

    fn known(&self, key: &[u8; 32]) -> Option<Arc<Identity>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.get(key).filter(|known| self.is_current(known))?;
        Some(Arc::clone(&found.identity))
    }

    /// Whether a token is still valid, and with the same keys.
    fn is_current(&self, known: &Known) -> bool {
        let Some(until) = known.until else {
            return true;
        };
        // Old keys are fetched again before a token is taken.
        let keys = self.issuer.as_ref().filter(|issuer| issuer.is_fresh());
        now() < until && keys.is_some_and(|keys| known.generation == keys.generation())
    }

    fn keep(&self, digest: [u8; 32], caller: Known) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_KNOWN {
            known.retain(|_, known| self.is_current(known));
        }
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(digest, caller);
    }
}

/// The token of an `Authorization` (RFC 6750, section 2.1).
fn bearer_token(value: &[u8]) -> Option<&str> {
    let (scheme, token) = value.split_at_checked(BEARER.len())?;
    let token = std::str::from_utf8(token.trim_ascii()).ok()?;
    let is_token = scheme.eq_ignore_ascii_case(BEARER)
        && !token.is_empty()
        && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_token.then_some(token)
}

fn sha256(text: &str) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    out
}

/// Seconds since 1970 (UTC).
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

const NOT_SIGNED: &str =
    "the token is not a signed JSON Web Token: send an access token of the issuer that is one";
const UNKNOWN_AND_NOT_SIGNED: &str = "the token is neither a known one nor a signed JSON Web Token";
const BEARER: &[u8] = b"Bearer ";
/// How many verified tokens are remembered.
const MOST_KNOWN: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Proof<'_> = Proof {
        certificates: &[],
        is_from_proxy: false,
    };

    fn with(tokens: &[(&str, &str)]) -> Authentication {
        let hex = |token: &str| {
            let digits = sha256(token).map(|byte| format!("{byte:02x}"));
            format!("sha256:{}", digits.concat())
        };
        Authentication {
            tokens: tokens
                .iter()
                .map(|(name, token)| ((*name).to_owned(), hex(token)))
                .collect(),
            ..Authentication::default()
        }
    }

    fn sending(values: &[(&'static str, &'static str)]) -> HeaderMap {
        let values = values.iter();
        let headers = values.map(|(name, value)| {
            (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            )
        });
        headers.collect()
    }

    #[tokio::test]
    async fn a_static_token_is_itself_and_no_other() {
        let authenticator = Verifier::new(&with(&[("ci", "one"), ("ci", "two"), ("b", "b")]));
        let authenticator = authenticator.unwrap();
        for (value, expected) in [
            ("Bearer one", Ok("token:ci")),
            ("bearer  two ", Ok("token:ci")),
            ("Bearer b", Ok("token:b")),
            ("Bearer one ", Ok("token:ci")),
            ("Bearer on", Err("the token is unknown")),
            ("Bearer onee", Err("the token is unknown")),
            ("Bearer One", Err("the token is unknown")),
            (
                "Basic one",
                Err("`Authorization` is not `Bearer` with a token"),
            ),
            (
                "Bearer",
                Err("`Authorization` is not `Bearer` with a token"),
            ),
            (
                "Bearer ",
                Err("`Authorization` is not `Bearer` with a token"),
            ),
            (
                "Bearer one two",
                Err("`Authorization` is not `Bearer` with a token"),
            ),
        ] {
            // The second time, the caller is known.
            for _ in 0..2 {
                let headers = sending(&[("authorization", value)]);
                let found = authenticator.identify(&headers, &NOTHING).await;
                let found = found.as_deref().map(|found| found.name.as_deref().unwrap());
                assert_eq!(
                    found.map_err(|why| format!("{why:?}")),
                    expected.map_err(|why| format!("{:?}", invalid(why))),
                    "{value}"
                );
            }
        }
        let nothing = authenticator.identify(&HeaderMap::new(), &NOTHING).await;
        assert_eq!(nothing.unwrap_err(), Unauthenticated::Missing);
    }

    #[tokio::test]
    async fn only_a_trusted_proxy_names_a_user() {
        let authenticator = Verifier::new(&Authentication {
            header: Some("X-User".to_owned()),
            ..with(&[("ci", "one")])
        });
        let authenticator = authenticator.unwrap();
        let proxy = Proof {
            is_from_proxy: true,
            ..NOTHING
        };
        let headers = sending(&[("x-user", "ann")]);
        let found = authenticator.identify(&headers, &proxy).await.unwrap();
        assert_eq!(found.name.as_deref(), Some("user:ann"));
        let found = authenticator.identify(&headers, &NOTHING).await;
        assert_eq!(found.unwrap_err(), Unauthenticated::Missing);
        // The proxy has added its own to that of the client.
        let mut twice = headers.clone();
        twice.append("x-user", HeaderValue::from_static("root"));
        assert!(authenticator.identify(&twice, &proxy).await.is_err());
        let both = sending(&[("x-user", "ann"), ("authorization", "Bearer one")]);
        let found = authenticator.identify(&both, &NOTHING).await.unwrap();
        assert_eq!(found.name.as_deref(), Some("token:ci"));
        let wrong = sending(&[("x-user", "ann"), ("authorization", "Bearer two")]);
        assert!(authenticator.identify(&wrong, &proxy).await.is_err());
    }

    #[tokio::test]
    async fn a_certificate_counts_only_if_it_is_asked_for() {
        let names = [Arc::from("client.example")];
        let certified = Proof {
            certificates: &names,
            is_from_proxy: false,
        };
        let without = Verifier::new(&with(&[("ci", "one")])).unwrap();
        let found = without.identify(&HeaderMap::new(), &certified).await;
        assert_eq!(found.unwrap_err(), Unauthenticated::Missing);
        let with_it = Verifier::new(&Authentication {
            certificates: true,
            ..with(&[("ci", "one")])
        });
        let with_it = with_it.unwrap();
        let found = with_it
            .identify(&HeaderMap::new(), &certified)
            .await
            .unwrap();
        assert_eq!(found.name.as_deref(), Some("certificate:client.example"));
        // That of a proxy is not its user's.
        let behind = Verifier::new(&Authentication {
            certificates: true,
            header: Some("X-User".to_owned()),
            ..Authentication::default()
        });
        let (behind, proxy) = (
            behind.unwrap(),
            Proof {
                is_from_proxy: true,
                ..certified
            },
        );
        let found = behind.identify(&HeaderMap::new(), &proxy).await;
        assert_eq!(found.unwrap_err(), Unauthenticated::Missing);
        // With both, the caller is who it is by both.
        let headers = sending(&[("authorization", "Bearer one")]);
        let both = with_it.identify(&headers, &certified).await.unwrap();
        let token = with_it.identify(&headers, &NOTHING).await.unwrap();
        assert_ne!(both.context, token.context);
    }

    #[test]
    fn a_digest_that_is_none_is_refused_and_not_shown() {
        for wrong in [
            "",
            "sha256:",
            "hush",
            "sha256:zz",
            &format!("sha256:+{}", "0".repeat(63)),
        ] {
            let authentication = Authentication {
                tokens: vec![("ci".to_owned(), wrong.to_owned())],
                ..Authentication::default()
            };
            let fault = Authenticator::new(&authentication).unwrap_err();
            assert!(!fault.to_string().contains("hush"), "{fault}");
        }
        for (tokens, why) in [
            (&[("ci", "")][..], "the token `ci` is empty"),
            (
                &[("ci", "one"), ("admin", "one")],
                "the tokens `ci` and `admin` have one digest",
            ),
        ] {
            let tokens = tokens.iter().map(|(name, token)| {
                let digest = Digest::of_bytes(token.as_bytes());
                ((*name).to_owned(), digest.to_string())
            });
            let authentication = Authentication {
                tokens: tokens.collect(),
                ..Authentication::default()
            };
            let fault = Authenticator::new(&authentication).unwrap_err();
            assert!(fault.to_string().contains(why), "{fault}");
        }
        with(&[("ci", "one"), ("ci", "one")]);
        assert!(!format!("{:?}", with(&[("ci", "one")])).contains("sha256"));
    }
}
