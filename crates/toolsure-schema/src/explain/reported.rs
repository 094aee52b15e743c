//! Remembers what has been reported, so that nothing is reported twice.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use smallvec::SmallVec;

use crate::int::units;

/// A subschema in a dynamic scope, a value, and the branch of a union it is in.
pub(super) type ReportKey = (u32, usize, u32);

/// The failing subschemas that have been reported.
#[derive(Debug, Default)]
pub(super) struct Reported {
    few: SmallVec<[ReportKey; FEW]>,
    /// All of them, if there are more than a few.
    many: HashSet<ReportKey, BuildHasherDefault<Mixer>>,
}

/// A fast hash of numbers that no attacker chooses: indexes and addresses.
#[derive(Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(units(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(29) ^ number).wrapping_mul(FACTOR);
        self.0 ^= self.0 >> 32;
    }
}

impl Reported {
    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    /// Records one; returns whether it is new.
    pub(super) fn insert(&mut self, one: ReportKey) -> bool {
        if self.few.len() < FEW {
            let new = !self.few.contains(&one);
            if new {
                self.few.push(one);
            }
            return new;
        }
        if self.many.is_empty() {
            self.many.reserve(MANY);
            self.many.extend(self.few.iter().copied());
        }
        self.many.insert(one)
    }
}

/// An odd number whose bits look random.
const FACTOR: u64 = 0xff51_afd7_ed55_8ccd;
/// Up to this many are searched one by one.
const FEW: usize = 16;
/// Initial capacity if there are more than a few.
const MANY: usize = 192;
