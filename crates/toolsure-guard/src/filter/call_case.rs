//! What a filter sees of a call, and what it answers.

use std::net::IpAddr;
use std::time::Duration;

use toolsure_mcp::check::Checker;
use toolsure_mcp::message::ToolCall;

use super::Violation;
use crate::policy::{Rules, Terms};
use crate::scope::{Found, Scope, Tools};

/// A call that the filters check.
pub(crate) struct CallCase<'c> {
    pub(crate) rules: &'c Rules,
    pub(crate) terms: Terms,
    /// Whether its caller may use the tool.
    pub(crate) is_allowed: bool,
    pub(crate) scope: &'c Scope,
    /// Whether HTTP headers may repeat arguments of the call.
    pub(crate) mirrors_headers: bool,
    /// Where calls are counted.
    pub(crate) caller: &'c Scope,
    /// The network that the call came from.
    pub(crate) network: Option<IpAddr>,
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
    /// Why the call cannot be mapped to one of the server's tools.
    pub(crate) unmapped: Option<Violation>,
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

impl From<Violation> for Judged {
    fn from(violation: Violation) -> Self {
        Self::Violation(Box::new(violation))
    }
}
