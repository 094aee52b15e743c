//! A parser for server-sent events (WHATWG HTML, "Server-sent events"). It accepts pieces of any
//! size, has a limit, and keeps the original bytes.

use std::borrow::Cow;
use std::time::Duration;

/// One event: everything up to the empty line that ends it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The original bytes, including the empty line at the end.
    pub(crate) raw: Vec<u8>,
    /// The data lines, joined by `\n`; `None` if there are none, as in a comment that keeps the
    /// connection alive.
    pub(crate) data: Option<Vec<u8>>,
}

impl Event {
    /// The bytes of the event in a form that all clients read alike. Some clients end lines at
    /// other characters too, as Python's `str.splitlines` does, and could see an unchecked event in
    /// a comment. Such characters are escaped in the data, which is JSON; other lines with them are
    /// removed.
    pub(crate) fn unambiguous(&self) -> Cow<'_, [u8]> {
        match (has_other_ends(&self.raw), &self.data) {
            (false, _) => Cow::Borrowed(&self.raw),
            (true, Some(data)) => Cow::Owned(self.with_data(data)),
            (true, None) => Cow::Owned(self.with_data(b"")),
        }
    }

    /// The event with other data, in place of its first data line. Other lines stay, except those
    /// with characters at which some clients end a line.
    pub(crate) fn with_data(&self, data: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(data.len().saturating_add(self.raw.len()));
        let mut placed = false;
        for line in lines(&self.raw) {
            let text = content(line);
            let text = text.strip_prefix(BOM).unwrap_or(text);
            if text == b"data" || text.starts_with(b"data:") {
                if !std::mem::replace(&mut placed, true) {
                    write_data(&mut out, data);
                }
            } else if !has_other_ends(line) {
                // After a carriage return, a single line feed would belong to the line before, and
                // the event would not end.
                if line == b"\n" && out.last() == Some(&b'\r') {
                    out.push(b'\n');
                }
                out.extend_from_slice(line);
            }
        }
        out
    }
}

/// Encodes a message as an event.
pub(crate) fn event(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len().saturating_add(8));
    write_data(&mut out, data);
    out.push(b'\n');
    out
}

/// Writes data lines. JSON may contain line ends between tokens; each of its lines is a data line.
fn write_data(out: &mut Vec<u8>, data: &[u8]) {
    for line in data.split(|byte| matches!(byte, b'\n' | b'\r')) {
        out.extend_from_slice(b"data: ");
        match std::str::from_utf8(line) {
            Ok(text) if has_other_ends(line) => out.extend_from_slice(escaped(text).as_bytes()),
            _ => out.extend_from_slice(line),
        }
        out.push(b'\n');
    }
}

/// Whether there are characters at which some clients end a line, but the format does not.
fn has_other_ends(bytes: &[u8]) -> bool {
    // The first byte of each such character; most messages contain none.
    let begins = |byte: &u8| matches!(byte, 0x0b | 0x0c | 0x1c..=0x1e | 0xc2 | 0xe2);
    if !bytes.iter().any(begins) {
        return false;
    }
    let text = String::from_utf8_lossy(bytes);
    text.chars().any(is_other_end)
}

fn is_other_end(character: char) -> bool {
    matches!(
        character,
        '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
}

/// Escapes such characters in a line of JSON. They can occur in strings only.
fn escaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for character in line.chars() {
        match is_other_end(character) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => out.push(character),
        }
    }
    out
}

/// The lines of an event with their line ends.
fn lines(raw: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr2(b'\r', b'\n', rest);
        let end = end.map_or(rest.len(), |at| {
            let pair = rest.get(at..at.saturating_add(2)) == Some(b"\r\n".as_slice());
            at.saturating_add(if pair { 2 } else { 1 })
        });
        let (line, more) = rest.split_at_checked(end)?;
        rest = more;
        Some(line)
    })
}

/// A line without its line end.
fn content(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A line, the data of one event or the whole event is over the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Parses a stream in pieces of any size. Keeps one event: its bytes (at most three times the limit
/// and 64 KiB) and its data (at most the limit).
#[derive(Debug)]
pub(crate) struct SseParser {
    limit: usize,
    /// The bytes of the incomplete event.
    raw: Vec<u8>,
    /// Where the incomplete line begins in `raw`.
    line: usize,
    data: Vec<u8>,
    has_data: bool,
    after_cr: bool,
    first_line: bool,
    last_id: Option<String>,
    retry: Option<Duration>,
}

impl SseParser {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            raw: Vec::new(),
            line: 0,
            data: Vec::new(),
            has_data: false,
            after_cr: false,
            first_line: true,
            last_id: None,
            retry: None,
        }
    }

    /// The id of the last event that had one, for `Last-Event-ID`.
    pub(crate) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// Bytes of the incomplete event.
    pub(crate) fn incomplete(&self) -> usize {
        self.raw.len()
    }

    /// The pause before reconnecting that the server asks for.
    pub(crate) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Parses the next bytes, and appends the events that they complete to `events`.
    pub(crate) fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) -> Result<(), TooLong> {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && *first == b'\n' {
                self.second_of_crlf(events);
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
            let end = memchr::memchr2(b'\r', b'\n', rest);
            let (piece, more) = rest
                .split_at_checked(end.unwrap_or(rest.len()))
                .unwrap_or((rest, &[]));
            let line = self.raw.len().saturating_sub(self.line);
            if line.saturating_add(piece.len()) > self.limit
                || self.raw.len() > self.limit.saturating_mul(2).saturating_add(SLACK)
            {
                return Err(TooLong);
            }
            self.raw.extend_from_slice(piece);
            rest = more;
            if let Some((ending, more)) = rest.split_first() {
                rest = more;
                self.after_cr = *ending == b'\r';
                self.end_line(*ending, events)?;
            }
        }
        Ok(())
    }

    /// Handles the line feed of a CRLF. It belongs to the line before, which may have ended an
    /// event.
    fn second_of_crlf(&mut self, events: &mut [Event]) {
        match events.last_mut().filter(|_| self.raw.is_empty()) {
            Some(event) => event.raw.push(b'\n'),
            // An earlier call returned the event, so the line feed counts as an empty line.
            None => self.raw.push(b'\n'),
        }
        self.line = self.raw.len();
    }

    fn end_line(&mut self, ending: u8, events: &mut Vec<Event>) -> Result<(), TooLong> {
        let mut raw = std::mem::take(&mut self.raw);
        let line = raw.get(self.line..).unwrap_or_default();
        let line = if std::mem::take(&mut self.first_line) {
            line.strip_prefix(BOM).unwrap_or(line)
        } else {
            line
        };
        let empty = line.is_empty();
        if !empty {
            self.field(line)?;
        }
        raw.push(ending);
        if empty {
            self.line = 0;
            let data = std::mem::take(&mut self.data);
            let data = std::mem::take(&mut self.has_data).then_some(data);
            events.push(Event { raw, data });
        } else {
            self.line = raw.len();
            self.raw = raw;
        }
        Ok(())
    }

    fn field(&mut self, line: &[u8]) -> Result<(), TooLong> {
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

pub(crate) const BOM: &[u8] = "\u{feff}".as_bytes();
/// Bytes of an event besides its data: comments, ids, field names.
const SLACK: usize = 64 << 10;

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
                .filter_map(|event| event.data)
                .map(|data| String::from_utf8(data).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(read(1), read(text.len().max(1)));
        read(1)
    }

    #[test]
    fn no_client_sees_another_event_in_it() {
        let event = |raw: &str| {
            let mut seen = Vec::new();
            SseParser::new(1_000)
                .feed(raw.as_bytes(), &mut seen)
                .unwrap();
            String::from_utf8(seen.remove(0).unambiguous().into_owned()).unwrap()
        };
        for (raw, expected) in [
            (": é – hi\n\n", ": é – hi\n\n"),
            (": hi\u{2028}data: {}\u{2028}\u{2028}\n\n", "\n"),
            ("id: 1\u{b}data: {}\nretry: 5\n\n", "retry: 5\n\n"),
            (
                "id: 1\ndata: [\"\u{2028}\u{85}é\"]\n\n",
                "id: 1\ndata: [\"\\u2028\\u0085é\"]\n\n",
            ),
            (": x\u{2029}data: {}\ndata: 1\n\n", "data: 1\n\n"),
        ] {
            assert_eq!(event(raw), expected, "{raw:?}");
        }
        assert_eq!(
            super::event("\"\u{2029}\"".as_bytes()),
            b"data: \"\\u2029\"\n\n"
        );
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
    fn every_byte_leaves_in_some_event_in_pieces_of_any_size() {
        let text = "\u{feff}: hi\r\n\r\nid: 1\ndata: {}\n\n\n: alive\r\rdata: a\r\ndata: b\r\n\r\n";
        for size in 1..=text.len() {
            let mut parser = SseParser::new(64);
            let mut raw = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                let mut events = Vec::new();
                parser.feed(piece, &mut events).unwrap();
                raw.extend(events.into_iter().flat_map(|event| event.raw));
            }
            raw.extend(&parser.raw);
            assert_eq!(String::from_utf8(raw).unwrap(), text, "{size}");
        }
    }

    #[test]
    fn other_data_take_the_place_of_the_old() {
        let mut events = Vec::new();
        let text = b": c\r\ndata: a\r\nid: 7\ndata: b\nretry: 5\n\n";
        SseParser::new(64).feed(text, &mut events).unwrap();
        assert_eq!(
            String::from_utf8(events[0].with_data(b"{\n}")).unwrap(),
            ": c\r\ndata: {\ndata: }\nid: 7\nretry: 5\n\n"
        );
        assert_eq!(event(b"{}"), b"data: {}\n\n");
        let mut events = Vec::new();
        let text = b"data: a\n: c\rdata: b\n\n";
        SseParser::new(64).feed(text, &mut events).unwrap();
        assert_eq!(events[0].with_data(b"{}"), b"data: {}\n: c\r\n\n");
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
