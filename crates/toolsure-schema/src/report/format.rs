//! The names of the standard output formats.

/// A standard output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OutputFormat {
    /// The verdict alone; the same in all versions.
    Flag,
    /// 2020-12: a flat list of the keywords that fail, or of annotations.
    Basic,
    /// 2020-12: the same as a tree, condensed to what matters.
    Detailed,
    /// 2020-12: every subschema and keyword that was evaluated.
    Verbose,
    /// v1: a flat list of the subschemas that were evaluated.
    List,
    /// v1: the same as a tree.
    Hierarchical,
}

impl OutputFormat {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::Flag,
        Self::Basic,
        Self::Detailed,
        Self::Verbose,
        Self::List,
        Self::Hierarchical,
    ];

    /// The format with the given name, as the specifications spell it.
    ///
    /// ```
    /// use toolsure_schema::OutputFormat;
    ///
    /// assert_eq!(OutputFormat::from_name("basic"), Some(OutputFormat::Basic));
    /// assert_eq!(OutputFormat::from_name("short"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The name as the specifications spell it.
    ///
    /// ```
    /// use toolsure_schema::OutputFormat;
    ///
    /// assert_eq!(OutputFormat::Basic.name(), "basic");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Basic => "basic",
            Self::Detailed => "detailed",
            Self::Verbose => "verbose",
            Self::List => "list",
            Self::Hierarchical => "hierarchical",
        }
    }
}
