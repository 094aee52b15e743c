//! What changed in words: descriptions, titles, defaults, annotations.

use toolsure_json::{Key as _, Kind, Node as _, Span, View, pointer, quote};

use super::lookup::Lookup;
use super::report::{Aspect, Change, Class, Kind as Happened, Side};
use crate::equality::equal_values;
use crate::tool::{ANNOTATIONS, AllowedMembers, Form, HEADER, TOOL};

/// Reports every change of words between two tools.
pub(super) fn compare(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    for member in ["title", "description"] {
        let values = (old.member(member), new.member(member));
        changes.extend(words((Side::Tool, ""), member, values, new.span()));
    }
    hints(changes, old, new);
    let (notes, others) = (old.member("annotations"), new.member("annotations"));
    for (old, new, known) in [(Some(old), Some(new), &TOOL), (notes, others, &ANNOTATIONS)] {
        others_of(changes, old, new, known);
    }
    for (side, member) in [(Side::Input, "inputSchema"), (Side::Output, "outputSchema")] {
        if let (Some(old), Some(new)) = (old.member(member), new.member(member)) {
            schemas(changes, side, old, new);
        }
    }
}

/// The members that nothing else here compares: what a lock pins besides.
fn others_of(
    changes: &mut Vec<Change>,
    old: Option<View<'_>>,
    new: Option<View<'_>>,
    known: &AllowedMembers,
) {
    let compared = |name: &str| match known.get(name) {
        Some((_, Form::Text | Form::Boolean)) => true,
        _ => ["inputSchema", "outputSchema", "annotations"].contains(&name),
    };
    let (olds, news) = (Lookup::new(), Lookup::new());
    let gone = old.into_iter().flat_map(View::members);
    let gone = gone.filter(|(key, _)| {
        let found = new.and_then(|new| news.member(new, key.text()));
        found.is_none()
    });
    let gone = gone.map(|(key, value)| (key.text(), Some(value), None));
    let now = new.into_iter().flat_map(View::members).map(|(key, value)| {
        let before = old.and_then(|old| olds.member(old, key.text()));
        (key.text(), before, Some(value))
    });
    let span = new.map(View::span);
    for (name, before, after) in gone.chain(now) {
        let Some(span) = span.filter(|_| !compared(name) && changes.len() < MOST_CHANGES) else {
            continue;
        };
        let shown = format!("`{}`", quote(name, 64));
        let change = words((Side::Tool, ""), &shown, (before, after), span);
        changes.extend(change.map(|change| Change {
            kind: Happened::MemberChanged,
            ..change
        }));
    }
}

/// The annotations that clients ask their users about. A change that allows the tool more than users agreed
/// to is a warning; the hints on writing have no meaning for a tool that only reads.
fn hints(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    let whole = new.span();
    let (old, new) = (old.member("annotations"), new.member("annotations"));
    let hint = |annotations: Option<View<'_>>, name: &str, default: bool| {
        let value = annotations.and_then(|all| all.member(name));
        let value = value.filter(|value| value.kind() == Kind::Boolean);
        value.map_or(default, |value| value.boolean())
    };
    let only_reads = hint(new, "readOnlyHint", false);
    for (name, default, harmless) in [
        ("readOnlyHint", false, true),
        ("destructiveHint", true, false),
        ("idempotentHint", false, true),
        ("openWorldHint", true, false),
    ] {
        let (before, after) = (hint(old, name, default), hint(new, name, default));
        if before == after {
            continue;
        }
        let on_writing = matches!(name, "destructiveHint" | "idempotentHint");
        let allows_more = after != harmless && !(on_writing && only_reads);
        let message = format!("`{name}` was {before}, is now {after}");
        let (class, kind) = if allows_more {
            (Class::Warning, Happened::Consent)
        } else {
            (Class::Compatible, Happened::Wording)
        };
        let value = new.and_then(|all| all.member(name)).or(new);
        let span = value.map_or(whole, View::span);
        changes.push(Change {
            aspect: Aspect::Words,
            span: Some(span.start..span.end),
            ..Change::on_tool(class, kind, &message)
        });
    }
    let titles = (
        old.and_then(|all| all.member("title")),
        new.and_then(|all| all.member("title")),
    );
    let whole = new.map_or(whole, View::span);
    changes.extend(words(
        (Side::Tool, ""),
        "title of the annotations",
        titles,
        whole,
    ));
}

/// Walks two schemas side by side, as long as both have the same keyword.
fn schemas(changes: &mut Vec<Change>, side: Side, old: View<'_>, new: View<'_>) {
    let lookup = Lookup::new();
    let mut todo = vec![(old, new, String::new(), 0_usize)];
    let mut left = MOST_PLACES;
    while let Some((old, new, place, depth)) = todo.pop() {
        left = match left.checked_sub(1) {
            Some(left) if changes.len() < MOST_CHANGES => left,
            _ => return,
        };
        for keyword in ["description", "title", "default", HEADER] {
            let values = (old.member(keyword), new.member(keyword));
            let mut change = words((side, &place), keyword, values, new.span());
            if let (Some(change), (Some(_), Some(_)), "default", Side::Input) =
                (&mut change, values, keyword, side)
            {
                change.class = Class::Warning;
                change.kind = Happened::DefaultChanged;
                change.aspect = Aspect::Contract;
                change
                    .message
                    .push_str(": calls without it mean something else");
            }
            changes.extend(change);
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

/// The change of a member that consists of words, if there is one; `whole` is the new object without it.
fn words(
    (side, place): (Side, &str),
    member: &str,
    (old, new): (Option<View<'_>>, Option<View<'_>>),
    whole: Span,
) -> Option<Change> {
    let span = new.map_or(whole, View::span);
    let shown = |value: View<'_>| match value.kind() {
        Kind::String if value.raw().len() > 60 => None,
        _ => Some(quote(value.raw(), 60).to_string()),
    };
    let what = match (old, new) {
        (Some(old), Some(new)) if !equal_values(old, new) => match (shown(old), shown(new)) {
            (Some(old), Some(new)) => format!("was {old}, is now {new}"),
            _ => "changed".to_owned(),
        },
        (None, Some(_)) => "is new".to_owned(),
        (Some(_), None) => "is gone".to_owned(),
        _ => return None,
    };
    let text = |value: View<'_>| match value.kind() {
        Kind::String => value.string().to_owned(),
        _ => value.raw().to_owned(),
    };
    let message = format!("the {member} {what}");
    Some(Change {
        side,
        aspect: Aspect::Words,
        place: quote(place, 400).to_string(),
        span: Some(span.start..span.end),
        before: old.map(text),
        after: new.map(text),
        ..Change::on_tool(Class::Compatible, Happened::Wording, &message)
    })
}

const MOST_PLACES: usize = 20_000;
const MOST_CHANGES: usize = 1_000;
const DEEPEST: usize = 64;
const LONGEST_PLACE: usize = 2_000;
