//! Finds the end of a plain run: of the part of a string that stands for itself.

use crate::int;

/// The index of the first byte from `start` that ends a plain run: a quote, a backslash, a control
/// character, or the end of the source.
#[inline(always)]
pub(super) fn plain_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut rest = bytes.get(start..).unwrap_or_default();
    // Without vector instructions, words are faster than blocks.
    if cfg!(any(
        target_feature = "sse2",
        target_feature = "neon",
        target_feature = "simd128"
    )) {
        while let Some((block, others)) = rest.split_first_chunk::<16>() {
            let ends = ends_in_block(*block);
            if ends != 0 {
                return at + int::to_usize(ends.trailing_zeros());
            }
            at += 16;
            rest = others;
        }
        if let Some(last) = bytes.last_chunk::<16>() {
            // The bytes before `at` are in the block as well.
            let ends = ends_in_block(*last) >> (16 - rest.len());
            return match ends {
                0 => at + rest.len(),
                ends => at + int::to_usize(ends.trailing_zeros()),
            };
        }
    }
    while let Some((word, others)) = rest.split_first_chunk::<8>() {
        let ends = ends_in_word(u64::from_le_bytes(*word));
        if ends != 0 {
            return at + int::to_usize(ends.trailing_zeros() >> 3);
        }
        at += 8;
        rest = others;
    }
    let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1f);
    at + rest.iter().position(ends).unwrap_or(rest.len())
}

/// A bit for each byte that ends a run, the lowest for the first byte.
#[inline(always)]
fn ends_in_block(block: [u8; 16]) -> u32 {
    let text = wide::u8x16::new(block);
    let quote = text.simd_eq(wide::u8x16::splat(b'"'));
    let backslash = text.simd_eq(wide::u8x16::splat(b'\\'));
    let control = text.simd_eq(text.min(wide::u8x16::splat(0x1f)));
    (quote | backslash | control).to_bitmask()
}

/// The high bit of each byte that ends a run. Only the lowest set bit is exact: a borrow may set
/// wrong bits above it, never below.
#[inline(always)]
const fn ends_in_word(word: u64) -> u64 {
    // Each of these goes below 0 in the bytes that it looks for, if they are below 0x80.
    let control = word.wrapping_sub(ONES * 0x20);
    let quote = (word ^ (ONES * 0x22)).wrapping_sub(ONES);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    (control | quote | backslash) & !word & (ONES * 0x80)
}

const ONES: u64 = 0x0101_0101_0101_0101;

#[cfg(test)]
mod tests {
    use super::*;

    /// Each byte value at each position of a word and of a block, among bytes that must not mislead.
    #[test]
    fn runs_end_where_they_should() {
        for around in [0x20, 0x21, 0x23, 0x5b, 0x5d, 0x7f, 0x80, 0xa2, 0xdc, 0xff] {
            for length in [1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33] {
                for place in 0..length {
                    for byte in 0..=255 {
                        let mut bytes = vec![around; length];
                        bytes[place] = byte;
                        let ends = matches!(byte, 0..=0x1f | b'"' | b'\\');
                        let expect = if ends { place } else { length };
                        assert_eq!(plain_end(&bytes, 0), expect, "{bytes:?}");
                        bytes.extend(*b"\"\"\\\x00\"\"\"\"");
                        assert_eq!(plain_end(&bytes, 0), expect, "{bytes:?}");
                        bytes.splice(..0, *b"\"\\\0\"\"");
                        assert_eq!(plain_end(&bytes, 5), expect + 5, "{bytes:?}");
                        bytes.truncate(length + 5);
                        assert_eq!(plain_end(&bytes, 5), expect + 5, "{bytes:?}");
                    }
                }
            }
        }
        assert_eq!(plain_end(b"", 0), 0);
        assert_eq!(plain_end(b"\"", 1), 1);
        assert_eq!(plain_end(b"a", 2), 2);
    }
}
