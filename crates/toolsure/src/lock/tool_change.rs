//! One changed tool: what approves it, and how it comes into the lock file.

use std::collections::BTreeSet;

use toolsure_analysis::diff::{Change, Kind, ToolChange};
use toolsure_guard::policy::ChangeClass;
use toolsure_json::quote;

use crate::locked::{LockedServer, digest, pin_of};

/// The flag that approves a change.
pub(super) fn flag_of(change: &Change) -> String {
    match change.kind {
        Kind::ToolRemoved => "`--gone`".to_owned(),
        Kind::ToolAdded => "`--new`".to_owned(),
        Kind::ToolRenamed => "`--new --gone`".to_owned(),
        _ => format!("`--class {}`", ChangeClass::of_change(change)),
    }
}

/// What else a tool needs of which only some changes were approved.
pub(super) fn lacking(tool: &str, words: &BTreeSet<String>, groups: &BTreeSet<usize>) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let groups: Vec<String> = groups.iter().map(usize::to_string).collect();
    let groups = match groups.is_empty() {
        true => String::new(),
        false => format!(", or `--group {}`", groups.join(",")),
    };
    let tool = quote(tool, 80);
    format!(
        "`{tool}` is approved only with {} too{groups}",
        words.join(" and ")
    )
}

/// Moves the definition of a tool from the candidate to the lock file.
pub(super) fn put(lock: &mut LockedServer, tool: &ToolChange, new: &LockedServer) {
    let name = new_name(tool, new);
    if *name != tool.name || !new.definitions.contains_key(name) {
        lock.definitions.remove(&tool.name);
    }
    let Some(definition) = new.definitions.get(name) else {
        return;
    };
    lock.definitions.insert(name.clone(), definition.clone());
    // The first approved entry of a list pins the list.
    lock.pins.extend(pin_of(name));
    let digest = digest(definition).map(|digest| digest.to_string());
    if let Some(rejected) = lock.rejected.get_mut(name) {
        rejected.retain(|known| Some(known) != digest.as_ref());
        if rejected.is_empty() {
            lock.rejected.remove(name);
        }
    }
}

/// The name of a tool in the candidate, which is another if it was renamed.
pub(super) fn new_name<'t>(tool: &'t ToolChange, new: &'t LockedServer) -> &'t String {
    let is_renamed = tool
        .changes
        .iter()
        .any(|change| change.kind == Kind::ToolRenamed);
    match is_renamed {
        true => new.definitions.keys().nth(tool.index).unwrap_or(&tool.name),
        false => &tool.name,
    }
}

/// Whether there are texts in what changed, or may be.
pub(super) fn has_texts(tool: &ToolChange) -> bool {
    let mut changes = tool.changes.iter();
    changes.any(|change| change.kind != Kind::ToolRemoved)
}
