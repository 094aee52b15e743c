//! Newline-delimited bytes from a stranger, one line at a time, under a bound.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// Reads lines; safe to cancel at any await, nothing read is lost. Holds at most one line of the
/// limit and 64 KiB more.
#[derive(Debug)]
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// Where the current line begins in `buffer`.
    start: usize,
    /// Up to where `buffer` is known to hold no line end.
    scanned: usize,
    limit: usize,
    /// The rest of a line that was too long is still to come.
    skipping: bool,
}

/// What came next.
#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its line end (`\n` or `\r\n`).
    Full(Vec<u8>),
    /// More than the limit without a line end: the beginning of it. The rest of the line is
    /// skipped by the next call.
    TooLong(Vec<u8>),
    /// The end of the stream, with what stood after the last line end.
    End(Vec<u8>),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// A reader of `from` that admits lines of up to `limit` bytes.
    pub fn new(from: R, limit: usize) -> Self {
        Self {
            from,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
            skipping: false,
        }
    }

    /// The next line, or what is in its place. After [`Line::End`] it is the end for good.
    ///
    /// # Errors
    ///
    /// Those of the stream.
    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            if let Some(line) = self.take_line() {
                if std::mem::take(&mut self.skipping) {
                    continue;
                }
                return Ok(if line.len() > self.limit {
                    Line::TooLong(line)
                } else {
                    Line::Full(line)
                });
            }
            if self.skipping || self.buffer.len().saturating_sub(self.start) > self.limit {
                let head = self.buffer.split_off(self.start);
                self.buffer.clear();
                self.start = 0;
                self.scanned = 0;
                if !std::mem::replace(&mut self.skipping, true) {
                    return Ok(Line::TooLong(head));
                }
            }
            // Moves the tail of one line only, so each byte moves at most once per chunk read.
            if self.start > 0 {
                self.buffer.drain(..self.start);
                self.scanned = self.scanned.saturating_sub(self.start);
                self.start = 0;
            }
            self.buffer.reserve(CHUNK);
            if self.from.read_buf(&mut self.buffer).await? == 0 {
                return Ok(Line::End(std::mem::take(&mut self.buffer)));
            }
        }
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let fresh = self.buffer.get(self.scanned..)?;
        let Some(offset) = fresh.iter().position(|byte| *byte == b'\n') else {
            self.scanned = self.buffer.len();
            return None;
        };
        let end = self.scanned.saturating_add(offset);
        let line = self.buffer.get(self.start..end).unwrap_or_default();
        let line = line.strip_suffix(b"\r").unwrap_or(line).to_vec();
        self.start = end.saturating_add(1);
        self.scanned = self.start;
        Some(line)
    }
}

const CHUNK: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(input: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(input, limit);
        let mut seen = Vec::new();
        loop {
            let line = lines.next().await.unwrap();
            let last = !matches!(line, Line::Full(_));
            seen.push(line);
            if last && !matches!(seen.last(), Some(Line::TooLong(_))) {
                return seen;
            }
        }
    }

    #[tokio::test]
    async fn splits_on_both_line_ends_and_keeps_the_rest() {
        let full = |text: &str| Line::Full(text.as_bytes().to_vec());
        assert_eq!(
            all(b"a\r\n\nbc\nrest", 9).await,
            [full("a"), full(""), full("bc"), Line::End(b"rest".to_vec())]
        );
    }

    #[tokio::test]
    async fn the_limit_holds_at_n_and_breaks_at_n_plus_one() {
        assert_eq!(
            all(b"12345\n", 5).await,
            [Line::Full(b"12345".to_vec()), Line::End(Vec::new())]
        );
        let long = || Line::TooLong(b"123456".to_vec());
        assert_eq!(all(b"123456\n", 5).await, [long(), Line::End(Vec::new())]);
        assert_eq!(all(b"123456", 5).await, [long(), Line::End(Vec::new())]);
        assert_eq!(
            all(b"123456789\n1\n", 5).await,
            [long_all(), Line::Full(b"1".to_vec()), Line::End(Vec::new())]
        );
    }

    fn long_all() -> Line {
        Line::TooLong(b"123456789".to_vec())
    }
}
