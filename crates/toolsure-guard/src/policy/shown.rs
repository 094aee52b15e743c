//! The settings that decide which tools clients are shown, and how.

use std::sync::Arc;

use super::{
    BadTools, CallerRule, Changes, CostlySchemas, LegacyValues, Mode, Output, Policy, Project,
    ToolRule,
};
use crate::lock::Lock;

impl Policy {
    /// Whether both show the tools of a server alike.
    pub(crate) fn shows_as(&self, other: &Self) -> bool {
        Shown::of(self) == Shown::of(other)
    }
}

/// What a list of tools is made by, besides what the server sent.
#[derive(Debug, PartialEq)]
struct Shown<'p> {
    listing: (Mode, BadTools),
    hides_output: bool,
    schemas: (bool, CostlySchemas, Project, LegacyValues),
    /// The name of the reader.
    project_for: Option<&'static str>,
    lock: (Option<&'p Lock>, Mode, Changes),
    tools: Vec<ShownRule<'p>>,
    callers: &'p [Arc<CallerRule>],
}

/// The same of a rule.
#[derive(Debug, PartialEq)]
struct ShownRule<'p> {
    name: &'p str,
    listing: Option<Mode>,
    hides_output: Option<bool>,
    hidden: Option<bool>,
    /// The JSON Schema in place of the input schema.
    input: Option<String>,
    keeps_input: bool,
}

impl<'p> Shown<'p> {
    fn of(policy: &'p Policy) -> Self {
        let drift = &policy.drift;
        Self {
            listing: (policy.listing, policy.bad_tools),
            hides_output: policy.output == Output::Hide,
            schemas: (
                policy.inline_refs,
                policy.costly_schemas,
                policy.project,
                policy.legacy_values,
            ),
            project_for: policy.project_for.as_ref().map(|it| it.reader().name),
            lock: (drift.lock.as_deref(), drift.mode, drift.changes),
            tools: policy.tools.iter().filter_map(ShownRule::of).collect(),
            callers: &policy.callers,
        }
    }
}

impl<'p> ShownRule<'p> {
    /// `None` if the rule changes nothing that is shown.
    fn of(rule: &'p ToolRule) -> Option<Self> {
        let replaces = rule.argument_schema_only;
        let schema = rule.argument_schema.as_deref();
        let shown = Self {
            name: &rule.name,
            listing: rule.listing,
            hides_output: rule.output.map(|output| output == Output::Hide),
            hidden: rule.hidden,
            input: schema.map(|schema| schema.to_json_schema()),
            keeps_input: replaces == Some(false),
        };
        let says = replaces.is_some()
            || shown.listing.is_some()
            || shown.hides_output.is_some()
            || shown.hidden.is_some()
            || shown.input.is_some();
        says.then_some(shown)
    }
}
