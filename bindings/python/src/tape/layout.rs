//! The pass over Python's objects that fills a tape, and refuses what JSON cannot say.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::types::{dict::BoundDictIterator, list::BoundListIterator, tuple::BoundTupleIterator};
use smallvec::SmallVec;
use toolgate_json::{Key as _, Node as _, ReadLimits};

use super::{PyNode, Refusal, Slot, Tape};

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

/// A tape that is being filled.
pub(super) struct Layout<'py, 'l> {
    tape: Tape<'py>,
    open: SmallVec<[Open<'py>; 4]>,
    limits: &'l ReadLimits,
}

type Outcome<T> = Result<T, Box<Refusal>>;

impl<'py, 'l> Layout<'py, 'l> {
    pub(super) fn new(limits: &'l ReadLimits) -> Self {
        Self {
            tape: Tape {
                slots: SmallVec::new(),
                strings: SmallVec::new(),
            },
            open: SmallVec::new(),
            limits,
        }
    }

    /// Lays out a value.
    pub(super) fn read(mut self, value: &Bound<'py, PyAny>) -> Outcome<Tape<'py>> {
        self.value(value.clone())?;
        while let Some(top) = self.open.last_mut() {
            let next = match &mut top.children {
                Children::List(items) => items.next(),
                Children::Tuple(items) => items.next(),
                Children::Dict(members) => match members.next() {
                    Some((name, value)) => {
                        top.count += 1;
                        self.name(name)?;
                        self.value(value)?;
                        continue;
                    }
                    None => None,
                },
            };
            match next {
                Some(item) => {
                    top.count += 1;
                    self.value(item)?;
                }
                None => self.close()?,
            }
        }
        Ok(self.tape)
    }

    #[inline]
    fn push(&mut self, slot: Slot) -> Outcome<()> {
        if self.tape.slots.len() >= self.limits.nodes {
            return Err(over("limits.instance.nodes", self.limits.nodes));
        }
        self.tape.slots.push(slot);
        Ok(())
    }

    #[inline]
    fn string(&mut self, string: Bound<'py, PyString>) -> usize {
        let index = self.tape.strings.len();
        self.tape.strings.push(string);
        index
    }

    #[inline]
    fn name(&mut self, name: Bound<'py, PyAny>) -> Outcome<()> {
        let (name, odd) = match name.cast_into_exact::<PyString>() {
            Ok(name) => (name, false),
            Err(error) => (self.odd_name(error.into_inner())?, true),
        };
        let index = self.string(name);
        if let Some(top) = self.open.last_mut() {
            top.name = index;
            top.odd_names |= odd;
        }
        self.push(Slot::Text(index))
    }

    #[cold]
    fn odd_name(&self, name: Bound<'py, PyAny>) -> Outcome<Bound<'py, PyString>> {
        name.cast_into::<PyString>().map_err(|error| {
            let what = type_name(&error.into_inner());
            self.not_json(format!("a member's name must be a `str`, found `{what}`"))
        })
    }

    fn value(&mut self, value: Bound<'py, PyAny>) -> Outcome<()> {
        // Each type is asked for by its address before anything that costs more.
        if value.is_exact_instance_of::<PyString>()
            && let Ok(text) = value.cast_exact::<PyString>()
        {
            let index = self.string(text.clone());
            self.push(Slot::Text(index))
        } else if value.is_exact_instance_of::<PyInt>() {
            self.integer(&value)
        } else if value.is_exact_instance_of::<PyDict>()
            && let Ok(dict) = value.cast_exact::<PyDict>()
        {
            self.dict(dict.clone())
        } else if value.is_exact_instance_of::<PyList>()
            && let Ok(list) = value.cast_exact::<PyList>()
        {
            self.list(list.clone())
        } else if value.is_exact_instance_of::<PyFloat>() {
            self.float(&value)
        } else if value.is_none() {
            self.push(Slot::Null)
        } else if let Ok(boolean) = value.cast_exact::<PyBool>() {
            self.push(Slot::Boolean(boolean.is_true()))
        } else {
            self.subclass(value)
        }
    }

    /// Subclasses count as what they extend, as they do for the `json` module.
    fn subclass(&mut self, value: Bound<'py, PyAny>) -> Outcome<()> {
        if let Ok(text) = value.cast::<PyString>() {
            let index = self.string(text.clone());
            self.push(Slot::Text(index))
        } else if let Ok(dict) = value.cast::<PyDict>() {
            self.dict(dict.clone())
        } else if let Ok(list) = value.cast::<PyList>() {
            self.list(list.clone())
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            let children = Children::Tuple(tuple.clone().into_iter());
            self.open(Slot::Array { len: 0, end: 0 }, children)
        } else if value.is_instance_of::<PyInt>() {
            self.integer(&value)
        } else if value.is_instance_of::<PyFloat>() {
            self.float(&value)
        } else {
            let what = type_name(&value);
            Err(self.not_json(format!("JSON has no value for a `{what}`")))
        }
    }

    fn dict(&mut self, dict: Bound<'py, PyDict>) -> Outcome<()> {
        let children = Children::Dict(dict.into_iter());
        self.open(Slot::Object { len: 0, end: 0 }, children)
    }

    fn list(&mut self, list: Bound<'py, PyList>) -> Outcome<()> {
        let children = Children::List(list.into_iter());
        self.open(Slot::Array { len: 0, end: 0 }, children)
    }

    fn integer(&mut self, value: &Bound<'py, PyAny>) -> Outcome<()> {
        if let Ok(integer) = value.extract::<i64>() {
            return self.push(Slot::Integer(integer));
        }
        // `int`'s own way to write it: a subclass may have another.
        let kind = value.py().get_type::<PyInt>();
        let digits = kind.call_method1("__repr__", (value,)).ok();
        let digits = digits.and_then(|digits| digits.cast_into::<PyString>().ok());
        let over = || over("limits.instance.digits", self.limits.digits);
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

    fn float(&mut self, value: &Bound<'py, PyAny>) -> Outcome<()> {
        match value.cast::<PyFloat>().map(|float| float.value()) {
            Ok(float) if float.is_finite() => self.push(Slot::Float(float)),
            _ => Err(self.not_json("JSON has no number for infinities and NaN".to_owned())),
        }
    }

    fn open(&mut self, slot: Slot, children: Children<'py>) -> Outcome<()> {
        if self.open.len() >= self.limits.depth {
            return Err(over("limits.instance.depth", self.limits.depth));
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

    fn close(&mut self) -> Outcome<()> {
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
    fn refuse_twins(&self, object: usize) -> Outcome<()> {
        let texts = self.tape.texts()?;
        let object = PyNode::at(&texts, object);
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
    #[cold]
    fn not_json(&self, message: String) -> Box<Refusal> {
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
        Box::new(Refusal::NotJson { pointer, message })
    }
}

#[cold]
fn over(setting: &'static str, allowed: usize) -> Box<Refusal> {
    Box::new(Refusal::Limit { setting, allowed })
}

fn type_name(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().name();
    name.map_or_else(
        |_| "?".to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

/// Characters of a name that a message repeats.
const NAME: usize = 100;
