//! How tools are handled that differ from their approved definitions.

use std::sync::Arc;

use super::mode::Mode;
use super::words::Words;
use crate::lock::{ChangeClass, Lock};

/// How a tool is handled that differs from the form in which it was first seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "drift is refused, recorded, or not looked at"
)]
pub enum DriftMode {
    /// Nothing is checked.
    #[default]
    Off,
    /// A tool that differs stays, and a record reports it.
    Report,
    /// A tool that differs is left out of the list, and calls of it are refused.
    Refuse,
}

/// What is done about a change of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a change passes, waits for somebody, or is refused"
)]
pub enum ChangeMode {
    /// The tool stays as it is now, and a record reports the change.
    Pass,
    /// The tool is left out of the list, and calls of it are refused, until the change is approved.
    Hold,
    /// The same, and the tool does not count as waiting for approval.
    Refuse,
}

/// What is done about changes, by class. By default those that only add pass, and the others are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "one field for each class, which every caller must decide on"
)]
pub struct Changes {
    /// Less is accepted or promised.
    pub narrower: ChangeMode,
    /// More is accepted or promised.
    pub wider: ChangeMode,
    /// What users consented to.
    pub consent: ChangeMode,
    /// Texts.
    pub words: ChangeMode,
    /// `execution`.
    pub execution: ChangeMode,
    /// Other members.
    pub other: ChangeMode,
    /// New tools.
    pub new_tools: ChangeMode,
}

impl Changes {
    /// The same for all.
    #[must_use]
    pub const fn all(mode: ChangeMode) -> Self {
        Self {
            narrower: mode,
            wider: mode,
            consent: mode,
            words: mode,
            execution: mode,
            other: mode,
            new_tools: mode,
        }
    }

    /// What is done about a class.
    #[must_use]
    pub fn of(&self, class: ChangeClass) -> ChangeMode {
        match class {
            ChangeClass::Narrower => self.narrower,
            ChangeClass::Wider => self.wider,
            ChangeClass::Consent => self.consent,
            ChangeClass::Words => self.words,
            ChangeClass::Execution => self.execution,
            ChangeClass::Other => self.other,
            ChangeClass::New => self.new_tools,
        }
    }
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            wider: ChangeMode::Pass,
            ..Self::all(ChangeMode::Hold)
        }
    }
}

/// The approved tools, and how tools are handled that differ from them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Drift {
    /// The tools as they were approved.
    pub lock: Option<Arc<Lock>>,
    /// Whether what [`changes`](Self::changes) says is done, only recorded, or not looked at. Removed tools are always only
    /// reported.
    pub mode: Mode,
    /// How tools are handled that differ from it, or are not in it.
    pub changes: Changes,
    /// How changes are approved, in words for operators: one or two commands.
    pub review: Option<Arc<str>>,
}

impl Drift {
    /// Whether a lock file can cause tools to be refused.
    pub(crate) fn refuses(&self) -> bool {
        self.lock.is_some() && self.mode == Mode::Enforce
    }
}

impl Default for Drift {
    fn default() -> Self {
        Self {
            lock: None,
            mode: Mode::Enforce,
            changes: Changes::default(),
            review: None,
        }
    }
}

words! {
    DriftMode { Refuse = "refuse", Report = "report", Off = "off" }
    ChangeMode { Pass = "pass", Hold = "hold", Refuse = "refuse" }
}
