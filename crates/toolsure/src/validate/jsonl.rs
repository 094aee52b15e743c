//! Streams JSON Lines: blocks of whole lines, in memory bounded by the longest line allowed.

use std::io::{self, Read};

use crate::input::Text;

/// The blocks of an input.
pub(super) struct Blocks<R> {
    input: R,
    /// Maximum bytes of a line.
    most: usize,
    /// The beginning of a line whose end was not read yet.
    rest: Vec<u8>,
    /// Lines and bytes before `rest`.
    lines: usize,
    bytes: u64,
    ended: bool,
}

/// Some whole lines; the last of an input may lack its line feed.
#[derive(Debug, Default)]
pub(super) struct Block {
    text: Vec<u8>,
    /// The number of the first line, from 1.
    first: usize,
    /// The byte of the input where it begins.
    start: u64,
    /// The byte of the input after it, and after what was skipped.
    pub(super) end: u64,
    /// Maximum bytes of a line.
    most: usize,
}

/// One line that is not blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its text without the line feed; for a line over the limit, one byte more than the limit.
    pub(super) bytes: &'a [u8],
    /// Its number, from 1.
    pub(super) number: usize,
    /// The byte of the input where it begins.
    pub(super) start: u64,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(input: R, most: usize) -> Self {
        Self {
            input,
            most,
            rest: Vec::new(),
            lines: 0,
            bytes: 0,
            ended: false,
        }
    }

    /// The next lines: all that one read completed, so that no line waits for the next one to
    /// arrive. `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Block>> {
        let mut text = std::mem::take(&mut self.rest);
        loop {
            if self.ended {
                let whole = text.len();
                return Ok((whole > 0).then(|| self.block(text, whole)));
            }
            let before = text.len();
            if before > self.most {
                // A line over the limit: nothing beyond the limit is kept.
                text.truncate(self.most.saturating_add(1));
                return self.pass_over(text, before).map(Some);
            }
            let read = self.more(&mut text)?;
            self.ended = read == 0;
            if self.bytes == 0 && before == 0 {
                self.skip_mark(&mut text)?;
            }
            let fresh = text.get(before..).unwrap_or_default();
            if let Some(feed) = fresh.iter().rposition(|byte| *byte == b'\n') {
                let cut = before.saturating_add(feed).saturating_add(1);
                self.rest = text.split_off(cut.min(text.len()));
                return Ok(Some(self.block(text, cut)));
            }
        }
    }

    /// Removes a byte order mark from the beginning of the input, and refuses UTF-16. It reads on
    /// while the first bytes may be either, but not beyond a first line such as `1`.
    fn skip_mark(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        while !self.ended && (text.len() < 2 || text == b"\xEF\xBB") {
            self.ended = self.more(text)? == 0;
        }
        let start = Text::new(std::mem::take(text))?;
        *text = start.bytes;
        self.bytes = start.start;
        Ok(())
    }

    /// Reads once, at most [`BLOCK`] bytes; returns 0 at the end.
    fn more(&mut self, text: &mut Vec<u8>) -> io::Result<usize> {
        let before = text.len();
        text.resize(before.saturating_add(BLOCK), 0);
        loop {
            let room = text.get_mut(before..).unwrap_or_default();
            match self.input.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    text.truncate(before.saturating_add(*read.as_ref().unwrap_or(&0)));
                    return read;
                }
            }
        }
    }

    /// Skips to the end of a line, of which `seen` bytes were read.
    fn pass_over(&mut self, text: Vec<u8>, seen: usize) -> io::Result<Block> {
        let mut length = seen;
        let mut scratch = Vec::new();
        loop {
            scratch.clear();
            if self.more(&mut scratch)? == 0 {
                self.ended = true;
                return Ok(self.block(text, length));
            }
            if let Some(feed) = scratch.iter().position(|byte| *byte == b'\n') {
                self.rest = scratch.split_off(feed.saturating_add(1).min(scratch.len()));
                length = length.saturating_add(scratch.len());
                let block = self.block(text, length);
                // The line feed is not in the block's text.
                self.lines = self.lines.saturating_add(1);
                return Ok(block);
            }
            length = length.saturating_add(scratch.len());
        }
    }

    /// A block with this text, for `length` bytes of the input.
    fn block(&mut self, text: Vec<u8>, length: usize) -> Block {
        let start = self.bytes;
        self.bytes = start.saturating_add(count(length));
        let first = self.lines.saturating_add(1);
        let feeds = text.iter().filter(|byte| **byte == b'\n').count();
        self.lines = self.lines.saturating_add(feeds);
        Block {
            text,
            first,
            start,
            end: self.bytes,
            most: self.most,
        }
    }
}

impl Block {
    /// The lines that are not blank.
    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut start = self.start;
        let lines = self.text.split_inclusive(|byte| *byte == b'\n').enumerate();
        lines.filter_map(move |(index, whole)| {
            let own = start;
            start = start.saturating_add(count(whole.len()));
            let text = whole.strip_suffix(b"\n").unwrap_or(whole);
            let bytes = text.get(..=self.most).unwrap_or(text);
            let shown = text.len() > self.most || !bytes.trim_ascii().is_empty();
            shown.then(|| Line {
                bytes,
                number: self.first.saturating_add(index),
                start: own,
            })
        })
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

/// Maximum bytes of one read: enough that passing a block on is cheap compared to judging it.
const BLOCK: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// An input that returns a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(self.0.len()).min(buffer.len());
            let (now, later) = self.0.split_at(length);
            if let Some(room) = buffer.get_mut(..length) {
                room.copy_from_slice(now);
            }
            self.0 = later;
            Ok(length)
        }
    }

    fn all(input: &[u8], most: usize) -> Vec<(String, usize, u64)> {
        let by = |step: usize| {
            let mut blocks = Blocks::new(Slow(input, step), most);
            let (mut found, mut end) = (Vec::new(), 0);
            while let Some(block) = blocks.next().unwrap() {
                found.extend(block.lines().map(|line| {
                    let text = String::from_utf8_lossy(line.bytes).into_owned();
                    (text, line.number, line.start)
                }));
                assert!(block.end > end);
                end = block.end;
            }
            if end > 0 {
                assert_eq!(end, count(input.len()));
            }
            found
        };
        let whole = by(usize::MAX);
        for step in 1..8 {
            assert_eq!(by(step), whole, "{step} bytes at a time");
        }
        whole
    }

    #[test]
    fn lines_have_their_numbers_and_places() {
        assert_eq!(
            all(b"1\n\n  \t\r\n22\r\n333", 10),
            [
                ("1".into(), 1, 0),
                ("22\r".into(), 4, 8),
                ("333".into(), 5, 12)
            ]
        );
        assert_eq!(all(b"", 10), []);
        assert_eq!(all(b"\n\n", 10), []);
    }

    #[test]
    fn a_byte_order_mark_is_passed_over_and_utf_16_is_refused() {
        let text = b"\xEF\xBB\xBF1\n22\n";
        assert_eq!(all(text, 10), [("1".into(), 1, 3), ("22".into(), 2, 5)]);
        assert_eq!(all(b"\xEF\xBB\xBF", 10), []);
        for step in 1..4 {
            let mut blocks = Blocks::new(Slow(b"1\0\n\0", step), 10);
            let why = blocks.next().unwrap_err().to_string();
            assert_eq!(why, "it is UTF-16; save it as UTF-8");
        }
    }

    #[test]
    fn long_lines_are_cut_and_passed_over() {
        assert_eq!(
            all(b"4444\n55555\n1234567890\n1", 4),
            [
                ("4444".into(), 1, 0),
                ("55555".into(), 2, 5),
                ("12345".into(), 3, 11),
                ("1".into(), 4, 22)
            ]
        );
        // A line may be blank beyond the bound, and the last may have no line feed.
        assert_eq!(
            all(b"      \n1", 4),
            [("     ".into(), 1, 0), ("1".into(), 2, 7)]
        );
        assert_eq!(all(b"55555", 4), [("55555".into(), 1, 0)]);
        assert_eq!(all(b"4444", 4), [("4444".into(), 1, 0)]);
        assert_eq!(
            all(b"123456789\n\n2\n", 4),
            [("12345".into(), 1, 0), ("2".into(), 3, 11)]
        );
    }
}
