//! Borrowed Python objects, read without new references, which would cost more than reading.
//!
//! A container keeps its items alive as long as it does not change. Only Python code changes one,
//! so an [`Object`] is valid while none runs: the interpreter is held, the functions called here
//! run none, and the garbage collector, which may run finalizers when an object is created, is
//! paused. Free-threaded interpreters do not load modules of the stable ABI.
#![expect(
    unsafe_code,
    reason = "PyO3 lends the items of lists and dicts only with references of their own; each block says why it holds"
)]

use std::cell::Cell;
use std::ptr;

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};
use pyo3::{Borrowed, ffi};

/// While this exists, the garbage collector does not run by itself.
pub(super) struct PausedCollector<'py> {
    ran: bool,
    /// The address of the last dict whose names were all found to be exact strings.
    plain: Cell<usize>,
    _py: Python<'py>,
}

impl<'py> PausedCollector<'py> {
    pub(super) fn new(py: Python<'py>) -> Self {
        // SAFETY: the interpreter is held, as `py` proves.
        let ran = unsafe { ffi::PyGC_Disable() } != 0;
        Self {
            ran,
            plain: Cell::new(0),
            _py: py,
        }
    }

    /// Looks up a member of a `dict` during this pause. An error means that the lookup is not
    /// possible: a name in the dict is not an exact string, and Python code would compare it.
    #[inline]
    pub(super) fn member<'a>(
        &self,
        dict: Object<'a, 'py>,
        name: &Bound<'py, PyString>,
    ) -> Result<Option<Object<'a, 'py>>, NotPlain> {
        if self.plain.get() != dict.place() {
            let mut at = 0;
            while let Some((name, _)) = dict.next_member(&mut at) {
                if !name.is_exact_string() {
                    return Err(NotPlain);
                }
            }
            self.plain.set(dict.place());
        }
        // SAFETY: both are alive, and all strings that are compared are exact.
        let found = unsafe { ffi::PyDict_GetItemWithError(dict.pointer(), name.as_ptr()) };
        // SAFETY: the dict holds the object, if there is one.
        let found = unsafe { dict.held(found) };
        // SAFETY: the interpreter is held.
        if found.is_none() && !unsafe { ffi::PyErr_Occurred() }.is_null() {
            forget_error();
            return Err(NotPlain);
        }
        Ok(found)
    }
}

impl Drop for PausedCollector<'_> {
    fn drop(&mut self) {
        if self.ran {
            // SAFETY: `_py` lives, so the interpreter is still held.
            unsafe { ffi::PyGC_Enable() };
        }
    }
}

/// A dict in which names cannot be looked up.
pub(super) struct NotPlain;

/// An object that is alive for `'a`, because its container is alive and does not change.
#[derive(Clone, Copy)]
pub(super) struct Object<'a, 'py>(Borrowed<'a, 'py, PyAny>);

impl<'a, 'py> Object<'a, 'py> {
    /// The root object, through which everything in it can be borrowed.
    ///
    /// # Safety
    ///
    /// No Python code may run until `'a` ends.
    pub(super) unsafe fn root(
        object: &'a Bound<'py, PyAny>,
        _paused: &'a PausedCollector<'py>,
    ) -> Self {
        Self(object.as_borrowed())
    }

    /// An object in a container that lives for `'a`; `None` for a null pointer.
    ///
    /// # Safety
    ///
    /// The pointer must be null or point to an object in such a container.
    #[inline]
    unsafe fn held(self, pointer: *mut ffi::PyObject) -> Option<Self> {
        // SAFETY: the caller guarantees it. The container does not change before `'a` ends, as the
        // caller of `root` promised.
        unsafe { Borrowed::from_ptr_or_opt(self.0.py(), pointer) }.map(Self)
    }

    #[inline]
    pub(super) fn pointer(self) -> *mut ffi::PyObject {
        self.0.as_ptr()
    }

    /// The object's address, which no other object has during its life.
    #[inline]
    pub(super) fn place(self) -> usize {
        self.pointer().addr()
    }

    #[inline]
    pub(super) fn any(self) -> Borrowed<'a, 'py, PyAny> {
        self.0
    }

    #[inline]
    pub(super) fn is_exact_string(self) -> bool {
        self.0.is_exact_instance_of::<PyString>()
    }

    /// The text of a string; `None` if it has half a surrogate pair, or the object is not a string.
    #[inline]
    pub(super) fn text(self) -> Option<&'a str> {
        let mut size = 0;
        // SAFETY: the object is alive. If it is not a string, the call sets an error.
        let bytes = unsafe { ffi::PyUnicode_AsUTF8AndSize(self.pointer(), &mut size) };
        if bytes.is_null() {
            forget_error();
            return None;
        }
        let size = usize::try_from(size).ok()?;
        // SAFETY: these `size` bytes are UTF-8, which the string keeps unchanged while it lives.
        Some(unsafe {
            str::from_utf8_unchecked(std::slice::from_raw_parts(bytes.cast::<u8>(), size))
        })
    }

    /// The value of an `int` that fits 64 bits.
    #[inline]
    pub(super) fn integer(self) -> Option<i64> {
        if !self.0.is_exact_instance_of::<PyInt>() && !self.0.is_instance_of::<PyInt>() {
            return None;
        }
        let mut overflow = 0;
        // SAFETY: the object is alive; reading an `int` or a subclass of it runs no Python code.
        let value = unsafe { ffi::PyLong_AsLongLongAndOverflow(self.pointer(), &mut overflow) };
        (overflow == 0).then_some(value)
    }

    /// The items of a `list`; none for any other object.
    #[inline]
    pub(super) fn list(self) -> Items<'a, 'py> {
        // SAFETY: the object is alive. If it is not a list, the call sets an error and returns -1.
        let size = unsafe { ffi::PyList_Size(self.pointer()) };
        Items::new(self, false, size)
    }

    /// The items of a `tuple`; none for any other object.
    #[inline]
    pub(super) fn tuple(self) -> Items<'a, 'py> {
        // SAFETY: the object is alive. If it is not a tuple, the call sets an error and returns -1.
        let size = unsafe { ffi::PyTuple_Size(self.pointer()) };
        Items::new(self, true, size)
    }

    /// The number of members of a `dict`.
    #[inline]
    pub(super) fn members(self) -> usize {
        // SAFETY: the object is alive. If it is not a dict, the call sets an error and returns -1.
        let size = unsafe { ffi::PyDict_Size(self.pointer()) };
        usize::try_from(size).unwrap_or_else(|_| {
            forget_error();
            0
        })
    }

    /// The next member of a `dict` after a position, which begins at 0.
    #[inline]
    pub(super) fn next_member(self, at: &mut ffi::Py_ssize_t) -> Option<(Self, Self)> {
        let (mut name, mut value) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the object is alive. If it is not a dict, it has no next member. The position is
        // 0 or was set by this function, and the dict has not changed since.
        let found = unsafe { ffi::PyDict_Next(self.pointer(), at, &mut name, &mut value) };
        if found == 0 {
            return None;
        }
        // SAFETY: the dict holds both.
        unsafe { Some((self.held(name)?, self.held(value)?)) }
    }
}

/// The items of a list or a tuple.
pub(super) struct Items<'a, 'py> {
    container: Object<'a, 'py>,
    is_tuple: bool,
    at: ffi::Py_ssize_t,
    size: ffi::Py_ssize_t,
}

impl<'a, 'py> Items<'a, 'py> {
    #[inline]
    fn new(container: Object<'a, 'py>, is_tuple: bool, size: ffi::Py_ssize_t) -> Self {
        if size < 0 {
            forget_error();
        }
        Self {
            container,
            is_tuple,
            at: 0,
            size,
        }
    }

    /// The number of items that are left.
    #[inline]
    pub(super) fn left(&self) -> usize {
        usize::try_from(self.size - self.at).unwrap_or(0)
    }

    /// Continues at this item.
    pub(super) fn skip_to(&mut self, index: usize) {
        self.at = ffi::Py_ssize_t::try_from(index).unwrap_or(self.size);
    }
}

impl<'a, 'py> Iterator for Items<'a, 'py> {
    type Item = Object<'a, 'py>;

    #[inline]
    fn next(&mut self) -> Option<Object<'a, 'py>> {
        if self.at >= self.size {
            return None;
        }
        let at = self.at;
        self.at += 1;
        let container = self.container.pointer();
        // SAFETY: the container is alive and of this type, or its size is -1; the index is checked.
        let item = unsafe {
            if self.is_tuple {
                ffi::PyTuple_GetItem(container, at)
            } else {
                ffi::PyList_GetItem(container, at)
            }
        };
        // SAFETY: the container holds it.
        let item = unsafe { self.container.held(item) };
        if item.is_none() {
            forget_error();
        }
        item
    }
}

/// Clears the error that a call set, because its caller handles the failure.
#[cold]
fn forget_error() {
    // SAFETY: every caller holds the interpreter. The error is an object of the interpreter itself,
    // without a finalizer.
    unsafe { ffi::PyErr_Clear() };
}
