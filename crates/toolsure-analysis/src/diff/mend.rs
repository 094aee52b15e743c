//! Instances that differ from another one at a single location.

use toolsure_generate::Step;
use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View, json_string};

/// The texts of an instance with another value at a location: the value that another instance has there, or
/// none. The locations are patterns: of the places that match, a few are changed, one in each text.
pub(super) fn mended(text: &str, focus: &[Step], donor: &str) -> Vec<String> {
    let read = |text: &str| OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).ok();
    let (Some(own), Some(other)) = (read(text), read(donor)) else {
        return Vec::new();
    };
    let (own, other) = (own.document().root(), other.document().root());
    let value = places(other, focus).first().map(|value| value.raw());
    let Some((last, above)) = focus.split_last() else {
        return value.map(str::to_owned).into_iter().collect();
    };
    let mut texts = Vec::new();
    for parent in places(own, above) {
        if parent.kind() == Kind::Object
            && let Step::Name(name) = last
        {
            let member = with_member(parent, name, value);
            texts.extend(replaced(text, parent, &member));
            continue;
        }
        let inside = places(parent, std::slice::from_ref(last)).into_iter();
        texts.extend(inside.filter_map(|old| replaced(text, old, value?)));
    }
    texts
}

/// The first places of an instance that match a location.
pub(super) fn places<'v>(root: View<'v>, focus: &[Step]) -> Vec<View<'v>> {
    let mut all = vec![root];
    for step in focus {
        let inside = all.iter().flat_map(|view| -> Vec<View<'v>> {
            match step {
                Step::Name(name) => view.member(name).into_iter().collect(),
                Step::AnyName => view.members().map(|(_, value)| value).take(MOST).collect(),
                Step::Index(index) => view.item(*index).into_iter().collect(),
                Step::AnyItem => view.items().take(MOST).collect(),
            }
        });
        all = inside.take(MOST).collect();
    }
    all
}

/// The text of an object with another value of a member, or without it.
fn with_member(object: View<'_>, name: &str, value: Option<&str>) -> String {
    let others = object.members().filter(|(key, _)| key.text() != name);
    let others = others.map(|(key, value)| format!("{}: {}", json_string(key.text()), value.raw()));
    let own = value.map(|value| format!("{}: {value}", json_string(name)));
    let members: Vec<String> = others.chain(own).collect();
    format!("{{{}}}", members.join(", "))
}

fn replaced(text: &str, old: View<'_>, new: &str) -> Option<String> {
    let span = old.span();
    let (start, end) = (text.get(..span.start)?, text.get(span.end..)?);
    Some(format!("{start}{new}{end}"))
}

/// Places that are changed.
const MOST: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_is_replaced_added_or_removed() {
        let name = |name: &str| Step::Name(name.to_owned());
        let text = r#"{"a": {"b": 1}, "c": [1, 2]}"#;
        for (focus, donor, expected) in [
            (
                vec![name("a"), name("b")],
                r#"{"a": {"b": 2}}"#,
                vec![r#"{"a": {"b": 2}, "c": [1, 2]}"#],
            ),
            (
                vec![name("a"), name("b")],
                "{}",
                vec![r#"{"a": {}, "c": [1, 2]}"#],
            ),
            (
                vec![name("d")],
                r#"{"d": "x"}"#,
                vec![r#"{"a": {"b": 1}, "c": [1, 2], "d": "x"}"#],
            ),
            (
                vec![name("c"), Step::AnyItem],
                r#"{"c": [7]}"#,
                vec![
                    r#"{"a": {"b": 1}, "c": [7, 2]}"#,
                    r#"{"a": {"b": 1}, "c": [1, 7]}"#,
                ],
            ),
            (vec![], "{}", vec!["{}"]),
            (vec![name("c"), Step::AnyItem], "{}", vec![]),
        ] {
            assert_eq!(mended(text, &focus, donor), expected, "{focus:?}");
        }
    }
}
