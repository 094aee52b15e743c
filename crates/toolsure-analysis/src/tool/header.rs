//! The rules for `x-mcp-header`, which makes a parameter an HTTP header too (2026-07-28,
//! server/tools and basic/transports/streamable-http).

use std::collections::HashSet;
use std::fmt;

use toolsure_json::{Kind, Node as _, ReadError, View, quote};

/// The keyword that gives a parameter the name of a header.
pub const HEADER: &str = "x-mcp-header";

/// A type that a header can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderKind {
    /// `string`
    String,
    /// `integer`, within ±(2^53 - 1)
    Integer,
    /// `boolean`
    Boolean,
}

impl HeaderKind {
    /// The type that a schema declares, if a header can carry it.
    fn of(schema: View<'_>) -> Option<Self> {
        match schema.member("type")?.string() {
            "string" => Some(Self::String),
            "integer" => Some(Self::Integer),
            "boolean" => Some(Self::Boolean),
            _ => None,
        }
    }
}

/// Which rule an annotation breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HeaderFaultKind {
    /// The annotation is not a string.
    NotAString,
    /// The name is empty or not a token of RFC 9110 section 5.6.2.
    NotAToken(String),
    /// Another annotation has the same name, ignoring letter case.
    Duplicate(String),
    /// The type is not exactly one of `string`, `integer` and `boolean`.
    Type,
    /// It is not reached from the root by `properties` alone.
    Unreachable,
    /// The paths of all annotated parameters take more than `limit` bytes together: 32 for each name
    /// on a path, and its text.
    TooLong {
        /// The limit in bytes.
        limit: usize,
    },
    /// The schema cannot be parsed, so its annotations are unknown.
    Unreadable(ReadError),
}

impl fmt::Display for HeaderFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAString => write!(f, "`{HEADER}` must be a string"),
            Self::NotAToken(name) => write!(
                f,
                "`{HEADER}` must be a header token, found `{}`",
                quote(name, SHOWN)
            ),
            Self::Duplicate(name) => write!(
                f,
                "`{HEADER}` `{}` is used twice, ignoring case",
                quote(name, SHOWN)
            ),
            Self::Type => write!(
                f,
                "`{HEADER}` must stand on a `string`, `integer` or `boolean`"
            ),
            Self::Unreachable => {
                write!(f, "`{HEADER}` must be reached through `properties` alone")
            }
            Self::TooLong { limit } => write!(
                f,
                "the paths of the parameters with `{HEADER}` take more than {limit} bytes"
            ),
            Self::Unreadable(error) => {
                write!(f, "the schema with `{HEADER}` cannot be read: {error}")
            }
        }
    }
}

/// The names that the annotations of one input schema have given so far.
///
/// ```
/// use toolsure_analysis::tool::{HeaderFaultKind, HeaderKind, HeaderNames};
/// use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
///
/// let text = r#"{"type": "string", "x-mcp-header": "Region"}"#;
/// let document = OwnedDocument::read(text, &ReadLimits::default())?;
/// let schema = document.document().root();
/// let annotation = schema.member("x-mcp-header").ok_or("no annotation")?;
///
/// let mut names = HeaderNames::default();
/// assert_eq!(names.add(schema, annotation, false), Err(HeaderFaultKind::Unreachable));
/// assert_eq!(names.add(schema, annotation, true), Ok(("Region", HeaderKind::String)));
/// let again = HeaderFaultKind::Duplicate("Region".to_owned());
/// assert_eq!(names.add(schema, annotation, true), Err(again));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct HeaderNames(HashSet<String>);

impl HeaderNames {
    /// Adds the name that the `annotation` of a `schema` gives; returns it with the declared type.
    /// `reachable` is whether the schema is a property that is reached from the root through
    /// `properties` alone.
    ///
    /// # Errors
    ///
    /// The first rule that the annotation breaks. Its name is not added.
    pub fn add<'a>(
        &mut self,
        schema: View<'_>,
        annotation: View<'a>,
        reachable: bool,
    ) -> Result<(&'a str, HeaderKind), HeaderFaultKind> {
        if annotation.kind() != Kind::String {
            return Err(HeaderFaultKind::NotAString);
        }
        let name = annotation.string();
        if name.is_empty() || !name.chars().all(is_token_char) {
            return Err(HeaderFaultKind::NotAToken(name.to_owned()));
        }
        if !reachable {
            return Err(HeaderFaultKind::Unreachable);
        }
        let kind = HeaderKind::of(schema).ok_or(HeaderFaultKind::Type)?;
        if !self.0.insert(name.to_ascii_lowercase()) {
            return Err(HeaderFaultKind::Duplicate(name.to_owned()));
        }
        Ok((name, kind))
    }
}

/// Whether a header's name may have a character (RFC 9110 section 5.6.2, `tchar`).
pub(crate) fn is_token_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// The maximum number of characters of a name in a message.
const SHOWN: usize = 64;
