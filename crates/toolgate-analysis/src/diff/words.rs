//! What changed in words: descriptions, titles, defaults, annotations.

use toolgate_json::{Key as _, Kind, Node as _, View, pointer, quote};

use super::lookup::Lookup;
use super::report::{Aspect, Change, Class, Side};
use super::subset::equal_values;
use super::tool::on_tool;

/// Notes every change of words between two tools.
pub(super) fn compare(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    for member in ["title", "description"] {
        if let Some(what) = changed(old.member(member), new.member(member)) {
            changes.push(words(
                Side::Tool,
                String::new(),
                format!("the {member} {what}"),
            ));
        }
    }
    hints(
        changes,
        old.member("annotations"),
        new.member("annotations"),
    );
    for (side, member) in [(Side::Input, "inputSchema"), (Side::Output, "outputSchema")] {
        if let (Some(old), Some(new)) = (old.member(member), new.member(member)) {
            schemas(changes, side, old, new);
        }
    }
}

fn hints(changes: &mut Vec<Change>, old: Option<View<'_>>, new: Option<View<'_>>) {
    for (name, default) in [
        ("readOnlyHint", false),
        ("destructiveHint", true),
        ("idempotentHint", false),
        ("openWorldHint", true),
    ] {
        let hint = |annotations: Option<View<'_>>| {
            let value = annotations.and_then(|all| all.member(name));
            value.map_or(default, |value| value.boolean())
        };
        if hint(old) != hint(new) {
            let message = format!("`{name}` was {}, is now {}", hint(old), hint(new));
            changes.push(words(Side::Tool, String::new(), message));
        }
    }
}

/// Walks two schemas side by side, where both have the same keyword.
fn schemas(changes: &mut Vec<Change>, side: Side, old: View<'_>, new: View<'_>) {
    let lookup = Lookup::new();
    let mut todo = vec![(old, new, String::new(), 0_usize)];
    let mut left = MOST_PLACES;
    while let Some((old, new, place, depth)) = todo.pop() {
        left = match left.checked_sub(1) {
            Some(left) if changes.len() < MOST_CHANGES => left,
            _ => return,
        };
        for keyword in ["description", "title", "default", "x-mcp-header"] {
            let values = (old.member(keyword), new.member(keyword));
            if let Some(what) = changed(values.0, values.1) {
                changes.push(words(side, place.clone(), format!("the {keyword} {what}")));
            }
        }
        if depth >= DEEPEST || place.len() > LONGEST_PLACE {
            continue;
        }
        let depth = depth.saturating_add(1);
        for keyword in ["properties", "$defs", "definitions"] {
            let (Some(before), Some(after)) = (old.member(keyword), new.member(keyword)) else {
                continue;
            };
            for (key, schema) in after.members() {
                if let Some(other) = lookup.member(before, key.text()) {
                    let mut place = place.clone();
                    if keyword != "properties" {
                        pointer::push(&mut place, keyword);
                    }
                    pointer::push(&mut place, key.text());
                    todo.push((other, schema, place, depth));
                }
            }
        }
        for keyword in ["items", "additionalProperties"] {
            let object = |schema: View<'_>| schema.kind() == Kind::Object;
            let before = old.member(keyword).filter(|schema| object(*schema));
            let after = new.member(keyword).filter(|schema| object(*schema));
            if let (Some(before), Some(after)) = (before, after) {
                todo.push((before, after, format!("{place}/*"), depth));
            }
        }
    }
}

fn changed(old: Option<View<'_>>, new: Option<View<'_>>) -> Option<String> {
    let shown = |value: View<'_>| match value.kind() {
        Kind::String if value.raw().len() > 60 => None,
        _ => Some(quote(value.raw(), 60).to_string()),
    };
    match (old, new) {
        (Some(old), Some(new)) if !equal_values(old, new) => Some(match (shown(old), shown(new)) {
            (Some(old), Some(new)) => format!("was {old}, is now {new}"),
            _ => "changed".to_owned(),
        }),
        (None, Some(_)) => Some("is new".to_owned()),
        (Some(_), None) => Some("is gone".to_owned()),
        _ => None,
    }
}

fn words(side: Side, place: String, message: String) -> Change {
    Change {
        side,
        aspect: Aspect::Words,
        place: quote(&place, 400).to_string(),
        ..on_tool(Class::Compatible, &message)
    }
}

const MOST_PLACES: usize = 20_000;
const MOST_CHANGES: usize = 1_000;
const DEEPEST: usize = 64;
const LONGEST_PLACE: usize = 2_000;
