//! How much a finding matters.

use std::fmt;

use crate::readers::Consequence;

/// How much a finding matters, in order, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every way to print findings must say what each of the three looks like"
)]
pub enum Severity {
    /// Could be better, but nothing breaks.
    Note,
    /// Probably a mistake, or something that some readers ignore or misread.
    Warning,
    /// The tool cannot work as its author intended, or a reader refuses it.
    Error,
}

impl Severity {
    /// The severity of what has this consequence.
    #[must_use]
    pub fn of(consequence: Consequence) -> Self {
        match consequence {
            Consequence::Style => Self::Note,
            Consequence::MeaningLost => Self::Warning,
            _ => Self::Error,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}
