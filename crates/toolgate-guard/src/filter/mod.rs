//! Policy filters: each checks one thing and reports at most one violation.
//!
//! A `tools/call` passes the filters of [`CALL`] in order, its answer passes [`results`], and a
//! page of tools passes [`listing`]. A filter sees the message and the cached contract of the tool.
//! It sends nothing, and the only state that it changes is the tokens of rate limits.

mod admission;
pub(crate) mod arguments;
pub(crate) mod clients;
mod drift;
mod extra;
pub(crate) mod listing;
mod rate;
pub(crate) mod results;
mod violation;

use std::time::Duration;

use toolgate_mcp::check::Checker;
use toolgate_mcp::message::ToolCall;

use crate::policy::Rules;
use crate::policy::Terms;
use crate::scope::{Found, Scope, Tools};
pub(crate) use admission::mode_without_list;
pub(crate) use violation::{Reply, Violation};

/// A call that the filters check.
pub(crate) struct CallCase<'c> {
    pub(crate) rules: &'c Rules,
    pub(crate) terms: Terms,
    pub(crate) scope: &'c Scope,
    /// Whether HTTP headers may repeat arguments of the call.
    pub(crate) mirrors_headers: bool,
    /// Where calls are counted.
    pub(crate) caller: &'c Scope,
    pub(crate) tools: &'c Tools,
    /// The entry of the list for the call's name.
    pub(crate) found: &'c Found,
    /// Why there is no list, if it was requested without success.
    pub(crate) unlisted: Option<&'c str>,
    /// Whether the call took its rate-limit token before it was parked.
    pub(crate) paid: bool,
    /// Whether the list was just requested for this call.
    pub(crate) fresh: bool,
    pub(crate) call: &'c ToolCall<'c>,
    /// The repaired arguments, if the call's own were repaired.
    pub(crate) repaired: Option<String>,
    pub(crate) checker: &'c mut Checker,
    pub(crate) now: Duration,
}

/// The verdict of one filter on a call.
pub(crate) enum Judged {
    /// No violation.
    Pass,
    /// The arguments that replace those of the call from here on.
    Repaired {
        arguments: String,
        what: Vec<String>,
    },
    /// The call breaks a rule.
    Violation(Box<Violation>),
}

type CallFilter = fn(&mut CallCase<'_>) -> Judged;

/// The filters of a call, in order: the cheapest and most general ones first.
pub(crate) const CALL: [CallFilter; 5] = [
    admission::judge,
    drift::judge,
    rate::judge,
    arguments::judge,
    extra::judge,
];

impl From<Violation> for Judged {
    fn from(violation: Violation) -> Self {
        Self::Violation(Box::new(violation))
    }
}
