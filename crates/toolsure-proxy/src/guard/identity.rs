//! Who sent a request: what belongs to it, and what authorization goes on to servers for it.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use sha2::{Digest as _, Sha256};
use toolsure_guard::{Context, Peer, VerifiedCaller, hex};

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
    /// What its streams and its share of the memory are counted by; `None` if that is its address.
    pub(super) key: Option<Arc<str>>,
    /// The `Authorization` that servers get for it.
    pub(super) authorization: Option<HeaderValue>,
    /// Who it is, if that was verified here.
    pub(super) verified: Option<Arc<VerifiedCaller>>,
    /// When what it proves ends, in seconds since 1970.
    until: Option<u64>,
}

impl Identity {
    /// The sender of a request with these headers, which nobody has verified: its `Authorization` goes on.
    pub(super) fn unverified(headers: &HeaderMap) -> Arc<Self> {
        let authorization = headers.get(AUTHORIZATION);
        let context = bearer(authorization);
        let name: Option<Arc<str>> = shown(headers).map(Into::into);
        Arc::new(Self {
            counted: context.clone(),
            context,
            owner: caller(headers),
            key: name.clone(),
            name,
            authorization: authorization.cloned(),
            verified: None,
            until: None,
        })
    }

    /// The caller that servers are opened for.
    pub(super) fn caller(&self) -> Caller {
        let contexts = (self.context.clone(), self.counted.clone());
        Caller::new(contexts, self.authorization.as_ref())
    }

    /// What its streams and its share of the memory are counted by: the caller, the `Authorization`, or without
    /// one the address (of an IPv6 address, its first 64 bits).
    pub(super) fn counted_as(&self, peer: Option<&Peer>) -> Arc<str> {
        match (&self.key, peer.and_then(Peer::network)) {
            (Some(key), _) => Arc::clone(key),
            (None, Some(network)) => network.to_string().into(),
            (None, None) => "".into(),
        }
    }

    /// Waits until what it proves has ended; for ever if that has no end.
    pub(super) async fn ended(&self) {
        let Some(until) = self.until else {
            return std::future::pending().await;
        };
        // Other clocks may be set, so the time that is left is looked at again.
        loop {
            let since = SystemTime::now().duration_since(UNIX_EPOCH);
            let left = until.saturating_sub(since.map_or(0, |since| since.as_secs()));
            if left == 0 {
                return;
            }
            let pause = Duration::from_secs(left).min(LOOK_AGAIN);
            tokio::time::sleep(pause).await;
        }
    }

    /// A caller that was verified, and the `Authorization` that goes on for it.
    pub(super) fn verified(
        caller: VerifiedCaller,
        authorization: Option<HeaderValue>,
        until: Option<u64>,
    ) -> Arc<Self> {
        let who = digest_of(&caller);
        // A server that gets the authorization itself may treat two of one caller differently.
        let context = match &authorization {
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
            key: Some(hex(&who).into()),
            authorization,
            verified: Some(Arc::new(caller)),
            until,
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

const LOOK_AGAIN: Duration = Duration::from_secs(60);

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
        let [one, two] = [caller, promoted].map(|caller| Identity::verified(caller, None, None));
        assert_eq!(one.context, two.context);
        assert_eq!(one.owner, two.owner);
        let caller = || of(None, Some("i"), Some("a"));
        let [x, y] = ["Bearer x", "Bearer y"]
            .map(|token| Identity::verified(caller(), Some(HeaderValue::from_static(token)), None));
        assert_ne!(x.context, y.context);
        assert_eq!(x.counted, y.counted);
        assert_eq!(x.owner, y.owner);
        assert!(!format!("{x:?}").contains("Bearer"));
    }
}
