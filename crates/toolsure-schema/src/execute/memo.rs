//! Remembers verdicts by (subschema, value), in a flat table that is reused.

use crate::int::to_usize;

/// A set of (node, identity) pairs, each with a verdict.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// Open addressing, linear probing; the length is a power of two or 0.
    slots: Box<[Slot]>,
    used: usize,
    /// Slots of other rounds count as free, so clearing only increments this.
    round: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    round: u32,
    node: u32,
    identity: usize,
    verdict: bool,
}

impl Memo {
    /// Forgets everything in constant time; frees the table if it is large.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if self.used > 0 || self.round == 0 {
            self.forget();
        }
    }

    #[inline(never)]
    fn forget(&mut self) {
        if self.slots.len() > KEPT {
            self.slots = Box::default();
        }
        self.used = 0;
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.slots.fill(Slot::default());
            self.round = 1;
        }
    }

    pub(crate) fn get(&self, node: u32, identity: usize) -> Option<bool> {
        let mut at = self.start(node, identity)?;
        loop {
            let slot = self.slots.get(at)?;
            if slot.round != self.round {
                return None;
            }
            if slot.node == node && slot.identity == identity {
                return Some(slot.verdict);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Stores a verdict. The pair must not be present yet.
    pub(crate) fn insert(&mut self, node: u32, identity: usize, verdict: bool) {
        if (self.used + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.place(Slot {
            round: self.round,
            node,
            identity,
            verdict,
        });
        self.used += 1;
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(SMALLEST);
        let empty = vec![Slot::default(); size].into_boxed_slice();
        let old = std::mem::replace(&mut self.slots, empty);
        for slot in old {
            if slot.round == self.round {
                self.place(slot);
            }
        }
    }

    fn place(&mut self, new: Slot) {
        let Some(mut at) = self.start(new.node, new.identity) else {
            return;
        };
        let mask = self.slots.len() - 1;
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.round != self.round {
                *slot = new;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Where the search for a pair starts; `None` if the table is empty.
    fn start(&self, node: u32, identity: usize) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut mixed = identity ^ to_usize(node).rotate_left(usize::BITS / 2);
        // The finaliser of MurmurHash3, adapted to the width of a word.
        mixed ^= mixed >> (usize::BITS / 2);
        mixed = mixed.wrapping_mul(FACTOR);
        mixed ^= mixed >> (usize::BITS / 2 - 3);
        Some(mixed & mask)
    }
}

const SMALLEST: usize = 64;
/// A larger table is freed when its check is over.
const KEPT: usize = 1 << 15;
#[cfg(target_pointer_width = "64")]
const FACTOR: usize = 0xff51_afd7_ed55_8ccd;
#[cfg(not(target_pointer_width = "64"))]
const FACTOR: usize = 0x85eb_ca6b;

#[cfg(test)]
mod tests {
    use super::Memo;

    #[test]
    fn remembers_until_cleared() {
        let mut memo = Memo::default();
        memo.clear();
        for (n, identity) in (0..1_000_u32).zip((0..).step_by(16)) {
            assert_eq!(memo.get(n % 7, identity), None);
            memo.insert(n % 7, identity, n % 3 == 0);
        }
        for (n, identity) in (0..1_000_u32).zip((0..).step_by(16)) {
            assert_eq!(memo.get(n % 7, identity), Some(n % 3 == 0));
        }
        memo.clear();
        assert_eq!(memo.get(0, 0), None);
    }
}
