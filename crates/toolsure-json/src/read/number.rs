//! Numbers: the grammar, the digit limit, and the value of short integers.

use crate::bits;
use crate::error::{ReadError, ReadErrorKind};
use crate::read::Pass;
use crate::tape::{Slot, Tag};

impl Pass<'_, '_> {
    /// Reads a number, at its sign or first digit.
    #[inline]
    pub(super) fn number(&mut self, parent: u32) -> Result<(), ReadError> {
        let start = self.at;
        let small = self.number_text()?;
        let bits = small.unwrap_or_default().cast_unsigned();
        self.push(Slot {
            start: bits::to_offset(start),
            end: bits::to_offset(self.at),
            a: bits::high(bits),
            b: bits::low(bits),
            c: parent,
            tag: if small.is_some() {
                Tag::Small
            } else {
                Tag::Number
            },
        })
    }

    /// Passes a number, at its sign or first digit. Returns the value of a short integer.
    #[inline(always)]
    pub(super) fn number_text(&mut self) -> Result<Option<i64>, ReadError> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        if negative {
            self.at += 1;
        }
        let whole_start = self.at;
        let mut value: u64 = 0;
        while let Some(byte @ b'0'..=b'9') = self.peek() {
            // Wraps for long numbers, which do not use it.
            value = value.wrapping_mul(10).wrapping_add(u64::from(byte & 0xf));
            self.at += 1;
        }
        let whole = self.at - whole_start;
        if whole == 0 {
            return Err(self.bad_number("a digit"));
        }
        if whole > 1 && self.bytes.get(whole_start) == Some(&b'0') {
            self.at = whole_start + 1;
            return Err(self.bad_number("no digit after a leading zero"));
        }
        let fractional = matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        if fractional || whole > SMALL_DIGITS {
            self.long_number(start, whole)?;
            return Ok(None);
        }
        if whole > self.limits.digits {
            return Err(self.too_long(start));
        }
        let magnitude = value.cast_signed();
        Ok(Some(if negative { -magnitude } else { magnitude }))
    }

    /// Passes the part after the whole digits, if there is one.
    fn long_number(&mut self, start: usize, whole: usize) -> Result<(), ReadError> {
        let mut digits = whole;
        if self.peek() == Some(b'.') {
            self.at += 1;
            digits += self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            let exponent = self.digits()?;
            self.tape.has_long_numbers |= exponent >= LONG_EXPONENT;
            digits += exponent;
        }
        self.tape.has_long_numbers |= whole >= LONG_WHOLE;
        if digits > self.limits.digits {
            return Err(self.too_long(start));
        }
        Ok(())
    }

    /// Skips and counts digits; there must be at least one.
    #[inline]
    fn digits(&mut self) -> Result<usize, ReadError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.bad_number("a digit"));
        }
        Ok(self.at - start)
    }

    #[cold]
    fn bad_number(&self, expected: &'static str) -> ReadError {
        if self.at >= self.bytes.len() {
            return self.unexpected(expected);
        }
        ReadError::new(ReadErrorKind::InvalidNumber, self.at).expected(expected, self.source)
    }

    #[cold]
    fn too_long(&self, start: usize) -> ReadError {
        ReadError::over(
            ReadErrorKind::TooManyDigits,
            start,
            "digits",
            self.limits.digits,
        )
    }
}

/// Integers of up to this many digits fit `i64`.
const SMALL_DIGITS: usize = 18;
/// Doubles end below 1.8 × 10^308: a number beyond them has an exponent of so many digits, or
/// so many digits before the point. (A shorter exponent with more digits than the second is covered
/// by the second.)
const LONG_EXPONENT: usize = 3;
const LONG_WHOLE: usize = 200;
