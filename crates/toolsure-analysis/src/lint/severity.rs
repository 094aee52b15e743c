//! How much a finding matters.

use std::fmt;

/// How much a finding matters, in order, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every way to print findings must say what each of the three looks like"
)]
pub enum Severity {
    /// Could be better, but nothing breaks.
    Note,
    /// Probably a mistake, or something that some readers do not accept.
    Warning,
    /// The tool cannot work as its author intended.
    Error,
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
