//! JSON text, written member by member.

use toolgate_json::push_json_string;

/// An object that is being written. Dropping it writes the closing brace.
pub(crate) struct Object<'o> {
    out: &'o mut String,
    empty: bool,
}

impl<'o> Object<'o> {
    /// Begins an object.
    pub(crate) fn new(out: &'o mut String) -> Self {
        out.push('{');
        Self { out, empty: true }
    }

    /// A member whose value is written by `value`.
    pub(crate) fn member(&mut self, name: &str, value: impl FnOnce(&mut String)) {
        if !self.empty {
            self.out.push(',');
        }
        self.empty = false;
        push_json_string(self.out, name);
        self.out.push(':');
        value(self.out);
    }

    /// A string.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.member(name, |out| push_json_string(out, text));
    }

    /// A string, if there is one.
    pub(crate) fn maybe(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    /// A number.
    pub(crate) fn number(&mut self, name: &str, number: impl ToString) {
        self.member(name, |out| out.push_str(&number.to_string()));
    }

    /// A boolean.
    pub(crate) fn boolean(&mut self, name: &str, yes: bool) {
        self.member(name, |out| out.push_str(if yes { "true" } else { "false" }));
    }

    /// An object, whose members `write` writes.
    pub(crate) fn object(&mut self, name: &str, write: impl FnOnce(&mut Object<'_>)) {
        self.member(name, |out| write(&mut Object::new(out)));
    }

    /// An array, whose items `write` writes one by one.
    pub(crate) fn array<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut String, T),
    ) {
        self.member(name, |out| array(out, items, write));
    }

    /// An array of strings.
    pub(crate) fn texts<T: AsRef<str>>(&mut self, name: &str, texts: impl IntoIterator<Item = T>) {
        self.array(name, texts, |out, text| {
            push_json_string(out, text.as_ref());
        });
    }
}

impl Drop for Object<'_> {
    fn drop(&mut self) {
        self.out.push('}');
    }
}

/// An array, whose items `write` writes one by one.
pub(crate) fn array<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(']');
}
