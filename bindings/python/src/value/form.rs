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
    /// An integer beyond 64 bits. Only a survey can read it.
    LongInteger,
    Float,
    String,
    List,
    Tuple,
    Object,
}

/// The form of a value, and the bits of a number; `None` if it is an integer beyond 64 bits, or if
/// JSON has no such value.
#[inline(always)]
pub(super) fn read(object: Object<'_, '_>) -> Option<(Form, u64)> {
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

#[inline]
fn integer(object: Object<'_, '_>) -> Option<(Form, u64)> {
    Some((Form::Integer, object.integer()?.cast_unsigned()))
}

/// Whether a value is an integer that [`read`] does not read.
pub(super) fn is_long_integer(object: Object<'_, '_>) -> bool {
    object.any().is_instance_of::<PyInt>() && object.integer().is_none()
}

#[inline]
fn float(float: &Bound<'_, PyFloat>) -> Option<(Form, u64)> {
    let float = float.value();
    float.is_finite().then_some((Form::Float, float.to_bits()))
}
