//! The options of the parser.

use std::fmt;

use crate::dialect::Dialect;
use crate::error::CompileError;
use crate::limits::Limits;

/// The options of a [`Parser`](crate::Parser).
///
/// ```
/// use toolsure_syntax::{Dialect, Options, Strictness};
///
/// let mut options = Options::default();
/// assert_eq!((options.strictness, options.dialect), (Strictness::Strict, None));
/// options.dialect = Some(Dialect::Draft7);
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// How large a schema may be.
    pub limits: Limits,
    /// What `format` does.
    pub formats: Formats,
    /// What `contentEncoding` and `contentMediaType` do.
    pub content: Content,
    /// What happens to keywords that their dialect forbids.
    pub strictness: Strictness,
    /// The dialect of every schema, overriding its `$schema`.
    pub dialect: Option<Dialect>,
    /// The dialect of schemas that declare none (2020-12 unless set).
    pub default_dialect: Option<Dialect>,
    /// The absolute URI of the schema. Its relative references are resolved against it unless its
    /// `$id` says otherwise. Without one they are not resolved.
    pub base_uri: Option<String>,
}

/// What `format` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Formats {
    /// Nothing is asserted (the specification's default), unless a custom metaschema requires the
    /// format-assertion vocabulary.
    #[default]
    Annotate,
    /// Every format of the specification is asserted; unknown ones never fail.
    Assert,
    /// As [`Assert`](Self::Assert), plus the number formats that generators emit in addition to the
    /// standard ones (`int32`, `int64`, `uint32`, …).
    AssertWithNumbers,
    /// Only the number formats that generators emit: for a program whose types read numbers of that
    /// width but accept any string.
    AssertNumbers,
}

impl Formats {
    /// Whether the formats of strings are asserted, in schemas whose metaschema does not decide it.
    ///
    /// ```
    /// use toolsure_syntax::Formats;
    ///
    /// assert!(Formats::AssertWithNumbers.asserts_text());
    /// assert!(!Formats::AssertNumbers.asserts_text());
    /// ```
    #[must_use]
    pub fn asserts_text(self) -> bool {
        matches!(self, Self::Assert | Self::AssertWithNumbers)
    }

    /// Whether the formats of numbers are asserted.
    ///
    /// ```
    /// use toolsure_syntax::Formats;
    ///
    /// assert!(Formats::AssertNumbers.asserts_numbers());
    /// assert!(!Formats::Assert.asserts_numbers());
    /// ```
    #[must_use]
    pub fn asserts_numbers(self) -> bool {
        matches!(self, Self::AssertWithNumbers | Self::AssertNumbers)
    }
}

/// What `contentEncoding` and `contentMediaType` do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "contents are checked or they are not"
)]
pub enum Content {
    /// They are annotations (the default, and the only reading since 2019-09).
    #[default]
    Annotate,
    /// In draft 7, whose specification allows it (validation §8), `base64` and
    /// `application/json` are asserted.
    Assert,
}

/// What happens to a keyword whose value its dialect forbids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a schema is read strictly or leniently"
)]
pub enum Strictness {
    /// The schema is refused (the default).
    #[default]
    Strict,
    /// The keyword is left out and reported as a [`Warning`], and so is a pattern that is not a
    /// valid ECMA-262 regular expression. Limits and references stay strict.
    Lenient,
}

/// Something that was left out of a schema: a value that its dialect forbids (lenient compilation),
/// or an unresolved reference that no evaluation can reach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning(CompileError);

impl Warning {
    pub(crate) fn new(error: CompileError) -> Self {
        Self(error)
    }

    /// The error that strict compilation reports, or would report if an evaluation could get there.
    ///
    /// ```
    /// use toolsure_syntax::{Options, Parser, Strictness};
    ///
    /// let mut options = Options::default();
    /// options.strictness = Strictness::Lenient;
    /// let model = Parser::new(options).parse(br#"{"minimum": "1"}"#)?;
    /// assert_eq!(model.warnings[0].error().pointer(), "/minimum");
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    pub fn error(&self) -> &CompileError {
        &self.0
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ignored: {}", self.0)
    }
}
