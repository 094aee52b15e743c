//! The settings of `[auth]`: how callers prove who they are.

use std::path::PathBuf;
use std::time::Duration;

use toolsure_proxy::guard::{Authentication, Authenticator, TokenIssuer};

use super::environment::Environment;

/// How callers of the HTTP listeners prove who they are.
///
/// It has no `Debug`, because it contains digests of tokens.
#[derive(Clone)]
pub(crate) struct Auth {
    /// The names of static tokens, and their digests, separated by spaces.
    pub(super) tokens: Vec<(String, String)>,
    pub(super) header: Option<String>,
    pub(super) issuer: Option<String>,
    pub(super) keys_url: Option<String>,
    pub(super) audiences: Vec<String>,
    pub(super) algorithms: Vec<String>,
    pub(super) leeway: Duration,
    pub(super) groups_claim: Option<String>,
    pub(super) tls_ca: Option<PathBuf>,
    /// All of it, completed.
    pub(crate) made: Authentication,
    /// What it makes, if any of it is set.
    pub(crate) authenticator: Option<Authenticator>,
}

/// What of the other settings is needed to authenticate callers.
pub(super) struct Around<'c> {
    pub(super) environment: &'c Environment,
    /// The guard as its clients know it, which is the audience unless there is another.
    pub(super) public_url: Option<&'c str>,
    pub(super) has_proxies: bool,
    pub(super) has_client_authorities: bool,
    /// Whether a server gets the `Authorization` of callers.
    pub(super) passes_on: bool,
}

impl Auth {
    /// Whether the issuer's keys are fetched without TLS from another host.
    pub(crate) fn is_in_the_clear(&self) -> bool {
        let url = self.keys_url.as_ref().or(self.issuer.as_ref());
        let host = url.and_then(|url| url.strip_prefix("http://"));
        host.is_some_and(|host| {
            let end = host.find(['/', ':']).unwrap_or(host.len());
            !matches!(host.get(..end), Some("localhost" | "127.0.0.1"))
        })
    }

    /// Makes the authenticator, if there is a way for callers to prove who they are.
    pub(super) fn finish(&mut self, around: &Around<'_>) -> Result<(), String> {
        let is_set = !self.tokens.is_empty() || self.header.is_some() || self.issuer.is_some();
        if self.header.is_some() && !around.has_proxies {
            return Err(
                "`auth.header` needs `listen.trusted_proxies`: anybody else could send that header"
                    .to_owned(),
            );
        }
        if !is_set && !around.has_client_authorities {
            return Ok(());
        }
        let mut made = Authentication::default();
        for (name, digests) in &self.tokens {
            let digests = around.environment.expand(digests);
            let digests = digests.map_err(|why| format!("`auth.tokens`: {why}"))?;
            let each = digests.split_ascii_whitespace();
            made.tokens
                .extend(each.map(|digest| (name.clone(), digest.to_owned())));
            if digests.trim().is_empty() {
                return Err("`auth.tokens`: a token has no digest".to_owned());
            }
        }
        if let Some(issuer) = &self.issuer {
            let mut audiences = self.audiences.clone();
            audiences.extend(
                around
                    .public_url
                    .filter(|_| self.audiences.is_empty())
                    .map(str::to_owned),
            );
            if audiences.is_empty() {
                return Err("`auth.issuer` needs `auth.audiences`, or `listen.public_url`: the audience that tokens for the guard have".to_owned());
            }
            let mut tokens = TokenIssuer::new(issuer, audiences);
            tokens.keys_url.clone_from(&self.keys_url);
            tokens.authorities.clone_from(&self.tls_ca);
            tokens.leeway = self.leeway;
            if !self.algorithms.is_empty() {
                tokens.algorithms.clone_from(&self.algorithms);
            }
            if let Some(claim) = &self.groups_claim {
                tokens.groups_claim.clone_from(claim);
            }
            made.issuer = Some(tokens);
        }
        made.header.clone_from(&self.header);
        made.certificates = around.has_client_authorities;
        made.passes_on = around.passes_on;
        let authenticator = Authenticator::new(&made);
        self.authenticator = Some(authenticator.map_err(|fault| format!("`[auth]`: {fault}"))?);
        self.made = made;
        Ok(())
    }
}

impl Default for Auth {
    fn default() -> Self {
        Self {
            tokens: Vec::new(),
            header: None,
            issuer: None,
            keys_url: None,
            audiences: Vec::new(),
            algorithms: Vec::new(),
            leeway: Duration::from_secs(60),
            groups_claim: None,
            tls_ca: None,
            made: Authentication::default(),
            authenticator: None,
        }
    }
}
