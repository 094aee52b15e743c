//! A fast, fixed 32-bit hash for member names.

use crate::int;

/// Hashes a member name.
///
/// The hash is the same in every process and on every platform, so it can be
/// computed when a schema is compiled and compared with what the tape stores.
/// It is not keyed: whoever writes the text can make names collide, and every
/// user in this crate keeps its bound when they do.
///
/// Costs about one multiplication for each 8 bytes.
#[inline]
#[must_use]
pub fn key_hash(text: &str) -> u32 {
    key_hash_bytes(text.as_bytes())
}

/// As [`key_hash`], for the bytes of a text.
#[inline]
pub(crate) fn key_hash_bytes(text: &[u8]) -> u32 {
    int::high(hash_bytes(text))
}

/// The 64-bit hash that [`key_hash`] is the upper half of.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let start = seed(bytes.len());
    if let Some(last) = bytes.last_chunk::<8>() {
        let mut state = start;
        let mut rest = bytes;
        while rest.len() > 8 {
            let Some((word, tail)) = rest.split_first_chunk::<8>() else {
                break;
            };
            state = mix(state ^ u64::from_le_bytes(*word), FACTOR);
            rest = tail;
        }
        return mix(state ^ u64::from_le_bytes(*last), FINAL);
    }
    mix(start ^ short_word(bytes), FINAL)
}

/// The state before the first byte. Spreads the length over all bits, so that
/// no change of a letter makes up for a change of length.
#[inline]
fn seed(length: usize) -> u64 {
    SEED ^ int::long(length).wrapping_mul(FACTOR)
}

/// Up to 7 bytes as one word; different texts of one length give different words.
#[inline]
fn short_word(bytes: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return int::join(u32::from_le_bytes(*first), u32::from_le_bytes(*last)).rotate_left(8);
    }
    match bytes {
        [a] => u64::from(*a) << 8,
        [a, b] => u64::from(*a) << 8 | u64::from(*b) << 16,
        [a, b, c] => u64::from(*a) << 8 | u64::from(*b) << 16 | u64::from(*c) << 24,
        _ => 0,
    }
}

/// Multiplies to 128 bits and folds the halves together.
#[inline]
pub(crate) fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    int::low_long(product) ^ int::low_long(product >> 64)
}

/// Odd constants without structure: the leading bits of the fractional parts
/// of the square roots of 2, 3 and 5.
const SEED: u64 = 0x6a09_e667_f3bc_c908;
const FACTOR: u64 = 0xbb67_ae85_84ca_a73b;
const FINAL: u64 = 0x3c6e_f372_fe94_f82b;

/// The 8 bytes that must follow `first` for the 16-byte text to hash to a
/// fixed value: the last step is the same if its input is.
#[cfg(test)]
pub(crate) fn colliding_second_word(first: [u8; 8]) -> [u8; 8] {
    let state = mix(seed(16) ^ u64::from_le_bytes(first), FACTOR);
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
        ("a", 0xa9f0_9f6d),
        ("id", 0x4e4d_ef3b),
        ("url", 0x505d_eeb1),
        ("name", 0x34ea_2d92),
        ("address", 0xb782_a411),
        ("property", 0x4caf_f414),
        ("additionalProperties", 0xe0b4_156b),
    ];
}
