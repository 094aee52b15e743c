//! What the diff of one tool may use.

/// The limits of the diff of one tool; a whole listing may take fifty times as much, and anything beyond
/// that is [`Class::Unknown`](super::Class::Unknown).
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "built by struct update from the default"
)]
pub struct Limits {
    /// Pairs of subschemas that are compared. Default 20,000.
    pub pairs: usize,
    /// Instances that are generated and checked, in each direction. Default 300.
    pub instances: usize,
    /// Units of work of all checks together. Default 5,000,000, some 100 ms.
    pub fuel: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pairs: 20_000,
            instances: 300,
            fuel: 5_000_000,
        }
    }
}
