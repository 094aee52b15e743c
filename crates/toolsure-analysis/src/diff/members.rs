//! What changed in the members of a tool that no other comparison knows, so that nothing that can be pinned
//! changes unseen.

use toolsure_json::{Key as _, Node as _, View, equal_values, quote};

use super::lookup::Lookup;
use super::report::{Change, Kind, Side};
use super::words::{MOST_CHANGES, words};

/// Members of two versions of an object.
pub(super) type Versions<'v> = (Option<View<'v>>, Option<View<'v>>);

/// Reports the members of two tools that nothing else compares.
pub(super) fn compare(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    let known = [
        "name",
        "title",
        "description",
        "annotations",
        "execution",
        "inputSchema",
        "outputSchema",
    ];
    others(changes, (Some(old), Some(new)), new, &known);
}

/// Reports the members in which two objects differ, except those with these names. `whole` is the new tool.
pub(super) fn others(
    changes: &mut Vec<Change>,
    (old, new): Versions<'_>,
    whole: View<'_>,
    except: &[&str],
) {
    let (olds, news) = (Lookup::new(), Lookup::new());
    let gone = old.into_iter().flat_map(View::members);
    let gone = gone.filter(|(key, _)| {
        let found = new.and_then(|new| news.member(new, key.text()));
        found.is_none()
    });
    let gone = gone.map(|(key, value)| (key.text(), (Some(value), None)));
    let now = new.into_iter().flat_map(View::members).map(|(key, value)| {
        let before = old.and_then(|old| olds.member(old, key.text()));
        (key.text(), (before, Some(value)))
    });
    for (name, values) in gone.chain(now) {
        if !except.contains(&name) && changes.len() < MOST_CHANGES {
            changed(changes, name, values, new.unwrap_or(whole));
        }
    }
}

/// Reports a member whose two values differ.
pub(super) fn changed(
    changes: &mut Vec<Change>,
    name: &str,
    values: Versions<'_>,
    whole: View<'_>,
) {
    let shown = format!("`{}`", quote(name, 64));
    let change = words((Side::Tool, ""), &shown, values, whole.span());
    changes.extend(change.map(|change| Change {
        kind: Kind::MemberChanged,
        ..change
    }));
}

/// Whether two members are equal, or both absent.
pub(super) fn is_same((old, new): Versions<'_>) -> bool {
    match (old, new) {
        (Some(old), Some(new)) => equal_values(old, new),
        (None, None) => true,
        _ => false,
    }
}
