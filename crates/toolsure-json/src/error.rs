//! Why a source was refused: one line, with the position.

use std::fmt;

use crate::line_column::{LineColumn, line_column};
use crate::quote::quote;

/// Why a source text was refused.
///
/// [`Display`](fmt::Display) is one line, lower case, with the byte offset.
/// The error is one word wide; it holds no reference to the source.
///
/// ```
/// use toolsure_json::{ReadErrorKind, ReadLimits, Reader};
///
/// let text = b"{\n\"a\": 1, \"a\": 2}";
/// let error = Reader::new().read(text, &ReadLimits::default()).unwrap_err();
/// assert_eq!(error.kind(), ReadErrorKind::DuplicateKey);
/// assert_eq!((error.at(), error.other(), error.limit()), (10, Some(2), None));
/// let place = error.line_column(text);
/// assert_eq!((place.line, place.column), (2, 9));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ReadError {
    inner: Box<Inner>,
}

/// The kind of a [`ReadError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReadErrorKind {
    /// More bytes than [`ReadLimits::bytes`](crate::ReadLimits::bytes).
    TooLong,
    /// More open containers than [`ReadLimits::depth`](crate::ReadLimits::depth).
    TooDeep,
    /// More values and keys than [`ReadLimits::nodes`](crate::ReadLimits::nodes).
    TooManyNodes,
    /// A number with more digits than [`ReadLimits::digits`](crate::ReadLimits::digits).
    TooManyDigits,
    /// The source is not UTF-8 (RFC 8259 section 8.1).
    InvalidUtf8,
    /// The source starts with a byte order mark (RFC 8259 section 8.1).
    ByteOrderMark,
    /// The source ends inside a value, or is empty.
    UnexpectedEnd,
    /// A byte that is not allowed at its position (RFC 8259 section 2).
    UnexpectedByte,
    /// A control character inside a string (RFC 8259 section 7).
    ControlCharacter,
    /// An escape that JSON does not have (RFC 8259 section 7).
    InvalidEscape,
    /// A `\u` escape for one half of a surrogate pair (RFC 8259 section 8.2).
    LoneSurrogate,
    /// A number with a leading zero or a missing digit (RFC 8259 section 6).
    InvalidNumber,
    /// Something follows the value (RFC 8259 section 2).
    TrailingBytes,
    /// Two members of one object have the same name (RFC 8259 section 4).
    DuplicateKey,
    /// A bug in this crate: its state contradicts itself.
    Internal,
}

impl ReadError {
    /// The kind of error.
    #[must_use]
    pub fn kind(&self) -> ReadErrorKind {
        self.inner.kind
    }

    /// The byte offset of the error: the first byte that is wrong or too many, the first byte of a
    /// number, container or value that exceeds a limit, or the opening quote of the second of two
    /// equal keys.
    #[must_use]
    pub fn at(&self) -> usize {
        self.inner.at
    }

    /// For [`ReadErrorKind::DuplicateKey`], the byte offset of the opening
    /// quote of the first of the two keys.
    #[must_use]
    pub fn other(&self) -> Option<usize> {
        self.inner.other
    }

    /// The name and value of the limit that was exceeded: `bytes`, `depth`, `nodes` or `digits`,
    /// the field of [`ReadLimits`](crate::ReadLimits).
    #[must_use]
    pub fn limit(&self) -> Option<(&'static str, u64)> {
        self.inner.limit
    }

    /// The line and column of [`at`](Self::at) in the source that was refused.
    #[must_use]
    pub fn line_column(&self, source: &[u8]) -> LineColumn {
        line_column(source, self.at())
    }

    #[cold]
    pub(crate) fn new(kind: ReadErrorKind, at: usize) -> Self {
        let inner = Inner {
            kind,
            at,
            other: None,
            limit: None,
            expected: "",
            found: String::new(),
        };
        Self {
            inner: Box::new(inner),
        }
    }

    /// The error for an impossible state of the reader, which `what` names.
    #[cold]
    pub(crate) fn internal(at: usize, what: &'static str) -> Self {
        let mut error = Self::new(ReadErrorKind::Internal, at);
        error.inner.expected = what;
        error
    }

    #[cold]
    pub(crate) fn over(kind: ReadErrorKind, at: usize, name: &'static str, allowed: usize) -> Self {
        let mut error = Self::new(kind, at);
        error.inner.limit = Some((name, crate::int::to_u64(allowed)));
        error
    }

    /// Reports what was expected at `at`, and what is there.
    #[cold]
    pub(crate) fn expected(mut self, expected: &'static str, source: &str) -> Self {
        self.inner.expected = expected;
        let rest = source.get(self.inner.at..).unwrap_or_default();
        if let Some(found) = rest.chars().next() {
            self.inner.found.push(found);
        }
        self
    }

    #[cold]
    pub(crate) fn duplicate(first: usize, second: usize, name: &str) -> Self {
        let mut error = Self::new(ReadErrorKind::DuplicateKey, second);
        error.inner.other = Some(first);
        error.inner.found = quote(name, SHOWN_CHARS).to_string();
        error
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let inner = &*self.inner;
        let allowed = inner.limit.map_or(0, |(_, allowed)| allowed);
        // For the name of what is counted.
        let s = if allowed == 1 { "" } else { "s" };
        let found = quote(&inner.found, SHOWN_CHARS);
        let at = inner.at;
        match inner.kind {
            ReadErrorKind::TooLong => {
                return write!(f, "the text is longer than the limit of {allowed} byte{s}");
            }
            ReadErrorKind::TooDeep => write!(
                f,
                "arrays and objects nested deeper than the limit of {allowed}"
            )?,
            ReadErrorKind::TooManyNodes => write!(
                f,
                "more values and keys than the limit of {allowed} node{s}"
            )?,
            ReadErrorKind::TooManyDigits => {
                write!(f, "a number longer than the limit of {allowed} digit{s}")?;
            }
            ReadErrorKind::InvalidUtf8 => f.write_str("the text is not UTF-8")?,
            ReadErrorKind::ByteOrderMark => {
                f.write_str("the text starts with a byte order mark")?;
            }
            ReadErrorKind::UnexpectedEnd => {
                write!(f, "expected {}, found the end of the text", inner.expected)?;
            }
            ReadErrorKind::UnexpectedByte => {
                write!(f, "expected {}, found `{found}`", inner.expected)?;
            }
            ReadErrorKind::ControlCharacter => {
                write!(f, "control character `{found}` in a string")?;
            }
            ReadErrorKind::InvalidEscape => {
                write!(f, "invalid escape in a string, expected {}", inner.expected)?;
            }
            ReadErrorKind::LoneSurrogate => {
                f.write_str("escape for half of a surrogate pair in a string")?;
            }
            ReadErrorKind::InvalidNumber => {
                write!(f, "invalid number, expected {}", inner.expected)?;
            }
            ReadErrorKind::TrailingBytes => write!(f, "`{found}` follows the value")?,
            ReadErrorKind::DuplicateKey => {
                let first = inner.other.unwrap_or_default();
                return write!(
                    f,
                    "duplicate key `{found}` at byte {at}, first at byte {first}"
                );
            }
            ReadErrorKind::Internal => {
                write!(f, "internal error of toolsure-json ({})", inner.expected)?;
            }
        }
        write!(f, " at byte {at}")
    }
}

impl fmt::Debug for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReadError({:?}: {self})", self.inner.kind)
    }
}

impl std::error::Error for ReadError {}

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ReadErrorKind,
    at: usize,
    other: Option<usize>,
    limit: Option<(&'static str, u64)>,
    /// What was expected there, or which state is impossible, for the kinds that report it.
    expected: &'static str,
    /// The character that is there, or the duplicate key.
    found: String,
}

const SHOWN_CHARS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_word() {
        assert_eq!(size_of::<ReadError>(), size_of::<usize>());
        assert_eq!(size_of::<Result<(), ReadError>>(), size_of::<usize>());
    }
}
