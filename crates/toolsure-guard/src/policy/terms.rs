//! The settings for one tool: the policy with the tool's rules applied.

use toolsure_schema::Formats;

use super::{BadResult, LongResults, Mode, Output, Rate, Repair, ToolRule};

/// The settings for one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) listing: Mode,
    pub(crate) arguments: Mode,
    pub(crate) results: Mode,
    pub(crate) bad_result: BadResult,
    pub(crate) output: Output,
    pub(crate) repair: Repair,
    pub(crate) formats: Formats,
    pub(crate) result_formats: Formats,
    /// 0 is no bound.
    pub(crate) max_result_bytes: usize,
    pub(crate) long_results: LongResults,
    /// Whether a rule for the tool has set the bound.
    pub(crate) is_own_bound: bool,
    pub(crate) rate: Option<Rate>,
    pub(crate) argument_schema_only: bool,
    pub(crate) hidden: bool,
}

impl Terms {
    /// Applies a rule for the tool, which changes what it sets.
    pub(super) fn apply(&mut self, rule: &ToolRule) {
        self.listing = rule.listing.unwrap_or(self.listing);
        self.arguments = rule.arguments.unwrap_or(self.arguments);
        self.results = rule.results.unwrap_or(self.results);
        self.bad_result = rule.bad_result.unwrap_or(self.bad_result);
        self.output = rule.output.unwrap_or(self.output);
        self.repair = rule.repair.unwrap_or(self.repair);
        self.formats = rule.formats.unwrap_or(self.formats);
        self.result_formats = rule.result_formats.unwrap_or(self.result_formats);
        if rule.max_result_bytes > 0 {
            self.max_result_bytes = rule.max_result_bytes;
            self.is_own_bound = true;
        }
        self.long_results = rule.long_results.unwrap_or(self.long_results);
        self.rate = rule.rate.or(self.rate);
        let only = rule.argument_schema_only;
        self.argument_schema_only = only.unwrap_or(self.argument_schema_only);
        self.hidden = rule.hidden.unwrap_or(self.hidden);
    }
}
