//! The settings for one tool: the policy with the tool's rules applied.

use toolgate_schema::Formats;

use super::{BadResult, Mode, Policy, Rate};

/// The settings for one tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) listing: Mode,
    pub(crate) arguments: Mode,
    pub(crate) results: Mode,
    pub(crate) bad_result: BadResult,
    pub(crate) repair: bool,
    pub(crate) formats: Formats,
    pub(crate) result_formats: Formats,
    pub(crate) rate: Option<Rate>,
    pub(crate) hidden: bool,
}

impl Terms {
    pub(super) fn of(policy: &Policy, tool: &str) -> Self {
        let mut terms = Self {
            listing: policy.listing,
            arguments: policy.arguments,
            results: policy.results,
            bad_result: policy.bad_result,
            repair: policy.repair,
            formats: policy.formats,
            result_formats: policy.result_formats,
            rate: policy.rate,
            hidden: false,
        };
        for rule in policy.tools.iter().filter(|rule| rule.applies(tool)) {
            terms.listing = rule.listing.unwrap_or(terms.listing);
            terms.arguments = rule.arguments.unwrap_or(terms.arguments);
            terms.results = rule.results.unwrap_or(terms.results);
            terms.bad_result = rule.bad_result.unwrap_or(terms.bad_result);
            terms.repair = rule.repair.unwrap_or(terms.repair);
            terms.formats = rule.formats.unwrap_or(terms.formats);
            terms.result_formats = rule.result_formats.unwrap_or(terms.result_formats);
            terms.rate = rule.rate.or(terms.rate);
            terms.hidden = rule.hidden.unwrap_or(terms.hidden);
        }
        terms
    }
}
