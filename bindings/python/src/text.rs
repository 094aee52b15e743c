//! JSON text, as Python gives it and gets it.

use std::borrow::Cow;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};
use toolsure_json::{DuplicateKeys, ReadLimits};

use crate::errors::{self, Unread};
use crate::value::HALF_PAIR;

/// JSON text as bytes. What may change meanwhile (`bytearray`, `memoryview`) is copied.
pub(crate) fn bytes<'a>(text: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(bytes) = text.cast::<PyBytes>() {
        Ok(Cow::Borrowed(bytes.as_bytes()))
    } else if let Ok(text) = text.cast::<PyString>() {
        match text.to_str() {
            Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Err(_) => {
                let half = Unread::NotJson {
                    message: HALF_PAIR.to_owned(),
                    pointer: None,
                    offset: None,
                };
                Err(errors::unread(text.py(), half))
            }
        }
    } else if let Ok(bytes) = text.cast::<PyByteArray>() {
        Ok(Cow::Owned(bytes.to_vec()))
    } else if text.is_instance_of::<PyMemoryView>() {
        let bytes = text.call_method0("tobytes")?;
        let bytes = bytes.cast::<PyBytes>()?;
        Ok(Cow::Owned(bytes.as_bytes().to_vec()))
    } else {
        Err(PyTypeError::new_err(
            "JSON text must be `bytes`, `bytearray`, `memoryview` or `str`",
        ))
    }
}

/// Whether text is a `str` with half a surrogate pair, which has no bytes.
pub(crate) fn has_half_pair(text: &Bound<'_, PyAny>) -> bool {
    let text = text.cast::<PyString>();
    text.is_ok_and(|text| text.to_str().is_err())
}

/// Whether a value is JSON text where both a value and a text can be given.
pub(crate) fn is_text(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
}

/// Reads JSON text that the engine wrote or has read before.
pub(crate) fn loads<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let text = str::from_utf8(text).map_err(|error| PyTypeError::new_err(error.to_string()))?;
    LOADS.import(py, "json", "loads")?.call1((text,))
}

/// Runs work on a text. If the text is long, other threads may run meanwhile: releasing the
/// interpreter costs more than checking a short text.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> T {
    if bytes < SHORT {
        work()
    } else {
        py.detach(work)
    }
}

/// For text that was read before.
pub(crate) const UNLIMITED: ReadLimits = ReadLimits {
    bytes: usize::MAX,
    depth: usize::MAX,
    nodes: usize::MAX,
    digits: usize::MAX,
    duplicate_keys: DuplicateKeys::KeepLast,
};
/// Texts of fewer bytes are checked without letting other threads run.
const SHORT: usize = 1_024;
