//! The context in which one event is handled.

use std::time::Duration;

use toolgate_json::ReadLimits;

use crate::policy::{Policy, Rules};

/// The context in which one event is handled.
pub(super) struct Turn<'t> {
    pub(super) rules: &'t Rules,
    limits: ReadLimits,
    pub(super) now: Duration,
    /// How long the message's result may be cached, if its protocol version cannot say that.
    pub(super) ttl: Option<Duration>,
}

impl<'t> Turn<'t> {
    pub(super) fn new(rules: &'t Rules, now: Duration) -> Self {
        let limits = rules.policy.limits.read();
        Self {
            rules,
            limits,
            now,
            ttl: None,
        }
    }

    pub(super) fn policy(&self) -> &'t Policy {
        &self.rules.policy
    }

    /// The limits within which messages are read.
    pub(super) fn limits(&self) -> &ReadLimits {
        &self.limits
    }
}
