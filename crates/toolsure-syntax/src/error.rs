//! Why a schema was refused, where, and which limit was reached, if any.

use std::fmt;
use std::ops::Range;

use toolsure_json::{Kind, Node as _, View, quote};

use crate::limits::{Limit, LimitName};

/// The most characters of untrusted text that a message repeats.
pub(crate) const FOREIGN_TEXT: usize = 200;

/// Why a schema was refused, and where.
///
/// One boxed word wide. `Display` is one line without the location, which is
/// [`pointer`](Self::pointer) (and [`span`](Self::span) in the schema's bytes).
#[derive(Clone, PartialEq, Eq)]
pub struct CompileError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: CompileErrorKind,
    pointer: String,
    span: Option<Range<usize>>,
    document: String,
}

/// What is wrong with a refused schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompileErrorKind {
    /// The text is not valid JSON; has the reader's message.
    Json {
        /// The reader's message.
        message: String,
        /// The byte offset of the first key, if a key is duplicated.
        other: Option<usize>,
    },
    /// `$schema` names a dialect that is neither supported nor registered.
    UnsupportedDialect {
        /// The declared URI, cut to 200 characters.
        declared: String,
        /// What about it is not supported, if it is more than the name.
        detail: Option<String>,
    },
    /// A reference leads to a document that is not registered. Nothing is ever fetched.
    RefDenied {
        /// The keyword that holds the reference.
        keyword: &'static str,
        /// The reference as written, cut to 200 characters.
        reference: String,
        /// The URI of the document that it leads to: resolved against its base, without fragment,
        /// not cut, not escaped.
        uri: String,
    },
    /// A reference to a place in a known document that does not exist.
    UnresolvedRef {
        /// The keyword that holds the reference.
        keyword: &'static str,
        /// The reference as written, cut to 200 characters.
        reference: String,
        /// Where it was looked up: the resource, and how far the pointer led.
        looked: String,
        /// The closest existing name, if one is close.
        closest: Option<String>,
    },
    /// In-place references lead back to their own start and never consume the instance.
    CyclicRef {
        /// The locations in the cycle, as JSON pointers, first to last; at most eight.
        cycle: Vec<String>,
    },
    /// A keyword's value is not what its dialect's metaschema allows.
    InvalidSchema {
        /// The keyword (or `schema` for a schema that is not a schema at all).
        keyword: String,
        /// What the value should be.
        expected: String,
        /// What it is.
        found: String,
        /// The closest allowed spelling, if one is close.
        closest: Option<String>,
    },
    /// A regular expression that does not compile.
    Pattern {
        /// The pattern compiler's message.
        message: String,
        /// The bytes of the pattern that the message is about.
        place: Range<usize>,
    },
    /// A bound was reached.
    Limit(Limit),
    /// The compiler's tables contradict each other: a bug in this library.
    Internal,
}

impl CompileError {
    /// An error of that kind at that location. For compilers that refuse what the parser accepts.
    ///
    /// ```
    /// use toolsure_syntax::{CompileError, CompileErrorKind, SchemaLocation};
    ///
    /// let kind = CompileErrorKind::CyclicRef { cycle: vec!["#".to_owned()] };
    /// let error = CompileError::new(kind, SchemaLocation::default());
    /// assert_eq!(error.code(), "cyclic-ref");
    /// ```
    #[must_use]
    pub fn new(kind: CompileErrorKind, place: SchemaLocation) -> Self {
        Self(Box::new(Inner {
            kind,
            pointer: place.pointer,
            span: place.span,
            document: place.document,
        }))
    }

    /// The error for a limit that was reached at that location.
    ///
    /// ```
    /// use toolsure_syntax::{CompileError, LimitName, SchemaLocation};
    ///
    /// let error = CompileError::limit_reached(LimitName::Depth, 64, SchemaLocation::default());
    /// assert_eq!(error.to_string(), "more schema depth than the 64 allowed");
    /// ```
    #[must_use]
    pub fn limit_reached(name: LimitName, allowed: usize, place: SchemaLocation) -> Self {
        let allowed = toolsure_json::int::to_u64(allowed);
        Self::new(CompileErrorKind::Limit(Limit { name, allowed }), place)
    }

    /// What is wrong.
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default()
    ///     .parse(br#"{"$ref": "https://example.com/a#b"}"#)
    ///     .unwrap_err();
    /// assert!(matches!(error.kind(), toolsure_syntax::CompileErrorKind::RefDenied { .. }));
    /// ```
    pub fn kind(&self) -> &CompileErrorKind {
        &self.0.kind
    }

    /// The URI of the document that a denied reference leads to, for callers that may want to
    /// provide it with [`Parser::register`](crate::Parser::register).
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default()
    ///     .parse(br#"{"$ref": "https://example.com/a#b"}"#)
    ///     .unwrap_err();
    /// assert_eq!(error.denied_uri(), Some("https://example.com/a"));
    /// ```
    pub fn denied_uri(&self) -> Option<&str> {
        match self.kind() {
            CompileErrorKind::RefDenied { uri, .. } => Some(uri),
            _ => None,
        }
    }

    /// A stable code for machines: `json`, `unsupported-dialect`, `ref-denied`,
    /// `unresolved-ref`, `cyclic-ref`, `invalid-schema`, `pattern`, `limit` or `internal`.
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default()
    ///     .parse(br#"{"$ref": "https://example.com/a#b"}"#)
    ///     .unwrap_err();
    /// assert_eq!(error.code(), "ref-denied");
    /// ```
    pub fn code(&self) -> &'static str {
        match self.0.kind {
            CompileErrorKind::Json { .. } => "json",
            CompileErrorKind::UnsupportedDialect { .. } => "unsupported-dialect",
            CompileErrorKind::RefDenied { .. } => "ref-denied",
            CompileErrorKind::UnresolvedRef { .. } => "unresolved-ref",
            CompileErrorKind::CyclicRef { .. } => "cyclic-ref",
            CompileErrorKind::InvalidSchema { .. } => "invalid-schema",
            CompileErrorKind::Pattern { .. } => "pattern",
            CompileErrorKind::Limit(_) => "limit",
            CompileErrorKind::Internal => "internal",
        }
    }

    /// The location, as a JSON pointer (RFC 6901) into the document.
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default().parse(br#"{"type": "strng"}"#).unwrap_err();
    /// assert_eq!(error.pointer(), "/type");
    /// ```
    pub fn pointer(&self) -> &str {
        &self.0.pointer
    }

    /// The location, in bytes of the document's text.
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default().parse(br#"{"type": "strng"}"#).unwrap_err();
    /// assert_eq!(error.span(), Some(9..16));
    /// ```
    pub fn span(&self) -> Option<Range<usize>> {
        self.0.span.clone()
    }

    /// The URI of the document that the location is in; empty for the schema itself.
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default().parse(br#"{"type": "strng"}"#).unwrap_err();
    /// assert_eq!(error.document(), "");
    /// ```
    pub fn document(&self) -> &str {
        &self.0.document
    }

    /// The bound that was reached, if that is the reason.
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default().parse(br#"{"type": "strng"}"#).unwrap_err();
    /// assert_eq!(error.limit(), None);
    /// ```
    pub fn limit(&self) -> Option<Limit> {
        match self.0.kind {
            CompileErrorKind::Limit(limit) => Some(limit),
            _ => None,
        }
    }

    /// What the author of the schema could do about it.
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default().parse(br#"{"type": "strng"}"#).unwrap_err();
    /// assert_eq!(error.help().as_deref(), Some("did you mean `string`?"));
    /// ```
    pub fn help(&self) -> Option<String> {
        match &self.0.kind {
            CompileErrorKind::UnsupportedDialect { .. } => Some(format!(
                "supported are {}",
                crate::Dialect::ALL.map(crate::Dialect::uri).join(", ")
            )),
            CompileErrorKind::RefDenied { .. } => Some(
                "move the target into this document under `$defs`; nothing is ever fetched"
                    .to_owned(),
            ),
            CompileErrorKind::UnresolvedRef {
                closest: Some(name),
                ..
            } => Some(format!("did you mean `{}`?", quote(name, FOREIGN_TEXT))),
            CompileErrorKind::InvalidSchema {
                closest: Some(name),
                ..
            } => Some(format!("did you mean `{name}`?")),
            CompileErrorKind::Limit(limit) => Some(format!(
                "the setting `{}` raises this limit",
                limit.name.setting()
            )),
            _ => None,
        }
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            CompileErrorKind::Json { message, .. } => f.write_str(message),
            CompileErrorKind::UnsupportedDialect { declared, detail } => {
                write!(f, "unsupported dialect `{}`", quote(declared, FOREIGN_TEXT))?;
                match detail {
                    Some(detail) => write!(f, ": {detail}"),
                    None => Ok(()),
                }
            }
            CompileErrorKind::RefDenied {
                keyword, reference, ..
            } => write!(
                f,
                "`{keyword}` to `{}` is denied: it is neither in this document nor registered",
                quote(reference, FOREIGN_TEXT)
            ),
            CompileErrorKind::UnresolvedRef {
                keyword,
                reference,
                looked,
                ..
            } => write!(
                f,
                "`{keyword}` to `{}` does not resolve: {looked}",
                quote(reference, FOREIGN_TEXT)
            ),
            CompileErrorKind::CyclicRef { cycle } => {
                f.write_str(
                    "references lead back to their start and never look at the instance: ",
                )?;
                for place in cycle {
                    write!(f, "`{}` -> ", quote(place, FOREIGN_TEXT))?;
                }
                f.write_str("the first again")
            }
            CompileErrorKind::InvalidSchema {
                keyword,
                expected,
                found,
                ..
            } => {
                write!(
                    f,
                    "`{}` must be {expected}, found {found}",
                    quote(keyword, FOREIGN_TEXT)
                )
            }
            CompileErrorKind::Pattern { message, .. } => f.write_str(message),
            CompileErrorKind::Limit(limit) => {
                write!(f, "more {} than the {} allowed", limit.name, limit.allowed)
            }
            CompileErrorKind::Internal => {
                f.write_str("the compiler lost track of a document, which is a fault of Toolsure")
            }
        }
    }
}

impl fmt::Debug for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompileError")
            .field("kind", &self.0.kind)
            .field("pointer", &self.0.pointer)
            .field("span", &self.0.span)
            .field("document", &self.0.document)
            .finish()
    }
}

impl std::error::Error for CompileError {}

/// A location in a schema document.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write the fields they set and `..SchemaLocation::default()`, which allows more fields"
)]
pub struct SchemaLocation {
    /// The location as a JSON pointer (RFC 6901) into the document.
    pub pointer: String,
    /// The location in bytes of the document's text.
    pub span: Option<Range<usize>>,
    /// The URI of the document; empty for the schema itself.
    pub document: String,
}

/// Cuts untrusted text to the length that an error repeats.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(FOREIGN_TEXT).collect()
}

/// A value in a few words, for a message.
pub(crate) fn describe(value: View<'_>) -> String {
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Boolean => format!("the boolean {}", value.boolean()),
        Kind::Number => format!("the number {}", quote(value.raw(), SHOWN)),
        Kind::String => format!("the string `{}`", quote(value.string(), SHOWN)),
        Kind::Array if value.is_empty() => "an empty array".to_owned(),
        Kind::Array => format!("an array of {}", value.len()),
        Kind::Object => "an object".to_owned(),
    }
}

/// The most characters of a string or a number in those words.
const SHOWN: usize = 64;
