//! Why an argument schema is refused, and what permissive reading ignored.

use std::fmt;

use toolsure_json::{ReadError, quote};
use toolsure_pattern::PatternError;

use super::version::Version;

/// Why a text is not an argument schema. `Display` is one line of bounded length.
///
/// ```
/// use toolsure_mcp::argument::{ArgumentSchema, SchemaErrorKind};
///
/// let schema = br#"{"schemaVersion": "2026-11-21", "properties": {"q": {"type": "text"}}}"#;
/// let error = ArgumentSchema::read(schema).unwrap_err();
/// assert_eq!(error.pointer(), "/properties/q/type");
/// assert!(matches!(error.kind(), SchemaErrorKind::Unexpected { .. }));
/// ```
#[derive(Debug, Clone)]
pub struct SchemaError(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    pointer: String,
    kind: SchemaErrorKind,
}

/// What is wrong with an argument schema.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum SchemaErrorKind {
    /// It is not JSON, or exceeds a limit of the reader.
    Json(ReadError),
    /// `schemaVersion` is an unknown version.
    UnknownVersion {
        /// The declared version, cut at 64 characters.
        declared: String,
    },
    /// The version inside the schema differs from the one sent beside it.
    VersionConflict {
        /// The one inside.
        inside: Version,
        /// The one beside it.
        beside: Version,
    },
    /// A part of the schema is invalid.
    Unexpected {
        /// What it must be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// A `default` that its own property refuses.
    Default {
        /// The refusal.
        refusal: String,
    },
    /// A regular expression that does not compile.
    Pattern(PatternError),
    /// A field of a version later than the schema's; it is not enforced.
    Later {
        /// The field.
        field: &'static str,
        /// The first version that has it.
        since: Version,
    },
    /// A limit of [`ArgumentLimits`](super::ArgumentLimits) was reached.
    Limit {
        /// The name of the limit.
        name: &'static str,
        /// Its value.
        allowed: usize,
    },
    /// The reader contradicts itself; this is a bug in the reader, not an error in the schema.
    Internal,
}

impl SchemaError {
    pub(super) fn new(pointer: String, kind: SchemaErrorKind) -> Self {
        Self(Box::new(Inner { pointer, kind }))
    }

    /// An error for a text that is not JSON, or exceeds a limit of the reader.
    pub(crate) fn unreadable(error: ReadError) -> Self {
        Self::new(String::new(), SchemaErrorKind::Json(error))
    }

    /// What is wrong.
    pub fn kind(&self) -> &SchemaErrorKind {
        &self.0.kind
    }

    /// The location, as a JSON pointer (RFC 6901) into the schema.
    pub fn pointer(&self) -> &str {
        &self.0.pointer
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            SchemaErrorKind::Json(error) => return error.fmt(f),
            SchemaErrorKind::UnknownVersion { declared } => {
                write!(
                    f,
                    "unknown schema version `{}`, known are",
                    quote(declared, SHOWN)
                )?;
                for version in Version::ALL {
                    write!(f, " `{version}`")?;
                }
            }
            SchemaErrorKind::VersionConflict { inside, beside } => {
                write!(
                    f,
                    "schema version `{inside}` inside the schema, `{beside}` beside it"
                )?;
            }
            SchemaErrorKind::Unexpected { expected, found } => {
                write!(f, "expected {expected}, found {found}")?;
            }
            SchemaErrorKind::Default { refusal } => write!(f, "the default is refused: {refusal}")?,
            SchemaErrorKind::Later { field, since } => write!(
                f,
                "`{field}` is not enforced: it needs `\"schemaVersion\": \"{since}\"`"
            )?,
            SchemaErrorKind::Pattern(error) => error.fmt(f)?,
            SchemaErrorKind::Limit { name, allowed } => {
                write!(f, "more {name} than the {allowed} allowed")?;
            }
            SchemaErrorKind::Internal => f.write_str("internal error of toolsure-mcp")?,
        }
        if self.0.pointer.is_empty() {
            f.write_str(" (at the root)")
        } else {
            write!(f, " (at `{}`)", quote(&self.0.pointer, SHOWN))
        }
    }
}

impl std::error::Error for SchemaError {}

/// The maximum number of characters of foreign text in an error.
pub(super) const SHOWN: usize = 64;
