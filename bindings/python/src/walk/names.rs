//! Names of schemas as Python's strings, kept so that looking one up makes no new string.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::types::PyString;

/// Python's strings of names that were looked up lately.
pub(crate) struct Names {
    /// Each name has one place, by its hash.
    rows: RefCell<Vec<Option<Row>>>,
}

struct Row {
    text: Box<str>,
    string: Py<PyString>,
}

impl Names {
    pub(crate) const fn new() -> Self {
        Self {
            rows: RefCell::new(Vec::new()),
        }
    }

    /// A name as a string of Python's; `hash` is the name's [`key_hash`](toolgate_json::key_hash).
    pub(super) fn string<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        hash: u32,
    ) -> Bound<'py, PyString> {
        if text.len() > LONGEST {
            return PyString::new(py, text);
        }
        let mut rows = self.rows.borrow_mut();
        if rows.is_empty() {
            rows.resize_with(ROWS, || None);
        }
        let place = usize::try_from(hash).unwrap_or(0) % ROWS;
        let Some(row) = rows.get_mut(place) else {
            return PyString::new(py, text);
        };
        if let Some(row) = row
            && *row.text == *text
        {
            return row.string.bind(py).clone();
        }
        let string = PyString::new(py, text);
        *row = Some(Row {
            text: text.into(),
            string: string.clone().unbind(),
        });
        string
    }
}

/// How many names are kept.
const ROWS: usize = 1_024;
/// Bytes of a name that is kept.
const LONGEST: usize = 64;
