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
    /// closing quote, and puts it on the tape.
    #[cold]
    #[inline(never)]
    fn escaped(&mut self, start: usize, tag: Tag, parent: u32) -> Result<(), ReadError> {
        let scratch_start = self.tape.scratch.len();
        let mut scratch = std::mem::take(&mut self.tape.scratch);
        let ended = self.with_escapes(start, |part| match part {
            Part::Plain(text) => scratch.push_str(text),
            Part::Escape(character) => scratch.push(character),
        });
        self.tape.scratch = scratch;
        ended?;
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

    /// Passes the rest of a string that began at `start` and whose first plain run ends here, and
    /// its closing quote. Calls `part` with each part of its value.
    #[inline(always)]
    pub(super) fn with_escapes(
        &mut self,
        start: usize,
        mut part: impl FnMut(Part<'_>),
    ) -> Result<(), ReadError> {
        let mut run = start + 1;
        loop {
            if run < self.at {
                let Some(plain) = self.source.get(run..self.at) else {
                    return Err(ReadError::internal(start, OUTSIDE));
                };
                part(Part::Plain(plain));
            }
            run = self.at;
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    part(Part::Escape(self.escape()?));
                    run = self.at;
                }
                Some(0..=0x1f) => {
                    return Err(ReadError::new(ReadErrorKind::ControlCharacter, self.at)
                        .expected("a character", self.source));
                }
                Some(_) => self.at = plain_end(self.bytes, run),
                None => return Err(self.unexpected("`\"`")),
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Decodes one escape, at its backslash.
    #[inline]
    fn escape(&mut self) -> Result<char, ReadError> {
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
        Ok(character)
    }

    /// Decodes `\uXXXX`, or two of them that form a surrogate pair, at the `u`; the backslash is at
    /// `start`.
    fn unicode_escape(&mut self, start: usize) -> Result<char, ReadError> {
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
        char::from_u32(code).ok_or_else(lone)
    }

    /// Reads the `u` and four hexadecimal digits of the escape at `start`.
    #[inline]
    fn four_digits(&mut self, start: usize) -> Result<u32, ReadError> {
        self.at += 1;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let code = rest.first_chunk::<4>().and_then(|digits| {
            let digits = digits.iter();
            let mut values = digits.map(|byte| char::from(*byte).to_digit(16));
            values.try_fold(0, |code, digit| Some(code << 4 | digit?))
        });
        let Some(code) = code else {
            return Err(self.not_four_digits(start));
        };
        self.at += 4;
        Ok(code)
    }

    /// The error for an escape at `start` that lacks hexadecimal digits, which should be here.
    #[cold]
    fn not_four_digits(&mut self, start: usize) -> ReadError {
        while self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
            self.at += 1;
        }
        if self.peek().is_none() {
            return self.unexpected("four hexadecimal digits");
        }
        ReadError::new(ReadErrorKind::InvalidEscape, start)
            .expected("four hexadecimal digits after `\\u`", self.source)
    }
}

/// A part of a string's value.
pub(super) enum Part<'s> {
    Plain(&'s str),
    /// The character that an escape stands for.
    Escape(char),
}

/// The message of an internal error for a string that is not in its source.
const OUTSIDE: &str = "a string outside the text";
