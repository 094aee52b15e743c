//! The verdict on each tool of a listing: what the worst finding makes of it.

use toolsure_analysis::lint::{Finding, Severity};

use crate::exit::Exit;
use crate::findings::Page;
use crate::listing::exit_of;

/// The verdict on a tool in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Usable.
    Ok,
    /// Usable, with warnings.
    Warned,
    /// Not usable.
    Refused,
}

/// The verdicts on a listing, with the findings of each tool.
pub(super) struct Verdicts<'p> {
    /// In the listing's order.
    pub(super) tools: Vec<Judged<'p>>,
    /// The findings on the listing and its pages, the worst first.
    pub(super) others: Vec<&'p Finding>,
    pub(super) tally: Tally,
}

/// The verdict on a tool, and its findings, the worst first.
pub(super) struct Judged<'p> {
    pub(super) verdict: Verdict,
    pub(super) findings: Vec<&'p Finding>,
}

/// The number of tools of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) ok: usize,
    pub(super) warned: usize,
    pub(super) refused: usize,
}

impl Tally {
    /// Counts one more tool.
    pub(super) fn add(&mut self, verdict: Verdict) {
        let count = match verdict {
            Verdict::Ok => &mut self.ok,
            Verdict::Warned => &mut self.warned,
            Verdict::Refused => &mut self.refused,
        };
        *count = count.saturating_add(1);
    }

    /// The number of tools of a verdict.
    pub(super) fn of(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Ok => self.ok,
            Verdict::Warned => self.warned,
            Verdict::Refused => self.refused,
        }
    }
}

impl<'p> Verdicts<'p> {
    pub(super) fn of(page: &'p Page) -> Self {
        let mut tally = Tally::default();
        let verdict = |worst: &Option<Severity>| match worst {
            Some(Severity::Error) => Verdict::Refused,
            Some(Severity::Warning) => Verdict::Warned,
            Some(Severity::Note) | None => Verdict::Ok,
        };
        let mut tools: Vec<Judged<'p>> = page
            .worst_of
            .iter()
            .map(|worst| Judged {
                verdict: verdict(worst),
                findings: Vec::new(),
            })
            .collect();
        for tool in &tools {
            tally.add(tool.verdict);
        }
        let mut others = Vec::new();
        for finding in &page.findings {
            match finding.tool.and_then(|tool| tools.get_mut(tool)) {
                Some(tool) => tool.findings.push(finding),
                None => others.push(finding),
            }
        }
        Self {
            tools,
            others,
            tally,
        }
    }

    pub(super) fn exit(&self, page: &Page) -> Exit {
        match &page.listing.fault {
            Some(fault) => exit_of(fault.kind()),
            None if page.worst == Some(Severity::Error) => Exit::Schema,
            None => Exit::Ok,
        }
    }
}
