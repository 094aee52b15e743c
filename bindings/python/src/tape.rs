//! Python values as the engine sees JSON: one pass lays them out flat, then they are walked.
//!
//! The engine's [`Node`] cannot fail, and a Python value can: it may hold a set, a NaN, half a surrogate
//! pair, or itself. So one pass over the objects finds all that before the engine starts, keeps a
//! reference to each string, and copies no text. After it nothing calls into Python.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::types::{dict::BoundDictIterator, list::BoundListIterator, tuple::BoundTupleIterator};
use toolgate_json::{Key, Kind, NameEnds, Node, Number, ReadLimits, key_hash};

/// A value or a name, in the order of the JSON text.
#[derive(Clone, Copy)]
enum Slot {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    /// The digits of an integer that is no `i64`: an index into the texts.
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
    /// What the texts borrow from.
    strings: Vec<Bound<'py, PyString>>,
}

/// Why a Python value cannot be laid out.
pub(crate) enum Refusal {
    /// It is not what JSON can say: where, and what.
    NotJson { pointer: String, message: String },
    /// It is over a limit on reading instances.
    Limit {
        setting: &'static str,
        allowed: usize,
    },
}

/// A container whose children are being laid out.
struct Open<'py> {
    slot: usize,
    children: Children<'py>,
    /// How many children were begun.
    count: usize,
    /// Which of the strings is the name of the last one.
    name: usize,
    /// Whether a name is of a subclass of `str`, which may compare in its own way.
    odd_names: bool,
}

enum Children<'py> {
    List(BoundListIterator<'py>),
    Tuple(BoundTupleIterator<'py>),
    Dict(BoundDictIterator<'py>),
}

impl<'py> Tape<'py> {
    /// Lays out a value, under the bounds of reading the same from text.
    pub(crate) fn read(value: &Bound<'py, PyAny>, limits: &ReadLimits) -> Result<Self, Refusal> {
        let mut layout = Layout {
            tape: Self {
                slots: Vec::with_capacity(32),
                strings: Vec::with_capacity(16),
            },
            open: Vec::new(),
            limits,
        };
        layout.value(value.clone())?;
        while let Some(top) = layout.open.last_mut() {
            match top.next() {
                Some((name, value)) => {
                    if let Some(name) = name {
                        layout.name(name)?;
                    }
                    layout.value(value)?;
                }
                None => layout.close()?,
            }
        }
        Ok(layout.tape)
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

struct Layout<'py, 'l> {
    tape: Tape<'py>,
    open: Vec<Open<'py>>,
    limits: &'l ReadLimits,
}

impl<'py> Layout<'py, '_> {
    fn push(&mut self, slot: Slot) -> Result<(), Refusal> {
        if self.tape.slots.len() >= self.limits.nodes {
            return Err(Refusal::Limit {
                setting: "limits.instance.nodes",
                allowed: self.limits.nodes,
            });
        }
        self.tape.slots.push(slot);
        Ok(())
    }

    fn string(&mut self, string: Bound<'py, PyString>) -> usize {
        let index = self.tape.strings.len();
        self.tape.strings.push(string);
        index
    }

    fn name(&mut self, name: Bound<'py, PyAny>) -> Result<(), Refusal> {
        let exact = name.is_exact_instance_of::<PyString>();
        let name = match name.cast_into::<PyString>() {
            Ok(name) => name,
            Err(error) => {
                let what = type_name(&error.into_inner());
                return Err(
                    self.not_json(format!("a member's name must be a `str`, found `{what}`"))
                );
            }
        };
        let index = self.string(name);
        if let Some(top) = self.open.last_mut() {
            top.name = index;
            top.odd_names |= !exact;
        }
        self.push(Slot::Text(index))
    }

    fn value(&mut self, value: Bound<'py, PyAny>) -> Result<(), Refusal> {
        if value.is_exact_instance_of::<PyString>() {
            return self.text(value);
        }
        if value.is_exact_instance_of::<PyInt>() {
            return self.integer(&value);
        }
        if value.is_exact_instance_of::<PyDict>() {
            return self.dict(value);
        }
        if value.is_exact_instance_of::<PyList>() {
            return self.list(value);
        }
        if value.is_exact_instance_of::<PyFloat>() {
            return self.float(&value);
        }
        if value.is_none() {
            return self.push(Slot::Null);
        }
        if let Ok(boolean) = value.cast::<PyBool>() {
            return self.push(Slot::Boolean(boolean.is_true()));
        }
        self.subclass(value)
    }

    /// Subclasses count as what they extend, as they do for the `json` module.
    fn subclass(&mut self, value: Bound<'py, PyAny>) -> Result<(), Refusal> {
        if value.is_instance_of::<PyString>() {
            self.text(value)
        } else if value.is_instance_of::<PyDict>() {
            self.dict(value)
        } else if value.is_instance_of::<PyList>() {
            self.list(value)
        } else if value.is_instance_of::<PyTuple>() {
            let Ok(tuple) = value.cast_into::<PyTuple>() else {
                return Err(self.not_json("a tuple that is none".to_owned()));
            };
            let len = tuple.len();
            self.open(
                Slot::Array { len, end: 0 },
                Children::Tuple(tuple.into_iter()),
            )
        } else if value.is_instance_of::<PyInt>() {
            self.integer(&value)
        } else if value.is_instance_of::<PyFloat>() {
            self.float(&value)
        } else {
            let what = type_name(&value);
            Err(self.not_json(format!("JSON has no value for a `{what}`")))
        }
    }

    fn text(&mut self, value: Bound<'py, PyAny>) -> Result<(), Refusal> {
        let Ok(text) = value.cast_into::<PyString>() else {
            return Err(self.not_json("a string that is none".to_owned()));
        };
        let index = self.string(text);
        self.push(Slot::Text(index))
    }

    fn dict(&mut self, value: Bound<'py, PyAny>) -> Result<(), Refusal> {
        let Ok(dict) = value.cast_into::<PyDict>() else {
            return Err(self.not_json("a dict that is none".to_owned()));
        };
        let len = dict.len();
        self.open(
            Slot::Object { len, end: 0 },
            Children::Dict(dict.into_iter()),
        )
    }

    fn list(&mut self, value: Bound<'py, PyAny>) -> Result<(), Refusal> {
        let Ok(list) = value.cast_into::<PyList>() else {
            return Err(self.not_json("a list that is none".to_owned()));
        };
        let len = list.len();
        self.open(
            Slot::Array { len, end: 0 },
            Children::List(list.into_iter()),
        )
    }

    fn integer(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Refusal> {
        if let Ok(integer) = value.extract::<i64>() {
            return self.push(Slot::Integer(integer));
        }
        // `int`'s own way to write it: a subclass may have another.
        let kind = value.py().get_type::<PyInt>();
        let digits = kind.call_method1("__repr__", (value,)).ok();
        let digits = digits.and_then(|digits| digits.cast_into::<PyString>().ok());
        let over = || Refusal::Limit {
            setting: "limits.instance.digits",
            allowed: self.limits.digits,
        };
        // Python refuses to write more than its own limit of digits.
        let digits = digits.ok_or_else(over)?;
        let count = digits.to_str().map_or(usize::MAX, |text| {
            text.strip_prefix('-').unwrap_or(text).len()
        });
        if count > self.limits.digits {
            return Err(over());
        }
        let index = self.string(digits);
        self.push(Slot::Digits(index))
    }

    fn float(&mut self, value: &Bound<'py, PyAny>) -> Result<(), Refusal> {
        match value.cast::<PyFloat>().map(|float| float.value()) {
            Ok(float) if float.is_finite() => self.push(Slot::Float(float)),
            _ => Err(self.not_json("JSON has no number for infinities and NaN".to_owned())),
        }
    }

    fn open(&mut self, slot: Slot, children: Children<'py>) -> Result<(), Refusal> {
        if self.open.len() >= self.limits.depth {
            return Err(Refusal::Limit {
                setting: "limits.instance.depth",
                allowed: self.limits.depth,
            });
        }
        let at = self.tape.slots.len();
        self.push(slot)?;
        self.open.push(Open {
            slot: at,
            children,
            count: 0,
            name: 0,
            odd_names: false,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Refusal> {
        let Some(closed) = self.open.pop() else {
            return Ok(());
        };
        let here = self.tape.slots.len();
        let slot = self.tape.slots.get_mut(closed.slot);
        if let Some(Slot::Array { len, end } | Slot::Object { len, end }) = slot {
            // The length is what was laid out, whatever the container said before.
            *len = closed.count;
            *end = here;
        }
        if closed.odd_names {
            self.refuse_twins(closed.slot)?;
        }
        Ok(())
    }

    /// Two names of one text, which only a subclass of `str` can bring into one dict.
    fn refuse_twins(&self, object: usize) -> Result<(), Refusal> {
        let texts = self.tape.texts()?;
        let object = PyNode {
            tape: &texts,
            at: object,
        };
        let mut seen = std::collections::HashSet::new();
        for (name, _) in object.members() {
            if !seen.insert(name.text()) {
                let name = toolgate_json::quote(name.text(), NAME);
                return Err(self.not_json(format!("two members have the name `{name}`")));
            }
        }
        Ok(())
    }

    /// With the place of the value that is being laid out.
    fn not_json(&self, message: String) -> Refusal {
        let mut pointer = String::new();
        for open in &self.open {
            pointer.push('/');
            match open.children {
                Children::Dict(_) => {
                    let name = self.tape.strings.get(open.name);
                    let name =
                        name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
                    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
                _ => pointer.push_str(&open.count.saturating_sub(1).to_string()),
            }
        }
        Refusal::NotJson { pointer, message }
    }
}

impl<'py> Open<'py> {
    /// The next child, with its name if it has one.
    fn next(&mut self) -> Option<(Option<Bound<'py, PyAny>>, Bound<'py, PyAny>)> {
        let next = match &mut self.children {
            Children::List(items) => (None, items.next()?),
            Children::Tuple(items) => (None, items.next()?),
            Children::Dict(members) => {
                let (name, value) = members.next()?;
                (Some(name), value)
            }
        };
        self.count += 1;
        Some(next)
    }
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().name();
    name.map_or_else(
        |_| "?".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// A tape with the texts of its strings.
pub(crate) struct Texts<'t> {
    slots: &'t [Slot],
    texts: Vec<&'t str>,
}

impl<'t> Texts<'t> {
    /// The whole value.
    pub(crate) fn root(&'t self) -> PyNode<'t> {
        PyNode { tape: self, at: 0 }
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
        // The containers that are open: where they end, and whether members are named.
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

/// A value of a tape.
#[derive(Clone, Copy)]
pub(crate) struct PyNode<'t> {
    tape: &'t Texts<'t>,
    at: usize,
}

/// A member's name.
#[derive(Clone, Copy)]
pub(crate) struct PyKey<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Key<'t> for PyKey<'t> {
    #[inline]
    fn text(self) -> &'t str {
        self.text
    }

    #[inline]
    fn hash(self) -> u32 {
        key_hash(self.text)
    }

    #[inline]
    fn hash_of(self, ends: NameEnds) -> u32 {
        ends.hash(self.text.as_bytes())
    }

    #[inline]
    fn identity(self) -> usize {
        self.at
    }
}

/// The items of an array.
#[derive(Clone)]
pub(crate) struct PyItems<'t> {
    next: PyNode<'t>,
    left: usize,
}

impl<'t> Iterator for PyItems<'t> {
    type Item = PyNode<'t>;

    #[inline]
    fn next(&mut self) -> Option<PyNode<'t>> {
        self.left = self.left.checked_sub(1)?;
        let item = self.next;
        self.next.at = item.tape.after(item.at);
        Some(item)
    }
}

/// The members of an object.
#[derive(Clone)]
pub(crate) struct PyMembers<'t>(PyItems<'t>);

impl<'t> Iterator for PyMembers<'t> {
    type Item = (PyKey<'t>, PyNode<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.left = self.0.left.checked_sub(1)?;
        let PyNode { tape, at } = self.0.next;
        let value = PyNode { tape, at: at + 1 };
        self.0.next.at = tape.after(value.at);
        let text = match tape.slot(at) {
            Slot::Text(index) => tape.text(index),
            _ => "",
        };
        Some((PyKey { text, at }, value))
    }
}

impl<'t> PyNode<'t> {
    fn slot(self) -> Slot {
        self.tape.slot(self.at)
    }

    fn children(self, count: usize) -> PyItems<'t> {
        PyItems {
            next: Self {
                at: self.at + 1,
                ..self
            },
            left: count,
        }
    }
}

impl<'t> Node<'t> for PyNode<'t> {
    type Key = PyKey<'t>;
    type Items = PyItems<'t>;
    type Members = PyMembers<'t>;

    #[inline]
    fn kind(self) -> Kind {
        match self.slot() {
            Slot::Null => Kind::Null,
            Slot::Boolean(_) => Kind::Boolean,
            Slot::Integer(_) | Slot::Float(_) | Slot::Digits(_) => Kind::Number,
            Slot::Text(_) => Kind::String,
            Slot::Array { .. } => Kind::Array,
            Slot::Object { .. } => Kind::Object,
        }
    }

    #[inline]
    fn boolean(self) -> bool {
        matches!(self.slot(), Slot::Boolean(true))
    }

    #[inline]
    fn number(self) -> Number<'t> {
        match self.slot() {
            Slot::Integer(value) => Number::from_i64(value),
            Slot::Float(value) => Number::from_f64(value),
            Slot::Digits(index) => {
                Number::parse(self.tape.text(index)).unwrap_or(Number::from_i64(0))
            }
            _ => Number::from_i64(0),
        }
    }

    /// A Python `float` is never one, as `json.dumps` writes it with a fraction.
    fn is_integer_literal(self) -> bool {
        matches!(self.slot(), Slot::Integer(_) | Slot::Digits(_))
    }

    #[inline]
    fn string(self) -> &'t str {
        match self.slot() {
            Slot::Text(index) => self.tape.text(index),
            _ => "",
        }
    }

    #[inline]
    fn len(self) -> usize {
        match self.slot() {
            Slot::Array { len, .. } | Slot::Object { len, .. } => len,
            _ => 0,
        }
    }

    #[inline]
    fn items(self) -> PyItems<'t> {
        match self.slot() {
            Slot::Array { len, .. } => self.children(len),
            _ => self.children(0),
        }
    }

    #[inline]
    fn members(self) -> PyMembers<'t> {
        match self.slot() {
            Slot::Object { len, .. } => PyMembers(self.children(len)),
            _ => PyMembers(self.children(0)),
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        self.items().nth(index)
    }

    fn member(self, name: &str) -> Option<Self> {
        let found = self.members().find(|(key, _)| key.text == name);
        found.map(|(_, value)| value)
    }

    #[inline]
    fn identity(self) -> usize {
        self.at
    }
}

/// Characters of a name that a message repeats.
const NAME: usize = 100;
