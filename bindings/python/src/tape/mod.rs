//! Python values that are read completely: one pass lays them out flat, before they are checked,
//! explained or written as JSON.
//!
//! The engine's `Node` cannot fail, but a Python value can: it may contain a set, a NaN, half a
//! surrogate pair, or itself. So one pass over the objects finds all such errors before the engine
//! starts. It keeps a reference to each string, and copies no text. Nothing after it calls Python.

mod layout;
mod node;

use pyo3::prelude::*;
use pyo3::types::PyString;
use toolgate_json::{Number, ReadLimits};

use layout::Layout;
pub(crate) use node::TapeNode;

/// A value or a name, in the order of the JSON text.
#[derive(Clone, Copy)]
enum Slot {
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
    slots: Vec<Slot>,
    /// The strings that the texts borrow from.
    strings: Vec<Bound<'py, PyString>>,
}

/// Why a Python value cannot be laid out.
pub(crate) enum Refusal {
    /// JSON cannot express it: the location and the reason.
    NotJson { pointer: String, message: String },
    /// It exceeds a limit on reading instances.
    Limit {
        setting: &'static str,
        allowed: usize,
    },
}

impl<'py> Tape<'py> {
    /// Lays out a value, under the same limits as for text.
    pub(crate) fn read(value: &Bound<'py, PyAny>, limits: &ReadLimits) -> Result<Self, Refusal> {
        Layout::new(limits).read(value)
    }

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
    /// The whole value.
    pub(crate) fn root(&'t self) -> TapeNode<'t> {
        TapeNode::at(self, 0)
    }

    fn text(&self, index: usize) -> &'t str {
        self.texts.get(index).copied().unwrap_or_default()
    }

    fn slot(&self, at: usize) -> Slot {
        self.slots.get(at).copied().unwrap_or(Slot::Null)
    }

    /// The slot after a value.
    fn after(&self, at: usize) -> usize {
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
                Slot::Text(index) => toolgate_json::push_json_string(&mut text, self.text(index)),
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
