//! Which Python object is which JSON value.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::borrowed::Object;

/// The Python form of a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Null,
    False,
    True,
    Integer,
    /// An integer beyond 64 bits.
    LongInteger,
    Float,
    String,
    List,
    Tuple,
    Object,
}

/// The form of a value, and the bits of a number; `None` if JSON has no such value.
#[inline(always)]
pub(super) fn read(object: Object<'_, '_>) -> Option<(Form, u64)> {
    let any = object.any();
    if any.is_exact_instance_of::<PyString>() {
        Some((Form::String, 0))
    } else if any.is_exact_instance_of::<PyInt>() {
        Some(integer(object))
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
        Some(integer(object))
    } else {
        any.cast::<PyFloat>().ok().and_then(|value| float(&value))
    }
}

#[inline]
fn integer(object: Object<'_, '_>) -> (Form, u64) {
    match object.integer() {
        Some(value) => (Form::Integer, value.cast_unsigned()),
        None => (Form::LongInteger, 0),
    }
}

#[inline]
fn float(float: &Bound<'_, PyFloat>) -> Option<(Form, u64)> {
    let float = float.value();
    float.is_finite().then_some((Form::Float, float.to_bits()))
}
