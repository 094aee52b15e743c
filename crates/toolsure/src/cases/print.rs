//! The results of test cases in each format.
//!
//! ```text
//! {
//!   "version": 1,
//!   "exit": 1,                        // the process's exit code
//!   "passed": 3, "failed": 1,
//!   "files": [{
//!     "file": "tests/order.json",
//!     "cases": [{
//!       "description": "…", "line": 3,
//!       "expected": "valid",          // "valid" | "invalid" | "undecided" | "refused"
//!       "found": "invalid",           // the same, or "unusable": a text cannot be read
//!       "passed": false,
//!       "why": "…"                    // or null
//!     }]
//!   }]
//! }
//! ```

use std::fmt::Write as _;

use serde_json::json;
use toolsure_json::quote;

use super::outcome::{Done, Outcome};
use crate::exit::Exit;
use crate::render::github::{Commands, Place, command};
use crate::render::json::harmless;
use crate::render::{Severity, count, hang};
use crate::term::{DIM, ERROR, GOOD};

/// For people: the failed cases, and how many passed.
pub(super) fn human(outcomes: &[Outcome], quiet: bool, columns: Option<usize>) -> String {
    let mut out = String::new();
    for outcome in outcomes {
        for case in outcome.cases.iter().filter(|case| !case.passed()) {
            let (file, line, summary) = (&outcome.file, case.line, summary_of(case));
            // Writing to a string cannot fail.
            let summary = format!("{ERROR}failed{ERROR:#} {file}:{line}: {summary}");
            let _infallible = writeln!(out, "{}", hang(&summary, columns));
            if let Some(why) = &case.why {
                let why = hang(&format!("       {DIM}{why}{DIM:#}"), columns);
                let _infallible = writeln!(out, "{why}");
            }
        }
    }
    let [passed, failed] = tally(outcomes);
    if !quiet || failed > 0 {
        let style = if failed == 0 { GOOD } else { ERROR };
        let cases = count(passed.saturating_add(failed), "case");
        let _infallible = writeln!(
            out,
            "{cases}: {passed} passed, {style}{failed} failed{style:#}"
        );
    }
    out
}

/// For machines: one JSON document; `quiet` omits cases that passed.
pub(super) fn json(outcomes: &[Outcome], exit: Exit, quiet: bool) -> String {
    let case = |case: &Done| {
        json!({
            "description": case.description,
            "line": case.line,
            "expected": case.expected.to_string(),
            "found": case.found.to_string(),
            "passed": case.passed(),
            "why": case.why,
        })
    };
    let [passed, failed] = tally(outcomes);
    let document = json!({
        "version": 1,
        "exit": exit.code(),
        "passed": passed,
        "failed": failed,
        "files": outcomes.iter().map(|outcome| json!({
            "file": outcome.file,
            "cases": outcome.cases.iter().filter(|case| !(quiet && case.passed())).map(case).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    });
    let mut text = harmless(&format!("{document:#}"));
    text.push('\n');
    text
}

/// For GitHub Actions: one workflow command for each failed case.
pub(super) fn github(outcomes: &[Outcome]) -> String {
    let mut out = Commands::new(false);
    for outcome in outcomes {
        for case in outcome.cases.iter().filter(|case| !case.passed()) {
            if !out.admits(Severity::Error) {
                continue;
            }
            let place = Place {
                file: &outcome.file,
                at: Some((case.line, 1)),
            };
            let why = case.why.as_deref().unwrap_or_default();
            let message = format!("{}\n{why}", summary_of(case));
            out.push(&command(
                Severity::Error,
                Some(place),
                "test",
                message.trim_end(),
            ));
        }
    }
    out.finish()
}

fn summary_of(case: &Done) -> String {
    let (expected, found) = (case.expected, case.found);
    let description = quote(&case.description, 200);
    format!("{description}: expected {expected}, found {found}")
}

/// How many cases passed and failed.
fn tally(outcomes: &[Outcome]) -> [u64; 2] {
    let cases = || outcomes.iter().flat_map(|outcome| &outcome.cases);
    let number = |passed: bool| {
        let count = cases().filter(|case| case.passed() == passed).count();
        u64::try_from(count).unwrap_or(u64::MAX)
    };
    [number(true), number(false)]
}
