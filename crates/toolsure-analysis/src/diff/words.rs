//! What changed in words: descriptions, titles, defaults, annotations of schemas.

use std::collections::HashSet;

use toolsure_json::{Key as _, Kind, Node as _, Span, View, equal_values, pointer, quote};
use toolsure_syntax::Keyword;
use toolsure_syntax::positions::SubschemaLayout;

use super::lookup::Lookup;
use super::report::{Aspect, Change, Class, Kind as Happened, Side};
use crate::tool::HEADER;

/// Reports every change of words between two tools, except in their annotations.
pub(super) fn compare(changes: &mut Vec<Change>, old: View<'_>, new: View<'_>) {
    for member in ["title", "description"] {
        let values = (old.member(member), new.member(member));
        changes.extend(words((Side::Tool, ""), member, values, new.span()));
    }
    for (side, member) in [(Side::Input, "inputSchema"), (Side::Output, "outputSchema")] {
        if let (Some(old), Some(new)) = (old.member(member), new.member(member)) {
            schemas(changes, side, old, new);
        }
    }
}

/// A pair of schemas to compare, and where they are.
struct Place<'v> {
    old: View<'v>,
    new: View<'v>,
    place: String,
    depth: usize,
}

/// Walks two schemas side by side, as long as both have the same keyword.
fn schemas(changes: &mut Vec<Change>, side: Side, old: View<'_>, new: View<'_>) {
    let lookups = (Lookup::new(), Lookup::new());
    // Branches of a union have one location.
    let mut said = HashSet::new();
    let root = Place {
        old,
        new,
        place: String::new(),
        depth: 0,
    };
    let mut todo = vec![root];
    let mut left = MOST_PLACES;
    while let Some(here) = todo.pop() {
        left = match left.checked_sub(1) {
            Some(left) if changes.len() < MOST_CHANGES => left,
            _ => return,
        };
        annotated(changes, (side, &here), &lookups, &mut said);
        if here.depth >= DEEPEST || here.place.len() > LONGEST_PLACE {
            continue;
        }
        for keyword in Keyword::ALL.iter().copied() {
            let name = keyword.name();
            if let (Some(layout), Some(before), Some(after)) = (
                keyword.layout(),
                here.old.member(name),
                here.new.member(name),
            ) {
                inside(
                    &mut todo,
                    &lookups.0,
                    (keyword, layout),
                    &here,
                    (before, after),
                );
            }
        }
    }
}

/// Reports the annotations that changed in one schema.
fn annotated<'v>(
    changes: &mut Vec<Change>,
    (side, here): (Side, &Place<'v>),
    (olds, news): &(Lookup<'v>, Lookup<'v>),
    said: &mut HashSet<(String, String)>,
) {
    let first = ["description", "title", "default", HEADER];
    let names = here.new.members().chain(here.old.members());
    let others = names.map(|(key, _)| key.text());
    let others = others.filter(|name| !first.contains(name) && is_annotation(name));
    let mut seen = HashSet::new();
    for keyword in first.into_iter().chain(others) {
        if !seen.insert(keyword) || changes.len() >= MOST_CHANGES {
            continue;
        }
        let values = (
            olds.member(here.old, keyword),
            news.member(here.new, keyword),
        );
        let shown = match first.contains(&keyword) {
            true => keyword.to_owned(),
            false => format!("`{}`", quote(keyword, 64)),
        };
        let Some(mut change) = words((side, &here.place), &shown, values, here.new.span()) else {
            continue;
        };
        if let ((Some(_), Some(_)), "default", Side::Input) = (values, keyword, side) {
            change.class = Class::Warning;
            change.kind = Happened::DefaultChanged;
            change.aspect = Aspect::Contract;
            change
                .message
                .push_str(": calls without it mean something else");
        }
        if said.insert((change.place.clone(), change.message.clone())) {
            changes.push(change);
        }
    }
}

/// Whether a member of a schema neither refuses anything nor says what other parts of it mean.
fn is_annotation(name: &str) -> bool {
    match Keyword::from_name(name) {
        Some(keyword) => {
            !name.starts_with('$')
                && name != "id"
                && !keyword.can_reject()
                && keyword.layout().is_none()
        }
        None => true,
    }
}

/// The subschemas that a keyword has on both sides.
fn inside<'v>(
    todo: &mut Vec<Place<'v>>,
    lookup: &Lookup<'v>,
    (keyword, layout): (Keyword, SubschemaLayout),
    here: &Place<'v>,
    (before, after): (View<'v>, View<'v>),
) {
    let mut push = |old, new, step: Option<&str>| {
        let mut place = here.place.clone();
        match step {
            Some("*") => place.push_str("/*"),
            Some(step) => {
                if matches!(keyword, Keyword::Defs | Keyword::Definitions) {
                    pointer::push(&mut place, keyword.name());
                }
                pointer::push(&mut place, step);
            }
            None => {}
        }
        todo.push(Place {
            old,
            new,
            place,
            depth: here.depth.saturating_add(1),
        });
    };
    let in_place = keyword.is_in_place();
    let of_any = if in_place { None } else { Some("*") };
    match (layout, before.kind(), after.kind()) {
        (SubschemaLayout::Map, Kind::Object, Kind::Object) => {
            for (key, schema) in after.members() {
                let name = key.text();
                let step = match keyword {
                    _ if in_place => None,
                    Keyword::PatternProperties => Some("*"),
                    _ => Some(name),
                };
                if let Some(other) = lookup.member(before, name) {
                    push(other, schema, step);
                }
            }
        }
        // Of lists of other lengths, nobody knows what belongs together.
        (SubschemaLayout::Schemas, Kind::Array, Kind::Array) if before.len() == after.len() => {
            for (index, (old, new)) in before.items().zip(after.items()).enumerate() {
                let index = index.to_string();
                push(old, new, (!in_place).then_some(index.as_str()));
            }
        }
        (_, Kind::Object, Kind::Object) => push(before, after, of_any),
        _ => {}
    }
}

/// The change of a member that consists of words, if there is one; `whole` is the new object without it.
pub(super) fn words(
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
        member: member.trim_matches('`').to_owned(),
        span: Some(span.start..span.end),
        before: old.map(text),
        after: new.map(text),
        ..Change::on_tool(Class::Compatible, Happened::Wording, &message)
    })
}

const MOST_PLACES: usize = 20_000;
/// Changes of one tool that are kept.
pub(super) const MOST_CHANGES: usize = 1_000;
const DEEPEST: usize = 64;
const LONGEST_PLACE: usize = 2_000;
