//! On whose behalf an upstream is used.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use reqwest::header::HeaderValue;

/// The client on whose behalf an upstream is opened: what of it goes on to servers behind, which
/// is its `Authorization` alone. A client on standard input and output has none.
///
/// A legacy session may renew its authorization; whoever holds the caller sees the newest. Its
/// value is in no `Debug` output.
#[derive(Clone, Default)]
pub struct Caller {
    authorization: Arc<RwLock<Option<HeaderValue>>>,
    /// A server behind keeps a session of its own for it.
    kept: Arc<AtomicBool>,
    stands: Standing,
}

/// Who a caller is beside its authorization.
#[derive(Clone, Default)]
pub(crate) enum Standing {
    /// Whoever is at the other end.
    #[default]
    Somebody,
    /// Everybody who comes with this authorization, or without any.
    Everybody,
    /// Whoever is in the session of this name, which any replica knows.
    Session(Arc<str>),
}

impl Caller {
    pub(crate) fn new(authorization: Option<&HeaderValue>) -> Self {
        let caller = Self::default();
        caller.renew(authorization);
        caller
    }

    pub(crate) fn standing_for(mut self, stands: Standing) -> Self {
        self.stands = stands;
        self
    }

    pub(crate) fn stands(&self) -> &Standing {
        &self.stands
    }

    /// The value of its `Authorization` now, if it is text.
    pub fn authorization(&self) -> Option<String> {
        let value = self.value()?;
        value.to_str().ok().map(str::to_owned)
    }

    pub(crate) fn value(&self) -> Option<HeaderValue> {
        let value = self.authorization.read();
        value.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A server keeps a session for it.
    pub(crate) fn keep(&self) {
        self.kept.store(true, Ordering::Release);
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.kept.load(Ordering::Acquire)
    }

    pub(crate) fn renew(&self, authorization: Option<&HeaderValue>) {
        let mut value = authorization.cloned();
        if let Some(value) = &mut value {
            value.set_sensitive(true);
        }
        let held = self.authorization.write();
        *held.unwrap_or_else(PoisonError::into_inner) = value;
    }
}

impl std::fmt::Debug for Caller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let authorized = self.value().is_some();
        f.debug_struct("Caller")
            .field("authorized", &authorized)
            .finish_non_exhaustive()
    }
}
