//! The pass over Python objects that fills a tape, and refuses values that JSON cannot express.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::types::{dict::BoundDictIterator, list::BoundListIterator, tuple::BoundTupleIterator};
use toolsure_json::{Key as _, Node as _, ReadLimits};

use super::node::TapeNode;
use super::refusal::Refusal;
use super::slots::{Slot, Tape};

impl<'py> Tape<'py> {
    /// Lays out a value, under the same limits as for text.
    pub(crate) fn read(value: &Bound<'py, PyAny>, limits: &ReadLimits) -> Result<Self, Refusal> {
        Layout::new(limits).read(value)
    }
}

/// A container whose children are being laid out.
struct Open<'py> {
    slot: usize,
    children: Children<'py>,
    /// The number of children that were begun.
    count: usize,
    /// The index of the last child's name in the strings.
    name: usize,
    /// Whether a name is an instance of a subclass of `str`, which may compare in its own way.
    odd_names: bool,
}

enum Children<'py> {
    List(BoundListIterator<'py>),
    Tuple(BoundTupleIterator<'py>),
    Dict(BoundDictIterator<'py>),
}

/// A tape that is being filled.
struct Layout<'py, 'l> {
    tape: Tape<'py>,
    open: Vec<Open<'py>>,
    limits: &'l ReadLimits,
}

impl<'py, 'l> Layout<'py, 'l> {
    fn new(limits: &'l ReadLimits) -> Self {
        Self {
            tape: Tape {
                slots: Vec::with_capacity(32),
                strings: Vec::with_capacity(16),
            },
            open: Vec::new(),
            limits,
        }
    }

    /// Lays out a value, without recursion.
    fn read(mut self, value: &Bound<'py, PyAny>) -> Result<Tape<'py>, Refusal> {
        self.value(value.clone())?;
        while let Some(top) = self.open.last_mut() {
            match top.next() {
                Some((name, value)) => {
                    if let Some(name) = name {
                        self.name(name)?;
                    }
                    self.value(value)?;
                }
                None => self.close()?,
            }
        }
        Ok(self.tape)
    }

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

    /// An instance of a subclass counts as its base type, as in the `json` module.
    fn subclass(&mut self, value: Bound<'py, PyAny>) -> Result<(), Refusal> {
        if value.is_instance_of::<PyString>() {
            self.text(value)
        } else if value.is_instance_of::<PyDict>() {
            self.dict(value)
        } else if value.is_instance_of::<PyList>() {
            self.list(value)
        } else if value.is_instance_of::<PyTuple>() {
            let Ok(tuple) = value.cast_into::<PyTuple>() else {
                return Err(self.not_json("an unusable tuple".to_owned()));
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
            return Err(self.not_json("an unusable string".to_owned()));
        };
        let index = self.string(text);
        self.push(Slot::Text(index))
    }

    fn dict(&mut self, value: Bound<'py, PyAny>) -> Result<(), Refusal> {
        let Ok(dict) = value.cast_into::<PyDict>() else {
            return Err(self.not_json("an unusable dict".to_owned()));
        };
        let len = dict.len();
        self.open(
            Slot::Object { len, end: 0 },
            Children::Dict(dict.into_iter()),
        )
    }

    fn list(&mut self, value: Bound<'py, PyAny>) -> Result<(), Refusal> {
        let Ok(list) = value.cast_into::<PyList>() else {
            return Err(self.not_json("an unusable list".to_owned()));
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
        // `int`'s own conversion, because a subclass may have another.
        let kind = value.py().get_type::<PyInt>();
        let digits = kind.call_method1("__repr__", (value,)).ok();
        let digits = digits.and_then(|digits| digits.cast_into::<PyString>().ok());
        let over = || Refusal::Limit {
            setting: "limits.instance.digits",
            allowed: self.limits.digits,
        };
        // Python refuses to convert more digits than its own limit.
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
            // The number of children laid out, whatever length the container reported before.
            *len = closed.count;
            *end = here;
        }
        if closed.odd_names {
            self.refuse_twins(closed.slot)?;
        }
        Ok(())
    }

    /// Refuses two equal names, which only a subclass of `str` can put into one dict.
    fn refuse_twins(&self, object: usize) -> Result<(), Refusal> {
        let texts = self.tape.texts()?;
        let object = TapeNode::at(&texts, object);
        let mut seen = std::collections::HashSet::new();
        for (name, _) in object.members() {
            if !seen.insert(name.text()) {
                let name = toolsure_json::quote(name.text(), NAME);
                return Err(self.not_json(format!("two members have the name `{name}`")));
            }
        }
        Ok(())
    }

    /// A refusal with the location of the value that is being laid out.
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

/// Characters of a name that a message shows.
const NAME: usize = 100;
