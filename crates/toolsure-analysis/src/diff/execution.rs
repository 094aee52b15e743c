//! What changed in the `execution` of a tool.

use toolsure_json::{Key as _, Kind, Node as _, View};

use super::members::{self, is_same};
use super::report::{Change, Class, Kind as Happened};

/// Reports every change of the `execution` of two tools.
pub(super) fn compare(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    let before = changes.len();
    let both = (old.member("execution"), new.member("execution"));
    task_support(changes, old, new);
    // That the tool has no tasks is said, or no longer said.
    let says_default = |execution: Option<View<'_>>| {
        execution.is_none_or(|execution| {
            let mut members = execution.members();
            execution.kind() == Kind::Object
                && members.all(|(key, value)| {
                    key.text() == "taskSupport"
                        && value.kind() == Kind::String
                        && value.string() == "forbidden"
                })
        })
    };
    if !is_same(both) && says_default(both.0) && says_default(both.1) {
        members::changed(changes, "execution", both, new);
        let own = changes.iter_mut().skip(before);
        own.for_each(|change| change.kind = Happened::Restated);
        return;
    }
    if changes.len() > before || (both.0.is_some() && both.1.is_some()) {
        members::others(changes, both, new, &["taskSupport"]);
    }
    if changes.len() == before && !is_same(both) {
        members::changed(changes, "execution", both, new);
    }
    let own = changes.iter_mut().skip(before);
    own.for_each(|change| change.within("execution"));
}

/// Whether calls may, must or must not ask for a task.
fn task_support(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    let support = |tool: View<'_>| {
        let execution = tool.member("execution");
        let support = execution.and_then(|execution| execution.member("taskSupport"));
        let word = support.filter(|support| support.kind() == Kind::String);
        word.map_or("forbidden", |word| match word.string() {
            "required" => "required",
            "optional" => "optional",
            _ => "forbidden",
        })
    };
    let (before, after) = (support(old), support(new));
    let class = match (before, after) {
        (before, after) if before == after => return,
        ("forbidden", "optional") | ("required", "optional") => Class::Compatible,
        // Callers that did what was allowed are refused now.
        _ => Class::Breaking,
    };
    let message = format!("`taskSupport` was {before}, is now {after}");
    changes.push(Change {
        member: "taskSupport".to_owned(),
        ..Change::on_tool(class, Happened::TaskSupport, &message)
    });
}
