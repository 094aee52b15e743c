//! Writes JSON text, member by member.

use toolsure_json::push_json_string;

/// An object that is being written. Dropping this writes the closing brace.
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

    /// Writes a member; `value` writes its value.
    pub(crate) fn member(&mut self, name: &str, value: impl FnOnce(&mut String)) {
        if !self.empty {
            self.out.push(',');
        }
        self.empty = false;
        push_json_string(self.out, name);
        self.out.push(':');
        value(self.out);
    }

    /// Writes a string.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.member(name, |out| push_json_string(out, text));
    }

    /// Writes a string, if there is one.
    pub(crate) fn maybe(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    /// Writes a string, or `null`.
    #[cfg(feature = "analysis")]
    pub(crate) fn nullable(&mut self, name: &str, text: Option<&str>) {
        self.member(name, |out| match text {
            Some(text) => push_json_string(out, text),
            None => out.push_str("null"),
        });
    }

    /// Writes a number.
    pub(crate) fn number(&mut self, name: &str, number: impl ToString) {
        self.member(name, |out| out.push_str(&number.to_string()));
    }

    /// Writes a boolean.
    pub(crate) fn boolean(&mut self, name: &str, yes: bool) {
        self.member(name, |out| out.push_str(if yes { "true" } else { "false" }));
    }

    /// Writes an object; `write` writes its members.
    pub(crate) fn object(&mut self, name: &str, write: impl FnOnce(&mut Object<'_>)) {
        self.member(name, |out| write(&mut Object::new(out)));
    }

    /// Writes an array; `write` writes each item.
    pub(crate) fn array<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut String, T),
    ) {
        self.member(name, |out| array(out, items, write));
    }

    /// Writes an array of strings.
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

/// Writes an array; `write` writes each item.
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
