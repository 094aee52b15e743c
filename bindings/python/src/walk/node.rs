//! A Python object as the engine's `Node`.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toolsure_json::{Key, Kind, NameEnds, Node, Number, key_hash};

use super::Walk;
use super::borrowed::{Items, Object};

/// A value that a walk reads.
#[derive(Clone, Copy)]
pub(super) struct WalkNode<'a, 'py> {
    walk: &'a Walk<'py, 'a>,
    object: Object<'a, 'py>,
    /// The bits of a number.
    bits: u64,
    form: Form,
    /// The number of containers around it.
    depth: u32,
}

/// The Python form of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Null,
    False,
    True,
    Integer,
    Float,
    String,
    List,
    Tuple,
    Object,
}

impl<'a, 'py> WalkNode<'a, 'py> {
    #[inline(always)]
    pub(super) fn new(walk: &'a Walk<'py, 'a>, object: Object<'a, 'py>, depth: u32) -> Self {
        walk.meet();
        let (form, bits) = read(object).unwrap_or_else(|| {
            walk.refuse();
            (Form::Null, 0)
        });
        Self {
            walk,
            object,
            bits,
            form,
            depth,
        }
    }

    /// Whether the children may be read.
    #[inline]
    fn opens(self) -> bool {
        if self.depth >= self.walk.depth {
            self.walk.refuse();
            return false;
        }
        true
    }

    /// The items of an array.
    #[inline]
    fn sequence(self) -> Option<Items<'a, 'py>> {
        match self.form {
            Form::List if self.opens() => Some(self.object.list()),
            Form::Tuple if self.opens() => Some(self.object.tuple()),
            _ => None,
        }
    }

    #[inline]
    fn child(self, object: Object<'a, 'py>) -> Self {
        Self::new(self.walk, object, self.depth + 1)
    }
}

/// The form of a value, and the bits of a number; `None` if the tape must judge the value.
#[inline(always)]
fn read(object: Object<'_, '_>) -> Option<(Form, u64)> {
    let any = object.any();
    if any.is_exact_instance_of::<PyString>() {
        Some((Form::String, 0))
    } else if any.is_exact_instance_of::<PyInt>() {
        integer(object)
    } else if any.is_exact_instance_of::<PyDict>() {
        Some((Form::Object, 0))
    } else if any.is_exact_instance_of::<PyList>() {
        Some((Form::List, 0))
    } else if let Ok(boolean) = any.cast_exact::<PyBool>() {
        let form = if boolean.is_true() {
            Form::True
        } else {
            Form::False
        };
        Some((form, 0))
    } else if let Ok(value) = any.cast_exact::<PyFloat>() {
        float(&value)
    } else if any.is_none() {
        Some((Form::Null, 0))
    } else {
        subclass(object)
    }
}

/// An instance of a subclass counts as its base type, as in the `json` module.
#[inline(never)]
fn subclass(object: Object<'_, '_>) -> Option<(Form, u64)> {
    let any = object.any();
    if any.is_instance_of::<PyString>() {
        Some((Form::String, 0))
    } else if any.is_instance_of::<PyDict>() {
        Some((Form::Object, 0))
    } else if any.is_instance_of::<PyList>() {
        Some((Form::List, 0))
    } else if any.is_instance_of::<PyTuple>() {
        Some((Form::Tuple, 0))
    } else if any.is_instance_of::<PyInt>() {
        integer(object)
    } else {
        any.cast::<PyFloat>().ok().and_then(|value| float(&value))
    }
}

/// Only integers that fit 64 bits. The tape reads longer ones.
#[inline]
fn integer(object: Object<'_, '_>) -> Option<(Form, u64)> {
    Some((Form::Integer, object.integer()?.cast_unsigned()))
}

#[inline]
fn float(float: &Bound<'_, PyFloat>) -> Option<(Form, u64)> {
    let float = float.value();
    float.is_finite().then_some((Form::Float, float.to_bits()))
}

/// The text of a string; empty if the tape must judge it, because it has half a surrogate pair.
#[inline]
fn text<'a>(walk: &Walk<'_, '_>, string: Object<'a, '_>) -> &'a str {
    string.text().unwrap_or_else(|| {
        walk.refuse();
        ""
    })
}

/// A member's name.
#[derive(Clone, Copy)]
pub(super) struct WalkKey<'a> {
    text: &'a str,
    place: usize,
}

impl<'a> Key<'a> for WalkKey<'a> {
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

    /// A string object has one text, both as a name and as a value.
    #[inline]
    fn identity(self) -> usize {
        self.place
    }
}

/// The items of an array.
pub(super) struct WalkItems<'a, 'py> {
    parent: WalkNode<'a, 'py>,
    items: Option<Items<'a, 'py>>,
}

impl<'a, 'py> Iterator for WalkItems<'a, 'py> {
    type Item = WalkNode<'a, 'py>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let item = self.items.as_mut()?.next()?;
        Some(self.parent.child(item))
    }
}

/// The members of an object.
pub(super) struct WalkMembers<'a, 'py> {
    parent: WalkNode<'a, 'py>,
    /// The position of the next member; `None` if there are no members to read.
    at: Option<ffi::Py_ssize_t>,
}

impl<'a, 'py> Iterator for WalkMembers<'a, 'py> {
    type Item = (WalkKey<'a>, WalkNode<'a, 'py>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let parent = self.parent;
        let walk = parent.walk;
        let (name, value) = parent.object.next_member(self.at.as_mut()?)?;
        walk.meet();
        // A subclass of `str` may compare in its own way: the tape decides whether names are equal.
        let text = if name.is_exact_string() {
            text(walk, name)
        } else {
            walk.refuse();
            ""
        };
        let place = name.place();
        Some((WalkKey { text, place }, parent.child(value)))
    }
}

impl<'a, 'py> Node<'a> for WalkNode<'a, 'py> {
    type Key = WalkKey<'a>;
    type Items = WalkItems<'a, 'py>;
    type Members = WalkMembers<'a, 'py>;

    #[inline]
    fn kind(self) -> Kind {
        match self.form {
            Form::Null => Kind::Null,
            Form::False | Form::True => Kind::Boolean,
            Form::Integer | Form::Float => Kind::Number,
            Form::String => Kind::String,
            Form::List | Form::Tuple => Kind::Array,
            Form::Object => Kind::Object,
        }
    }

    #[inline]
    fn boolean(self) -> bool {
        self.form == Form::True
    }

    #[inline]
    fn number(self) -> Number<'a> {
        match self.form {
            Form::Integer => Number::from_i64(self.bits.cast_signed()),
            Form::Float => Number::from_f64(f64::from_bits(self.bits)),
            _ => Number::from_i64(0),
        }
    }

    /// Never true for a Python `float`, which `json.dumps` writes with a fraction.
    fn is_integer_literal(self) -> bool {
        self.form == Form::Integer
    }

    #[inline]
    fn string(self) -> &'a str {
        match self.form {
            Form::String => text(self.walk, self.object),
            _ => "",
        }
    }

    #[inline]
    fn len(self) -> usize {
        match self.form {
            Form::Object => self.object.members(),
            Form::List => self.object.list().left(),
            Form::Tuple => self.object.tuple().left(),
            _ => 0,
        }
    }

    #[inline]
    fn items(self) -> WalkItems<'a, 'py> {
        WalkItems {
            parent: self,
            items: self.sequence(),
        }
    }

    #[inline]
    fn members(self) -> WalkMembers<'a, 'py> {
        WalkMembers {
            parent: self,
            at: (self.form == Form::Object && self.opens()).then_some(0),
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        let mut items = self.sequence()?;
        items.skip_to(index);
        Some(self.child(items.next()?))
    }

    fn member(self, name: &str) -> Option<Self> {
        self.member_hashed(name, || key_hash(name))
    }

    #[inline]
    fn member_hashed(self, name: &str, hash: impl FnOnce() -> u32) -> Option<Self> {
        if self.form != Form::Object || !self.opens() {
            return None;
        }
        let walk = self.walk;
        let py = self.object.any().py();
        let found = walk.names.lend(py, name, hash(), |name| {
            walk.paused.member(self.object, name)
        });
        let Ok(found) = found else {
            walk.refuse();
            return None;
        };
        Some(self.child(found?))
    }

    /// An object has one value, wherever it occurs.
    #[inline]
    fn identity(self) -> usize {
        self.object.place()
    }
}
