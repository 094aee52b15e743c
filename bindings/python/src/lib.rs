//! The extension module `toolsure._toolsure`: the Python interface of the crates. It converts
//! values and verdicts, and decides nothing itself.

mod ask;
mod catalog;
mod contract;
mod decision;
mod errors;
mod finding;
mod interpreter;
mod kinds;
mod options;
mod text;
mod tools;
mod validator;
mod value;
mod workspace;

/// The extension module of the package `toolsure`, on Toolsure's crates.
#[pyo3::pymodule]
mod _toolsure {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::catalog::{Asked, Catalog};
    #[pymodule_export]
    use crate::contract::ToolContract;
    #[pymodule_export]
    use crate::finding::{ErrorIterator, Finding};
    #[pymodule_export]
    use crate::options::json_text;
    #[pymodule_export]
    use crate::tools::{ProjectedTools, argument_schema, check, diff, generate, judge, lint, plan};
    #[pymodule_export]
    use crate::validator::Validator;

    /// Refuses interpreters other than the main one.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::interpreter::require_main(module.py())
    }

    /// The version of the crates.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
