//! Workloads: schemas with valid and, where there are some, invalid instances.

/// Workloads that are measured together.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its name in the table.
    pub name: String,
    /// `synthetic`, `bench` or `corpus`.
    pub origin: &'static str,
    /// The schemas with their instances.
    pub schemas: Vec<Workload>,
}

/// One schema with its instances, all as JSON text.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The schema.
    pub schema: String,
    /// Instances that it accepts.
    pub valid: Vec<String>,
    /// Instances that it does not.
    pub invalid: Vec<String>,
}

impl Set {
    /// How many valid instances the set has.
    #[must_use]
    pub fn instances(&self) -> usize {
        self.schemas
            .iter()
            .map(|workload| workload.valid.len())
            .sum()
    }
}
