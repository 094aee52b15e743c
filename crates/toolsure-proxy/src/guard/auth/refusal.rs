//! Why callers and settings are refused.

use crate::fault::{Fault, FaultKind, Party, Phase};

/// Why a request has no caller.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::guard) enum Unauthenticated {
    /// It proves nothing.
    Missing,
    /// What it proves is wrong, for this reason.
    Invalid(String),
    /// It is unknown whether its token is right, because the issuer's keys cannot be had, for this reason.
    Undecided(String),
}

/// A proof that is wrong.
pub(super) fn invalid(why: &str) -> Unauthenticated {
    Unauthenticated::Invalid(why.to_owned())
}

/// A setting that is wrong.
pub(super) fn config(why: String) -> Fault {
    Fault::new(Party::Operator, FaultKind::Config, Phase::Start, why)
}

/// Maximum characters of a setting that a message repeats.
pub(super) const SHOWN: usize = 60;
