//! The five dialects as the test material spells them.

use std::fmt;

/// A dialect of JSON Schema.
///
/// # Example
///
/// ```
/// use toolgate_testkit::dialect::Dialect;
///
/// assert_eq!(Dialect::from_folder("draft7"), Some(Dialect::Draft7));
/// assert_eq!(Dialect::from_folder("draft3"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// draft-04
    Draft4,
    /// draft-06
    Draft6,
    /// draft-07
    Draft7,
    /// 2019-09
    Draft201909,
    /// 2020-12
    Draft202012,
}

impl Dialect {
    /// Every dialect, oldest first.
    pub const ALL: [Self; 5] = [
        Self::Draft4,
        Self::Draft6,
        Self::Draft7,
        Self::Draft201909,
        Self::Draft202012,
    ];

    /// The name of the dialect's folder in the official suite.
    #[must_use]
    pub fn folder(self) -> &'static str {
        match self {
            Self::Draft4 => "draft4",
            Self::Draft6 => "draft6",
            Self::Draft7 => "draft7",
            Self::Draft201909 => "draft2019-09",
            Self::Draft202012 => "draft2020-12",
        }
    }

    /// The dialect whose folder in the official suite has this name.
    #[must_use]
    pub fn from_folder(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.folder() == name)
    }

    /// The URI that a schema of this dialect declares in `$schema`.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft4 => "http://json-schema.org/draft-04/schema#",
            Self::Draft6 => "http://json-schema.org/draft-06/schema#",
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The release as the annotation suite's `compatibility` counts it.
    #[must_use]
    pub fn release(self) -> u32 {
        match self {
            Self::Draft4 => 4,
            Self::Draft6 => 6,
            Self::Draft7 => 7,
            Self::Draft201909 => 2019,
            Self::Draft202012 => 2020,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.folder())
    }
}
