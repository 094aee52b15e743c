//! How much is generated.

/// Limits of one run, and its seed.
#[derive(Clone, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "callers write some fields and `..Options::default()`; a new field breaks only those that write all"
)]
pub struct Options {
    /// Where the pseudo-random choices start. Default 1.
    pub seed: u64,
    /// The maximum number of valid instances. Default 2,000.
    pub valid: usize,
    /// The maximum number of invalid instances. Default 2,000.
    pub invalid: usize,
    /// The maximum number of attempts in all. Default 20,000.
    pub attempts: usize,
    /// The maximum fuel for all checks together, in the engine's units. Default 100,000,000.
    pub fuel: u64,
    /// The maximum work of making instances, in names of members that are looked at, of about 20 ns; a value counts as ten.
    /// Default 20,000,000.
    pub work: usize,
    /// The maximum number of values in one instance. Default 400.
    pub values: usize,
    /// The maximum size of one instance in bytes. Default 64 KiB.
    pub bytes: usize,
    /// The maximum depth to which optional members and items are included. Default 4.
    pub depth: usize,
    /// Whether every instance must be an object, as the arguments of calls are. Default `false`.
    pub objects: bool,
    /// Whether [`Variations`](crate::Variations) leave out integers that programs with doubles may change: those of 2^53 and more,
    /// where only integers are allowed. Default `false`.
    pub interoperable: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seed: 1,
            valid: 2_000,
            invalid: 2_000,
            attempts: 20_000,
            fuel: 100_000_000,
            work: 20_000_000,
            values: 400,
            bytes: 64 << 10,
            depth: 4,
            objects: false,
            interoperable: false,
        }
    }
}
