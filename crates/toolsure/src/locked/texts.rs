//! The texts in a definition that were not in it before: a model reads them wherever they are.

use std::collections::HashSet;

use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, View};

/// The texts in `new` that `old` does not have, in their order, each once.
pub(crate) fn texts_beyond(old: Option<&str>, new: &str) -> Vec<String> {
    let read = |text: &str| OwnedDocument::read(text, &ReadLimits::default()).ok();
    let old = old.and_then(read);
    let mut known = HashSet::new();
    if let Some(old) = &old {
        texts(old.document().root(), &mut |text| {
            known.insert(text);
        });
    }
    let Some(new) = read(new) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    texts(new.document().root(), &mut |text| {
        if known.insert(text) {
            found.push(text.to_owned());
        }
    });
    found
}

fn texts<'v>(value: View<'v>, found: &mut impl FnMut(&'v str)) {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value.kind() {
            Kind::String => found(value.string()),
            Kind::Array => todo.extend(value.items().collect::<Vec<_>>().into_iter().rev()),
            Kind::Object => {
                let members: Vec<View<'v>> = value.members().map(|(_, value)| value).collect();
                todo.extend(members.into_iter().rev());
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_anywhere_are_found_once() {
        let old = r#"{"a": ["one two"], "b": "word"}"#;
        let new = r#"{"a": ["three four", "one two"], "b": {"c": "three four", "d": "five\nsix", "e": "other"}}"#;
        assert_eq!(
            texts_beyond(Some(old), new),
            ["three four", "five\nsix", "other"]
        );
        assert_eq!(texts_beyond(None, old), ["one two", "word"]);
    }
}
