//! A small generator of pseudo-random numbers.

/// SplitMix64: a seed gives the same sequence on every machine.
///
/// # Example
///
/// ```
/// use toolsure_testkit::differential::random::Random;
///
/// let mut one = Random::new(7);
/// let mut two = Random::new(7);
/// assert_eq!(one.below(1000), two.below(1000));
/// ```
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that starts at `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound` (0 if `bound` is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX);
        let picked = self.bits().checked_rem(bound).unwrap_or(0);
        usize::try_from(picked).unwrap_or(0)
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`; the type's default if there are none.
    pub fn pick<T: Copy + Default>(&mut self, choices: &[T]) -> T {
        let at = self.below(choices.len());
        choices.get(at).copied().unwrap_or_default()
    }
}
