//! A fast, fixed 32-bit hash for member names.

use crate::bits;
use crate::int;

/// Hashes a member name.
///
/// The hash is the same in every process and on every platform, so it can be computed when a schema
/// is compiled and compared with what the tape stores. It is not keyed: the author of the text can
/// make names collide, and every user in this crate keeps its bound if they do.
///
/// Costs one multiplication for up to 16 bytes, and one for each 8 further bytes.
///
/// ```
/// assert_eq!(toolsure_json::key_hash("id"), 0x6e9e_cd8b);
/// ```
#[inline]
#[must_use]
pub fn key_hash(text: &str) -> u32 {
    key_hash_bytes(text.as_bytes())
}

/// As [`key_hash`], for the bytes of a string.
#[inline]
pub(crate) fn key_hash_bytes(text: &[u8]) -> u32 {
    bits::high(hash_bytes(text))
}

/// A name's length and its two ends as words: all of a name of up to 16 bytes, and enough to
/// distinguish most longer ones.
///
/// ```
/// use toolsure_json::{NameEnds, key_hash};
///
/// let ends = NameEnds::of(b"name");
/// assert_eq!((ends.length(), ends.tail(), ends.is_whole()), (4, 0, true));
/// assert_eq!(ends.hash(b"name"), key_hash("name"));
/// assert!(ends.head() > NameEnds::of(b"id").head());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NameEnds {
    length: usize,
    head: u64,
    tail: u64,
}

impl NameEnds {
    /// The ends of a name.
    #[inline(always)]
    #[must_use]
    pub fn of(name: &[u8]) -> Self {
        let (head, tail) = ends(name);
        Self {
            length: name.len(),
            head,
            tail,
        }
    }

    /// The first eight bytes as a word: names whose heads differ sort in the order of these words.
    #[inline]
    #[must_use]
    pub const fn head(self) -> u64 {
        self.head
    }

    /// The last eight bytes as a word; 0 if there are fewer.
    #[inline]
    #[must_use]
    pub const fn tail(self) -> u64 {
        self.tail
    }

    /// The name's length in bytes.
    #[inline]
    #[must_use]
    pub const fn length(self) -> usize {
        self.length
    }

    /// Whether equal ends mean equal names.
    #[inline]
    #[must_use]
    pub const fn is_whole(self) -> bool {
        self.length <= ENDS
    }

    /// The [`key_hash`] of the name with these ends.
    #[inline]
    #[must_use]
    pub fn hash(self, name: &[u8]) -> u32 {
        let start = seed(name.len());
        bits::high(if self.is_whole() {
            mix(start ^ self.head, FINAL ^ self.tail)
        } else {
            long(name, start, self.tail)
        })
    }
}

/// The 64-bit hash of a string; [`key_hash`] is its upper half. Fixed and not keyed: strings with
/// the same hash can be made on purpose.
///
/// ```
/// use toolsure_json::{hash_bytes, key_hash};
///
/// assert_eq!(hash_bytes(b"id") >> 32, u64::from(key_hash("id")));
/// ```
#[inline]
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let start = seed(bytes.len());
    let (head, tail) = ends(bytes);
    if bytes.len() <= ENDS {
        mix(start ^ head, FINAL ^ tail)
    } else {
        long(bytes, start, tail)
    }
}

/// The hash of more than 16 bytes.
#[inline]
fn long(bytes: &[u8], start: u64, tail: u64) -> u64 {
    let mut state = start;
    let mut rest = bytes;
    while rest.len() > 8 {
        let Some((word, after)) = rest.split_first_chunk::<8>() else {
            break;
        };
        state = mix(state ^ u64::from_le_bytes(*word), FACTOR);
        rest = after;
    }
    mix(state ^ tail, FINAL)
}

/// The state before the first byte. Spreads the length over all bits, so that no change of a letter
/// compensates for a change of length.
#[inline]
fn seed(length: usize) -> u64 {
    SEED ^ int::to_u64(length).wrapping_mul(FACTOR)
}

/// The first eight bytes as a word that sorts as they do, padded with zeros if there are fewer than
/// eight, and the last eight as a word, or 0.
#[inline(always)]
fn ends(bytes: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        return (u64::from_be_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let last = u64::from(u32::from_be_bytes(*last)) << ((8 - bytes.len()) * 8);
        return (u64::from(u32::from_be_bytes(*first)) << 32 | last, 0);
    }
    let word = match bytes {
        [a] => u64::from(*a) << 56,
        [a, b] => u64::from(*a) << 56 | u64::from(*b) << 48,
        [a, b, c] => u64::from(*a) << 56 | u64::from(*b) << 48 | u64::from(*c) << 40,
        _ => 0,
    };
    (word, 0)
}

/// Multiplies to 128 bits and folds the halves together.
#[inline]
pub(crate) fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    bits::low_long(product) ^ bits::low_long(product >> 64)
}

/// Odd constants without structure: the leading bits of the fractional parts
/// of the square roots of 2, 3 and 5.
const SEED: u64 = 0x6a09_e667_f3bc_c908;
const FACTOR: u64 = 0xbb67_ae85_84ca_a73b;
const FINAL: u64 = 0x3c6e_f372_fe94_f82b;
/// The number of bytes that the two ends hold.
const ENDS: usize = 16;

/// The 8 bytes that must follow `first` so that strings of 24 bytes with the same ending hash to
/// one value: the last steps are the same if their input is.
#[cfg(test)]
pub(crate) fn colliding_second_word(first: [u8; 8]) -> [u8; 8] {
    let state = mix(seed(24) ^ u64::from_le_bytes(first), FACTOR);
    (state ^ 0x0123_4567_89ab_cdef).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The hash is part of the interface: schemas are compiled against it.
    #[test]
    fn is_fixed() {
        for (text, hash) in FIXED {
            assert_eq!(key_hash(text), *hash, "{text:?}: {:#x}", key_hash(text));
        }
    }

    #[test]
    fn tells_near_texts_apart() {
        let mut texts: Vec<String> = (0..20_000).map(|n| format!("key{n}")).collect();
        texts.extend((0..64).map(|length| "a".repeat(length)));
        texts.extend((1..64).map(|length| "\0".repeat(length)));
        for length in 0..20 {
            for place in 0..length {
                let mut text = vec![b'a'; length];
                text[place] = b'b';
                texts.push(String::from_utf8(text).unwrap());
            }
        }
        let different: HashSet<&str> = texts.iter().map(String::as_str).collect();
        let hashes: HashSet<u32> = different.iter().map(|text| key_hash(text)).collect();
        // 20,000 random 32-bit numbers have 0.05 collisions on average.
        assert!(hashes.len() + 3 > different.len(), "{}", hashes.len());
    }

    const FIXED: &[(&str, u32)] = &[
        ("", 0xa428_faa6),
        ("a", 0x1071_ff09),
        ("id", 0x6e9e_cd8b),
        ("url", 0xaba1_e9ef),
        ("name", 0xc604_3a7a),
        ("address", 0xe7d7_978f),
        ("property", 0x941a_9546),
        ("additionalProperties", 0xe0b4_156b),
    ];
}
