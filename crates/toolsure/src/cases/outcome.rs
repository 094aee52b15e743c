//! What came out of a test file.

use super::file::Expected;

/// The results of one test file.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The file, escaped.
    pub(super) file: String,
    pub(super) cases: Vec<Done>,
}

/// The result of one case.
#[derive(Debug)]
pub(super) struct Done {
    /// From the test file: untrusted, not escaped.
    pub(super) description: String,
    pub(super) line: usize,
    pub(super) expected: Expected,
    pub(super) found: Expected,
    /// The reason, in one line; escaped.
    pub(super) why: Option<String>,
}

impl Done {
    pub(super) fn passed(&self) -> bool {
        self.expected == self.found
    }
}
