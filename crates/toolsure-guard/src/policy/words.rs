//! The words for the choices of a policy, as configurations write them.

use toolsure_mcp::check::OnUndecided;
use toolsure_mcp::clients::CostlySchemas;
use toolsure_mcp::project::LegacyValues;
use toolsure_schema::Formats;

/// An enumeration whose values are written as words.
pub trait Words: Sized + Copy + PartialEq + 'static {
    /// The words, in the order of [`Words::ALL`].
    const WORDS: &'static [&'static str];
    /// The values, in the order of [`Words::WORDS`].
    const ALL: &'static [Self];

    /// The value of a word; `None` if there is no such word.
    fn of(word: &str) -> Option<Self> {
        let at = Self::WORDS.iter().position(|known| *known == word)?;
        Self::ALL.get(at).copied()
    }

    /// The word of a value.
    fn word(self) -> &'static str {
        let at = Self::ALL.iter().position(|known| *known == self);
        at.and_then(|at| Self::WORDS.get(at)).copied().unwrap_or("")
    }
}

macro_rules! words {
    ($($type:ty { $($value:ident = $word:literal),+ })+) => {$(
        impl Words for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const ALL: &'static [Self] = &[$(Self::$value),+];
        }
    )+};
}

impl Words for bool {
    const WORDS: &'static [&'static str] = &["true", "false"];
    const ALL: &'static [Self] = &[true, false];
}

words! {
    OnUndecided { Refuse = "refuse", Pass = "pass" }
    CostlySchemas { Simplify = "simplify", Strip = "strip", Pass = "pass" }
    LegacyValues { Enforce = "enforce", Project = "project" }
    Formats { Annotate = "annotate", Assert = "assert", AssertWithNumbers = "assert-with-numbers" }
}
