//! Writes JSON text into a string.

use toolsure_json::{json_string, push_json_string};

/// An object or array in progress; knows whether a comma is needed.
pub(super) struct Writer {
    text: String,
    comma: bool,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self {
            text: String::new(),
            comma: false,
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// Opens an object or array.
    pub(super) fn open(&mut self, bracket: char) {
        self.separate();
        self.text.push(bracket);
        self.comma = false;
    }

    /// Closes the innermost object or array.
    pub(super) fn close(&mut self, bracket: char) {
        self.text.push(bracket);
        self.comma = true;
    }

    /// Writes the name of the next member.
    pub(super) fn name(&mut self, name: &str) {
        self.separate();
        push_json_string(&mut self.text, name);
        self.text.push(':');
        self.comma = false;
    }

    pub(super) fn string(&mut self, text: &str) {
        self.raw(&json_string(text));
    }

    pub(super) fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// Writes existing JSON text.
    pub(super) fn raw(&mut self, json: &str) {
        self.separate();
        self.text.push_str(json);
        self.comma = true;
    }

    fn separate(&mut self) {
        if self.comma {
            self.text.push(',');
        }
    }
}
