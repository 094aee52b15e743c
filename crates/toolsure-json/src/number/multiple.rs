//! Whether one decimal is a whole multiple of another, at any size.
//!
//! Let the value be `c × 10^p` and the divisor `d × 10^q`, where neither `c`
//! nor `d` has a factor 10, and `k = p - q`. If `k < 0`, the quotient can only
//! be whole if `10^-k` divides `c`, which it does not. If `k >= 0`, `d` must
//! divide `c × 10^k`. Having no factor 10, `d` is `2^n × r` or `5^n × r` with
//! `r` free of 2 and 5; the power of ten takes care of `min(n, k)` of those
//! factors and of nothing else, so the rest of `d` must divide `c` itself.
//! No power of ten is ever computed, and exponents cost nothing.

use std::num::{NonZeroU32, NonZeroU64, NonZeroU128};

use super::decimal::Decimal;
use crate::bits;
use crate::int;

/// Neither is 0; signs do not matter.
pub(super) fn is_multiple(value: &Decimal<'_>, divisor: &Decimal<'_>) -> bool {
    let powers = match u64::try_from(value.scale_difference(divisor)) {
        Ok(powers) => powers,
        Err(_) => return false,
    };
    if let Some((_, divisor, _)) = divisor.short() {
        return is_multiple_of_long(value, without_powers(divisor, powers));
    }
    let mut limbs = limbs_of(divisor);
    take_powers(&mut limbs, powers);
    match limbs.as_slice() {
        [] => false,
        [low] => is_multiple_of_long(value, u64::from(*low)),
        [low, high] => is_multiple_of_long(value, bits::join(*high, *low)),
        _ => is_multiple_of_limbs(value, limbs),
    }
}

/// Removes up to `powers` factors 2, or else 5, from a divisor without factor 10.
fn without_powers(mut divisor: u64, powers: u64) -> u64 {
    let twos = u64::from(divisor.trailing_zeros());
    if twos > 0 {
        return divisor >> twos.min(powers);
    }
    let mut left = powers;
    while left > 0 && divisor.is_multiple_of(5) {
        divisor /= 5;
        left -= 1;
    }
    divisor
}

/// Whether a divisor of 64 bits divides the number formed by the value's digits.
fn is_multiple_of_long(value: &Decimal<'_>, divisor: u64) -> bool {
    // Nothing is a multiple of 0, and no caller passes 0.
    let Some(divisor) = NonZeroU128::new(u128::from(divisor)) else {
        return false;
    };
    let mut rest: u64 = 0;
    for (chunk, power) in Chunks::of(value, 18) {
        let next = u128::from(rest) * u128::from(power) + u128::from(chunk);
        rest = bits::low_long(next % divisor);
    }
    rest == 0
}

/// Whether a divisor of three limbs or more divides the number formed by the value's digits.
///
/// Long division, nine digits of the value at a time, as in Knuth's algorithm
/// D: the divisor is shifted until its highest bit is set, so that its two
/// highest limbs give each quotient with an error of at most 2.
fn is_multiple_of_limbs(value: &Decimal<'_>, mut divisor: Vec<u32>) -> bool {
    let shift = divisor.last().map_or(0, |limb| limb.leading_zeros());
    shift_left(&mut divisor, shift);
    let [.., second, first] = divisor.as_slice() else {
        return false;
    };
    let leading = u128::from(bits::join(*first, *second));
    let mut rest = vec![0_u32; divisor.len() + 1];
    for (chunk, power) in Chunks::of(value, 9) {
        // The rest is below the divisor, so one more limb holds the product.
        let mut carry = chunk << shift;
        for limb in &mut rest {
            let sum = u64::from(*limb) * power + carry;
            *limb = bits::low(sum);
            carry = u64::from(bits::high(sum));
        }
        let [.., third, second, first] = rest.as_slice() else {
            return false;
        };
        let top = u128::from(bits::join(*first, *second)) << 32 | u128::from(*third);
        let quotient = top.checked_div(leading).map_or(0, bits::low_long);
        let mut over = subtract_product(&mut rest, &divisor, quotient);
        while over {
            over = !add(&mut rest, &divisor);
        }
    }
    rest.iter().all(|limb| *limb == 0)
}

/// `rest -= divisor × factor`; returns whether that went below 0. `factor` is below 2^32.
fn subtract_product(rest: &mut [u32], divisor: &[u32], factor: u64) -> bool {
    let mut carry: u64 = 0;
    let mut borrow = false;
    let padded = divisor.iter().copied().chain(std::iter::repeat(0));
    for (limb, times) in rest.iter_mut().zip(padded) {
        let product = u64::from(times) * factor + carry;
        carry = u64::from(bits::high(product));
        let (less, under) = limb.overflowing_sub(bits::low(product));
        let (less, under_again) = less.overflowing_sub(u32::from(borrow));
        *limb = less;
        borrow = under || under_again;
    }
    borrow
}

/// `rest += divisor`; returns whether that carried out of the highest limb.
fn add(rest: &mut [u32], divisor: &[u32]) -> bool {
    let mut carry: u64 = 0;
    let padded = divisor.iter().copied().chain(std::iter::repeat(0));
    for (limb, more) in rest.iter_mut().zip(padded) {
        let sum = u64::from(*limb) + u64::from(more) + carry;
        *limb = bits::low(sum);
        carry = u64::from(bits::high(sum));
    }
    carry > 0
}

/// The digits as an integer, lowest limb first, without leading zero limbs.
fn limbs_of(decimal: &Decimal<'_>) -> Vec<u32> {
    let mut limbs: Vec<u32> = Vec::with_capacity(decimal.count() / 9 + 1);
    for (chunk, power) in Chunks::of(decimal, 9) {
        let mut carry = chunk;
        for limb in &mut limbs {
            let sum = u64::from(*limb) * power + carry;
            *limb = bits::low(sum);
            carry = u64::from(bits::high(sum));
        }
        if carry > 0 {
            limbs.push(bits::low(carry));
        }
    }
    limbs
}

/// As [`without_powers`], for many limbs.
fn take_powers(limbs: &mut Vec<u32>, powers: u64) {
    let zero_limbs = limbs.iter().take_while(|limb| **limb == 0).count();
    let bits = limbs
        .get(zero_limbs)
        .map_or(0, |limb| limb.trailing_zeros());
    let twos = int::to_u64(zero_limbs) * 32 + u64::from(bits);
    if twos > 0 {
        let twos = twos.min(powers);
        let whole = usize::try_from(twos / 32).unwrap_or(usize::MAX);
        limbs.drain(..whole.min(limbs.len()));
        shift_right(limbs, bits::low(twos % 32));
        trim(limbs);
        return;
    }
    let mut left = powers;
    for (factor, count) in [(FIVE_TO_13, 13), (FIVE, 1)] {
        while left >= count && remainder(limbs, factor) == 0 {
            divide(limbs, factor);
            left -= count;
        }
    }
}

fn remainder(limbs: &[u32], divisor: NonZeroU32) -> u32 {
    let divisor = NonZeroU64::from(divisor);
    let step = |rest: u32, limb: &u32| bits::low(bits::join(rest, *limb) % divisor);
    limbs.iter().rev().fold(0, step)
}

fn divide(limbs: &mut Vec<u32>, divisor: NonZeroU32) {
    let divisor = NonZeroU64::from(divisor);
    let mut rest = 0;
    for limb in limbs.iter_mut().rev() {
        let next = bits::join(rest, *limb);
        *limb = bits::low(next / divisor);
        rest = bits::low(next % divisor);
    }
    trim(limbs);
}

/// Shifts left by less than 32 bits; bits that leave the highest limb are lost.
fn shift_left(limbs: &mut [u32], bits: u32) {
    let mut carry = 0;
    for limb in limbs {
        let wide = u64::from(*limb) << bits;
        *limb = bits::low(wide) | carry;
        carry = bits::high(wide);
    }
}

/// Shifts right by less than 32 bits.
fn shift_right(limbs: &mut [u32], bits: u32) {
    let mut carry = 0;
    for limb in limbs.iter_mut().rev() {
        let wide = bits::join(*limb, 0) >> bits;
        *limb = bits::high(wide) | carry;
        carry = bits::low(wide);
    }
}

fn trim(limbs: &mut Vec<u32>) {
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
}

/// A decimal's digits in groups, each with its value and `10^length`.
struct Chunks<I> {
    digits: I,
    length: u32,
}

impl<'a> Chunks<std::iter::Empty<&'a u8>> {
    /// Groups of `length` digits, at most 18; the last may be shorter.
    fn of(decimal: &Decimal<'a>, length: u32) -> Chunks<impl Iterator<Item = u8> + use<'a>> {
        Chunks {
            digits: decimal.digits(),
            length,
        }
    }
}

impl<I: Iterator<Item = u8>> Iterator for Chunks<I> {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        let mut value = 0;
        let mut power = 1;
        for _ in 0..self.length {
            let Some(digit) = self.digits.next() else {
                break;
            };
            value = value * 10 + u64::from(digit & 0xf);
            power *= 10;
        }
        (power > 1).then_some((value, power))
    }
}

/// The largest power of 5 that fits a limb.
const FIVE_TO_13: NonZeroU32 = FIVE.saturating_pow(13);
const FIVE: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);
