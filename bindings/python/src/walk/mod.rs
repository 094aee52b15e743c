//! Python values as the engine sees JSON: walked where the schema looks, and nowhere else.
//!
//! The engine's [`Node`](toolgate_json::Node) cannot fail, and a Python value can: it may hold a set, a NaN,
//! half a surrogate pair, or itself. A walk that meets something of that kind notes it, and what the engine
//! then answers is not used: [`Tape`](crate::tape::Tape) reads the whole value and says what is wrong with it.
//! A walk keeps a reference to each object that it meets, and runs no code of Python's: it looks at the objects of
//! exact types and their subclasses as these types lay them out, and looks up exact strings in dicts
//! whose names are exact strings.

mod arena;
mod names;
mod node;

use std::cell::Cell;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{PyTypeCheck, PyTypeInfo};
use toolgate_json::ReadLimits;

use arena::Arena;
pub(crate) use names::Names;
pub(crate) use node::PyNode;

/// One check of one Python value.
pub(crate) struct Walk<'py, 'n> {
    /// The strings and containers that were met, each as often as it was.
    met: Arena<Bound<'py, PyAny>>,
    /// How many more values and names may be met.
    left: Cell<usize>,
    /// How deep containers may stand in each other.
    depth: usize,
    /// Whether something was met that is for the tape to judge.
    odd: Cell<bool>,
    /// The dict whose names were found to be exact strings, last.
    plain: Cell<usize>,
    names: &'n Names,
}

impl<'py, 'n> Walk<'py, 'n> {
    /// A walk under the bounds of reading the same value from text.
    pub(crate) fn new(limits: &ReadLimits, names: &'n Names) -> Self {
        Self {
            met: Arena::new(),
            left: Cell::new(limits.nodes),
            depth: limits.depth,
            odd: Cell::new(false),
            plain: Cell::new(0),
            names,
        }
    }

    /// The whole value.
    pub(crate) fn root(&self, value: &Bound<'py, PyAny>) -> PyNode<'_, 'py> {
        PyNode::new(self, value.clone(), 0)
    }

    /// Whether all that was met is what JSON can say, within the limits: if not, the engine's answer means nothing.
    pub(crate) fn is_json(&self) -> bool {
        !self.odd.get()
    }

    /// Notes what the tape must judge.
    #[cold]
    fn refuse(&self) {
        self.odd.set(true);
    }

    /// Counts a value or a name that was met.
    #[inline]
    fn meet(&self) {
        match self.left.get().checked_sub(1) {
            Some(left) => self.left.set(left),
            None => self.refuse(),
        }
    }

    /// Keeps a string or a container for as long as the walk lives, if it is a `T`.
    #[inline]
    fn keep<T: PyTypeCheck + PyTypeInfo>(
        &self,
        object: Bound<'py, PyAny>,
    ) -> Option<&Bound<'py, T>> {
        // What no limit allows is not kept either.
        let kept = if self.left.get() == 0 {
            None
        } else {
            self.met.push(object)
        };
        let kept = kept.and_then(|object| object.cast_exact().or_else(|_| object.cast()).ok());
        if kept.is_none() {
            self.refuse();
        }
        kept
    }

    /// Whether the names of a dict are exact strings, so that a lookup runs no code of Python's and finds what
    /// has the text.
    fn has_plain_names(&self, dict: &Bound<'py, PyDict>) -> bool {
        let place = dict.as_ptr().addr();
        if self.plain.get() != place {
            if !dict
                .iter()
                .all(|(name, _)| name.is_exact_instance_of::<PyString>())
            {
                return false;
            }
            self.plain.set(place);
        }
        true
    }
}
