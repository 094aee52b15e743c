//! Who sent a request: what belongs to it, and what authorization goes on to servers for it.

use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use sha2::{Digest as _, Sha256};
use toolsure_guard::{Context, VerifiedCaller};

use super::bearer::bearer;
use super::in_process::Caller;
use super::tickets::caller::{caller, shown};

/// The sender of a request. Its `Debug` output has no credential.
pub(crate) struct Identity {
    /// What it learns about servers, and the servers that it shares with nobody else.
    pub(super) context: Context,
    /// What its calls are counted by.
    pub(super) counted: Context,
    /// A digest of what its sessions are bound to; `None` without authorization.
    pub(super) owner: Option<[u8; 32]>,
    /// Its name in records.
    pub(super) name: Option<Arc<str>>,
    /// The `Authorization` that servers get for it.
    pub(super) authorization: Option<HeaderValue>,
    /// Who it is, if that was verified here.
    pub(super) verified: Option<Arc<VerifiedCaller>>,
}

impl Identity {
    /// The sender of a request with these headers, which nobody has verified: its `Authorization` goes on.
    pub(super) fn unverified(headers: &HeaderMap) -> Arc<Self> {
        let authorization = headers.get(AUTHORIZATION);
        let context = bearer(authorization);
        Arc::new(Self {
            counted: context.clone(),
            context,
            owner: caller(headers),
            name: shown(headers).map(Into::into),
            authorization: authorization.cloned(),
            verified: None,
        })
    }

    /// The caller that servers are opened for.
    pub(super) fn caller(&self) -> Caller {
        Caller::new(self.context.clone(), self.authorization.as_ref())
    }

    /// A caller that was verified, and the `Authorization` that goes on for it.
    pub(super) fn verified(
        caller: VerifiedCaller,
        authorization: Option<&HeaderValue>,
    ) -> Arc<Self> {
        let who = digest_of(&caller);
        // A server that gets the authorization itself may treat two of one caller differently.
        let context = match authorization {
            None => Context::Bearer(who),
            Some(value) => {
                let mut digest = Sha256::new();
                digest.update(who);
                digest.update(value.as_bytes());
                Context::Bearer(digest.finalize().into())
            }
        };
        Arc::new(Self {
            context,
            counted: Context::Bearer(who),
            owner: Some(who),
            name: Some(caller.name().into()),
            authorization: authorization.cloned(),
            verified: Some(Arc::new(caller)),
        })
    }
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Identity")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A digest of who a caller is, whatever groups and scopes it has.
fn digest_of(caller: &VerifiedCaller) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(b"verified\0");
    let parts = [&caller.token, &caller.issuer, &caller.subject];
    let parts = parts.into_iter().map(|part| part.as_deref());
    let certificates = caller.certificates.iter().map(|name| Some(&**name));
    for part in parts.chain(certificates) {
        let bytes = part.unwrap_or_default().as_bytes();
        digest.update([u8::from(part.is_some())]);
        digest.update(bytes.len().to_be_bytes());
        digest.update(bytes);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(token: Option<&str>, issuer: Option<&str>, subject: Option<&str>) -> VerifiedCaller {
        VerifiedCaller {
            token: token.map(Into::into),
            issuer: issuer.map(Into::into),
            subject: subject.map(Into::into),
            ..VerifiedCaller::default()
        }
    }

    #[test]
    fn no_two_callers_are_one() {
        let mut all = vec![
            of(Some("a"), None, None),
            of(None, Some("a"), None),
            of(None, None, Some("a")),
            of(None, Some("i"), Some("a")),
            of(None, Some("ia"), Some("")),
            of(Some("a"), None, Some("a")),
        ];
        let mut certified = of(None, None, Some("a"));
        certified.certificates = vec!["a".into()];
        all.push(certified);
        let mut digests: Vec<[u8; 32]> = all.iter().map(digest_of).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), all.len());
    }

    #[test]
    fn groups_do_not_make_another_caller_but_another_token_that_goes_on_does() {
        let caller = of(None, Some("i"), Some("a"));
        let mut promoted = caller.clone();
        promoted.groups = vec!["admins".into()];
        let [one, two] = [caller, promoted].map(|caller| Identity::verified(caller, None));
        assert_eq!(one.context, two.context);
        assert_eq!(one.owner, two.owner);
        let caller = || of(None, Some("i"), Some("a"));
        let [x, y] = ["Bearer x", "Bearer y"]
            .map(|token| Identity::verified(caller(), Some(&HeaderValue::from_static(token))));
        assert_ne!(x.context, y.context);
        assert_eq!(x.counted, y.counted);
        assert_eq!(x.owner, y.owner);
        assert!(!format!("{x:?}").contains("Bearer"));
    }
}
