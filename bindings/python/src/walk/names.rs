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

    /// Lends a name as a string of Python's; `hash` is the name's [`key_hash`](toolgate_json::key_hash). Not to be
    /// called by what it is lent to.
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

/// How many names are kept.
const ROWS: usize = 1_024;
/// Bytes of a name that is kept.
const LONGEST: usize = 64;
