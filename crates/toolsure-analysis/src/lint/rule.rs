//! One rule: a stable code, a name, a severity, and when it is on.

use super::severity::Severity;
use crate::readers::{Consequence, Fact, Reader};

/// One rule. Codes never change their meaning.
///
/// ```
/// use toolsure_analysis::lint::rule;
///
/// let name = rule("TL002").unwrap();
/// assert_eq!(name.name, "tool-name");
/// assert!(name.summary().starts_with("A name should have 1 to 128 of the characters"));
/// assert!(name.on_by_default);
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// The code, from `TL001`.
    pub code: &'static str,
    /// The name, such as `not-a-tool`.
    pub name: &'static str,
    /// How much it matters. A rule about facts of readers has the worst severity that one of them gives; a
    /// finding has that of the facts that it breaks.
    pub severity: Severity,
    /// What it requires, why, an example and the fix: a page of Markdown.
    pub page: &'static str,
    /// Whether it is on unless a profile turns it off; otherwise a profile or the operator turns it on.
    pub on_by_default: bool,
    /// What it costs, for all readers alike.
    pub(super) costs: Option<Consequence>,
    /// Whether the profile `strict` turns it on.
    pub(super) is_style: bool,
    /// Whether it is about a fact.
    pub(super) breaks: fn(&Fact) -> bool,
    /// Whether a reader does not take what it advises.
    pub(super) advice_refused: fn(&'static Reader) -> bool,
}

impl Rule {
    /// Whether it is one of the rules that decide whether a tool can be used; see
    /// [`Linter::admission`](super::Linter::admission).
    #[must_use]
    pub fn is_admission(&self) -> bool {
        ADMISSION.contains(&self.code)
    }

    /// What the rule requires, in a sentence or two: the first paragraph of its page.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        self.page.split("\n\n").nth(2).unwrap_or_default()
    }
}

/// The rules that decide whether a tool can be used.
const ADMISSION: &[&str] = &[
    "TL001", "TL002", "TL003", "TL004", "TL010", "TL016", "TL017", "TL018", "TL020", "TL022",
    "TL023", "TL024", "TL025", "TL026", "TL027", "TL028", "TL029", "TL109", "TL118", "TL119",
    "TL120",
];
