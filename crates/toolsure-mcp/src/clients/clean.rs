//! Leaves out the members of an object that the protocol's schema does not allow as they are.

use toolsure_analysis::tool::{AllowedMembers, Form};
use toolsure_json::{Key as _, Kind, Node as _, View};

use crate::message::Edits;

/// A member that is left out.
#[derive(Debug)]
pub(super) struct LeftOut {
    /// Its path from the tool or the page, with `.` between names.
    pub(super) path: String,
    pub(super) expected: &'static str,
}

/// Leaves out optional members with invalid values, also nested ones, and the members in `gone`.
/// Without a required member, the object is of no use.
pub(super) fn clean(
    allowed: &AllowedMembers,
    object: View<'_>,
    path: &str,
    mut gone: Vec<&'static str>,
    edits: &mut Edits,
    left_out: &mut Vec<LeftOut>,
) {
    for (key, value) in object.members() {
        if gone.contains(&key.text()) {
            continue;
        }
        let mut forms = allowed.optional.iter();
        let Some((name, form)) = forms.find(|(name, _)| *name == key.text()) else {
            continue;
        };
        let path = join(path, name);
        if !form.admits(value) {
            gone.push(*name);
            let expected = form.expected();
            left_out.push(LeftOut { path, expected });
            continue;
        }
        match form {
            Form::Object(members) => clean(members, value, &path, Vec::new(), edits, left_out),
            Form::Objects(members) => clean_each(members, value, &path, edits, left_out),
            _ => {}
        }
    }
    if !gone.is_empty() {
        let is_gone = |_, value: View<'_>| {
            value
                .name()
                .is_some_and(|name| gone.contains(&name.string()))
        };
        edits.reshape(object, is_gone, &[]);
    }
}

/// The same for each object of an array; elements that lack required members are left out.
fn clean_each(
    allowed: &AllowedMembers,
    array: View<'_>,
    path: &str,
    edits: &mut Edits,
    left_out: &mut Vec<LeftOut>,
) {
    let mut gone = Vec::new();
    for (index, item) in array.items().enumerate() {
        let path = format!("{path}[{index}]");
        let mut required = allowed.required.iter();
        let whole = item.kind() == Kind::Object
            && required
                .all(|(name, form)| item.member(name).is_some_and(|value| form.admits(value)));
        if whole {
            clean(allowed, item, &path, Vec::new(), edits, left_out);
        } else {
            gone.push(index);
            let expected = "an object with all required members";
            left_out.push(LeftOut { path, expected });
        }
    }
    if !gone.is_empty() {
        edits.reshape(array, |index, _| gone.contains(&index), &[]);
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The members of a page of tools.
pub(super) const PAGE: AllowedMembers = AllowedMembers {
    optional: &[
        ("nextCursor", Form::Text),
        ("_meta", Form::Object(&AllowedMembers::ANY)),
        ("resultType", Form::Text),
        ("ttlMs", Form::Count),
        ("cacheScope", Form::OneOf(&["private", "public"])),
    ],
    required: &[],
};
