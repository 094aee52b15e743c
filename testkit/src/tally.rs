//! Counts of passed and failed tests, and the line that reports them.

/// The maximum number of failures that a tally keeps as text. The others are only counted.
const KEPT: usize = 50;

/// The counts of a test run, with the first failures as text.
///
/// # Example
///
/// ```
/// use toolsure_testkit::tally::Tally;
///
/// let mut tally = Tally::default();
/// tally.record(Ok(()));
/// tally.record(Err("draft7/type.json: 1 is not valid".to_owned()));
/// assert_eq!(tally.line(), "1 passed, 1 failed");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many tests passed.
    pub passed: u64,
    /// How many failed.
    pub failed: u64,
    /// The first failures, one line each.
    pub failures: Vec<String>,
}

impl Tally {
    /// Adds the result of one test.
    pub fn record(&mut self, result: Result<(), String>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(reason) => self.fail(reason),
        }
    }

    /// Adds one failed test.
    pub fn fail(&mut self, reason: String) {
        self.failed += 1;
        if self.failures.len() < KEPT {
            self.failures.push(reason);
        }
    }

    /// Adds a test that passes if `holds`, and otherwise fails for this reason.
    pub fn claim(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        self.record(if holds { Ok(()) } else { Err(otherwise()) });
    }

    /// Adds another tally to this one.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        let room = KEPT.saturating_sub(self.failures.len());
        self.failures.extend(other.failures.into_iter().take(room));
    }

    /// `N passed, M failed`
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed)
    }

    /// The kept failures, and how many more there were.
    #[must_use]
    pub fn details(&self) -> String {
        let mut text = String::new();
        for failure in &self.failures {
            text.push_str("  ");
            text.push_str(failure);
            text.push('\n');
        }
        let shown = u64::try_from(self.failures.len()).unwrap_or(u64::MAX);
        if let Some(rest @ 1..) = self.failed.checked_sub(shown) {
            text.push_str(&format!("  and {rest} more\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_beyond_those_kept() {
        let mut tally = Tally::default();
        for n in 0..KEPT + 3 {
            tally.fail(n.to_string());
        }
        assert_eq!(tally.line(), format!("0 passed, {} failed", KEPT + 3));
        assert!(tally.details().ends_with("and 3 more\n"));
    }
}
