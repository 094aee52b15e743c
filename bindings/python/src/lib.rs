//! The extension module `toolgate._toolgate`: Python's way to the crates. It converts values and verdicts,
//! and decides nothing itself.

mod contract;
mod errors;
mod kinds;
mod tape;
mod tools;
mod validator;
mod walk;

/// Made by Toolgate's crates for the Python package around it.
#[pyo3::pymodule]
mod _toolgate {
    #[pymodule_export]
    use crate::contract::ToolContract;
    #[pymodule_export]
    use crate::tools::{check, diff, lint};
    #[pymodule_export]
    use crate::validator::Validator;

    /// The version of the crates.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
