//! Whether two results have the same shape: the same members, with values of the same types.

use toolsure_json::{Key as _, Kind, Node as _, View};

/// The first difference of a live result from a recorded one: where, and in words. Members that are new, and values, may differ.
pub(super) fn difference(old: View<'_>, new: View<'_>) -> Option<(String, String)> {
    let mut left = MOST_VALUES;
    compare(old, new, &mut String::new(), &mut left)
}

fn compare(
    old: View<'_>,
    new: View<'_>,
    at: &mut String,
    left: &mut usize,
) -> Option<(String, String)> {
    *left = left.checked_sub(1)?;
    if old.kind() != new.kind() {
        let (old, new) = (name(old.kind()), name(new.kind()));
        return Some((at.clone(), format!("{new}, where {old} is recorded")));
    }
    let length = at.len();
    for (key, member) in old.members() {
        toolsure_json::pointer::push(at, key.text());
        let found = match new.member(key.text()) {
            None => Some((at.clone(), "is missing now".to_owned())),
            Some(other) if key.text() == "isError" && other.raw() != member.raw() => {
                Some((at.clone(), format!("is {} now", other.raw())))
            }
            Some(other) => compare(member, other, at, left),
        };
        at.truncate(length);
        if found.is_some() {
            return found;
        }
    }
    // Items are of the types that recorded items have.
    let first = old.items().next()?;
    let is_uniform = old.items().all(|item| item.kind() == first.kind());
    for (index, item) in new.items().enumerate().take(MOST_ITEMS) {
        let recorded = old.item(index).or(is_uniform.then_some(first));
        let Some(recorded) = recorded else { continue };
        toolsure_json::pointer::push_index(at, index);
        let is_tuple = old.item(index).is_some();
        // Items beyond the recorded ones may lack members that the first one has.
        let found = match is_tuple {
            true => compare(recorded, item, at, left),
            false if recorded.kind() != item.kind() => {
                let (old, new) = (name(recorded.kind()), name(item.kind()));
                Some((at.clone(), format!("{new}, where {old} is recorded")))
            }
            false => None,
        };
        at.truncate(length);
        if found.is_some() {
            return found;
        }
    }
    None
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// Values and items that are compared.
const MOST_VALUES: usize = 100_000;
const MOST_ITEMS: usize = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    #[test]
    fn types_and_members_are_compared_and_values_are_not() {
        for (old, new, expected) in [
            (r#"{"a": 1}"#, r#"{"a": 2, "b": 3}"#, None),
            (r#"{"a": 1}"#, r#"{"a": "1"}"#, Some("/a")),
            (r#"{"a": 1}"#, "{}", Some("/a")),
            (r#"{"a": [1]}"#, r#"{"a": [1, 2]}"#, None),
            (r#"{"a": [1]}"#, r#"{"a": [1, "x"]}"#, Some("/a/1")),
            (r#"{"a": []}"#, r#"{"a": ["x"]}"#, None),
            (
                r#"{"isError": false}"#,
                r#"{"isError": true}"#,
                Some("/isError"),
            ),
        ] {
            let read = |text: &str| OwnedDocument::read(text, &ReadLimits::default()).unwrap();
            let (one, other) = (read(old), read(new));
            let found = difference(one.document().root(), other.document().root());
            assert_eq!(found.map(|(at, _)| at).as_deref(), expected, "{old} {new}");
        }
    }
}
