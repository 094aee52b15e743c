//! What a check may use.

/// The fuel and the depth that a check may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) fuel: u64,
    pub(crate) depth: u32,
}

impl Allowance {
    /// What the pass that checks a text while it is read may use. If that pass cannot decide, what
    /// it spent is lost, and the whole text is checked with all of the fuel.
    pub(crate) fn for_first_pass(self) -> Self {
        let fuel = self.fuel.min(LEAST_FUEL.max(self.fuel / 4));
        Self { fuel, ..self }
    }
}

/// Fuel of which the first pass may use all.
const LEAST_FUEL: u64 = 1 << 14;
