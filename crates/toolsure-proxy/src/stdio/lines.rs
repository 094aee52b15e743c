//! Newline-delimited bytes from an untrusted peer, one line at a time, under a bound.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// Reads lines. Cancel safe: no byte is lost. Keeps at most one line of the limit and 64 KiB more.
#[derive(Debug)]
pub struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    /// Where the current line begins in `buffer`.
    start: usize,
    /// From `start` to here, `buffer` has no line end.
    scanned: usize,
    limit: usize,
    /// Whether the rest of a line that was too long is being skipped.
    skipping: bool,
    mark: ByteOrderMark,
}

/// How a byte order mark at the beginning of the stream is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteOrderMark {
    /// It is part of the first line.
    Kept,
    /// It is dropped; too little was read yet to tell whether there is one.
    Awaited,
    /// The stream does not begin with one.
    Absent,
    Dropped,
}

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every reader must handle a long line and the end"
)]
pub enum Line {
    /// A line without its line end (`\n` or `\r\n`).
    Full(Vec<u8>),
    /// The beginning of a line over the limit, or all of it. The next call skips the rest of the
    /// line.
    TooLong(Vec<u8>),
    /// The end of the stream, with the bytes after the last line end.
    End(Vec<u8>),
}

impl<R: AsyncRead + Unpin> Lines<R> {
    /// A reader of `from` that accepts lines of up to `limit` bytes.
    pub fn new(from: R, limit: usize) -> Self {
        Self {
            from,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            limit,
            skipping: false,
            mark: ByteOrderMark::Kept,
        }
    }

    /// The same, but a byte order mark that the stream begins with is dropped (RFC 8259 section 8.1
    /// lets a reader ignore one). Anywhere else it stays.
    #[must_use]
    pub fn without_byte_order_mark(mut self) -> Self {
        self.mark = ByteOrderMark::Awaited;
        self
    }

    /// Whether the stream began with a byte order mark, which was dropped.
    pub fn dropped_byte_order_mark(&self) -> bool {
        self.mark == ByteOrderMark::Dropped
    }

    /// The next line, or what is in its place. After [`Line::End`], always [`Line::End`].
    ///
    /// # Errors
    ///
    /// The errors of the stream.
    pub async fn next(&mut self) -> io::Result<Line> {
        loop {
            if let Some(line) = self.take_line() {
                if std::mem::take(&mut self.skipping) {
                    continue;
                }
                return Ok(self.measured(line));
            }
            if self.is_over() {
                let head = self.take_over();
                if !std::mem::replace(&mut self.skipping, true) {
                    return Ok(Line::TooLong(head));
                }
            }
            if let Some(end) = self.fill().await? {
                return Ok(end);
            }
        }
    }

    /// Like [`Lines::next`], but passes all of a line that is too long to `skipped`, in pieces, and
    /// returns an empty [`Line::TooLong`] at its end. If the stream ends within the line,
    /// [`Line::End`] comes next. Cancel safe if `skipped` keeps the pieces.
    ///
    /// # Errors
    ///
    /// The errors of the stream.
    pub async fn next_or_skip(&mut self, mut skipped: impl FnMut(&[u8])) -> io::Result<Line> {
        loop {
            if let Some(line) = self.take_line() {
                if !std::mem::take(&mut self.skipping) && line.len() <= self.limit {
                    return Ok(Line::Full(line));
                }
                skipped(&line);
                return Ok(Line::TooLong(Vec::new()));
            }
            if self.is_over() {
                skipped(&self.take_over());
                self.skipping = true;
            }
            match self.fill().await? {
                Some(_) if std::mem::take(&mut self.skipping) => {
                    return Ok(Line::TooLong(Vec::new()));
                }
                Some(end) => return Ok(end),
                None => {}
            }
        }
    }

    fn measured(&self, line: Vec<u8>) -> Line {
        if line.len() > self.limit {
            Line::TooLong(line)
        } else {
            Line::Full(line)
        }
    }

    fn is_over(&self) -> bool {
        // A carriage return may be half of the line end.
        let end = usize::from(self.buffer.last() == Some(&b'\r'));
        let length = self.buffer.len().saturating_sub(self.start);
        self.skipping || length.saturating_sub(end) > self.limit
    }

    fn take_over(&mut self) -> Vec<u8> {
        let head = self.buffer.split_off(self.start);
        self.buffer.clear();
        self.start = 0;
        self.scanned = 0;
        head
    }

    /// Reads more bytes; returns the last line at the end of the stream.
    async fn fill(&mut self) -> io::Result<Option<Line>> {
        // Moves the tail of one line only, so each byte moves at most once per chunk read.
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.scanned = self.scanned.saturating_sub(self.start);
            self.start = 0;
        }
        // Do not keep the memory of one long line for ever.
        if self.buffer.is_empty() {
            self.buffer.shrink_to(CHUNK);
        }
        self.buffer.reserve(CHUNK);
        if self.from.read_buf(&mut self.buffer).await? == 0 {
            return Ok(Some(Line::End(std::mem::take(&mut self.buffer))));
        }
        if self.mark == ByteOrderMark::Awaited {
            self.drop_mark();
        }
        Ok(None)
    }

    /// Checks the beginning of the stream, which is the beginning of the buffer.
    fn drop_mark(&mut self) {
        if self.buffer.starts_with(MARK) {
            self.buffer.drain(..MARK.len());
            self.scanned = 0;
            self.mark = ByteOrderMark::Dropped;
        } else if !MARK.starts_with(&self.buffer) {
            self.mark = ByteOrderMark::Absent;
        }
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let fresh = self.buffer.get(self.scanned..)?;
        let Some(offset) = memchr::memchr(b'\n', fresh) else {
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
/// The byte order mark in UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

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

    #[tokio::test]
    async fn a_byte_order_mark_is_dropped_at_the_beginning_only() {
        let full = |text: &str| Line::Full(text.as_bytes().to_vec());
        for (input, expected, dropped) in [
            ("\u{feff}a\n\u{feff}b\n", ["a", "\u{feff}b"], true),
            ("\u{feff}\u{feff}a\nb\n", ["\u{feff}a", "b"], true),
            ("a\n\u{feff}b\n", ["a", "\u{feff}b"], false),
            ("\n\u{feff}b\n", ["", "\u{feff}b"], false),
            // Three bytes that begin as the mark does.
            ("\u{fefe}\na\n", ["\u{fefe}", "a"], false),
        ] {
            // All at once, and byte by byte.
            for piece in [input.len(), 1] {
                let (mut to, from) = tokio::io::duplex(piece);
                let writing = tokio::spawn(async move {
                    tokio::io::AsyncWriteExt::write_all(&mut to, input.as_bytes()).await
                });
                // The limit applies to the line without the mark.
                let longest = expected.map(str::len).into_iter().max().unwrap();
                let mut lines = Lines::new(from, longest).without_byte_order_mark();
                for line in expected {
                    assert_eq!(lines.next().await.unwrap(), full(line), "{input:?}");
                }
                assert_eq!(lines.next().await.unwrap(), Line::End(Vec::new()));
                assert_eq!(lines.dropped_byte_order_mark(), dropped, "{input:?}");
                writing.await.unwrap().unwrap();
            }
        }
        assert_eq!(all("\u{feff}a\n".as_bytes(), 9).await[0], full("\u{feff}a"));
        // Half a mark is not a mark.
        let mut lines = Lines::new(b"\xef\xbb".as_slice(), 9).without_byte_order_mark();
        assert_eq!(lines.next().await.unwrap(), Line::End(b"\xef\xbb".to_vec()));
    }

    #[tokio::test]
    async fn all_of_a_long_line_is_handed_over() {
        let mut lines = Lines::new(b"12\n123456789\n1\n12345678".as_slice(), 5);
        let mut seen = Vec::new();
        let mut skipped = Vec::new();
        for _ in 0..5 {
            let line = lines.next_or_skip(|piece| skipped.extend_from_slice(piece));
            seen.push(line.await.unwrap());
        }
        let full = |text: &str| Line::Full(text.as_bytes().to_vec());
        let long = || Line::TooLong(Vec::new());
        assert_eq!(
            seen,
            [full("12"), long(), full("1"), long(), Line::End(Vec::new())]
        );
        assert_eq!(skipped, b"12345678912345678");
    }

    fn long_all() -> Line {
        Line::TooLong(b"123456789".to_vec())
    }
}
