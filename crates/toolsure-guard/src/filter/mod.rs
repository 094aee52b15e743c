//! Policy filters: each checks one thing and reports at most one violation.
//!
//! A `tools/call` passes the filters of [`CALL`] in order, its answer passes [`results`], and a
//! page of tools passes [`listing`]. A filter sees the message and the cached contract of the tool.
//! It sends nothing, and the only state that it changes is the tokens of rate limits.

mod admission;
pub(crate) mod arguments;
pub(crate) mod awaiting_approval;
mod call_case;
pub(crate) mod drift;
mod extra;
pub(crate) mod listing;
pub(crate) mod page_forms;
mod rate;
pub(crate) mod remarks;
pub(crate) mod results;
mod violation;

pub(crate) use admission::mode_without_list;
pub(crate) use call_case::{CallCase, Judged};
pub(crate) use violation::{Reply, SHOWN_NAME, SHOWN_NUMBER, Violation};

type CallFilter = fn(&mut CallCase<'_>) -> Judged;

/// The filters of a call, in order: the cheapest and most general ones first.
pub(crate) const CALL: [CallFilter; 5] = [
    admission::judge,
    drift::judge,
    rate::judge,
    arguments::judge,
    extra::judge,
];
