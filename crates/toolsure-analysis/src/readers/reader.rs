//! A row of the table of readers.

use super::fact::SourcedFact;

/// Somebody who reads a listing or a result.
///
/// ```
/// use toolsure_analysis::readers::reader;
///
/// let gemini = reader("Gemini").unwrap();
/// assert!(gemini.takes_keyword("minimum") && !gemini.takes_keyword("exclusiveMinimum"));
/// assert_eq!(gemini.tool_name().map(|rule| rule.longest), Some(64));
/// // What holds for a parent holds too.
/// let strict = reader("openai-strict").unwrap();
/// assert!(strict.has_parent("openai") && !strict.takes_root("anyOf"));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Reader {
    /// The name on the command line, such as `openai-strict`.
    pub name: &'static str,
    /// The name in messages, such as `OpenAI's strict mode`.
    pub shown: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The versions that the facts are about.
    pub versions: &'static str,
    /// Whether people use these versions today.
    pub is_current: bool,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The names of the readers that read what it reads before or after it; their facts hold too.
    pub parents: &'static [&'static str],
    /// What is known about it, besides the facts of its parents.
    pub own: &'static [SourcedFact],
}

/// What a reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "tables and reports group readers by these"
)]
pub enum Kind {
    /// An API that a model is behind.
    Provider,
    /// A program that people use.
    Client,
    /// A library of which clients are made.
    Sdk,
    /// A catalogue of servers.
    Directory,
}

/// Groups of facts with the same evidence, month and source, as one slice.
macro_rules! facts {
    ($($evidence:ident $month:literal $source:literal { $($consequence:ident: $($fact:expr),+;)+ })+) => {
        &[$($($(crate::readers::SourcedFact {
            fact: $fact,
            evidence: crate::readers::Evidence::$evidence,
            source: $source,
            month: $month,
            consequence: crate::readers::Consequence::$consequence,
        },)+)+)+]
    };
}
pub(super) use facts;
