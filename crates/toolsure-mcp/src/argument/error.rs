//! What is wrong with an argument schema.

use std::fmt;

use toolsure_json::{ReadError, quote};
use toolsure_pattern::PatternError;

use super::Version;
use super::mistaken::Mistaken;

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
    /// It is something else, given by mistake.
    Mistaken(Mistaken),
    /// A member that argument schemas do not have; it is not enforced.
    Unknown {
        /// The member, cut at 64 characters.
        member: String,
        /// The member that it resembles.
        meant: Option<&'static str>,
    },
    /// A keyword of JSON Schema that argument schemas do not have; it is not enforced.
    Keyword {
        /// The keyword.
        keyword: &'static str,
    },
    /// A member that only describes, and that the converted schema does not have.
    Annotation {
        /// The member, cut at 64 characters.
        member: String,
    },
    /// A member that has no effect where it is.
    NoEffect {
        /// The member.
        member: &'static str,
        /// Why, and what to do.
        why: &'static str,
    },
    /// A direct map has a list of required properties, which only the other shape has.
    RequiredList,
    /// Two limits that no value is within.
    Contradiction {
        /// The lower limit.
        least: String,
        /// The upper limit.
        most: String,
    },
    /// An allowed value that the other limits of its property refuse.
    NeverMatches,
    /// What the notation recommends.
    Advice(&'static str),
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

    pub(super) fn into_kind(self) -> SchemaErrorKind {
        self.0.kind
    }

    /// The location, as a JSON pointer (RFC 6901) into the schema.
    pub fn pointer(&self) -> &str {
        &self.0.pointer
    }
}

impl SchemaErrorKind {
    /// A name for programs, which stays the same if the text changes: `malformed`,
    /// `unknown-member`, `no-effect`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Json(_) => "json",
            Self::UnknownVersion { .. } => "unknown-version",
            Self::VersionConflict { .. } => "version-conflict",
            Self::Unexpected { .. } => "malformed",
            Self::Default { .. } => "default",
            Self::Pattern(_) => "pattern",
            Self::Later { .. } => "later-version",
            Self::Mistaken(_) => "not-an-argument-schema",
            Self::Unknown { .. } => "unknown-member",
            Self::Keyword { .. } => "json-schema-keyword",
            Self::Annotation { .. } => "annotation",
            Self::NoEffect { .. } => "no-effect",
            Self::RequiredList => "required-list",
            Self::Contradiction { .. } => "contradiction",
            Self::NeverMatches => "never-matches",
            Self::Advice(_) => "advice",
            Self::Limit { .. } => "limit",
            Self::Internal => "internal",
        }
    }
}

/// The text without the place.
impl fmt::Display for SchemaErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(error) => error.fmt(f),
            Self::UnknownVersion { declared } => {
                write!(
                    f,
                    "unknown schema version `{}`, known are",
                    quote(declared, SHOWN)
                )?;
                for version in Version::ALL {
                    write!(f, " `{version}`")?;
                }
                Ok(())
            }
            Self::VersionConflict { inside, beside } => write!(
                f,
                "schema version `{inside}` inside the schema, `{beside}` beside it"
            ),
            Self::Unexpected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::Default { refusal } => write!(f, "the default is refused: {refusal}"),
            Self::Later { field, since } => write!(
                f,
                "`{field}` is not enforced: it needs `\"schemaVersion\": \"{since}\"`"
            ),
            Self::Pattern(error) => error.fmt(f),
            Self::Mistaken(mistaken) => mistaken.fmt(f),
            Self::Unknown { member, meant } => {
                let member = quote(member, SHOWN);
                write!(
                    f,
                    "`{member}` is not enforced: argument schemas have no such member here"
                )?;
                meant.map_or(Ok(()), |meant| write!(f, "; did you mean `{meant}`?"))
            }
            Self::Keyword { keyword } => write!(
                f,
                "`{keyword}` is not enforced: argument schemas do not have this keyword of JSON Schema here"
            ),
            Self::Annotation { member } => write!(
                f,
                "`{}` describes only; the converted schema does not have it",
                quote(member, SHOWN)
            ),
            Self::NoEffect { member, why } => write!(f, "`{member}` has no effect: {why}"),
            Self::RequiredList => f.write_str(
                "`required` is a list, which a direct map does not have: \
                 add `properties` around the properties, or write `\"required\": true` in each",
            ),
            Self::Contradiction { least, most } => write!(
                f,
                "no value matches: the lower limit {} is above the upper limit {}",
                quote(least, SHOWN),
                quote(most, SHOWN)
            ),
            Self::NeverMatches => f.write_str(
                "no argument can have this value: the property's type or limits refuse it",
            ),
            Self::Advice(text) => f.write_str(text),
            Self::Limit { name, allowed } => write!(f, "more {name} than the {allowed} allowed"),
            Self::Internal => f.write_str("internal error of toolsure-mcp"),
        }
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.kind.fmt(f)?;
        match &self.0.kind {
            SchemaErrorKind::Json(_) => Ok(()),
            _ if self.0.pointer.is_empty() => f.write_str(" (at the root)"),
            _ => write!(f, " (at `{}`)", quote(&self.0.pointer, SHOWN)),
        }
    }
}

impl std::error::Error for SchemaError {}

/// The maximum number of characters of foreign text in an error.
pub(super) const SHOWN: usize = 64;
