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
    int::high(hash_bytes(text.as_bytes()))
}

/// The 64-bit hash that [`key_hash`] is the upper half of.
#[inline]
pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let length = int::long(bytes.len());
    if let Some(last) = bytes.last_chunk::<8>() {
        let mut state = SEED ^ length;
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
    mix(SEED ^ length ^ short_word(bytes), FINAL)
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
