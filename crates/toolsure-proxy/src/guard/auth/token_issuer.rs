//! The settings of an issuer of JSON Web Tokens.

use std::path::PathBuf;
use std::time::Duration;

use jsonwebtoken::Algorithm;

/// An issuer of JSON Web Tokens, and which of its tokens are taken.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TokenIssuer {
    /// Its URL: `iss` of its tokens.
    pub issuer: String,
    /// Where its keys are (RFC 7517). Default: where its metadata say, at the well-known places of OpenID Connect
    /// Discovery 1.0 and RFC 8414.
    pub keys_url: Option<String>,
    /// The audiences of which `aud` must have one: the guard as the issuer knows it.
    pub audiences: Vec<String>,
    /// The signature algorithms. Default: RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 and EdDSA, which
    /// are all that can be set.
    pub algorithms: Vec<String>,
    /// How much the clocks of the issuer and of the guard may differ. Default 60 s.
    pub leeway: Duration,
    /// The claim with the caller's groups: an array of strings, or one string. Default `groups`.
    pub groups_claim: String,
    /// Certificate authorities that are trusted for the issuer, besides the platform's. Default none.
    pub authorities: Option<PathBuf>,
}

impl TokenIssuer {
    /// An issuer, with defaults.
    pub fn new(issuer: impl Into<String>, audiences: Vec<String>) -> Self {
        Self {
            issuer: issuer.into(),
            keys_url: None,
            audiences,
            algorithms: ALGORITHMS.map(|(name, _)| name.to_owned()).into(),
            leeway: Duration::from_secs(60),
            groups_claim: "groups".to_owned(),
            authorities: None,
        }
    }
}

/// The algorithms by name. A symmetric one would let everybody who knows the key sign.
pub(super) const ALGORITHMS: [(&str, Algorithm); 9] = [
    ("RS256", Algorithm::RS256),
    ("RS384", Algorithm::RS384),
    ("RS512", Algorithm::RS512),
    ("PS256", Algorithm::PS256),
    ("PS384", Algorithm::PS384),
    ("PS512", Algorithm::PS512),
    ("ES256", Algorithm::ES256),
    ("ES384", Algorithm::ES384),
    ("EdDSA", Algorithm::EdDSA),
];
