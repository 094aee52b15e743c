//! Leaves out the members of an object that the protocol's schema does not allow as they are.

use toolsure_analysis::tool::{AllowedMembers, Form};
use toolsure_json::{Key as _, Node as _, View};

use super::change::Change;
use crate::message::Edits;

/// The edits of one text, and what they change.
#[derive(Debug)]
pub(super) struct Cleaner<'e> {
    pub(super) edits: &'e mut Edits,
    pub(super) changes: Vec<Change>,
}

/// What happens to an object besides what its table says.
#[derive(Debug, Default)]
pub(super) struct Also {
    /// The members that are left out; the caller has recorded it.
    pub(super) gone: Vec<&'static str>,
    /// The members that are appended, as `"name":value`.
    pub(super) appended: Vec<String>,
}

impl<'e> Cleaner<'e> {
    pub(super) fn of(edits: &'e mut Edits) -> Self {
        Self {
            edits,
            changes: Vec::new(),
        }
    }

    pub(super) fn left_out(&mut self, path: String, expected: &'static str) {
        self.changes.push(Change::LeftOut { path, expected });
    }

    /// Leaves out optional members with invalid values, also nested ones. Required members stay,
    /// but what is optional in them is cleaned too.
    pub(super) fn object(
        &mut self,
        allowed: &AllowedMembers,
        object: View<'_>,
        path: &str,
        also: Also,
    ) {
        let Also { mut gone, appended } = also;
        for (key, value) in object.members() {
            if gone.contains(&key.text()) {
                continue;
            }
            let Some((name, form)) = allowed.get(key.text()) else {
                continue;
            };
            let path = join(path, name);
            if form.takes(value) {
                self.value(form, value, &path);
            } else if allowed.is_optional(name) {
                gone.push(name);
                self.left_out(path, form.expected());
            }
        }
        if !gone.is_empty() || !appended.is_empty() {
            let is_gone = |_, value: View<'_>| {
                value
                    .name()
                    .is_some_and(|name| gone.contains(&name.string()))
            };
            self.edits.reshape(object, is_gone, &appended);
        }
    }

    /// The same for a value that its form takes.
    pub(super) fn value(&mut self, form: Form, value: View<'_>, path: &str) {
        match form {
            Form::Object(members) => self.object(members, value, path, Also::default()),
            Form::Objects(members) => self.elements(Form::Object(members), value, path),
            Form::Each(form) => self.elements(*form, value, path),
            Form::AnyOf(forms) => {
                if let Some(form) = forms.iter().find(|form| form.takes(value)) {
                    self.value(*form, value, path);
                }
            }
            _ => {}
        }
    }

    /// The same for each element of an array; elements of another form are left out.
    pub(super) fn elements(&mut self, form: Form, array: View<'_>, path: &str) {
        let mut gone = Vec::new();
        for (index, item) in array.items().enumerate() {
            let path = format!("{path}[{index}]");
            if form.takes(item) {
                self.value(form, item, &path);
            } else {
                gone.push(index);
                let expected = match form {
                    Form::Object(_) => "an object with all required members",
                    form => form.expected(),
                };
                self.left_out(path, expected);
            }
        }
        if !gone.is_empty() {
            let is_gone = |index, _: View<'_>| gone.contains(&index);
            self.edits.reshape(array, is_gone, &[]);
        }
    }

    /// Puts JSON text in place of a value; `to` says what it is.
    pub(super) fn replace(&mut self, value: View<'_>, text: String, path: &str, to: &'static str) {
        self.edits.replace(value, text);
        self.changes.push(Change::Replaced {
            path: path.to_owned(),
            to,
        });
    }
}

pub(super) fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}
