//! JSON Lines as a stream: one line at a time, in memory bounded by the longest line allowed.

use std::io::{self, BufRead, BufReader, Read};

/// The lines of an input that are not blank.
pub(super) struct Lines<R> {
    input: BufReader<R>,
    /// The most bytes of a line.
    most: usize,
    line: Vec<u8>,
    /// Lines begun so far.
    number: usize,
    /// Bytes read so far.
    read: u64,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its text without the line feed. Of a line over the bound, one byte more than the bound.
    pub(super) bytes: &'a [u8],
    /// Its number, from 1.
    pub(super) number: usize,
    /// The byte of the input at which it begins.
    pub(super) start: u64,
}

impl<R: Read> Lines<R> {
    pub(super) fn new(input: R, most: usize) -> Self {
        Self {
            input: BufReader::with_capacity(BUFFER, input),
            most,
            line: Vec::new(),
            number: 0,
            read: 0,
        }
    }

    /// The next line that is not blank; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let start = self.read;
            self.line.clear();
            let most = count(self.most).saturating_add(1);
            let length = self
                .input
                .by_ref()
                .take(most)
                .read_until(b'\n', &mut self.line)?;
            if length == 0 {
                return Ok(None);
            }
            self.number = self.number.saturating_add(1);
            self.read = start.saturating_add(count(length));
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            } else if self.line.len() > self.most {
                let rest = self.input.skip_until(b'\n')?;
                self.read = self.read.saturating_add(count(rest));
            }
            if !self.line.trim_ascii().is_empty() || self.line.len() > self.most {
                return Ok(Some(Line {
                    bytes: &self.line,
                    number: self.number,
                    start,
                }));
            }
        }
    }

    /// Whether the next line is not here yet, so that asking for it may take a while.
    pub(super) fn must_wait(&self) -> bool {
        !self.input.buffer().contains(&b'\n')
    }

    /// Bytes read so far.
    pub(super) fn bytes_read(&self) -> u64 {
        self.read
    }
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

const BUFFER: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8], most: usize) -> Vec<(String, usize, u64)> {
        let mut lines = Lines::new(input, most);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let text = String::from_utf8_lossy(line.bytes).into_owned();
            found.push((text, line.number, line.start));
        }
        assert_eq!(lines.bytes_read(), count(input.len()));
        found
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
    }
}
