//! The suite's results for one scenario.

use std::path::Path;

use serde_json::Value;
use toolsure_testkit::tally::Tally;

/// Whether a skipped check counts as failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skipping {
    Fails,
    Allowed,
}

/// The checks of one scenario.
#[derive(Debug)]
pub(crate) struct Checks(Vec<Value>);

impl Checks {
    /// Reads `checks.json` in the folders whose names are `scenario` and a time.
    ///
    /// # Errors
    ///
    /// One line if the file is not in the suite's format.
    pub(crate) fn of(output: &Path, scenario: &str) -> Result<Self, String> {
        let mut found = Vec::new();
        let entries =
            std::fs::read_dir(output).map_err(|e| format!("{}: {e}", output.display()))?;
        for entry in entries {
            let folder = entry.map_err(|e| format!("{}: {e}", output.display()))?;
            let name = folder.file_name().to_string_lossy().into_owned();
            let time = name
                .strip_prefix(scenario)
                .and_then(|rest| rest.strip_prefix('-'));
            if time.is_none_or(|time| !time.starts_with("20")) {
                continue;
            }
            let path = folder.path().join("checks.json");
            let text =
                std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let checks: Vec<Value> =
                serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
            found.extend(checks);
        }
        Ok(Self(found))
    }

    /// Counts the checks. A scenario without a successful check has failed.
    pub(crate) fn judge(&self, scenario: &str, skipping: Skipping, tally: &mut Tally) {
        let mut succeeded = false;
        for check in &self.0 {
            let text = |name: &str| check.get(name).and_then(Value::as_str).unwrap_or_default();
            let status = text("status");
            let failed = match status {
                "SUCCESS" | "INFO" => false,
                "SKIPPED" => skipping == Skipping::Fails,
                _ => true,
            };
            if failed {
                let (id, message) = (text("id"), text("errorMessage"));
                tally.fail(format!("{scenario}: {id}: {status} {message}"));
            } else if status == "SUCCESS" {
                succeeded = true;
                tally.record(Ok(()));
            }
        }
        if !succeeded {
            tally.fail(format!("{scenario}: no check succeeded"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(statuses: &[&str], skipping: Skipping) -> (u64, u64) {
        let checks = statuses
            .iter()
            .map(|status| json!({ "id": "a-check", "status": status }));
        let mut tally = Tally::default();
        Checks(checks.collect()).judge("a-scenario", skipping, &mut tally);
        (tally.passed, tally.failed)
    }

    #[test]
    fn only_success_passes() {
        assert_eq!(judged(&["SUCCESS", "INFO"], Skipping::Fails), (1, 0));
        assert_eq!(judged(&["SUCCESS", "WARNING"], Skipping::Allowed), (1, 1));
        assert_eq!(judged(&["SUCCESS", "FAILURE"], Skipping::Allowed), (1, 1));
        assert_eq!(judged(&["SUCCESS", "SKIPPED"], Skipping::Fails), (1, 1));
        assert_eq!(judged(&["SUCCESS", "SKIPPED"], Skipping::Allowed), (1, 0));
        assert_eq!(judged(&["SUCCESS", "NEW-WORD"], Skipping::Allowed), (1, 1));
    }

    #[test]
    fn silence_is_no_success() {
        assert_eq!(judged(&[], Skipping::Allowed), (0, 1));
        assert_eq!(judged(&["SKIPPED"], Skipping::Allowed), (0, 1));
    }
}
