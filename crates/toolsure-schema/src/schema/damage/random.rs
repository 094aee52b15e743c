//! Random numbers for the tests, the same in each run.

/// A xorshift generator.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn choice<'l, T>(&mut self, list: &'l [T]) -> &'l T {
        list.get(self.below(list.len()))
            .expect("a list that is not empty")
    }

    /// A number below `count`, which is not 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let count = u64::try_from(count).unwrap_or(1);
        // The high bits are the most random ones.
        let bits = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        usize::try_from(bits % count).unwrap_or(0)
    }
}
