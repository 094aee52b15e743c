//! `toolsure.mcp.ToolContract`: a tool's definition, and the checks of calls and results.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_mcp::check::{Checker, Decision, Fault, Refusal};
use toolsure_mcp::contract::{SchemaStore, ToolContract as Contract};
use toolsure_mcp::era::Era;

use crate::errors;
use crate::tape::Tape;
use crate::validator::{bytes, compiler, json_text, written};

/// The contract of a tool, from its definition. Threads can share one.
#[pyclass(frozen, module = "toolsure.mcp", name = "ToolContract")]
pub(crate) struct ToolContract {
    contract: Arc<Contract>,
    limits: ReadLimits,
    /// Idle checkers, whose memory is reused.
    checkers: Mutex<Vec<Checker>>,
}

#[pymethods]
impl ToolContract {
    #[new]
    #[pyo3(signature = (tool, *, formats=None, limits=None, documents=None))]
    fn new(
        py: Python<'_>,
        tool: &Bound<'_, PyAny>,
        formats: Option<&Bound<'_, PyAny>>,
        limits: Option<&Bound<'_, PyDict>>,
        documents: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let compiler = compiler(formats, &[], limits, documents)?;
        let text = json_text(tool, &compiler)?;
        let limits = compiler.bounds().instance;
        let store = SchemaStore::with(compiler, STORE);
        let contract = Contract::read(&text, &store);
        let contract = contract.map_err(|malformed| {
            let text = malformed.to_string();
            errors::contract(py, &text, malformed.code(), None, None)
        })?;
        Ok(Self {
            contract: Arc::new(contract),
            limits,
            checkers: Mutex::default(),
        })
    }

    /// The tool's name.
    #[getter]
    fn name(&self) -> &str {
        self.contract.name()
    }

    /// The definition as JSON text, unchanged if it was given as text.
    #[getter]
    fn text(&self) -> &str {
        self.contract.text()
    }

    /// Compiles both schemas now; raises `SchemaError` if one does not compile.
    fn verify(&self, py: Python<'_>) -> PyResult<()> {
        let verified = py.detach(|| self.contract.verify());
        verified.map_err(|fault| errors::schema(py, &fault.error))
    }

    /// Raises `ContractError` if the arguments of a call break the contract. `None` counts as `{}`.
    #[pyo3(signature = (arguments=None))]
    fn check_arguments(
        &self,
        arguments: Option<&Bound<'_, PyAny>>,
        py: Python<'_>,
    ) -> PyResult<()> {
        let Some(arguments) = arguments else {
            let none: Option<toolsure_json::View<'_>> = None;
            return passed(
                py,
                self.with(|checker| checker.check_arguments(&self.contract, none)),
            );
        };
        let tape = Tape::read(arguments, &self.limits);
        let tape = tape.map_err(|refusal| errors::refused(py, refusal))?;
        let texts = tape
            .texts()
            .map_err(|refusal| errors::refused(py, refusal))?;
        let decision =
            self.with(|checker| checker.check_arguments(&self.contract, Some(texts.root())));
        passed(py, decision)
    }

    /// Raises `ContractError` if the arguments of a call, as JSON text, break the contract.
    fn check_arguments_json(&self, arguments: &Bound<'_, PyAny>, py: Python<'_>) -> PyResult<()> {
        let text = bytes(arguments)?;
        let decision =
            py.detach(|| self.with(|checker| checker.check_arguments_bytes(&self.contract, &text)));
        passed(py, decision)
    }

    /// Raises `ContractError` if a result of `tools/call`, the object as on the wire, breaks the contract.
    #[pyo3(signature = (result, *, protocol_version="2025-11-25"))]
    fn check_result(
        &self,
        result: &Bound<'_, PyAny>,
        protocol_version: &str,
        py: Python<'_>,
    ) -> PyResult<()> {
        let era = Era::from_version(protocol_version).ok_or_else(|| {
            let known: Vec<&str> = Era::ALL.iter().map(|era| era.version()).collect();
            PyValueError::new_err(format!(
                "unknown protocol version `{}`; there are {}",
                toolsure_json::quote(protocol_version, VERSION),
                known.join(", ")
            ))
        })?;
        let text = match bytes(result) {
            Ok(text) => text.into_owned(),
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) => {
                written(result, &self.limits)?.into_bytes()
            }
            Err(error) => return Err(error),
        };
        let decision = py.detach(|| {
            let document = OwnedDocument::read(text, &self.limits)?;
            let root = document.document().root();
            Ok(self.with(|checker| checker.check_result(&self.contract, era, root)))
        });
        let unreadable = |error: toolsure_json::ReadError| errors::unreadable(py, &error);
        passed(py, decision.map_err(unreadable)?)
    }

    fn __repr__(&self) -> String {
        format!(
            "ToolContract({})",
            toolsure_json::quote(self.contract.name(), SHOWN)
        )
    }
}

impl ToolContract {
    fn with<T>(&self, work: impl FnOnce(&mut Checker) -> T) -> T {
        let pool = || self.checkers.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = pool().pop();
        let mut checker = taken.unwrap_or_else(|| Checker::new().limits(self.limits));
        let done = work(&mut checker);
        pool().push(checker);
        done
    }
}

fn passed(py: Python<'_>, decision: Decision) -> PyResult<()> {
    match decision {
        Decision::Pass(_) => Ok(()),
        Decision::Refuse(refusal) => Err(raised(py, &refusal)),
    }
}

fn raised(py: Python<'_>, refusal: &Refusal) -> PyErr {
    match &refusal.fault {
        Fault::UndecidedArguments(why) | Fault::UndecidedResult(why) => {
            errors::undecided_because(py, refusal.text(), Some(*why))
        }
        Fault::HostUndecidedArguments(_) | Fault::HostUndecidedResult(_) => {
            errors::undecided_because(py, refusal.text(), None)
        }
        Fault::Uncompilable(fault) => errors::schema(py, &fault.error),
        Fault::Unreadable(error) => errors::unreadable(py, error),
        fault => {
            let report = refusal.report.as_ref();
            let tool = refusal.tool.as_deref();
            errors::contract(py, refusal.text(), fault.code(), tool, report)
        }
    }
}

/// The number of bytes of compiled schemas that a contract keeps.
const STORE: usize = 16 << 20;
/// Characters of a name that the `repr` shows.
const SHOWN: usize = 80;
/// Characters of an unknown version that an error shows.
const VERSION: usize = 40;
