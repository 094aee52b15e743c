//! Where findings are collected, under bounds that no listing can pass.

use std::collections::HashMap;

use toolgate_pattern::{Hazard, Pattern};

use super::finding::{Finding, Severity};
use super::profile::Subset;
use super::rule::{RULES, Rule};
use super::tool::Place;

/// What is asked of a run.
pub(super) struct Plan {
    /// What each rule of the table counts as; none if it is off.
    pub(super) levels: Vec<Option<Severity>>,
    /// For each rule of the table the readers that care.
    pub(super) readers: Vec<Vec<&'static Subset>>,
    /// The name of the server.
    pub(super) server: Option<String>,
}

/// Collects findings.
pub(super) struct Out<'l> {
    plan: &'l Plan,
    rule: usize,
    tool: Option<usize>,
    /// How often each rule spoke about the tool at hand.
    spoken: Vec<usize>,
    findings: Vec<Finding>,
    /// Findings over the bounds.
    more: usize,
    /// The latest finding, to which its rule may still add.
    last: Option<Finding>,
    last_kept: bool,
    /// What is known of patterns, which generators repeat from tool to tool.
    hazards: HashMap<String, Hazard>,
}

impl<'l> Out<'l> {
    pub(super) fn new(plan: &'l Plan) -> Self {
        Self {
            plan,
            rule: 0,
            tool: None,
            spoken: vec![0; RULES.len()],
            findings: Vec::new(),
            more: 0,
            last: None,
            last_kept: false,
            hazards: HashMap::new(),
        }
    }

    /// The next findings are about this tool.
    pub(super) fn turn_to(&mut self, tool: Option<usize>) {
        self.tool = tool;
        self.spoken.fill(0);
    }

    /// The next findings are of this rule; `false` if it is off.
    pub(super) fn take_up(&mut self, rule: usize) -> bool {
        self.rule = rule;
        self.plan.levels.get(rule).is_some_and(Option::is_some)
    }

    /// The readers on whose behalf the rule at hand speaks.
    pub(super) fn readers(&self) -> impl Iterator<Item = &'static Subset> + use<'l> {
        let readers = self.plan.readers.get(self.rule);
        readers.into_iter().flatten().copied()
    }

    /// The name of the server, if it is known.
    pub(super) fn server(&self) -> Option<&'l str> {
        self.plan.server.as_deref()
    }

    /// What an engine that backtracks may need for a pattern; nothing if it cannot be read.
    pub(super) fn hazard(
        &mut self,
        text: &str,
        pattern: impl FnOnce() -> Option<Pattern>,
    ) -> Hazard {
        if let Some(known) = self.hazards.get(text) {
            return *known;
        }
        let hazard = pattern().map_or(Hazard::None, |pattern| pattern.hazard());
        self.hazards.insert(text.to_owned(), hazard);
        hazard
    }

    /// A finding of the rule at hand.
    pub(super) fn find(&mut self, place: Place, message: impl Into<String>) -> &mut Finding {
        self.add(self.rule, place, message.into())
    }

    /// A finding of another rule, which `code` names.
    pub(super) fn find_as(
        &mut self,
        code: &str,
        place: Place,
        message: impl Into<String>,
    ) -> &mut Finding {
        let rule = RULES.iter().position(|rule| rule.code == code);
        self.add(rule.unwrap_or(self.rule), place, message.into())
    }

    fn add(&mut self, index: usize, place: Place, message: String) -> &mut Finding {
        let rule: &'static Rule = RULES.get(index).unwrap_or(&RULES[0]);
        let level = self.plan.levels.get(index).copied().flatten();
        let finding = Finding {
            rule,
            severity: level.unwrap_or(Severity::Note),
            tool: self.tool,
            pointer: place.pointer,
            span: self.tool.map(|_| place.span),
            message,
            help: None,
            setting: None,
            fix: None,
        };
        let over = match self.spoken.get_mut(index) {
            Some(spoken) => {
                *spoken = spoken.saturating_add(1);
                *spoken > PER_TOOL
            }
            None => true,
        };
        self.flush();
        let kept = level.is_some() && !over && self.findings.len() < IN_ALL;
        if !kept && level.is_some() {
            self.more = self.more.saturating_add(1);
        }
        self.last_kept = kept;
        self.last.insert(finding)
    }

    /// All findings.
    pub(super) fn finish(mut self) -> (Vec<Finding>, usize) {
        self.flush();
        (self.findings, self.more)
    }

    fn flush(&mut self) {
        if let Some(finding) = self.last.take().filter(|_| self.last_kept) {
            self.findings.push(finding);
        }
    }
}

/// Findings of one rule on one tool.
const PER_TOOL: usize = 300;
/// Findings of a listing.
const IN_ALL: usize = 100_000;
