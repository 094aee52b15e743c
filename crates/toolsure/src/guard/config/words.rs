//! The words in the settings, and the values that they stand for.

use toolsure_guard::policy::{
    BadResult, BadTools, CostlySchemas, DriftMode, LegacyValues, Mode, OnUndecided, Output,
    Project, Repair, ResultMembers, TextBlocks, UnknownTool, WideNumbers,
};
use toolsure_guard::translate::Translate;
use toolsure_schema::Formats;

/// An enumeration whose values are written as words.
pub(super) trait Words: Sized + Copy + PartialEq + 'static {
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

/// What is done about drift, as configured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum DriftWord {
    /// `refuse` for an upstream with a lock, `off` for others.
    #[default]
    Auto,
    Refuse,
    Report,
    Off,
}

impl DriftWord {
    pub(super) fn mode(self, locked: bool) -> DriftMode {
        match self {
            Self::Auto if locked => DriftMode::Refuse,
            Self::Auto | Self::Off => DriftMode::Off,
            Self::Refuse => DriftMode::Refuse,
            Self::Report => DriftMode::Report,
        }
    }
}

/// The clients that an upstream is translated for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TranslateWord {
    #[default]
    Off,
    LegacyClients,
    ModernClients,
}

impl TranslateWord {
    pub(crate) fn mode(self) -> Option<Translate> {
        match self {
            Self::Off => None,
            Self::LegacyClients => Some(Translate::LegacyClients),
            Self::ModernClients => Some(Translate::ModernClients),
        }
    }
}

/// The format of logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    #[default]
    Human,
    Json,
}

macro_rules! words {
    ($($type:ty { $($value:ident = $word:literal),+ })+) => {$(
        impl Words for $type {
            const WORDS: &'static [&'static str] = &[$($word),+];
            const ALL: &'static [Self] = &[$(Self::$value),+];
        }
    )+};
}

/// `true` is `all`, and `false` is `off`.
impl Words for Repair {
    const WORDS: &'static [&'static str] = &["certain", "all", "off"];
    const ALL: &'static [Self] = &[Self::Certain, Self::All, Self::Off];

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "certain" => Self::Certain,
            "all" | "true" => Self::All,
            "off" | "false" => Self::Off,
            _ => return None,
        })
    }
}

words! {
    Mode { Enforce = "enforce", Audit = "audit", Off = "off" }
    BadTools { FilterOut = "filter-out", RejectServer = "reject-server", Pass = "pass" }
    BadResult { Replace = "replace", DropStructured = "drop-structured", Flag = "flag" }
    UnknownTool { Error = "error", Result = "result" }
    TextBlocks { Repair = "repair", Refuse = "refuse", Report = "report" }
    ResultMembers { Repair = "repair", Refuse = "refuse", Pass = "pass" }
    Output { Enforce = "enforce", Lift = "lift", Hide = "hide" }
    WideNumbers { Refuse = "refuse", Pass = "pass" }
    OnUndecided { Refuse = "refuse", Pass = "pass" }
    CostlySchemas { Simplify = "simplify", Strip = "strip", Pass = "pass" }
    Project { Wrap = "wrap", Drop = "drop", Off = "off" }
    LegacyValues { Enforce = "enforce", Project = "project" }
    Formats { Annotate = "annotate", Assert = "assert", AssertWithNumbers = "assert-with-numbers" }
    DriftWord { Auto = "auto", Refuse = "refuse", Report = "report", Off = "off" }
    DriftMode { Refuse = "refuse", Report = "report", Off = "off" }
    TranslateWord { Off = "off", LegacyClients = "legacy-clients", ModernClients = "modern-clients" }
    LogFormat { Human = "human", Json = "json" }
}
