//! How tools are handled that differ from their pins.

use std::sync::Arc;

use super::name_matches;
use super::words::Words;
use crate::lock::{Lock, MetaPin};

/// How a tool is handled that differs from its pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "drift is refused, recorded, or not looked at"
)]
pub enum DriftMode {
    /// Nothing is checked.
    #[default]
    Off,
    /// The tool stays, and a record reports it.
    Report,
    /// The tool is left out of the list, and calls of it are refused.
    Refuse,
}

/// The pinned tools, and how tools are handled that differ from them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Drift {
    /// The tools as they were approved.
    pub lock: Option<Arc<Lock>>,
    /// How tools are handled whose schemas, description or `_meta` changed.
    pub changed: DriftMode,
    /// How tools are handled that have no pin. Removed tools are always only reported.
    pub added: DriftMode,
    /// The members of `_meta` that may change, as patterns of their names
    /// ([`name_matches`](super::name_matches)). Default: none.
    pub meta_may_change: Vec<String>,
}

impl Drift {
    /// Whether a member of `_meta` is compared.
    pub(crate) fn pins_meta(&self, member: &str) -> bool {
        let mut may_change = self.meta_may_change.iter();
        member == MetaPin::WHOLE || !may_change.any(|pattern| name_matches(pattern, member))
    }

    /// Whether a lock file can cause tools to be refused.
    pub(crate) fn refuses(&self) -> bool {
        self.lock.is_some() && [self.changed, self.added].contains(&DriftMode::Refuse)
    }
}

words! {
    DriftMode { Refuse = "refuse", Report = "report", Off = "off" }
}
