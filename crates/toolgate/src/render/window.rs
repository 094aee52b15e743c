//! A line of a source around a place: escaped, cut, with the place marked.

use std::ops::Range;

use toolgate_json::quote;

use super::source::{line_end, line_start};

/// What is shown of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Window {
    /// One line, nothing hidden: at most [`COLUMNS`] characters and two marks of cuts.
    pub(super) text: String,
    /// The bytes of `text` that are marked; empty for a place behind the end of a line.
    pub(super) mark: Range<usize>,
}

/// Shows the line in which `span` begins. Of a span of several lines only the first character
/// is marked.
///
/// Shows, and decodes, a bounded number of bytes on both sides, however long the line is.
pub(super) fn around(bytes: &[u8], span: &Range<usize>) -> Window {
    let start = span.start.min(bytes.len());
    // What is out of reach on either side is not shown, and not looked at.
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

    let mut left = pieces(whole_characters(bytes.get(first..start), !is_first));
    let mut right = pieces(bytes.get(start..last).unwrap_or_default());
    let room = COLUMNS.saturating_sub(width(&left)).max(AHEAD);
    let cut_right = keep(right.iter(), room).filter(|kept| *kept < right.len());
    right.truncate(cut_right.unwrap_or(right.len()));
    let room = COLUMNS.saturating_sub(width(&right));
    let cut_left = keep(left.iter().rev(), room).filter(|kept| *kept < left.len());
    left.drain(..left.len().saturating_sub(cut_left.unwrap_or(left.len())));

    let mut text = String::new();
    if cut_left.is_some() || !is_first {
        text.push(CUT);
    }
    for piece in &left {
        text.push_str(&piece.shown);
    }
    let mut mark = text.len()..text.len();
    let mut at = start;
    for piece in &right {
        text.push_str(&piece.shown);
        if at < end {
            mark.end = text.len();
        }
        at = at.saturating_add(piece.length);
    }
    if cut_right.is_some() || !is_last {
        text.push(CUT);
    }
    Window { text, mark }
}

/// A character, or a byte that is none, as it is shown.
struct Piece {
    shown: String,
    /// Bytes of the source.
    length: usize,
}

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for chunk in bytes.utf8_chunks() {
        pieces.extend(chunk.valid().chars().map(|character| Piece {
            shown: match character {
                '\t' => TAB.to_owned(),
                _ => quote(character.encode_utf8(&mut [0; 4]), COLUMNS).to_string(),
            },
            length: character.len_utf8(),
        }));
        pieces.extend(chunk.invalid().iter().map(|byte| Piece {
            shown: format!("\\x{byte:02x}"),
            length: 1,
        }));
    }
    pieces
}

/// Without the end of a character whose beginning was cut off.
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

fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.shown.chars().count()).sum()
}

/// How many pieces fit; `None` if there are none.
fn keep<'a>(pieces: impl Iterator<Item = &'a Piece>, room: usize) -> Option<usize> {
    let mut left = room;
    let mut kept = None;
    for piece in pieces {
        let fits = left.checked_sub(piece.shown.chars().count());
        let Some(rest) = fits else {
            return Some(kept.unwrap_or(0));
        };
        left = rest;
        kept = Some(kept.unwrap_or(0_usize).saturating_add(1));
    }
    kept
}

/// Characters of a line that are shown.
pub(super) const COLUMNS: usize = 76;
/// Characters from the place on that are shown even if there is much before it.
const AHEAD: usize = 48;
/// Bytes on either side of the place that are looked at: enough for [`COLUMNS`] characters.
const REACH: usize = 4 * COLUMNS;
/// Bytes of a character behind its first.
const LONGEST_TAIL: usize = 3;
const TAB: &str = "    ";
const CUT: char = '…';

#[cfg(test)]
mod tests {
    use super::*;

    /// The text, and the marked part in a line below it.
    fn shown(source: &[u8], span: Range<usize>) -> String {
        let window = around(source, &span);
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
        let first = around(source.as_bytes(), &(0..source.len()));
        assert_eq!((first.mark, first.text.chars().count()), (0..76, 77));
        let last = around(source.as_bytes(), &(source.len() - 1..source.len()));
        assert_eq!(last.text.chars().count(), 77);
        assert!(last.text.starts_with('…') && last.text.ends_with(']'));
    }

    #[test]
    fn no_source_makes_a_window_wide() {
        for unit in ["\u{202e}", "\t", "€", "\u{10ffff}", "\u{301}", "\u{e0041}"] {
            let source = unit.repeat(2_000);
            for at in [0, unit.len() * 1_000, source.len()] {
                let window = around(source.as_bytes(), &(at..source.len()));
                assert!(window.text.chars().count() <= COLUMNS + 2, "{unit:?}");
                assert!(window.text.is_char_boundary(window.mark.start));
                assert!(window.text.is_char_boundary(window.mark.end));
            }
        }
        let invalid = vec![0x80_u8; 5_000];
        assert!(around(&invalid, &(2_500..2_501)).text.len() <= COLUMNS + 6);
    }
}
