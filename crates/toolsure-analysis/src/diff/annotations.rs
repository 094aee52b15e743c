//! What changed in the annotations of a tool.

use toolsure_json::{Kind, Node as _, View};

use super::members::{self, Versions, is_same};
use super::report::{Aspect, Change, Class, Kind as Happened, Side};
use super::words::words;

/// Reports every change of the annotations of two tools.
pub(super) fn compare(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    let before = changes.len();
    let both = (old.member("annotations"), new.member("annotations"));
    let whole = both.1.unwrap_or(new);
    hints(changes, both, whole);
    let titles = members_of(both, "title");
    let title = words(
        (Side::Tool, ""),
        "title of the annotations",
        titles,
        whole.span(),
    );
    changes.extend(title.map(|title| Change {
        member: "title".to_owned(),
        ..title
    }));
    let names = HINTS.iter().map(|(name, ..)| *name);
    let known: Vec<&str> = names.chain(["title"]).collect();
    members::others(changes, both, whole, &known);
    if changes.len() == before && !is_same(both) {
        members::changed(changes, "annotations", both, new);
    }
    let own = changes.iter_mut().skip(before);
    own.for_each(|change| change.within("annotations"));
}

fn members_of<'v>((old, new): Versions<'v>, name: &str) -> Versions<'v> {
    let member = |all: Option<View<'v>>| all.and_then(|all| all.member(name));
    (member(old), member(new))
}

/// The annotations that clients ask their users about. A change that allows the tool more than users agreed
/// to is a warning; the hints on writing have no meaning for a tool that only reads.
fn hints(changes: &mut Vec<Change>, both: Versions<'_>, whole: View<'_>) {
    let hint = |value: Option<View<'_>>, default: bool| {
        let value = value.filter(|value| value.kind() == Kind::Boolean);
        value.map_or(default, |value| value.boolean())
    };
    let only_reads = hint(members_of(both, "readOnlyHint").1, false);
    for (name, default, harmless) in HINTS {
        let values = members_of(both, name);
        let (before, after) = (hint(values.0, default), hint(values.1, default));
        let span = values.1.map_or(whole.span(), View::span);
        let change = if before == after {
            let shown = format!("`{name}`");
            let said = words((Side::Tool, ""), &shown, values, whole.span());
            // A reader may take what is no boolean for true.
            let is_boolean =
                |value: Option<View<'_>>| value.is_none_or(|value| value.kind() == Kind::Boolean);
            let kind = match is_boolean(values.0) && is_boolean(values.1) {
                true => Happened::Restated,
                false => Happened::Consent,
            };
            said.map(|said| Change { kind, ..said })
        } else {
            let on_writing = matches!(name, "destructiveHint" | "idempotentHint");
            let allows_more = after != harmless && !(on_writing && only_reads);
            let class = match allows_more {
                true => Class::Warning,
                false => Class::Compatible,
            };
            let message = format!("`{name}` was {before}, is now {after}");
            Some(Change {
                member: name.to_owned(),
                aspect: Aspect::Words,
                span: Some(span.start..span.end),
                ..Change::on_tool(class, Happened::Consent, &message)
            })
        };
        changes.extend(change);
    }
}

/// The hints, what holds without them, and the value with which a tool does less.
const HINTS: [(&str, bool, bool); 4] = [
    ("readOnlyHint", false, true),
    ("destructiveHint", true, false),
    ("idempotentHint", false, true),
    ("openWorldHint", true, false),
];
