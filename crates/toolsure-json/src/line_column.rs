//! Byte offsets as lines and columns, for people.

use std::fmt;

/// A position in a source text as editors count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a line and a column, which callers take apart"
)]
pub struct LineColumn {
    /// The line, from 1. Lines end at line feeds.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl LineColumn {
    /// The position after some more bytes of the text.
    ///
    /// ```
    /// use toolsure_json::LineColumn;
    ///
    /// let place = LineColumn { line: 1, column: 1 }.after(b"{\n").after(b"  ");
    /// assert_eq!((place.line, place.column), (2, 3));
    /// ```
    #[must_use]
    pub fn after(self, bytes: &[u8]) -> Self {
        // Both tests read a word at a time, and most pieces of a text then need no count of single bytes.
        let (line, column, rest) = if bytes.contains(&b'\n') {
            let feeds = bytes.iter().filter(|byte| **byte == b'\n').count();
            let rest = bytes.rsplit(|byte| *byte == b'\n').next();
            (self.line + feeds, 1, rest.unwrap_or_default())
        } else {
            (self.line, self.column, bytes)
        };
        let characters = if rest.is_ascii() {
            rest.len()
        } else {
            rest.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
        };
        Self {
            line,
            column: column + characters,
        }
    }
}

impl fmt::Display for LineColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} column {}", self.line, self.column)
    }
}

/// The line and column of a byte offset.
///
/// An offset past the end counts as the end. In text that is not UTF-8 every
/// byte that does not continue a character counts as one. Reads `source` up to
/// the offset.
///
/// ```
/// use toolsure_json::line_column;
///
/// let place = line_column(b"{\n  1", 4);
/// assert_eq!((place.line, place.column), (2, 3));
/// ```
#[must_use]
pub fn line_column(source: &[u8], offset: usize) -> LineColumn {
    let before = source.get(..offset).unwrap_or(source);
    LineColumn { line: 1, column: 1 }.after(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters() {
        let source = "ab\nçd\r\n€".as_bytes();
        for (offset, line, column) in [
            (0, 1, 1),
            (2, 1, 3),
            (3, 2, 1),
            (5, 2, 2),
            (6, 2, 3),
            (8, 3, 1),
            (11, 3, 2),
            (99, 3, 2),
        ] {
            assert_eq!(
                line_column(source, offset),
                LineColumn { line, column },
                "{offset}"
            );
        }
    }
}
