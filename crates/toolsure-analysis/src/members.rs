//! Members of objects by name, for code that looks up many of them.

use std::cell::RefCell;

use foldhash::HashMap;
use toolsure_json::{Key as _, Node as _, View};

/// The members of the large objects of one document.
///
/// They are collected at the first look-up in an object, so that `n` look-ups among `n` members take
/// `n` steps.
#[derive(Default)]
pub(crate) struct Members<'a>(RefCell<HashMap<usize, ByName<'a>>>);

type ByName<'a> = HashMap<&'a str, View<'a>>;

impl<'a> Members<'a> {
    /// The member of an object of the document.
    pub(crate) fn find(&self, object: View<'a>, name: &str) -> Option<View<'a>> {
        if object.len() <= FEW {
            return object.member(name);
        }
        let mut objects = self.0.borrow_mut();
        let members = objects.entry(object.id().index()).or_insert_with(|| {
            let members = object.members().map(|(key, value)| (key.text(), value));
            members.collect()
        });
        members.get(name).copied()
    }
}

/// Members that are searched one by one.
const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use toolsure_json::{OwnedDocument, ReadLimits};

    use super::*;

    #[test]
    fn members_are_found_in_small_and_large_objects() {
        let object = |first: usize, count: usize| {
            let all: Vec<String> = (first..first + count)
                .map(|name| format!("\"{name}\": {name}"))
                .collect();
            format!("{{{}}}", all.join(", "))
        };
        let text = format!(
            "[{}, {}, {}]",
            object(0, FEW),
            object(0, FEW + 1),
            object(100, FEW + 1)
        );
        let document = OwnedDocument::read(text.as_bytes(), &ReadLimits::default()).unwrap();
        let members = Members::default();
        for object in document.document().root().items() {
            for (key, value) in object.members() {
                let found = members.find(object, key.text());
                assert_eq!(found.map(|found| found.id()), Some(value.id()));
            }
            assert!(members.find(object, "50").is_none());
        }
        assert_eq!(members.0.borrow().len(), 2);
    }
}
