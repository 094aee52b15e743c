//! The dated versions of the argument schema.

use std::fmt;

/// A version of the argument schema: the date on which its meaning was fixed.
///
/// ```
/// use toolsure_analysis::argument::Version;
///
/// assert_eq!(Version::from_date("2025-10-09"), Some(Version::V20251009));
/// assert_eq!(Version::LATEST.date(), "2026-11-21");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Version {
    /// 2025-10-09: the base fields.
    V20251009,
    /// 2026-11-21: the base fields and the extensions `pattern`, nested objects
    /// (`type: "object"` with `properties`), `default`, `deprecated`, `minItems`
    /// and `maxItems`.
    V20261121,
}

impl Version {
    /// Every version, oldest first.
    pub const ALL: [Self; 2] = [Self::V20251009, Self::V20261121];

    /// The version that a schema without `schemaVersion` is taken for.
    pub const LATEST: Self = Self::V20261121;

    /// The date, as `schemaVersion` declares it.
    #[must_use]
    pub fn date(self) -> &'static str {
        match self {
            Self::V20251009 => "2025-10-09",
            Self::V20261121 => "2026-11-21",
        }
    }

    /// The version with this date; no other spelling is accepted.
    #[must_use]
    pub fn from_date(date: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.date() == date)
    }

    /// Whether the extensions are part of it.
    #[must_use]
    pub fn has_extensions(self) -> bool {
        self >= Self::V20261121
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.date())
    }
}
