//! The answer of a check.

use std::fmt;

use crate::execute::Exhausted;

/// The answer of a check. There are three, and the third is not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "there are three answers, and every caller must decide what the third means to it"
)]
#[must_use = "an unread verdict checks nothing"]
pub enum Verdict {
    /// The instance matches.
    Valid,
    /// The instance does not match.
    Invalid,
    /// A limit was reached before the answer was known.
    Undecided(Exhausted),
}

impl Verdict {
    /// Whether the instance is known to match.
    ///
    /// ```
    /// use toolsure_schema::{Exhausted, Verdict};
    ///
    /// assert!(Verdict::Valid.is_valid());
    /// assert!(!Verdict::Undecided(Exhausted::Fuel { allowed: 10 }).is_valid());
    /// ```
    pub fn is_valid(self) -> bool {
        self == Self::Valid
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid => f.write_str("valid"),
            Self::Invalid => f.write_str("invalid"),
            Self::Undecided(why) => why.fmt(f),
        }
    }
}
