//! What the diff of one tool may use.

/// The limits of the diff of one tool; a whole listing may take fifty times as much, and anything beyond
/// that is [`Class::Unknown`](super::Class::Unknown).
///
/// ```
/// use toolsure_analysis::diff::{Class, Differ, Limits};
///
/// let old = r#"{"name": "find", "inputSchema": {"type": "object", "minProperties": 1}}"#;
/// let new = r#"{"name": "find", "inputSchema": {"type": "object", "minProperties": 2}}"#;
/// assert_eq!(Differ::new().diff([old], [new]).class(), Some(Class::Breaking));
/// let none = Limits { pairs: 0, instances: 0, ..Limits::default() };
/// let differ = Differ::new().limits(none);
/// assert_eq!(differ.diff([old], [new]).class(), Some(Class::Unknown));
/// ```
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
