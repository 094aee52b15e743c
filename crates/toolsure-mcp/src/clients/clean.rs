//! Leaves out the members of an object that the protocol's schema does not allow as they are.

use toolsure_analysis::tool::{AllowedMembers, Form};
use toolsure_json::{Key as _, Node as _, View};

use super::change::Change;
use super::place::{Changes, Place};
use crate::message::Edits;

/// The edits of one text, and what they change.
#[derive(Debug)]
pub(super) struct Cleaner<'e> {
    pub(super) edits: &'e mut Edits,
    pub(super) changes: Changes,
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
            changes: Changes::default(),
        }
    }

    pub(super) fn left_out(&mut self, place: &Place<'_>, expected: &'static str) {
        self.changes.push(|| Change::LeftOut {
            path: place.to_string(),
            expected,
        });
    }

    /// Records that an object is left out because of one of its members.
    pub(super) fn left_out_for(
        &mut self,
        place: &Place<'_>,
        name: &'static str,
        expected: &'static str,
    ) {
        self.changes.push(|| Change::LeftOutFor {
            path: place.to_string(),
            member: name,
            expected,
        });
    }

    /// Records what is in place of a value.
    pub(super) fn replaced(&mut self, place: &Place<'_>, to: &'static str) {
        self.changes.push(|| Change::Replaced {
            path: place.to_string(),
            to,
        });
    }

    /// Records a member that is added.
    pub(super) fn added(&mut self, place: &Place<'_>, value: &'static str) {
        self.changes.push(|| Change::Added {
            path: place.to_string(),
            value,
        });
    }

    /// Leaves out optional members with invalid values, also nested ones. Required members stay,
    /// but what is optional in them is cleaned too.
    pub(super) fn object(
        &mut self,
        allowed: &AllowedMembers,
        object: View<'_>,
        place: &Place<'_>,
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
            let place = place.member(name);
            if form.takes(value) {
                self.value(form, value, &place);
            } else if allowed.is_optional(name) {
                gone.push(name);
                self.left_out(&place, form.expected());
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
    pub(super) fn value(&mut self, form: Form, value: View<'_>, place: &Place<'_>) {
        match form {
            Form::Object(members) => self.object(members, value, place, Also::default()),
            Form::Objects(members) => self.elements(Form::Object(members), value, place),
            Form::Each(form) => self.elements(*form, value, place),
            Form::AnyOf(forms) => {
                if let Some(form) = forms.iter().find(|form| form.takes(value)) {
                    self.value(*form, value, place);
                }
            }
            // rmcp takes neither `12.0` nor `1e3` for an integer (3.9.0; `cargo xtask readers`).
            Form::Count if form.is_other_spelling(value) => {
                if let Ok(number) = value.raw().parse::<f64>() {
                    self.replace(
                        value,
                        format!("{:.0}", number.abs()),
                        place,
                        "the same integer, written in digits",
                    );
                }
            }
            _ => {}
        }
    }

    /// The same for each element of an array; elements of another form are left out.
    pub(super) fn elements(&mut self, form: Form, array: View<'_>, place: &Place<'_>) {
        let mut gone = Vec::new();
        for (index, item) in array.items().enumerate() {
            let place = place.item(index);
            if form.takes(item) {
                self.value(form, item, &place);
            } else {
                gone.push(index);
                let expected = match form {
                    Form::Object(_) => "an object with all required members",
                    form => form.expected(),
                };
                self.left_out(&place, expected);
            }
        }
        self.without(array, &gone);
    }

    /// Leaves out elements of an array; `gone` are their numbers in ascending order.
    pub(super) fn without(&mut self, array: View<'_>, gone: &[usize]) {
        if !gone.is_empty() {
            let is_gone = |index, _: View<'_>| gone.binary_search(&index).is_ok();
            self.edits.reshape(array, is_gone, &[]);
        }
    }

    /// Puts JSON text in place of a value; `to` says what it is.
    pub(super) fn replace(
        &mut self,
        value: View<'_>,
        text: String,
        place: &Place<'_>,
        to: &'static str,
    ) {
        self.edits.replace(value, text);
        self.replaced(place, to);
    }
}
