//! A source line around a location: escaped, cut, with the location marked.

use std::ops::Range;

use toolsure_json::quote;

use super::source::{line_end, line_start};

/// The shown part of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// One line without invisible characters.
    pub(super) text: String,
    /// The bytes of `text` that are marked; empty for a location after the end of a line.
    pub(super) mark: Range<usize>,
}

/// Shows the line in which `span` begins. If the span has several lines or ends beyond the part
/// shown, only the first character is marked.
///
/// Shows at most `columns` characters, and a mark on each side where the line is cut. Decodes a
/// bounded number of bytes on both sides, however long the line is.
pub(super) fn around(bytes: &[u8], span: &Range<usize>, columns: usize) -> Window {
    let start = span.start.min(bytes.len());
    // Bytes out of reach on either side are neither shown nor examined.
    let low = start.saturating_sub(REACH);
    let high = start.saturating_add(REACH).min(bytes.len());
    let reach = bytes.get(low..high).unwrap_or_default();
    let middle = start.saturating_sub(low);
    let first = low.saturating_add(line_start(reach, middle));
    let last = low.saturating_add(line_end(reach, middle)).max(start);
    let is_first = first == 0 || bytes.get(first.saturating_sub(1)) == Some(&b'\n');
    let is_last = last >= bytes.len() || matches!(bytes.get(last), Some(b'\n' | b'\r'));
    let end = if span.end <= last || !is_last {
        span.end.max(start)
    } else {
        start.saturating_add(1)
    };

    let mut left = Shown::new(whole_characters(bytes.get(first..start), !is_first));
    let mut right = Shown::new(bytes.get(start..last).unwrap_or_default());
    let ahead = AHEAD.min(columns.saturating_mul(2) / 3);
    let cut_right = right.keep_first(columns.saturating_sub(left.columns()).max(ahead));
    let cut_left = left.keep_last(columns.saturating_sub(right.columns()));

    let mut text = String::new();
    if cut_left || !is_first {
        text.push(CUT);
    }
    text.push_str(&left.text);
    // A span that is not shown completely is marked at its beginning.
    let length = end.saturating_sub(start);
    let marked = if length > right.length() { 1 } else { length };
    let begin = text.len();
    let mark = begin..begin.saturating_add(right.until(marked));
    text.push_str(&right.text);
    if cut_right || !is_last {
        text.push(CUT);
    }
    Window { text, mark }
}

/// Bytes of a source in the form in which they are shown.
struct Shown {
    text: String,
    pieces: Vec<Piece>,
}

/// A character, or a byte of invalid UTF-8.
struct Piece {
    /// Bytes of the shown text.
    shown: usize,
    /// Characters of the shown text.
    columns: usize,
    /// Bytes of the source.
    length: usize,
}

impl Shown {
    fn new(bytes: &[u8]) -> Self {
        let mut shown = Self {
            text: String::with_capacity(bytes.len()),
            pieces: Vec::with_capacity(bytes.len()),
        };
        for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                shown.push(character.len_utf8(), |text| match character {
                    ' '..='~' => text.push(character),
                    '\t' => text.push_str(TAB),
                    _ => {
                        let quoted = quote(character.encode_utf8(&mut [0; 4]), COLUMNS).to_string();
                        text.push_str(&quoted);
                    }
                });
            }
            for byte in chunk.invalid() {
                shown.push(1, |text| text.push_str(&format!("\\x{byte:02x}")));
            }
        }
        shown
    }

    fn push(&mut self, length: usize, write: impl FnOnce(&mut String)) {
        let before = self.text.len();
        write(&mut self.text);
        let written = self.text.get(before..).unwrap_or_default();
        self.pieces.push(Piece {
            shown: written.len(),
            columns: written.chars().count(),
            length,
        });
    }

    fn columns(&self) -> usize {
        self.pieces.iter().map(|piece| piece.columns).sum()
    }

    /// Bytes of the source.
    fn length(&self) -> usize {
        self.pieces.iter().map(|piece| piece.length).sum()
    }

    /// Keeps the first pieces that fit; returns whether there were more.
    fn keep_first(&mut self, room: usize) -> bool {
        let kept = fitting(self.pieces.iter(), room);
        let shown = self.pieces.iter().take(kept).map(|piece| piece.shown).sum();
        self.text.truncate(shown);
        let cut = kept < self.pieces.len();
        self.pieces.truncate(kept);
        cut
    }

    /// Keeps the last pieces that fit; returns whether there were more.
    fn keep_last(&mut self, room: usize) -> bool {
        let kept = fitting(self.pieces.iter().rev(), room);
        let gone = self.pieces.len().saturating_sub(kept);
        let shown: usize = self.pieces.drain(..gone).map(|piece| piece.shown).sum();
        self.text.drain(..shown);
        gone > 0
    }

    /// Where the first `length` bytes of the source end in the shown text.
    fn until(&self, length: usize) -> usize {
        let mut left = length;
        let mut shown = 0_usize;
        for piece in &self.pieces {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(piece.length);
            shown = shown.saturating_add(piece.shown);
        }
        shown
    }
}

/// How many pieces fit.
fn fitting<'a>(pieces: impl Iterator<Item = &'a Piece>, room: usize) -> usize {
    let mut left = room;
    pieces
        .take_while(|piece| match left.checked_sub(piece.columns) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        })
        .count()
}

/// Removes the rest of a character whose beginning was cut off.
fn whole_characters(bytes: Option<&[u8]>, cut: bool) -> &[u8] {
    let mut bytes = bytes.unwrap_or_default();
    for _ in 0..LONGEST_TAIL {
        match bytes {
            [first, rest @ ..] if cut && first & 0xc0 == 0x80 => bytes = rest,
            _ => break,
        }
    }
    bytes
}

/// Characters of a line that are shown if the terminal has no known width.
pub(super) const COLUMNS: usize = 76;
/// Maximum characters that are shown on a wide terminal.
pub(super) const MOST_COLUMNS: usize = 160;
/// Characters after the start of the location that are shown even if there are many before it.
const AHEAD: usize = 48;
/// Bytes that are examined on either side of the location: enough for [`MOST_COLUMNS`] characters.
const REACH: usize = 4 * MOST_COLUMNS;
/// Maximum bytes of a character after its first.
const LONGEST_TAIL: usize = 3;
const TAB: &str = "    ";
const CUT: char = '…';

#[cfg(test)]
mod tests {
    use super::*;

    /// The text, and the marked part in a line below it.
    fn shown(source: &[u8], span: Range<usize>) -> String {
        let window = around(source, &span, COLUMNS);
        let before = window
            .text
            .get(..window.mark.start)
            .unwrap()
            .chars()
            .count();
        let marked = window
            .text
            .get(window.mark.clone())
            .unwrap()
            .chars()
            .count();
        format!(
            "{}\n{}{}",
            window.text,
            " ".repeat(before),
            "^".repeat(marked)
        )
    }

    #[test]
    fn short_lines_are_shown_whole() {
        for (source, span, expected) in [
            ("{\n\t\"a\": 5\r\n}", 8..9, "    \"a\": 5\n         ^"),
            ("{\n\t\"a\": 5\r\n}", 0..13, "{\n^"),
            ("{\"ä\": 5", 8..8, "{\"ä\": 5\n       "),
            ("", 0..1, "\n"),
            ("[1,\n", 4..5, "\n"),
            ("[1, 23, 4]", 4..6, "[1, 23, 4]\n    ^^"),
        ] {
            assert_eq!(shown(source.as_bytes(), span), expected, "{source}");
        }
    }

    #[test]
    fn nothing_that_acts_on_a_terminal_passes() {
        let source = b"\"\x1b[31m\xff\xc3\xe2\x80\xae\x07\"";
        assert_eq!(
            shown(source, 6..7),
            "\"\\u{1b}[31m\\xff\\xc3\\u{202e}\\u{7}\"\n           ^^^^"
        );
    }

    #[test]
    fn long_lines_are_cut_on_both_sides() {
        let source = format!(
            "[{}\"här\", {}]",
            "1, ".repeat(400_000),
            "\"ß\", ".repeat(9_000)
        );
        let at = source.find("\"h").unwrap();
        let window = shown(source.as_bytes(), at..at + 6);
        assert_eq!(
            window,
            "… 1, 1, 1, 1, 1, 1, 1, 1, 1, \"här\", \"ß\", \"ß\", \"ß\", \"ß\", \"ß\", \"ß\", \"ß\", \"ß\", \"…\n                             ^^^^^"
        );
        // Near the ends there is more room on the other side.
        let first = around(source.as_bytes(), &(0..source.len()), COLUMNS);
        assert_eq!((first.mark, first.text.chars().count()), (0..1, 77));
        let last = around(
            source.as_bytes(),
            &(source.len() - 1..source.len()),
            COLUMNS,
        );
        assert_eq!(last.text.chars().count(), 77);
        assert!(last.text.starts_with('…') && last.text.ends_with(']'));
    }

    #[test]
    fn no_source_makes_a_window_wide() {
        for unit in ["\u{202e}", "\t", "€", "\u{10ffff}", "\u{301}", "\u{e0041}"] {
            let source = unit.repeat(2_000);
            for at in [0, unit.len() * 1_000, source.len()] {
                let window = around(source.as_bytes(), &(at..source.len()), COLUMNS);
                assert!(window.text.chars().count() <= COLUMNS + 2, "{unit:?}");
                assert!(window.text.is_char_boundary(window.mark.start));
                assert!(window.text.is_char_boundary(window.mark.end));
            }
        }
        let invalid = vec![0x80_u8; 5_000];
        assert!(around(&invalid, &(2_500..2_501), COLUMNS).text.len() <= COLUMNS + 6);
    }
}
