//! Why a pattern was refused, and where in its text.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use toolgate_json::int::to_u64;
use toolgate_json::quote;

/// A pattern that was refused: what is wrong, and where in its text.
///
/// `Display` is one line without a full stop; text from the pattern stands in
/// backticks, escaped and cut to 32 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: PatternErrorKind,
    message: Cow<'static, str>,
    excerpt: String,
    span: Range<usize>,
    limit: Option<(&'static str, u64)>,
}

/// The sorts of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatternErrorKind {
    /// The text is not a pattern of ECMA-262.
    Syntax,
    /// The text is a pattern of ECMA-262 that this crate cannot match.
    Unsupported,
    /// The pattern is longer, deeper or larger than [`Limits`](crate::Limits)
    /// allow; [`PatternError::limit`] names which.
    Limit,
    /// This crate contradicts itself, which is a defect of it and not of the pattern.
    Internal,
}

impl PatternError {
    /// The sort of refusal.
    #[must_use]
    pub fn kind(&self) -> PatternErrorKind {
        self.0.kind
    }

    /// The bytes of the pattern's text that the refusal is about; empty at the
    /// end of the text when something is missing there.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.0.span.clone()
    }

    /// The limit that was broken and what it allows, as the field of
    /// [`Limits`](crate::Limits) names it: `length` and `size` in bytes,
    /// `depth` in levels.
    ///
    /// ```
    /// use toolgate_pattern::{Limits, Pattern, PatternErrorKind};
    ///
    /// let limits = Limits { length: 2, ..Limits::default() };
    /// let error = Pattern::new("abc", &limits).unwrap_err();
    /// assert_eq!(error.kind(), PatternErrorKind::Limit);
    /// assert_eq!(error.limit(), Some(("length", 2)));
    /// ```
    #[must_use]
    pub fn limit(&self) -> Option<(&'static str, u64)> {
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

    /// A state that cannot be: `what` names it.
    pub(crate) fn internal(text: &str, what: &'static str) -> Self {
        let message = format!("internal error of toolgate-pattern ({what})");
        let span = 0..text.len();
        Self::new(PatternErrorKind::Internal, text, message.into(), span, None)
    }

    pub(crate) fn limited(
        text: &str,
        name: &'static str,
        allowed: usize,
        span: Range<usize>,
    ) -> Self {
        let message = match name {
            "length" => format!("pattern is longer than {allowed} bytes"),
            "depth" => format!("pattern nests deeper than {allowed} levels"),
            _ => format!("pattern compiles to more than {allowed} bytes"),
        };
        let limit = Some((name, to_u64(allowed)));
        Self::new(PatternErrorKind::Limit, text, message.into(), span, limit)
    }

    fn new(
        kind: PatternErrorKind,
        text: &str,
        message: Cow<'static, str>,
        span: Range<usize>,
        limit: Option<(&'static str, u64)>,
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
