//! The results for one server or file, for all output formats.

use toolsure_analysis::lint::{Finding, Report as Found, Severity};
use toolsure_json::LineColumn;

use crate::check::report::Report;

/// A listing and the findings on it.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) report: Report,
    /// The findings that are shown, the worst first.
    pub(crate) findings: Vec<Finding>,
    /// The numbers of errors, warnings and notes, shown or not.
    pub(crate) counts: [usize; 3],
    /// Findings over the linter's limits.
    pub(crate) more: usize,
    /// Estimated tokens of the listing.
    pub(crate) tokens: usize,
}

impl Page {
    pub(crate) fn new(report: Report, found: Found, level: Severity) -> Self {
        let count = |severity| {
            found
                .findings
                .iter()
                .filter(|one| one.severity == severity)
                .count()
        };
        Self {
            counts: [Severity::Error, Severity::Warning, Severity::Note].map(count),
            more: found.more,
            tokens: found
                .tokens
                .iter()
                .fold(0, |sum, one| sum.saturating_add(*one)),
            findings: found
                .findings
                .into_iter()
                .filter(|finding| finding.severity >= level)
                .collect(),
            report,
        }
    }

    /// The name of the tool that a finding is about; untrusted, not escaped.
    pub(crate) fn tool(&self, finding: &Finding) -> Option<&str> {
        let tool = self.report.tools.get(finding.tool?)?;
        Some(tool.name.as_deref().unwrap_or(NO_NAME))
    }

    /// The byte of the file's text that is a byte of the finding's tool.
    pub(crate) fn byte(&self, finding: &Finding, at: usize) -> Option<usize> {
        let start = self.report.file.as_ref()?.starts.get(finding.tool?)?;
        Some(start.saturating_add(at))
    }

    /// Where a finding starts and ends in the file.
    pub(crate) fn lines(&self, finding: &Finding) -> Option<(LineColumn, LineColumn)> {
        let span = finding.span.as_ref()?;
        let place = |at| {
            Some(
                self.report
                    .file
                    .as_ref()?
                    .line_column(self.byte(finding, at)?),
            )
        };
        Some((place(span.start)?, place(span.end)?))
    }
}

/// The name shown for a tool without a name.
pub(crate) const NO_NAME: &str = "(no name)";
