//! The dialects and their vocabularies, and the keywords that each one has.

mod declaration;
mod keyword;
mod metaschemas;
mod rules;

use std::fmt;

pub(crate) use declaration::declared_dialect;
pub use keyword::{AppliesTo, Keyword, SubschemaLayout, ValueShape};
pub use metaschemas::metaschema;
pub use rules::DialectRules;

/// A published version of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every user of a model must decide what a new dialect means to it"
)]
pub enum Dialect {
    /// Draft 4 (2013).
    Draft4,
    /// Draft 6 (2017).
    Draft6,
    /// Draft 7 (2018).
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12, the default (MCP, SEP-1613 and SEP-2106).
    #[default]
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

    /// The usual short name: `draft4`, `draft6`, `draft7`, `2019-09`, `2020-12`.
    ///
    /// ```
    /// assert_eq!(toolsure_syntax::Dialect::Draft201909.name(), "2019-09");
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft4 => "draft4",
            Self::Draft6 => "draft6",
            Self::Draft7 => "draft7",
            Self::Draft201909 => "2019-09",
            Self::Draft202012 => "2020-12",
        }
    }

    /// The name for prose: `draft 4`, `draft 6`, `draft 7`, `2019-09`, `2020-12`.
    ///
    /// ```
    /// assert_eq!(toolsure_syntax::Dialect::Draft7.title(), "draft 7");
    /// ```
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Draft4 => "draft 4",
            Self::Draft6 => "draft 6",
            Self::Draft7 => "draft 7",
            Self::Draft201909 | Self::Draft202012 => self.name(),
        }
    }

    /// The dialect with that name, or one of its other common spellings (`draft-07`, `7`,
    /// `draft2019-09`), or with that URI.
    ///
    /// ```
    /// use toolsure_syntax::Dialect;
    ///
    /// assert_eq!(Dialect::from_name("draft-07"), Some(Dialect::Draft7));
    /// assert_eq!(Dialect::from_name("draft3"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "draft4" | "draft-04" | "4" => Some(Self::Draft4),
            "draft6" | "draft-06" | "6" => Some(Self::Draft6),
            "draft7" | "draft-07" | "7" => Some(Self::Draft7),
            "2019-09" | "draft2019-09" => Some(Self::Draft201909),
            "2020-12" | "draft2020-12" => Some(Self::Draft202012),
            _ => Self::from_uri(name),
        }
    }

    /// The URI that identifies it in `$schema`.
    ///
    /// ```
    /// let uri = toolsure_syntax::Dialect::Draft202012.uri();
    /// assert_eq!(uri, "https://json-schema.org/draft/2020-12/schema");
    /// ```
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft4 => "http://json-schema.org/draft-04/schema#",
            Self::Draft6 => "http://json-schema.org/draft-06/schema#",
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// The dialect that a `$schema` URI identifies: with `http` or `https`, with or without a
    /// trailing `#`.
    ///
    /// ```
    /// use toolsure_syntax::Dialect;
    ///
    /// let uri = "https://json-schema.org/draft-07/schema";
    /// assert_eq!(Dialect::from_uri(uri), Some(Dialect::Draft7));
    /// ```
    pub fn from_uri(uri: &str) -> Option<Self> {
        let rest = uri
            .strip_prefix("https://")
            .or_else(|| uri.strip_prefix("http://"))?;
        match rest.strip_suffix('#').unwrap_or(rest) {
            "json-schema.org/draft-04/schema" => Some(Self::Draft4),
            "json-schema.org/draft-06/schema" => Some(Self::Draft6),
            "json-schema.org/draft-07/schema" => Some(Self::Draft7),
            "json-schema.org/draft/2019-09/schema" => Some(Self::Draft201909),
            "json-schema.org/draft/2020-12/schema" => Some(Self::Draft202012),
            _ => None,
        }
    }

    /// Whether keywords next to `$ref` are ignored (draft 7 and older).
    ///
    /// ```
    /// use toolsure_syntax::Dialect;
    ///
    /// assert!(Dialect::Draft7.ref_hides_siblings());
    /// assert!(!Dialect::Draft201909.ref_hides_siblings());
    /// ```
    #[must_use]
    pub fn ref_hides_siblings(self) -> bool {
        self <= Self::Draft7
    }
}

/// The [`name`](Dialect::name).
impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A group of keywords that a metaschema may omit (2019-09 and later).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Vocabulary {
    /// `$id`, `$schema`, `$ref`, `$defs` and the like (core §8).
    Core,
    /// Keywords that apply subschemas (core §10).
    Applicator,
    /// `unevaluatedItems` and `unevaluatedProperties` (core §11).
    Unevaluated,
    /// Assertions (validation §6).
    Validation,
    /// Titles, defaults, examples and similar annotations (validation §9).
    MetaData,
    /// `format`, which asserts nothing (validation §7.2.1).
    FormatAnnotation,
    /// `format`, which asserts (validation §7.2.2).
    FormatAssertion,
    /// Documents in strings (validation §8).
    Content,
}

impl Vocabulary {
    /// The vocabulary with that `$vocabulary` URI.
    ///
    /// ```
    /// use toolsure_syntax::Vocabulary;
    ///
    /// let uri = "https://json-schema.org/draft/2020-12/vocab/validation";
    /// assert_eq!(Vocabulary::from_uri(uri), Some(Vocabulary::Validation));
    /// ```
    pub fn from_uri(uri: &str) -> Option<Self> {
        let name = uri
            .strip_prefix("https://json-schema.org/draft/2020-12/vocab/")
            .or_else(|| uri.strip_prefix("https://json-schema.org/draft/2019-09/vocab/"))?;
        match name {
            "core" => Some(Self::Core),
            "applicator" => Some(Self::Applicator),
            "unevaluated" => Some(Self::Unevaluated),
            "validation" => Some(Self::Validation),
            "meta-data" => Some(Self::MetaData),
            "format" | "format-annotation" => Some(Self::FormatAnnotation),
            "format-assertion" => Some(Self::FormatAssertion),
            "content" => Some(Self::Content),
            _ => None,
        }
    }

    pub(super) const fn bit(self) -> u8 {
        match self {
            Self::Core => 1,
            Self::Applicator => 2,
            Self::Unevaluated => 4,
            Self::Validation => 8,
            Self::MetaData => 16,
            Self::FormatAnnotation | Self::FormatAssertion => 32,
            Self::Content => 64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every spelling of the five URIs is recognised, and nothing else.
    #[test]
    fn dialect_uris() {
        for dialect in Dialect::ALL {
            let bare = dialect
                .uri()
                .trim_end_matches('#')
                .split_once("://")
                .unwrap()
                .1;
            for text in [
                format!("http://{bare}"),
                format!("https://{bare}"),
                format!("http://{bare}#"),
                format!("https://{bare}#"),
            ] {
                assert_eq!(Dialect::from_uri(&text), Some(dialect), "{text}");
            }
            assert_eq!(Dialect::from_uri(bare), None);
            assert_eq!(Dialect::from_uri(&format!("http://{bare}##")), None);
        }
        assert_eq!(
            Dialect::from_uri("http://json-schema.org/draft-03/schema#"),
            None
        );
    }
}
