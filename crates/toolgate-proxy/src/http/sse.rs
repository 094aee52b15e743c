//! Server-sent events, parsed byte by byte under a bound (WHATWG HTML, "Server-sent events").

use std::time::Duration;

/// One event with data; other fields are kept in [`SseParser`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// The data lines, joined by `\n`.
    pub(super) data: Vec<u8>,
}

/// The line or the data of one event grew over the bound.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Reads a stream in pieces of any size.
#[derive(Debug)]
pub(super) struct SseParser {
    limit: usize,
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    after_cr: bool,
    first_line: bool,
    last_id: Option<String>,
    retry: Option<Duration>,
}

impl SseParser {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            data: Vec::new(),
            has_data: false,
            after_cr: false,
            first_line: true,
            last_id: None,
            retry: None,
        }
    }

    /// The id of the last event that had one, for `Last-Event-ID`.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// How long the server wants a reader to wait before it reconnects.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Takes the next bytes; events that they complete are appended to `events`.
    pub(super) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        for byte in bytes {
            let second_of_crlf = self.after_cr && *byte == b'\n';
            self.after_cr = *byte == b'\r';
            if second_of_crlf {
                continue;
            }
            if matches!(byte, b'\r' | b'\n') {
                let line = std::mem::take(&mut self.line);
                self.end_line(&line, events)?;
            } else if self.line.len() >= self.limit {
                return Err(TooLong);
            } else {
                self.line.push(*byte);
            }
        }
        Ok(())
    }

    fn end_line(&mut self, line: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        let line = if self.first_line {
            line.strip_prefix(BOM).unwrap_or(line)
        } else {
            line
        };
        self.first_line = false;
        if line.is_empty() {
            let data = std::mem::take(&mut self.data);
            if std::mem::take(&mut self.has_data) {
                events.push(Event { data });
            }
            return Ok(());
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let name = parts.next().unwrap_or_default();
        let value = parts.next().unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" => self.add_data(value)?,
            b"id" if !value.contains(&0) => {
                self.last_id = Some(String::from_utf8_lossy(value).into_owned())
            }
            b"retry" => self.retry = milliseconds(value).or(self.retry),
            // `event`, comments (an empty name) and unknown fields.
            _ => {}
        }
        Ok(())
    }

    fn add_data(&mut self, value: &[u8]) -> Result<(), TooLong> {
        if self.data.len().saturating_add(value.len()) > self.limit {
            return Err(TooLong);
        }
        if self.has_data {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value);
        self.has_data = true;
        Ok(())
    }
}

fn milliseconds(value: &[u8]) -> Option<Duration> {
    let digits = std::str::from_utf8(value)
        .ok()
        .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok().map(Duration::from_millis)
}

const BOM: &[u8] = "\u{feff}".as_bytes();

#[cfg(test)]
mod tests {
    use super::*;

    /// The events of a stream; the same in one piece and byte by byte.
    fn events(text: &str) -> Vec<String> {
        let read = |size: usize| {
            let mut parser = SseParser::new(64);
            let mut seen = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                parser.feed(piece, &mut seen).unwrap();
            }
            seen.into_iter()
                .map(|event| String::from_utf8(event.data).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(read(1), read(text.len().max(1)));
        read(1)
    }

    #[test]
    fn all_three_line_ends_mean_the_same() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["data: a", "data:b", "", ": hello", "data", "", ""].join(end);
            assert_eq!(events(&text), ["a\nb", ""], "{end:?}");
        }
    }

    #[test]
    fn an_event_without_its_blank_line_is_no_event() {
        assert_eq!(events("data: a\n"), Vec::<String>::new());
    }

    #[test]
    fn only_one_space_is_taken_and_a_byte_order_mark_goes() {
        assert_eq!(events("\u{feff}data:  x: y\n\n"), [" x: y"]);
    }

    #[test]
    fn ids_and_retry_are_kept() {
        let mut parser = SseParser::new(64);
        parser
            .feed(
                b"id: 7\nretry: 250\n\nretry: soon\nid: a\0b\n\n",
                &mut Vec::new(),
            )
            .unwrap();
        assert_eq!(
            (parser.last_id(), parser.retry()),
            (Some("7"), Some(Duration::from_millis(250)))
        );
    }

    #[test]
    fn the_limit_holds_at_n_and_breaks_at_n_plus_one() {
        let mut parser = SseParser::new(8);
        assert_eq!(
            parser.feed(b"data:123\ndata:456\n\n", &mut Vec::new()),
            Ok(())
        );
        assert_eq!(
            SseParser::new(8).feed(b"data:1234", &mut Vec::new()),
            Err(TooLong)
        );
        let mut parser = SseParser::new(8);
        assert_eq!(
            parser.feed(b"data:123\ndata:456\ndata:789\n", &mut Vec::new()),
            Err(TooLong)
        );
    }
}
