//! Strings and keys: finding the end, checking and decoding escapes.

use crate::error::{ReadError, ReadErrorKind};
use crate::hash::key_hash;
use crate::int;
use crate::read::Pass;
use crate::tape::{Slot, Tag};

/// A string's text, and where it went if it had escapes.
struct Text<'s> {
    /// The text between the quotes, if it had no escapes.
    plain: Option<&'s str>,
    scratch_start: u32,
    scratch_end: u32,
}

impl<'s> Pass<'_, 's> {
    /// Reads a string value; its quote is next.
    #[inline]
    pub(super) fn string(&mut self, parent: u32) -> Result<(), ReadError> {
        let start = int::narrow(self.at);
        let text = self.text()?;
        self.push(Slot {
            start,
            end: int::narrow(self.at),
            a: text.scratch_start,
            b: text.scratch_end,
            c: parent,
            tag: if text.plain.is_some() {
                Tag::String
            } else {
                Tag::Escaped
            },
        })
    }

    /// Reads a key and its colon, and skips to the member's value.
    #[inline]
    pub(super) fn key(&mut self, expected: &'static str) -> Result<(), ReadError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(expected));
        }
        let start = int::narrow(self.at);
        let text = self.text()?;
        let (hash, tag) = match text.plain {
            Some(plain) => (key_hash(plain), Tag::Key),
            None => {
                let range = int::wide(text.scratch_start)..int::wide(text.scratch_end);
                let unescaped = self.tape.scratch.get(range).unwrap_or_default();
                (key_hash(unescaped), Tag::EscapedKey)
            }
        };
        self.keys.push(hash, int::narrow(self.tape.slots.len()));
        self.push(Slot {
            start,
            end: int::narrow(self.at),
            a: text.scratch_start,
            b: text.scratch_end,
            c: hash,
            tag,
        })?;
        if self.peek() != Some(b':') {
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:`"));
            }
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Reads from the opening quote past the closing one.
    #[inline]
    fn text(&mut self) -> Result<Text<'s>, ReadError> {
        let start = self.at + 1;
        self.at = plain_end(self.bytes, start);
        if self.peek() == Some(b'"') {
            let plain = self.source.get(start..self.at);
            self.at += 1;
            return Ok(Text {
                plain,
                scratch_start: 0,
                scratch_end: 0,
            });
        }
        self.escaped_text(start)
    }

    /// Goes on where the plain run that began at `start` ended.
    #[cold]
    fn escaped_text(&mut self, start: usize) -> Result<Text<'s>, ReadError> {
        let scratch_start = int::narrow(self.tape.scratch.len());
        let mut run = start;
        loop {
            let plain = self.source.get(run..self.at).unwrap_or_default();
            self.tape.scratch.push_str(plain);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => self.escape()?,
                Some(_) => {
                    return Err(ReadError::new(ReadErrorKind::ControlCharacter, self.at)
                        .expected("a character", self.source));
                }
                None => return Err(self.unexpected("`\"`")),
            }
            run = self.at;
            self.at = plain_end(self.bytes, run);
        }
        self.at += 1;
        Ok(Text {
            plain: None,
            scratch_start,
            scratch_end: int::narrow(self.tape.scratch.len()),
        })
    }

    /// Decodes one escape; its backslash is next.
    fn escape(&mut self) -> Result<(), ReadError> {
        let start = self.at;
        self.at += 1;
        let character = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            Some(_) => {
                return Err(ReadError::new(ReadErrorKind::InvalidEscape, start)
                    .expected("one of `\"\\/bfnrtu` after `\\`", self.source));
            }
            None => return Err(self.unexpected("an escape")),
        };
        self.at += 1;
        self.tape.scratch.push(character);
        Ok(())
    }

    /// Decodes `\uXXXX`, or two of them that make a surrogate pair; its `u` is
    /// next and its backslash at `start`.
    fn unicode_escape(&mut self, start: usize) -> Result<(), ReadError> {
        let lone = || ReadError::new(ReadErrorKind::LoneSurrogate, start);
        let first = self.four_digits(start)?;
        let code = match first {
            0xdc00..=0xdfff => return Err(lone()),
            0xd800..=0xdbff => {
                let second_start = self.at;
                if self.peek() != Some(b'\\') || self.bytes.get(self.at + 1) != Some(&b'u') {
                    return Err(lone());
                }
                self.at += 1;
                let second = self.four_digits(second_start)?;
                if !(0xdc00..=0xdfff).contains(&second) {
                    return Err(lone());
                }
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            }
            code => code,
        };
        self.tape
            .scratch
            .push(char::from_u32(code).ok_or_else(lone)?);
        Ok(())
    }

    /// Reads the `u` and four hexadecimal digits of the escape at `start`.
    fn four_digits(&mut self, start: usize) -> Result<u32, ReadError> {
        self.at += 1;
        let mut code = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else {
                return Err(self.unexpected("four hexadecimal digits"));
            };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(ReadError::new(ReadErrorKind::InvalidEscape, start)
                    .expected("four hexadecimal digits after `\\u`", self.source));
            };
            code = code << 4 | digit;
            self.at += 1;
        }
        Ok(code)
    }
}

/// The index of the first byte from `at` that ends a plain run: a quote, a
/// backslash, a control character, or the end of the source.
#[inline(always)]
fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let ends = run_ends(word);
        if ends != 0 {
            return at + int::wide(ends.trailing_zeros() >> 3);
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..=0x1f) {
            break;
        }
        at += 1;
    }
    at
}

/// The high bit of each byte that ends a run. Only the lowest set bit is
/// exact: a borrow may set wrong bits above it, never below.
#[inline(always)]
const fn run_ends(word: u64) -> u64 {
    let quote = word ^ (ONES * 0x22);
    let backslash = word ^ (ONES * 0x5c);
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & (ONES * 0x80)
}

const ONES: u64 = 0x0101_0101_0101_0101;
