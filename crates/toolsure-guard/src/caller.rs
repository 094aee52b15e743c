//! Who a caller is, as a transport has verified it.

use std::sync::Arc;

/// A caller whose identity a transport has verified. [`CallerRule`](crate::policy::CallerRule)s apply to it.
///
/// It contains no credential.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the transport that makes one must say all of it"
)]
pub struct VerifiedCaller {
    /// The name of the static token that it sent.
    pub token: Option<Arc<str>>,
    /// Who issued its JSON Web Token (`iss`).
    pub issuer: Option<Arc<str>>,
    /// The subject of its JSON Web Token (`sub`), or the user whom a trusted proxy names.
    pub subject: Option<Arc<str>>,
    /// The groups in the token's claim for groups.
    pub groups: Vec<Arc<str>>,
    /// The scopes of the token (`scope`).
    pub scopes: Vec<Arc<str>>,
    /// The names in its client certificate: the DNS names and URIs among its subject alternative names, and
    /// `sha256:` with the digest of the certificate.
    pub certificates: Vec<Arc<str>>,
}

impl VerifiedCaller {
    /// Whether both are the same caller, whatever its groups and scopes are by now.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        (&self.token, &self.issuer, &self.subject) == (&other.token, &other.issuer, &other.subject)
            && self.certificates == other.certificates
    }

    /// Its name in records, for people. It is not unique: [`is`](Self::is) tells callers apart.
    #[must_use]
    pub fn name(&self) -> String {
        match (&self.token, &self.subject, self.certificates.first()) {
            (Some(token), _, _) => format!("token:{token}"),
            (None, Some(subject), _) => match &self.issuer {
                Some(issuer) => format!("{subject}@{issuer}"),
                None => format!("user:{subject}"),
            },
            (None, None, Some(certificate)) => format!("certificate:{certificate}"),
            (None, None, None) => String::new(),
        }
    }
}

/// A caller that no transport has verified.
pub(crate) static NOBODY: VerifiedCaller = VerifiedCaller {
    token: None,
    issuer: None,
    subject: None,
    groups: Vec::new(),
    scopes: Vec::new(),
    certificates: Vec::new(),
};
