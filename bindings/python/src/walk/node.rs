//! A Python object as the engine reads it.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use pyo3::types::{dict::BoundDictIterator, list::BoundListIterator, tuple::BoundTupleIterator};
use toolgate_json::{Key, Kind, NameEnds, Node, Number, key_hash};

use super::Walk;

/// A value that a walk met.
#[derive(Clone, Copy)]
pub(crate) struct PyNode<'a, 'py> {
    walk: &'a Walk<'py, 'a>,
    value: Value<'a, 'py>,
    /// Where its object is.
    place: usize,
    /// In how many containers it stands.
    depth: usize,
}

/// A value by its type in JSON.
#[derive(Clone, Copy)]
enum Value<'a, 'py> {
    Null,
    Boolean(bool),
    Integer(i64),
    Float(f64),
    String(&'a Bound<'py, PyString>),
    List(&'a Bound<'py, PyList>),
    Tuple(&'a Bound<'py, PyTuple>),
    Object(&'a Bound<'py, PyDict>),
}

impl<'a, 'py> PyNode<'a, 'py> {
    #[inline]
    pub(super) fn new(walk: &'a Walk<'py, 'a>, object: Bound<'py, PyAny>, depth: usize) -> Self {
        walk.meet();
        Self {
            walk,
            place: object.as_ptr().addr(),
            value: Value::new(walk, object),
            depth,
        }
    }

    /// Whether the children may be walked.
    #[inline]
    fn opens(self) -> bool {
        if self.depth >= self.walk.depth {
            self.walk.refuse();
            return false;
        }
        true
    }
}

impl<'a, 'py> Value<'a, 'py> {
    #[inline]
    fn new(walk: &'a Walk<'py, 'a>, object: Bound<'py, PyAny>) -> Self {
        if object.is_exact_instance_of::<PyString>() {
            walk.keep(object).map(Self::String)
        } else if let Ok(integer) = object.cast_exact::<PyInt>() {
            Self::integer(integer)
        } else if object.is_exact_instance_of::<PyDict>() {
            walk.keep(object).map(Self::Object)
        } else if object.is_exact_instance_of::<PyList>() {
            walk.keep(object).map(Self::List)
        } else if let Ok(boolean) = object.cast_exact::<PyBool>() {
            Some(Self::Boolean(boolean.is_true()))
        } else if let Ok(float) = object.cast_exact::<PyFloat>() {
            Self::float(float)
        } else if object.is_none() {
            Some(Self::Null)
        } else {
            Self::subclass(walk, object)
        }
        .unwrap_or_else(|| {
            walk.refuse();
            Self::Null
        })
    }

    /// Subclasses count as what they extend, as they do for the `json` module.
    #[inline(never)]
    fn subclass(walk: &'a Walk<'py, 'a>, object: Bound<'py, PyAny>) -> Option<Self> {
        if object.is_instance_of::<PyString>() {
            walk.keep(object).map(Self::String)
        } else if object.is_instance_of::<PyDict>() {
            walk.keep(object).map(Self::Object)
        } else if object.is_instance_of::<PyList>() {
            walk.keep(object).map(Self::List)
        } else if object.is_instance_of::<PyTuple>() {
            walk.keep(object).map(Self::Tuple)
        } else if let Ok(integer) = object.cast::<PyInt>() {
            Self::integer(integer)
        } else {
            Self::float(object.cast::<PyFloat>().ok()?)
        }
    }

    /// The tape reads integers of more digits.
    #[inline]
    fn integer(integer: &Bound<'py, PyInt>) -> Option<Self> {
        integer.extract().ok().map(Self::Integer)
    }

    fn float(float: &Bound<'py, PyFloat>) -> Option<Self> {
        let float = float.value();
        float.is_finite().then_some(Self::Float(float))
    }
}

/// The text of a string, and nothing for half a surrogate pair.
#[inline]
fn text<'a>(walk: &Walk<'_, '_>, string: &'a Bound<'_, PyString>) -> &'a str {
    string.to_str().unwrap_or_else(|_| {
        walk.refuse();
        ""
    })
}

/// A member's name.
#[derive(Clone, Copy)]
pub(crate) struct PyKey<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Key<'a> for PyKey<'a> {
    #[inline]
    fn text(self) -> &'a str {
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

    /// One string object has one text, whether it is a name or a value.
    #[inline]
    fn identity(self) -> usize {
        self.place
    }
}

/// The items of an array.
pub(crate) struct PyItems<'a, 'py> {
    walk: &'a Walk<'py, 'a>,
    items: Items<'py>,
    depth: usize,
}

enum Items<'py> {
    None,
    List(BoundListIterator<'py>),
    Tuple(BoundTupleIterator<'py>),
}

impl<'a, 'py> Iterator for PyItems<'a, 'py> {
    type Item = PyNode<'a, 'py>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let item = match &mut self.items {
            Items::None => None,
            Items::List(items) => items.next(),
            Items::Tuple(items) => items.next(),
        };
        Some(PyNode::new(self.walk, item?, self.depth))
    }
}

/// The members of an object.
pub(crate) struct PyMembers<'a, 'py> {
    walk: &'a Walk<'py, 'a>,
    members: Option<BoundDictIterator<'py>>,
    depth: usize,
}

impl<'a, 'py> Iterator for PyMembers<'a, 'py> {
    type Item = (PyKey<'a>, PyNode<'a, 'py>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.members.as_mut()?.next()?;
        self.walk.meet();
        let place = name.as_ptr().addr();
        // A subclass of `str` may compare in its own way: whether two names are of one text is for the tape to say.
        let name = if name.is_exact_instance_of::<PyString>() {
            self.walk.keep(name)
        } else {
            self.walk.refuse();
            None
        };
        let text = name.map_or("", |name| text(self.walk, name));
        let key = PyKey { text, place };
        Some((key, PyNode::new(self.walk, value, self.depth)))
    }
}

impl<'a, 'py> Node<'a> for PyNode<'a, 'py> {
    type Key = PyKey<'a>;
    type Items = PyItems<'a, 'py>;
    type Members = PyMembers<'a, 'py>;

    #[inline]
    fn kind(self) -> Kind {
        match self.value {
            Value::Null => Kind::Null,
            Value::Boolean(_) => Kind::Boolean,
            Value::Integer(_) | Value::Float(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::List(_) | Value::Tuple(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    #[inline]
    fn boolean(self) -> bool {
        matches!(self.value, Value::Boolean(true))
    }

    #[inline]
    fn number(self) -> Number<'a> {
        match self.value {
            Value::Integer(value) => Number::from_i64(value),
            Value::Float(value) => Number::from_f64(value),
            _ => Number::from_i64(0),
        }
    }

    /// A Python `float` is never one, as `json.dumps` writes it with a fraction.
    fn is_integer_literal(self) -> bool {
        matches!(self.value, Value::Integer(_))
    }

    #[inline]
    fn string(self) -> &'a str {
        match self.value {
            Value::String(string) => text(self.walk, string),
            _ => "",
        }
    }

    #[inline]
    fn len(self) -> usize {
        match self.value {
            Value::Object(dict) => dict.len(),
            Value::List(list) => list.len(),
            Value::Tuple(tuple) => tuple.len(),
            _ => 0,
        }
    }

    #[inline]
    fn items(self) -> PyItems<'a, 'py> {
        let items = match self.value {
            Value::List(list) if self.opens() => Items::List(list.iter()),
            Value::Tuple(tuple) if self.opens() => Items::Tuple(tuple.iter()),
            _ => Items::None,
        };
        PyItems {
            walk: self.walk,
            items,
            depth: self.depth + 1,
        }
    }

    #[inline]
    fn members(self) -> PyMembers<'a, 'py> {
        let members = match self.value {
            Value::Object(dict) if self.opens() => Some(dict.iter()),
            _ => None,
        };
        PyMembers {
            walk: self.walk,
            members,
            depth: self.depth + 1,
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        let item = match self.value {
            Value::List(list) if self.opens() => list.get_item(index),
            Value::Tuple(tuple) if self.opens() => tuple.get_item(index),
            _ => return None,
        };
        Some(Self::new(self.walk, item.ok()?, self.depth + 1))
    }

    fn member(self, name: &str) -> Option<Self> {
        self.member_hashed(name, || key_hash(name))
    }

    fn member_hashed(self, name: &str, hash: impl FnOnce() -> u32) -> Option<Self> {
        let dict = match self.value {
            Value::Object(dict) if self.opens() => dict,
            _ => return None,
        };
        if !self.walk.has_plain_names(dict) {
            self.walk.refuse();
            return None;
        }
        let name = self.walk.names.string(dict.py(), name, hash());
        let Ok(found) = dict.get_item(name) else {
            self.walk.refuse();
            return None;
        };
        Some(Self::new(self.walk, found?, self.depth + 1))
    }

    /// One object has one value, wherever it stands.
    #[inline]
    fn identity(self) -> usize {
        self.place
    }
}
