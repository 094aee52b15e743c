//! What an operator can ask of the compiler beside the limits.

use std::fmt;

use crate::error::CompileError;

/// What `format` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Formats {
    /// Nothing is asserted (the default of the specification), unless a custom
    /// metaschema asks for the format-assertion vocabulary.
    #[default]
    Annotate,
    /// Every format of the specification is asserted; unknown ones never fail.
    Assert,
    /// The same, and the number formats that generators emit beside the
    /// standard (`int32`, `int64`, `uint32`, …).
    AssertWithNumbers,
    /// The number formats that generators emit alone: for a program whose types
    /// read numbers of their width, and text as it comes.
    AssertNumbers,
}

/// What `contentEncoding` and `contentMediaType` do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
pub enum Strictness {
    /// The schema is refused (the default).
    #[default]
    Strict,
    /// The keyword is left out and reported as a [`Warning`], and so is a pattern that is
    /// no regular expression of ECMA-262. Limits and references stay strict.
    Lenient,
}

/// Something that was left out of a schema: what its dialect forbids (lenient
/// compilation), or a reference to nothing that no evaluation can come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning(CompileError);

impl Warning {
    pub(crate) fn new(error: CompileError) -> Self {
        Self(error)
    }

    /// The error that strict compilation ends with, or would if the place were reached.
    pub fn error(&self) -> &CompileError {
        &self.0
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ignored: {}", self.0)
    }
}
