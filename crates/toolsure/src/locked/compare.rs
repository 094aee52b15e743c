//! What changed between two states of a server.

use std::collections::BTreeMap;

use toolsure_analysis::diff::{Differ, Report, new_texts};
use toolsure_guard::MayChange;
use toolsure_guard::policy::ChangeClass;

use super::server::LockedServer;
use crate::exit::Failure;

/// What changed, in the order of the definitions' names.
pub(crate) struct Comparison {
    pub(crate) report: Report,
    /// The classes of what the report does not have, by the tool's name: texts in places that no comparison looks at, and changes
    /// beyond the most that it keeps.
    pub(crate) also: BTreeMap<String, Vec<ChangeClass>>,
}

/// Compares two states of a server. What the lock file lets change is left out, and so are definitions that differ only in that.
pub(crate) fn compare(
    old: Option<&LockedServer>,
    new: &LockedServer,
    differ: &Differ,
) -> Result<Comparison, Failure> {
    let may_change = match old {
        Some(old) => old.may_change()?,
        None => MayChange::default(),
    };
    let olds = old.map_or_else(BTreeMap::new, |old| old.as_tools(&may_change));
    let news = new.as_tools(&may_change);
    let differ = differ.clone().partial(new.is_partial);
    let report = differ.diff(
        olds.values().map(String::as_str),
        news.values().map(String::as_str),
    );
    let mut also = BTreeMap::new();
    for tool in &report.tools {
        let mut classes = Vec::new();
        if tool.changes.len() >= Report::CHANGES {
            classes.push(ChangeClass::Narrower);
        }
        let is_words = |class: ChangeClass| class == ChangeClass::Words;
        let mut known = tool.changes.iter().map(ChangeClass::of_change);
        if let (Some(old), Some(new)) = (olds.get(&tool.name), news.get(&tool.name))
            && !known.any(is_words)
            && !new_texts(old, new).is_empty()
        {
            classes.push(ChangeClass::Words);
        }
        if !classes.is_empty() {
            also.insert(tool.name.clone(), classes);
        }
    }
    Ok(Comparison { report, also })
}
