//! Reads a pattern's text character by character.

/// A position in a pattern's text.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// At the start of the text.
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// The byte offset of the next character.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The whole text.
    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// Moves back or ahead to an offset reported by [`Cursor::at`].
    pub(crate) fn seek(&mut self, at: usize) {
        self.at = at;
    }

    /// The text from `start` to here.
    pub(crate) fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or("")
    }

    /// The text that has not been read.
    pub(crate) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The next character.
    #[inline]
    pub(crate) fn peek(&self) -> Option<char> {
        match self.text.as_bytes().get(self.at) {
            None => None,
            Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
            Some(_) => self.rest().chars().next(),
        }
    }

    /// Reads the next character.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Reads `expected` if it is next.
    #[inline]
    pub(crate) fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.at += expected.len_utf8();
        }
        found
    }

    /// Reads `expected` if it is next.
    pub(crate) fn eat_str(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    /// Skips past the `]` of a bracket whose `[` has been read. Returns whether there was one.
    pub(crate) fn skip_bracket(&mut self) -> bool {
        while let Some(c) = self.next() {
            match c {
                ']' => return true,
                '\\' => {
                    self.next();
                }
                _ => {}
            }
        }
        false
    }

    /// Reads a digit in this radix if one is next.
    pub(crate) fn eat_digit(&mut self, radix: u32) -> Option<u32> {
        let digit = self.peek()?.to_digit(radix)?;
        self.at += 1;
        Some(digit)
    }

    /// Reads exactly `count` hexadecimal digits, or nothing.
    pub(crate) fn eat_hex(&mut self, count: usize) -> Option<u32> {
        let start = self.at;
        let mut value = 0;
        for _ in 0..count {
            match self.eat_digit(16) {
                Some(digit) => value = value * 16 + digit,
                None => {
                    self.at = start;
                    return None;
                }
            }
        }
        Some(value)
    }

    /// Reads a decimal number, saturating just below `u32::MAX`.
    pub(crate) fn eat_decimal(&mut self) -> Option<u32> {
        let mut value = self.eat_digit(10)?;
        while let Some(digit) = self.eat_digit(10) {
            value = value.saturating_mul(10).saturating_add(digit);
        }
        Some(value.min(u32::MAX - 1))
    }
}
