//! The gates: each looks at one thing and objects or does not.
//!
//! A `tools/call` goes through [`CALL`] in order, an answer to it through
//! [`results`], a page of tools through [`listing`]. A gate sees a message and
//! what is known of the tool; it sends nothing and remembers nothing but tokens.

mod admission;
mod arguments;
pub(crate) mod clients;
mod drift;
mod extra;
pub(crate) mod listing;
mod objection;
mod rate;
pub(crate) mod results;

use std::time::Duration;

use toolgate_mcp::check::Checker;
use toolgate_mcp::message::ToolCall;

use crate::guard::Rules;
use crate::knowledge::{Found, Scope, Tools};
use crate::policy::Terms;
pub(crate) use admission::hidden;
pub(crate) use objection::{Objection, Reply};

/// A call before the gates.
pub(crate) struct CallCase<'c> {
    pub(crate) rules: &'c Rules,
    pub(crate) terms: Terms,
    pub(crate) scope: &'c Scope,
    pub(crate) tools: &'c Tools,
    /// What the list has under the call's name.
    pub(crate) found: &'c Found,
    /// Why there is no list, if one was asked for in vain.
    pub(crate) unlisted: Option<&'c str>,
    /// Whether the call took its token already, before it waited.
    pub(crate) paid: bool,
    /// Whether the list was asked for just now, for this call.
    pub(crate) fresh: bool,
    pub(crate) call: &'c ToolCall<'c>,
    /// Arguments that stand for the ones of the call, once they were repaired.
    pub(crate) repaired: Option<String>,
    pub(crate) checker: &'c mut Checker,
    pub(crate) now: Duration,
}

/// What a gate says of a call.
pub(crate) enum Judged {
    /// Nothing.
    Fine,
    /// Arguments that stand for the ones of the call from here on.
    Repaired {
        arguments: String,
        what: Vec<String>,
    },
    /// Something is wrong.
    Objection(Box<Objection>),
}

type CallGate = fn(&mut CallCase<'_>) -> Judged;

/// The gates of a call, in order: what costs least and concerns most is first.
pub(crate) const CALL: [CallGate; 5] = [
    admission::judge,
    drift::judge,
    rate::judge,
    arguments::judge,
    extra::judge,
];

impl From<Objection> for Judged {
    fn from(objection: Objection) -> Self {
        Self::Objection(Box::new(objection))
    }
}
