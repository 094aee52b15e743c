//! Strings and keys: finds their end, checks and decodes escapes.

use crate::bits;
use crate::error::{ReadError, ReadErrorKind};
use crate::hash::{key_hash, key_hash_bytes};
use crate::read::Pass;
use crate::read::plain::plain_end;
use crate::tape::{Slot, Tag};

impl Pass<'_, '_> {
    /// Reads a string value, at its opening quote.
    #[inline(always)]
    pub(super) fn string(&mut self, parent: u32) -> Result<(), ReadError> {
        let start = self.at;
        self.at = plain_end(self.bytes, start + 1);
        if self.peek() != Some(b'"') {
            return self.escaped(start, Tag::Escaped, parent);
        }
        self.at += 1;
        self.push(Slot {
            start: bits::to_offset(start),
            end: bits::to_offset(self.at),
            a: 0,
            b: 0,
            c: parent,
            tag: Tag::String,
        })
    }

    /// Reads a key and its colon, and skips to the member's value.
    #[inline(always)]
    pub(super) fn key(&mut self, expected: &'static str) -> Result<(), ReadError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(expected));
        }
        let start = self.at;
        self.at = plain_end(self.bytes, start + 1);
        if self.peek() == Some(b'"') {
            let Some(text) = self.bytes.get(start + 1..self.at) else {
                return Err(ReadError::internal(start, OUTSIDE));
            };
            let hash = key_hash_bytes(text);
            self.keys.push(hash, bits::to_offset(self.tape.slots.len()));
            self.at += 1;
            self.push(Slot {
                start: bits::to_offset(start),
                end: bits::to_offset(self.at),
                a: 0,
                b: 0,
                c: hash,
                tag: Tag::Key,
            })?;
        } else {
            self.escaped(start, Tag::EscapedKey, 0)?;
        }
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

    /// Continues where the plain run of the string or key that began at `start` ended without a
    /// closing quote.
    #[cold]
    #[inline(never)]
    fn escaped(&mut self, start: usize, tag: Tag, parent: u32) -> Result<(), ReadError> {
        let scratch_start = self.tape.scratch.len();
        let mut run = start + 1;
        loop {
            let Some(plain) = self.source.get(run..self.at) else {
                return Err(ReadError::internal(start, OUTSIDE));
            };
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
        let mut slot = Slot {
            start: bits::to_offset(start),
            end: bits::to_offset(self.at),
            a: bits::to_offset(scratch_start),
            b: bits::to_offset(self.tape.scratch.len()),
            c: parent,
            tag,
        };
        if tag == Tag::EscapedKey {
            let Some(text) = self.tape.scratch.get(scratch_start..) else {
                return Err(ReadError::internal(start, OUTSIDE));
            };
            slot.c = key_hash(text);
            self.keys
                .push(slot.c, bits::to_offset(self.tape.slots.len()));
        }
        self.push(slot)
    }

    /// Decodes one escape, at its backslash.
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

    /// Decodes `\uXXXX`, or two of them that form a surrogate pair, at the `u`; the backslash is at
    /// `start`.
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

/// The message of an internal error for a string that is not in its source.
const OUTSIDE: &str = "a string outside the source";
