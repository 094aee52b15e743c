//! A Python value laid out flat: its slots and its strings.

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolsure_json::Number;

use super::refusal::Refusal;

/// A value or a name, in the order of the JSON text.
#[derive(Clone, Copy)]
pub(super) enum Slot {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// The digits of an integer that is not an `i64`: an index into the texts.
    Digits(usize),
    /// A string, or the name of the member whose value follows: an index into the texts.
    Text(usize),
    /// Items, up to the slot `end`.
    Array {
        len: usize,
        end: usize,
    },
    /// Names and values, up to the slot `end`.
    Object {
        len: usize,
        end: usize,
    },
}

/// A Python value laid out flat.
pub(crate) struct Tape<'py> {
    pub(super) slots: Vec<Slot>,
    /// The strings that the texts borrow from.
    pub(super) strings: Vec<Bound<'py, PyString>>,
}

impl<'py> Tape<'py> {
    /// Borrows the texts of all strings.
    pub(crate) fn texts(&self) -> Result<Texts<'_>, Refusal> {
        let mut texts = Vec::with_capacity(self.strings.len());
        for (index, string) in self.strings.iter().enumerate() {
            match string.to_str() {
                Ok(text) => texts.push(text),
                Err(_) => {
                    return Err(Refusal::NotJson {
                        pointer: String::new(),
                        message: format!("string {index} of the value has half a surrogate pair"),
                    });
                }
            }
        }
        Ok(Texts {
            slots: &self.slots,
            texts,
        })
    }
}

/// A tape with the texts of its strings.
pub(crate) struct Texts<'t> {
    slots: &'t [Slot],
    texts: Vec<&'t str>,
}

impl<'t> Texts<'t> {
    pub(super) fn text(&self, index: usize) -> &'t str {
        self.texts.get(index).copied().unwrap_or_default()
    }

    pub(super) fn slot(&self, at: usize) -> Slot {
        self.slots.get(at).copied().unwrap_or(Slot::Null)
    }

    /// The slot after a value.
    pub(super) fn after(&self, at: usize) -> usize {
        match self.slot(at) {
            Slot::Array { end, .. } | Slot::Object { end, .. } => end,
            _ => at + 1,
        }
    }

    /// The value as JSON text.
    pub(crate) fn json(&self) -> String {
        let mut text = String::with_capacity(self.slots.len() * 8);
        // The open containers: where each ends, and whether its members have names.
        let mut open: Vec<(usize, bool)> = Vec::new();
        let mut named = false;
        for (at, slot) in self.slots.iter().enumerate() {
            while let Some((_, object)) = open.pop_if(|(end, _)| *end == at) {
                text.push(if object { '}' } else { ']' });
            }
            let first = text.is_empty() || text.ends_with(['[', '{']);
            if named {
                text.push(':');
                named = false;
            } else {
                if !first {
                    text.push(',');
                }
                named = open.last().is_some_and(|(_, object)| *object);
            }
            match *slot {
                Slot::Null => text.push_str("null"),
                Slot::Boolean(value) => text.push_str(if value { "true" } else { "false" }),
                Slot::Integer(value) => text.push_str(&value.to_string()),
                Slot::Float(value) => text.push_str(&Number::from_f64(value).to_string()),
                Slot::Digits(index) => text.push_str(self.text(index)),
                Slot::Text(index) => toolsure_json::push_json_string(&mut text, self.text(index)),
                Slot::Array { end, .. } => {
                    text.push('[');
                    open.push((end, false));
                }
                Slot::Object { end, .. } => {
                    text.push('{');
                    open.push((end, true));
                }
            }
        }
        while let Some((_, object)) = open.pop() {
            text.push(if object { '}' } else { ']' });
        }
        text
    }
}
