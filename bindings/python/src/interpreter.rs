//! The interpreter that the module is loaded into.

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Refuses interpreters other than the main one: the classes that this module looks up once would be
/// objects of another interpreter there.
pub(crate) fn require_main(_py: Python<'_>) -> PyResult<()> {
    #[expect(
        unsafe_code,
        reason = "PyO3 has no function for the number of an interpreter"
    )]
    // SAFETY: the interpreter is held, as `_py` proves, so there is a current one.
    let number = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    match number {
        0 => Ok(()),
        _ => Err(PyImportError::new_err(
            "toolsure does not work in subinterpreters: import it in the main interpreter",
        )),
    }
}
