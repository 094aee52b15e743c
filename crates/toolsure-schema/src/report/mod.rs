//! Explains verdicts: findings for programs, a summary for people and models, the standard output
//! formats, and annotations.

mod annotations;
mod explain;
mod faults;
mod finding;
mod format;
mod json;
mod locate;
mod output;
mod summary;
mod tree;

pub use annotations::{Annotation, Annotations};
pub use faults::{Fault, Faults};
pub use finding::{Finding, Source};
pub use format::OutputFormat;
pub use summary::Explanation;

use crate::explain::sink::MOST_FINDINGS;
use crate::schema::Verdict;

/// Why an instance does not match, from [`Schema::explain`](crate::Schema::explain).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// What is wrong, in the order it was found; at most [`Report::FINDINGS`], unless the
    /// [`Workspace`](crate::Workspace::findings) says otherwise. Each fault occurs
    /// once, even if several paths through the schema lead to it. Empty unless the verdict is
    /// [`Verdict::Invalid`].
    pub findings: Vec<Finding>,
    /// Whether the list is complete; `false` if a limit was reached.
    pub complete: bool,
}

impl Report {
    /// The maximum number of findings in a report, unless the
    /// [`Workspace`](crate::Workspace::findings) says otherwise.
    pub const FINDINGS: usize = MOST_FINDINGS;
    /// The maximum number of findings that can be asked for.
    pub const MOST_FINDINGS: usize = 100 * MOST_FINDINGS;
}
