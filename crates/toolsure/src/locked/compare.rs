//! What changed between two states of a server.

use toolsure_analysis::diff::{Differ, Report};
use toolsure_guard::MayChange;

use super::server::LockedServer;
use crate::exit::Failure;

/// What changed between two states of a server, in the order of the tools' names. What a definition may change without approval
/// is left out, and so are definitions that differ only in that.
pub(crate) fn compare(
    old: Option<&LockedServer>,
    new: &LockedServer,
    differ: &Differ,
) -> Result<Report, Failure> {
    let may_change = may_change(new)?;
    let old = old.map_or_else(Vec::new, |old| old.as_tools(&may_change));
    let news = new.as_tools(&may_change);
    let differ = differ.clone().partial(new.is_partial);
    Ok(differ.diff(
        old.iter().map(String::as_str),
        news.iter().map(String::as_str),
    ))
}

pub(crate) fn may_change(server: &LockedServer) -> Result<MayChange, Failure> {
    let places = server.may_change.as_deref().unwrap_or("{}");
    MayChange::parse(places).map_err(|why| Failure::usage(format!("`mayChange`: {why}")))
}
