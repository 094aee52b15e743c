//! Why a pattern was refused, and where in its text.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use toolsure_json::int::to_u64;
use toolsure_json::quote;

/// Why a pattern was refused, and where in its text.
///
/// `Display` is one line without a full stop; text from the pattern is in
/// backticks, escaped and cut to 32 characters.
///
/// ```
/// use toolsure_pattern::{Limits, Pattern, PatternErrorKind};
///
/// let error = Pattern::new("a(?<=b", &Limits::default()).unwrap_err();
/// assert_eq!(error.kind(), PatternErrorKind::Syntax);
/// assert_eq!(error.span(), 1..2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: PatternErrorKind,
    message: Cow<'static, str>,
    excerpt: String,
    span: Range<usize>,
    limit: Option<(PatternLimit, u64)>,
}

/// The kinds of [`PatternError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// The text is not a pattern of ECMA-262.
    Syntax,
    /// The text is a pattern of ECMA-262 that this crate cannot match.
    Unsupported,
    /// The pattern is longer, deeper or larger than [`Limits`](crate::Limits) allow;
    /// [`PatternError::limit`] names which.
    Limit,
    /// A bug in this crate: its state contradicts itself.
    Internal,
}

/// Which of the [`Limits`](crate::Limits) a pattern exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "callers that have limits of their own must decide which of them a new one is"
)]
pub enum PatternLimit {
    /// [`Limits::length`](crate::Limits::length), in bytes.
    Length,
    /// [`Limits::depth`](crate::Limits::depth), in groups.
    Depth,
    /// [`Limits::size`](crate::Limits::size), in bytes.
    Size,
}

impl PatternError {
    /// The kind of error.
    #[must_use]
    pub fn kind(&self) -> PatternErrorKind {
        self.0.kind
    }

    /// The bytes of the pattern's text that the error is about; empty at the end of the text if
    /// something is missing there.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.0.span.clone()
    }

    /// The limit that the pattern exceeds, and its value.
    ///
    /// ```
    /// use toolsure_pattern::{Limits, Pattern, PatternErrorKind, PatternLimit};
    ///
    /// let limits = Limits { length: 2, ..Limits::default() };
    /// let error = Pattern::new("abc", &limits).unwrap_err();
    /// assert_eq!(error.kind(), PatternErrorKind::Limit);
    /// assert_eq!(error.limit(), Some((PatternLimit::Length, 2)));
    /// ```
    #[must_use]
    pub fn limit(&self) -> Option<(PatternLimit, u64)> {
        self.0.limit
    }

    pub(crate) fn syntax(
        text: &str,
        message: impl Into<Cow<'static, str>>,
        span: Range<usize>,
    ) -> Self {
        Self::new(PatternErrorKind::Syntax, text, message.into(), span, None)
    }

    pub(crate) fn unsupported(text: &str, message: &'static str, span: Range<usize>) -> Self {
        Self::new(
            PatternErrorKind::Unsupported,
            text,
            message.into(),
            span,
            None,
        )
    }

    /// The error for an impossible state, which `what` names.
    pub(crate) fn internal(text: &str, what: &'static str) -> Self {
        let message = format!("internal error of toolsure-pattern ({what})");
        let span = 0..text.len();
        Self::new(PatternErrorKind::Internal, text, message.into(), span, None)
    }

    pub(crate) fn limited(
        text: &str,
        limit: PatternLimit,
        allowed: usize,
        span: Range<usize>,
    ) -> Self {
        let message = match limit {
            PatternLimit::Length => format!("pattern is longer than {allowed} bytes"),
            PatternLimit::Depth => format!("pattern nests deeper than {allowed} levels"),
            PatternLimit::Size => format!("pattern compiles to more than {allowed} bytes"),
        };
        let limit = Some((limit, to_u64(allowed)));
        Self::new(PatternErrorKind::Limit, text, message.into(), span, limit)
    }

    fn new(
        kind: PatternErrorKind,
        text: &str,
        message: Cow<'static, str>,
        span: Range<usize>,
        limit: Option<(PatternLimit, u64)>,
    ) -> Self {
        let excerpt = quote(text.get(span.clone()).unwrap_or(""), EXCERPT).to_string();
        Self(Box::new(Inner {
            kind,
            message,
            excerpt,
            span,
            limit,
        }))
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.0;
        f.write_str(&inner.message)?;
        if inner.excerpt.is_empty() {
            write!(f, " at byte {} of the pattern", inner.span.start)
        } else {
            write!(
                f,
                " at byte {} of the pattern: `{}`",
                inner.span.start, inner.excerpt
            )
        }
    }
}

impl std::error::Error for PatternError {}

/// How many characters of a pattern a message shows.
const EXCERPT: usize = 32;
