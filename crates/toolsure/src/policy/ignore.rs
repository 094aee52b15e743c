//! What a project or a flag says about findings that are ignored.

use toolsure_analysis::lint::{RULES, rule};
use toolsure_guard::policy::name_matches;

use super::code::{LINT, code_of, unknown};
use super::date::Date;
use super::subject::Subject;

/// Findings that are ignored.
#[derive(Debug)]
pub(crate) struct Ignore {
    pub(super) code: String,
    /// A pattern for tool names.
    pub(super) tool: Option<String>,
    /// The last day on which it applies.
    pub(super) until: Option<Date>,
    pub(super) line: Option<usize>,
    pub(super) used: bool,
}

impl Ignore {
    /// Parses `CODE` or `CODE@TOOL`.
    pub(super) fn flag(word: &str, command: &str) -> Result<Self, String> {
        let (code, tool) = match word.split_once('@') {
            Some((code, tool)) => (code, Some(tool.to_owned())),
            None => (word, None),
        };
        if command == LINT && rule(code).is_none() {
            let names = RULES.iter().flat_map(|rule| [rule.code, rule.name]);
            return Err(unknown("rule", code, names));
        }
        Ok(Self::new(&code_of(code)?, tool))
    }

    pub(super) fn new(code: &str, tool: Option<String>) -> Self {
        Self {
            code: code.to_owned(),
            tool,
            until: None,
            line: None,
            used: false,
        }
    }

    pub(super) fn is_about(&self, subject: &Subject<'_>) -> bool {
        let tool = match (&self.tool, subject.tool) {
            (None, _) => true,
            (Some(pattern), Some(tool)) => name_matches(pattern, tool),
            (Some(_), None) => false,
        };
        tool && self.code == subject.key()
    }

    pub(super) fn shown(&self) -> String {
        match &self.tool {
            Some(tool) => format!("{}@{tool}", self.code),
            None => self.code.clone(),
        }
    }
}
