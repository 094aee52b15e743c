//! Calls at the edges of what strings, numbers and lists can hold, and edits of arguments.

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View, json_string};

use super::pinned::Pinned;

/// Calls that differ from another one in one member: the rank of each, the arguments, and what it is for. They must be
/// certified.
pub(super) fn calls(full: &str, minimal: Option<&str>) -> Vec<(u8, String, String)> {
    let (Some(all), Some(base)) = (members(full), members(minimal.unwrap_or(full))) else {
        return Vec::new();
    };
    let mut calls = Vec::new();
    let mut is_long_used = false;
    for (name, value) in all.iter().take(MEMBERS) {
        let with = |value: &str| {
            let mut changed = base.clone();
            match changed.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => value.clone_into(known),
                None => changed.push((name.clone(), value.to_owned())),
            }
            written(&changed)
        };
        let mut add = |rank: u8, value: &str, what: &str| {
            calls.push((rank, with(value), format!("{what} for `{name}`")));
        };
        match value.as_bytes().first() {
            Some(b'"') => {
                add(4, "\"\"", "an empty string");
                add(6, r#""😀 \u202eabc é\u0000""#, "unusual characters");
                if !is_long_used {
                    is_long_used = true;
                    let long = format!("\"{}\"", "a".repeat(LONG));
                    add(7, &long, "a string of 100,000 characters");
                }
            }
            Some(b'[') => {
                add(4, "[]", "an empty array");
                if let Some(item) = first_item(value) {
                    let many = vec![item.as_str(); MANY].join(",");
                    add(7, &format!("[{many}]"), "an array of 1,000 items");
                }
            }
            Some(b'{') => add(4, "{}", "an empty object"),
            Some(b'-' | b'0'..=b'9') => {
                add(4, "0", "zero");
                add(5, "-1", "a negative number");
                add(6, "9007199254740991", "a large number");
            }
            Some(b't') => add(5, "false", "the other boolean"),
            _ => {}
        }
    }
    for (changed, at) in with_long_inner(full) {
        calls.push((
            7,
            changed,
            format!("a string of 100,000 characters at `{at}`"),
        ));
    }
    let mut open = base;
    open.push(("toolsure_unknown".to_owned(), "1".to_owned()));
    calls.push((5, written(&open), UNDECLARED.to_owned()));
    calls
}

/// Calls whose strings at a bound are made of characters outside of the Basic Multilingual Plane, which have two UTF-16 units.
pub(super) fn wide(text: &str) -> Option<(u8, String, String)> {
    let run = text
        .split('"')
        .find(|part| part.len() > 1 && part.bytes().all(|b| b == b'a'))?;
    let changed = text.replace(
        &format!("\"{run}\""),
        &format!("\"{}\"", "😀".repeat(run.len())),
    );
    let what = format!(
        "a string of {} characters outside of the Basic Multilingual Plane",
        run.len()
    );
    (run.len() <= LONG / 10).then_some((6, changed, what))
}

/// A call with a string that is not Unicode, half of a surrogate pair, and what it is. Pinned members keep their values.
pub(super) fn malformed(full: &str, pinned: &[Pinned]) -> Option<(String, String)> {
    let mut all = members(full)?;
    let is_pinned = |name: &str| pinned.iter().any(|one| one.member == name);
    let mut free = all.iter_mut().filter(|(name, _)| !is_pinned(name));
    let (name, value) = free.find(|(_, value)| value.starts_with('"'))?;
    r#""a\ud800b""#.clone_into(value);
    let covers = format!("half of a surrogate pair for `{name}`");
    Some((written(&all), covers))
}

/// Calls with mistakes that models and lax readers make: numbers as strings, fractions for integers, null for absent members.
pub(super) fn mistakes(full: &str, minimal: Option<&str>) -> Vec<String> {
    let (Some(all), Some(base)) = (members(full), members(minimal.unwrap_or(full))) else {
        return Vec::new();
    };
    let mut calls = Vec::new();
    for (name, value) in all.iter().take(MEMBERS) {
        let others: &[&str] = match value.as_bytes().first() {
            Some(b'-' | b'0'..=b'9') => &["\"1\"", "1.5", "null"],
            Some(b't' | b'f') => &["\"true\"", "1", "null"],
            Some(b'"') => &["1", "null"],
            Some(b'[') => &["\"[]\"", "{}", "null"],
            Some(b'{') => &["\"{}\"", "[]", "null"],
            _ => &[],
        };
        for other in others {
            let mut changed = base.clone();
            match changed.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => (*other).clone_into(known),
                None => changed.push((name.clone(), (*other).to_owned())),
            }
            calls.push(written(&changed));
        }
    }
    calls
}

/// How well a call shows that the order of members matters: the number of members, if they all have different values.
pub(super) fn distinct(text: &str) -> usize {
    let Some(all) = members(text) else { return 0 };
    let values: std::collections::HashSet<&str> =
        all.iter().map(|(_, value)| value.as_str()).collect();
    match values.len() == all.len() {
        true => all.len(),
        false => 0,
    }
}

/// The same object with its members in reverse order; `None` if it has fewer than two.
pub(super) fn reversed(text: &str) -> Option<String> {
    let mut all = members(text)?;
    all.reverse();
    (all.len() > 1).then(|| written(&all))
}

/// The object with other values for some members; `adds` says whether members that it does not have are added.
pub(super) fn with_members(text: &str, pinned: &[Pinned], adds: bool) -> Option<String> {
    if pinned.is_empty() {
        return Some(text.to_owned());
    }
    let mut all = members(text)?;
    for one in pinned {
        match all.iter_mut().find(|(name, _)| *name == one.member) {
            Some((_, value)) => one.value.clone_into(value),
            None if adds => all.push((one.member.clone(), one.value.clone())),
            None => {}
        }
    }
    Some(written(&all))
}

/// The members of an object: names and JSON texts.
pub(super) fn members(text: &str) -> Option<Vec<(String, String)>> {
    let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).ok()?;
    let root = document.document().root();
    if root.kind() != Kind::Object {
        return None;
    }
    let all = root.members();
    Some(
        all.map(|(key, value)| (key.text().to_owned(), value.raw().to_owned()))
            .collect(),
    )
}

/// Whether an object has the member.
pub(super) fn has_member(text: &str, name: &str) -> bool {
    let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default());
    document.is_ok_and(|document| document.document().root().member(name).is_some())
}

/// The text of an object.
pub(super) fn written(members: &[(String, String)]) -> String {
    let members: Vec<String> = members
        .iter()
        .map(|(name, value)| format!("{}:{value}", json_string(name)))
        .collect();
    format!("{{{}}}", members.join(","))
}

/// The object with a long string in place of one inside its members, and where that is: for the first few.
fn with_long_inner(full: &str) -> Vec<(String, String)> {
    let mut calls = Vec::new();
    let Ok(document) = OwnedDocument::read(full.as_bytes(), &ReadLimits::default()) else {
        return calls;
    };
    let root = document.document().root();
    let mut todo: Vec<View<'_>> = root.members().map(|(_, value)| value).collect();
    while let Some(value) = todo.pop() {
        let members = value.members().map(|(_, member)| member);
        for inner in members.chain(value.items()) {
            if inner.kind() != Kind::String {
                todo.push(inner);
                continue;
            }
            let span = inner.span();
            let parts = full.get(..span.start).zip(full.get(span.end..));
            if let Some((before, after)) = parts.filter(|_| calls.len() < INNER) {
                let long = "a".repeat(LONG);
                let at = document.document().pointer(inner.id());
                calls.push((format!("{before}\"{long}\"{after}"), at));
            }
        }
    }
    calls
}

fn first_item(text: &str) -> Option<String> {
    let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).ok()?;
    let first = document.document().root().items().next();
    first.map(|item: View<'_>| item.raw().to_owned())
}

/// What a call with an undeclared member is for.
pub(super) const UNDECLARED: &str = "a member that is not declared";
/// Characters of a long string, and items of a long array.
const LONG: usize = 100_000;
const MANY: usize = 1_000;
/// Members that are varied.
const MEMBERS: usize = 60;
/// Strings inside members that are made long.
const INNER: usize = 6;
