//! A text that diagnostics point into, with lines and columns for its bytes.

use std::cell::OnceCell;

use std::ops::Range;

use toolsure_json::{LineColumn, quote};

use crate::yaml::Original;

/// A file, standard input, or one line of either.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    /// As the operator named it; escaped.
    pub(crate) name: String,
    pub(crate) bytes: &'a [u8],
    /// The number of the first line of `bytes`, from 1.
    first_line: usize,
    /// The byte of the file where `bytes` begins.
    first_byte: u64,
    /// The file that `bytes` was converted from; locations are given in that file.
    original: Option<&'a Original>,
    lines: OnceCell<LineIndex>,
}

impl<'a> Source<'a> {
    /// A whole file.
    pub(crate) fn new(name: &str, bytes: &'a [u8]) -> Self {
        Self::line(name, bytes, 1, 0)
    }

    /// A line of a file, with its number from 1 and the byte where it begins.
    pub(crate) fn line(name: &str, bytes: &'a [u8], number: usize, first_byte: u64) -> Self {
        Self {
            name: quote(name, NAME_CHARS).to_string(),
            bytes,
            first_line: number,
            first_byte,
            original: None,
            lines: OnceCell::new(),
        }
    }

    /// A part of a line of the file, shown instead of the whole line.
    pub(crate) fn part<'b>(&self, bytes: &'b [u8], number: usize) -> Source<'b> {
        Source {
            name: self.name.clone(),
            bytes,
            first_line: number,
            first_byte: 0,
            original: None,
            lines: OnceCell::new(),
        }
    }

    /// The same text, converted from this file.
    pub(crate) fn of(self, original: Option<&'a Original>) -> Self {
        Self { original, ..self }
    }

    /// The text that is shown, and the location in it of a span of `bytes`.
    pub(super) fn shown(&self, span: &Range<usize>) -> (&'a [u8], Range<usize>) {
        match self.original {
            Some(original) => (&original.text, original.span(span)),
            None => (self.bytes, span.clone()),
        }
    }

    /// The number of the first line, from 1.
    pub(crate) fn first_line(&self) -> usize {
        self.first_line
    }

    /// The byte of the file that corresponds to a byte of `bytes`.
    pub(crate) fn byte(&self, at: usize) -> u64 {
        let at = self.original.map_or(at, |original| original.place(at));
        let at = u64::try_from(at).unwrap_or(u64::MAX);
        self.first_byte.saturating_add(at)
    }

    /// The line and column of a byte of `bytes`, as [`toolsure_json::line_column`] counts them.
    pub(crate) fn line_column(&self, at: usize) -> LineColumn {
        let (text, at) = match self.original {
            Some(original) => (original.text.as_slice(), original.place(at)),
            None => (self.bytes, at),
        };
        let lines = self.lines.get_or_init(|| LineIndex::new(text));
        let place = lines.find(text, at);
        LineColumn {
            line: place.line.saturating_add(self.first_line).saturating_sub(1),
            ..place
        }
    }
}

/// An index of lines and columns, which finds each in bounded time: [`toolsure_json::line_column`]
/// counts from the beginning of the text.
#[derive(Clone, Debug)]
pub(crate) struct LineIndex {
    /// The line and column at the start of each [`STEP`] bytes of the text.
    steps: Vec<LineColumn>,
}

impl LineIndex {
    pub(crate) fn new(text: &[u8]) -> Self {
        let mut place = BEGINNING;
        let steps = text.chunks(STEP).map(|chunk| {
            let before = place;
            place = place.after(chunk);
            before
        });
        Self {
            steps: steps.collect(),
        }
    }

    /// The line and column of a byte of the text, both from 1; columns are characters.
    pub(crate) fn find(&self, text: &[u8], at: usize) -> LineColumn {
        let at = at.min(text.len());
        let step = at / STEP;
        // No step begins after the last byte of a text of whole steps.
        let step = step.min(self.steps.len().saturating_sub(1));
        let place = self.steps.get(step).copied().unwrap_or(BEGINNING);
        let between = text.get(step.saturating_mul(STEP)..at);
        place.after(between.unwrap_or_default())
    }
}

/// Where the line of a byte begins.
pub(super) fn line_start(bytes: &[u8], at: usize) -> usize {
    let before = bytes.get(..at).unwrap_or(bytes);
    let mut end = before.len();
    for chunk in before.rchunks(CHUNK) {
        let start = end.saturating_sub(chunk.len());
        // `contains` compares many bytes at a time, `rposition` one.
        if chunk.contains(&b'\n') {
            let feed = chunk.iter().rposition(|byte| *byte == b'\n');
            return feed.map_or(0, |feed| start.saturating_add(feed).saturating_add(1));
        }
        end = start;
    }
    0
}

/// Where the line of a byte ends, before its line feed (and carriage return).
pub(super) fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let feed = rest.iter().position(|byte| *byte == b'\n');
    let end = at.saturating_add(feed.unwrap_or(rest.len()));
    match bytes.get(at..end) {
        Some([.., b'\r']) => end.saturating_sub(1),
        _ => end,
    }
}

const BEGINNING: LineColumn = LineColumn { line: 1, column: 1 };
/// Bytes between two entries of an index.
const STEP: usize = 256;
/// Bytes that are searched for a line feed at a time.
const CHUNK: usize = 4 << 10;
/// Maximum characters of a file's name in messages.
const NAME_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_any_order() {
        let text = "ab\nçd\r\n\n€x".as_bytes();
        let source = Source::new("a\u{1b}", text);
        assert_eq!(source.name, r"a\u{1b}");
        for at in [0, 2, 3, 7, 5, 14, 99, 1, 8, 6, 9] {
            let expected = toolsure_json::line_column(text, at);
            assert_eq!(source.line_column(at), expected, "{at}");
        }
        let line = Source::line("a", text, 40, 1_000);
        assert_eq!((line.line_column(3).line, line.byte(3)), (41, 1_003));
    }

    #[test]
    fn an_index_counts_as_the_reader_does() {
        let text = "ü\n€abcde\n\n".repeat(200);
        let text = text.as_bytes();
        for text in [text, &text[..STEP], &text[..2 * STEP + 2], b""] {
            let index = LineIndex::new(text);
            for at in 0..=text.len() + 1 {
                let expected = toolsure_json::line_column(text, at);
                assert_eq!(index.find(text, at), expected, "{at}");
            }
        }
    }

    #[test]
    fn long_lines_begin_where_they_do() {
        let text = [b"ab\n".as_slice(), &[b' '; 3 * CHUNK], b"\nx"].concat();
        for at in [3, 4, CHUNK, CHUNK + 3, 2 * CHUNK, 3 * CHUNK + 3] {
            assert_eq!(line_start(&text, at), 3, "{at}");
        }
        assert_eq!(line_start(&text, text.len()), text.len() - 1);
    }

    #[test]
    fn lines_end_before_their_line_feed() {
        let text = b"ab\r\ncd\n\nef";
        let lines: Vec<(usize, usize)> = [0, 2, 4, 6, 7, 8, 10]
            .into_iter()
            .map(|at| (line_start(text, at), line_end(text, at)))
            .collect();
        assert_eq!(
            lines,
            [(0, 2), (0, 2), (4, 6), (4, 6), (7, 7), (8, 10), (8, 10)]
        );
        assert_eq!((line_end(b"ab\r", 0), line_end(b"ab\r", 3)), (2, 3));
    }
}
