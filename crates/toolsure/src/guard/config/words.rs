//! The words in the settings, and the values that they stand for.

pub(super) use toolsure_guard::policy::Words;
use toolsure_guard::translate::Translate;

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

/// Whether a server gets the `Authorization` of callers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AuthorizationWord {
    /// `none` if the guard authenticates callers, `caller` if it does not.
    #[default]
    Auto,
    Caller,
    None,
}

/// The format of logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogFormat {
    #[default]
    Human,
    Json,
}

impl Words for TranslateWord {
    const WORDS: &'static [&'static str] = &["off", "legacy-clients", "modern-clients"];
    const ALL: &'static [Self] = &[Self::Off, Self::LegacyClients, Self::ModernClients];
}

impl Words for AuthorizationWord {
    const WORDS: &'static [&'static str] = &["auto", "caller", "none"];
    const ALL: &'static [Self] = &[Self::Auto, Self::Caller, Self::None];
}

impl Words for LogFormat {
    const WORDS: &'static [&'static str] = &["human", "json"];
    const ALL: &'static [Self] = &[Self::Human, Self::Json];
}
