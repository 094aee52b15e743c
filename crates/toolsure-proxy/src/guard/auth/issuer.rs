//! JSON Web Tokens of one issuer (RFC 7519, RFC 9068).

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde::de::IgnoredAny;
use toolsure_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadLimits, View, quote};

use super::keys::{KeyError, KeyStore};
use super::refusal::{SHOWN, Unauthenticated, config, invalid};
use super::signature;
use super::token_issuer::{ALGORITHMS, TokenIssuer};
use crate::fault::Fault;

/// What a valid token says.
pub(super) struct Claims {
    pub(super) issuer: Arc<str>,
    pub(super) subject: Arc<str>,
    pub(super) groups: Vec<Arc<str>>,
    pub(super) scopes: Vec<Arc<str>>,
    /// When it ends, in seconds since 1970, with the leeway.
    pub(super) until: u64,
    /// The generation of the keys that it was verified with.
    pub(super) generation: u64,
}

/// Verifies the tokens of an issuer.
pub(super) struct Issuer {
    name: Arc<str>,
    audiences: Vec<String>,
    algorithms: Vec<Algorithm>,
    leeway: u64,
    groups_claim: String,
    keys: Arc<KeyStore>,
}

impl Issuer {
    pub(super) fn new(settings: &TokenIssuer) -> Result<Self, Fault> {
        signature::install();
        let algorithms = settings.algorithms.iter().map(|name| {
            let known = ALGORITHMS.iter().find(|(known, _)| known == name);
            known.map(|(_, algorithm)| *algorithm).ok_or_else(|| {
                let all: Vec<&str> = ALGORITHMS.iter().map(|(name, _)| *name).collect();
                let shown = quote(name, SHOWN);
                config(format!(
                    "the algorithm `{shown}` is not one of {}",
                    all.join(", ")
                ))
            })
        });
        let algorithms: Vec<Algorithm> = algorithms.collect::<Result<_, Fault>>()?;
        if algorithms.is_empty() {
            return Err(config("there is no algorithm for tokens".to_owned()));
        }
        if settings.audiences.is_empty() || settings.audiences.iter().any(String::is_empty) {
            return Err(config(
                "tokens need an audience: the guard as the issuer knows it".to_owned(),
            ));
        }
        Ok(Self {
            name: settings.issuer.as_str().into(),
            audiences: settings.audiences.clone(),
            algorithms,
            leeway: settings.leeway.as_secs(),
            groups_claim: settings.groups_claim.clone(),
            keys: Arc::new(KeyStore::new(settings)?),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn generation(&self) -> u64 {
        self.keys.generation()
    }

    /// Whether the keys need not be fetched again yet.
    pub(super) fn is_fresh(&self) -> bool {
        self.keys.is_fresh()
    }

    /// Uses the keys that another has fetched, if they are from the same place.
    pub(super) fn take_keys_of(&mut self, other: &Self) {
        if self.keys.is_of_same(&other.keys) {
            self.keys = Arc::clone(&other.keys);
        }
    }

    /// Verifies a token: its signature, its issuer, its audience, and its time.
    /// `otherwise` is said of what is not a signed JSON Web Token at all.
    pub(super) async fn verify(
        &self,
        token: &str,
        otherwise: &str,
    ) -> Result<Claims, Unauthenticated> {
        if token.len() > TOKEN_BYTES {
            return Err(Unauthenticated::Invalid(format!(
                "the token has more than {TOKEN_BYTES} bytes"
            )));
        }
        let header = decode_header(token).map_err(|_| invalid(otherwise))?;
        if !self.algorithms.contains(&header.alg) {
            return Err(Unauthenticated::Invalid(format!(
                "tokens with the algorithm {:?} are not taken",
                header.alg
            )));
        }
        let keys = self.keys.of(header.kid.as_deref(), header.alg).await;
        let (keys, generation) = keys.map_err(|error| match error {
            KeyError::Unknown => invalid("the issuer has no such key"),
            KeyError::Unavailable(why) => Unauthenticated::Undecided(why),
        })?;
        let mut validation = Validation::new(header.alg);
        validation.leeway = self.leeway;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.name]);
        validation.set_audience(&self.audiences);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        let mut refused = ErrorKind::InvalidSignature;
        let mut is_valid = false;
        for key in &keys {
            match decode::<IgnoredAny>(token, key, &validation) {
                Ok(_) => {
                    is_valid = true;
                    break;
                }
                // Of several keys without an id, at most one fits.
                Err(error) => match error.into_kind() {
                    ErrorKind::InvalidSignature => {}
                    other => refused = other,
                },
            }
        }
        if !is_valid {
            return Err(Unauthenticated::Invalid(why(&refused)));
        }
        self.claims(token, generation)
            .ok_or_else(|| invalid("the claims of the token cannot be read"))
    }

    /// The claims of a token that was verified.
    fn claims(&self, token: &str, generation: u64) -> Option<Claims> {
        let claims = token.split('.').nth(1)?;
        let claims = URL_SAFE_NO_PAD.decode(claims).ok()?;
        let limits = ReadLimits {
            duplicate_keys: DuplicateKeys::Refuse,
            ..ReadLimits::default()
        };
        let document = OwnedDocument::read(claims, &limits).ok()?;
        let root = document.document().root();
        let subject = root.member("sub").filter(|it| it.kind() == Kind::String)?;
        let until = seconds(root.member("exp")?)?;
        let scopes = root.member("scope").or_else(|| root.member("scp"));
        let scopes = scopes.map(texts).unwrap_or_default();
        let groups = root.member(&self.groups_claim);
        Some(Claims {
            issuer: Arc::clone(&self.name),
            subject: subject.string().into(),
            groups: groups.map(texts).unwrap_or_default(),
            scopes: scopes
                .iter()
                .flat_map(|scopes| scopes.split_ascii_whitespace())
                .map(Arc::from)
                .collect(),
            until: until.saturating_add(self.leeway),
            generation,
        })
    }
}

/// A time in seconds, without a fraction (RFC 7519, section 2, `NumericDate`).
fn seconds(claim: View<'_>) -> Option<u64> {
    if claim.kind() != Kind::Number {
        return None;
    }
    if let Some(whole) = claim.number().as_u64() {
        return Some(whole);
    }
    let (whole, fraction) = claim.raw().split_once('.')?;
    let is_plain = fraction.bytes().all(|digit| digit.is_ascii_digit());
    whole.parse().ok().filter(|_| is_plain)
}

/// The strings of a claim: those in an array, or one.
fn texts(claim: View<'_>) -> Vec<Arc<str>> {
    match claim.kind() {
        Kind::String => vec![claim.string().into()],
        Kind::Array => {
            let items = claim.items().filter(|item| item.kind() == Kind::String);
            items.map(|item| Arc::from(item.string())).collect()
        }
        _ => Vec::new(),
    }
}

/// Why a token is not valid, without a part of it.
fn why(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::ExpiredSignature => "the token has expired".to_owned(),
        ErrorKind::ImmatureSignature => "the token is not valid yet".to_owned(),
        ErrorKind::InvalidAudience => "the token is for another audience".to_owned(),
        ErrorKind::InvalidIssuer => "the token is from another issuer".to_owned(),
        ErrorKind::InvalidSignature => "the signature of the token is wrong".to_owned(),
        ErrorKind::MissingRequiredClaim(claim) => format!("the token has no `{claim}`"),
        _ => "the token cannot be read".to_owned(),
    }
}

/// Maximum bytes of a token.
const TOKEN_BYTES: usize = 8 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_may_have_a_fraction() {
        for (text, expected) in [
            ("1764398400", Some(1_764_398_400)),
            ("1764398400.0", Some(1_764_398_400)),
            ("1764398400.75", Some(1_764_398_400)),
            ("1.7643984e9", Some(1_764_398_400)),
            ("-1", None),
            ("-1.5", None),
            ("1.75e1", None),
            ("\"1764398400\"", None),
        ] {
            let read = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
            assert_eq!(seconds(read.document().root()), expected, "{text}");
        }
    }
}
