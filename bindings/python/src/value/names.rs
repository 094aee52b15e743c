//! Names from schemas as Python strings, cached so that a lookup creates no new string.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::types::PyString;

/// The Python strings of recently looked up names.
pub(super) struct Names {
    /// Each name can be in one row only, which its hash selects.
    rows: RefCell<Vec<Option<Row>>>,
}

struct Row {
    text: Box<str>,
    string: Py<PyString>,
}

impl Names {
    pub(super) const fn new() -> Self {
        Self {
            rows: RefCell::new(Vec::new()),
        }
    }

    /// Passes a name as a Python string to `look`. `hash` is the name's
    /// [`key_hash`](toolsure_json::key_hash). `look` must not call this function.
    #[inline]
    pub(super) fn lend<'py, T>(
        &self,
        py: Python<'py>,
        text: &str,
        hash: u32,
        look: impl FnOnce(&Bound<'py, PyString>) -> T,
    ) -> T {
        let mut rows = self.rows.borrow_mut();
        let place = usize::try_from(hash).unwrap_or(0) % ROWS;
        if let Some(Some(row)) = rows.get(place)
            && *row.text == *text
        {
            return look(row.string.bind(py));
        }
        let string = PyString::new(py, text);
        if text.len() <= LONGEST {
            if rows.is_empty() {
                rows.resize_with(ROWS, || None);
            }
            if let Some(row) = rows.get_mut(place) {
                *row = Some(Row {
                    text: text.into(),
                    string: string.clone().unbind(),
                });
            }
        }
        look(&string)
    }
}

/// The number of rows.
const ROWS: usize = 1_024;
/// The maximum length of a cached name in bytes.
const LONGEST: usize = 64;
