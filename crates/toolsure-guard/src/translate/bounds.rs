//! How much a translator keeps, and for how long.

use std::time::Duration;

use crate::policy::Policy;

/// How much may wait, and for how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Requests that are open at the same time.
    pub(super) pending: usize,
    /// Messages that are kept until something else has happened.
    pub(super) held: usize,
    /// Bytes of the kept messages.
    pub(super) held_bytes: usize,
    /// How long a person may take to answer, and a session to open.
    pub(super) patience: Duration,
}

impl Bounds {
    pub(super) fn of(policy: &Policy) -> Self {
        let limits = &policy.limits;
        Self {
            pending: limits.pending,
            held: limits.parked,
            held_bytes: limits.parked_bytes,
            patience: policy.request_timeout.unwrap_or(PATIENCE),
        }
    }
}

/// The timeout if the policy has none: the default of [`Policy`].
const PATIENCE: Duration = Duration::from_secs(300);
