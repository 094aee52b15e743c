//! The findings of lint's rules on one listing, and how each is printed; `check` and `lint` share them.

pub(crate) mod draw;
pub(crate) mod github;
pub(crate) mod json;
pub(crate) mod sarif;

use toolsure_analysis::lint::{Finding, Linter, Severity};
use toolsure_json::LineColumn;

use crate::listing::{Listing, PageText};
use crate::policy::{Decision, Policy, Subject};
use crate::render;
use crate::settings::raise;

/// A listing and the findings on it.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) listing: Listing,
    /// The findings that are shown, the worst first.
    pub(crate) findings: Vec<Finding>,
    /// The numbers of errors, warnings and notes, shown or not.
    pub(crate) counts: [usize; 3],
    /// Findings over the linter's limits.
    pub(crate) more: usize,
    /// The worst severity of any finding, kept or not.
    pub(crate) worst: Option<Severity>,
    /// Whether a client or provider refuses something: a finding says so, or may, beyond the limits.
    pub(crate) has_refusal: bool,
    /// The worst severity of each tool's findings.
    pub(crate) worst_of: Vec<Option<Severity>>,
    /// Estimated tokens of the listing.
    pub(crate) tokens: usize,
}

impl Page {
    /// Lints a listing. Removes the findings that the policy ignores, gives the others the severity that
    /// it asks for, and keeps those of this severity or worse.
    pub(crate) fn of(
        listing: Listing,
        linter: &Linter,
        policy: &mut Policy,
        level: Severity,
    ) -> Self {
        let mut found = linter.lint_with_pages(listing.texts(), &listing.pages());
        found.findings.retain_mut(|finding| {
            let file = listing.file.as_ref().zip(finding.tool);
            let place = file.and_then(|(file, tool)| file.tools.get(tool));
            if let Some(pointer) = place.and_then(|place| place.pointer(&finding.pointer)) {
                finding.pointer = pointer;
            }
            if let Some(setting) = finding.setting {
                finding.help = Some(raise(setting));
            }
            let tool = finding.tool.and_then(|tool| listing.tools.get(tool));
            let decision = policy.decide(&Subject {
                code: finding.rule.code,
                server: listing.key.as_deref(),
                tool: tool.and_then(|tool| tool.name.as_deref()),
                pointer: &finding.pointer,
                message: &finding.message,
            });
            let decided = decided(decision, finding.severity);
            finding.severity = decided.unwrap_or(finding.severity);
            decided.is_some()
        });
        // No baseline lists them.
        found.unkept.retain_mut(|unkept| {
            let tool = unkept.tool.and_then(|tool| listing.tools.get(tool));
            let decision = policy.decide_unlisted(&Subject {
                code: unkept.rule.code,
                server: listing.key.as_deref(),
                tool: tool.and_then(|tool| tool.name.as_deref()),
                pointer: "",
                message: "",
            });
            let decided = decided(decision, unkept.severity);
            unkept.severity = decided.unwrap_or(unkept.severity);
            decided.is_some()
        });
        let by_severity = |finding: &Finding| std::cmp::Reverse(finding.severity);
        found.findings.sort_by_key(by_severity);
        let worst_of = found.worst_of_tools(listing.tools.len());
        let worst_unkept = found.unkept.iter().map(|it| it.severity).max();
        let kept = found.findings.iter().map(|finding| finding.severity);
        let count = |severity| kept.clone().filter(|one| *one == severity).count();
        Self {
            counts: [Severity::Error, Severity::Warning, Severity::Note].map(count),
            more: found.more(),
            worst: kept.clone().max().max(worst_unkept),
            has_refusal: worst_unkept == Some(Severity::Error)
                || found.findings.iter().any(|finding| {
                    finding.severity == Severity::Error
                        && finding.consequence.is_some_and(|one| one.is_refusal())
                }),
            worst_of,
            tokens: found
                .tokens
                .iter()
                .fold(0, |sum, one| sum.saturating_add(*one)),
            findings: found
                .findings
                .into_iter()
                .filter(|finding| finding.severity >= level)
                .collect(),
            listing,
        }
    }

    /// The name of the tool that a finding is about; untrusted, not escaped.
    pub(crate) fn tool(&self, finding: &Finding) -> Option<&str> {
        let tool = self.listing.tools.get(finding.tool?)?;
        Some(tool.name.as_deref().unwrap_or(NO_NAME))
    }

    /// The method of the list that a finding is about.
    pub(crate) fn list(&self, finding: &Finding) -> Option<&str> {
        Some(self.listing.pages.get(finding.page?)?.method.as_str())
    }

    /// The name of the tool, or the method of the list.
    pub(crate) fn subject(&self, finding: &Finding) -> Option<&str> {
        self.tool(finding).or_else(|| self.list(finding))
    }

    /// The byte of the file's text that is a byte of the finding's tool or page.
    pub(crate) fn byte(&self, finding: &Finding, at: usize) -> Option<usize> {
        let page = finding.page.and_then(|page| self.listing.pages.get(page));
        let start = match page.map(|page| &page.text) {
            Some(PageText::InFile(range)) => range.start,
            Some(PageText::Own(_)) => return None,
            None => {
                let tool = self.listing.file.as_ref()?.tools.get(finding.tool?)?;
                return Some(tool.byte(at));
            }
        };
        Some(start.saturating_add(at))
    }

    /// Where a finding starts and ends in the file.
    pub(crate) fn lines(&self, finding: &Finding) -> Option<(LineColumn, LineColumn)> {
        let span = finding.span.as_ref()?;
        let place = |at| {
            Some(
                self.listing
                    .file
                    .as_ref()?
                    .line_column(self.byte(finding, at)?),
            )
        };
        Some((place(span.start)?, place(span.end)?))
    }
}

/// The severity of a finding after the policy's decision; `None` if it is ignored.
fn decided(decision: Decision, severity: Severity) -> Option<Severity> {
    Some(match decision {
        Decision::Ignore => return None,
        Decision::Keep => severity,
        Decision::As(render::Severity::Error) => Severity::Error,
        Decision::As(render::Severity::Warning) => Severity::Warning,
        Decision::As(render::Severity::Note) => Severity::Note,
    })
}

/// A severity, for the renderers that all commands share.
pub(crate) fn shown(severity: Severity) -> render::Severity {
    match severity {
        Severity::Error => render::Severity::Error,
        Severity::Warning => render::Severity::Warning,
        Severity::Note => render::Severity::Note,
    }
}

/// The name shown for a tool without a name.
pub(crate) const NO_NAME: &str = "(no name)";
