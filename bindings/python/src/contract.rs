//! `toolsure.ToolContract`: a tool's definition, and the checks of calls and results.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use toolsure_json::{OwnedDocument, ReadError, ReadLimits, View};
use toolsure_mcp::check::{Checker, Decision};
use toolsure_mcp::contract::{SchemaStore, ToolContract as Contract, UncompilableTool};
use toolsure_mcp::era::Era;
use toolsure_mcp::repair::{self, RepairLimits, Repaired};
use toolsure_schema::{Compiler, Schema, Strictness};

use crate::decision::{Outcome, Part};
use crate::errors::{self, Definition, Members, Unread};
use crate::finding::{Subject, kept};
use crate::options::{Options, definition_limits, definition_text, plain};
use crate::text::{bytes, detached, loads};
use crate::value;

/// The contract of a tool, from its definition. Threads can share one.
#[pyclass(frozen, module = "toolsure", name = "ToolContract")]
pub(crate) struct ToolContract {
    contract: Arc<Contract>,
    era: Era,
    limits: ReadLimits,
    /// Idle checkers, whose memory is reused.
    checkers: Mutex<Vec<Checker>>,
}

#[pymethods]
impl ToolContract {
    #[new]
    #[pyo3(
        signature = (tool, *, protocol_version=NEWEST, **options),
        text_signature = "(tool, *, protocol_version='2026-07-28', strictness='lenient', formats=None, content=None, dialect=None, default_dialect=None, limits=None, documents=None)"
    )]
    fn new(
        py: Python<'_>,
        tool: &Bound<'_, PyAny>,
        protocol_version: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let era = era(protocol_version)?;
        let compiler = contract_compiler(options)?;
        let limits = definition_limits(&compiler);
        let text = definition_text(tool, &limits, Definition::Tool)?;
        let store = SchemaStore::with(compiler, STORE);
        let read = detached(py, text.len(), || {
            let contract = Contract::read(&text, &store);
            contract.map(|contract| (contract.verify(), contract))
        });
        let (verified, contract) = read.map_err(|malformed| {
            let members = Members::new(py).with("code", malformed.code());
            errors::contract(py, &malformed.to_string(), members)
        })?;
        if let Err(why) = verified {
            return Err(uncompilable(py, contract.name(), &why));
        }
        Ok(Self::of(Arc::new(contract), era, &store))
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

    /// The version of MCP whose rules apply.
    #[getter]
    fn protocol_version(&self) -> &'static str {
        self.era.version()
    }

    /// The decision on the arguments of a call. `None` counts as `{}`.
    #[pyo3(signature = (arguments=None))]
    fn check_arguments<'py>(
        &self,
        py: Python<'py>,
        arguments: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let outcome = self.arguments(py, arguments)?;
        outcome.decide(py, self.era, || self.argument_subject(py, arguments))
    }

    /// The decision on the arguments of a call, as JSON text.
    fn check_arguments_json<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let text = bytes(arguments)?;
        let outcome = self.argument_text(py, &text, true)?;
        outcome.decide(py, self.era, || {
            self.text_subject(self.input()?, arguments, &text, None)
        })
    }

    /// The decision on a result of `tools/call`: the object as on the wire, or an object of the SDK.
    fn check_result<'py>(
        &self,
        py: Python<'py>,
        result: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let result = plain(result)?;
        let outcome = self.result(py, &result)?;
        outcome.decide(py, self.era, || self.result_subject(py, &result))
    }

    /// The decision on a result of `tools/call`, as JSON text.
    fn check_result_json<'py>(
        &self,
        py: Python<'py>,
        result: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let text = bytes(result)?;
        let outcome = self.result_text(py, text.to_vec(), true)?;
        outcome.decide(py, self.era, || {
            self.text_subject(self.output()?, result, &text, Some("structuredContent"))
        })
    }

    /// Raises `ContractError` if the arguments of a call break the contract. `None` counts as `{}`.
    #[pyo3(signature = (arguments=None))]
    fn validate_arguments(
        &self,
        py: Python<'_>,
        arguments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let outcome = self.arguments(py, arguments)?;
        outcome.raise(py, || self.argument_subject(py, arguments))
    }

    /// Raises `ContractError` if the arguments of a call, as JSON text, break the contract.
    fn validate_arguments_json(
        &self,
        py: Python<'_>,
        arguments: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let text = bytes(arguments)?;
        let outcome = self.argument_text(py, &text, true)?;
        outcome.raise(py, || {
            self.text_subject(self.input()?, arguments, &text, None)
        })
    }

    /// Raises `ContractError` if a result of `tools/call` breaks the contract.
    fn validate_result(&self, py: Python<'_>, result: &Bound<'_, PyAny>) -> PyResult<()> {
        let result = plain(result)?;
        let outcome = self.result(py, &result)?;
        outcome.raise(py, || self.result_subject(py, &result))
    }

    /// Raises `ContractError` if a result of `tools/call`, as JSON text, breaks the contract.
    fn validate_result_json(&self, py: Python<'_>, result: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = bytes(result)?;
        let outcome = self.result_text(py, text.to_vec(), true)?;
        outcome.raise(py, || {
            self.text_subject(self.output()?, result, &text, Some("structuredContent"))
        })
    }

    /// Repairs arguments that do not match: the arguments that do, and a line for each edit. `None`
    /// if they match already, or cannot be repaired.
    fn repair_arguments<'py>(
        &self,
        py: Python<'py>,
        arguments: &Bound<'py, PyAny>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Vec<String>)>> {
        let text = value::json_text(arguments, &self.limits);
        let text = text.map_err(|refusal| errors::unread(py, refusal.into()))?;
        let schema = self.input()?;
        let outcome = detached(py, usize::MAX, || {
            repair::repair(&schema, text.as_bytes(), &RepairLimits::default())
        });
        match outcome {
            Ok(repair::Outcome::Repaired(Repaired { text, edits, .. })) => {
                let edits = edits.iter().map(ToString::to_string).collect();
                Ok(Some((loads(py, text.as_bytes())?, edits)))
            }
            // Too long to be repaired.
            Ok(_) | Err(_) => Ok(None),
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "ToolContract({})",
            toolsure_json::quote(self.contract.name(), SHOWN)
        )
    }
}

impl ToolContract {
    /// The contract that a catalog holds.
    pub(crate) fn of(contract: Arc<Contract>, era: Era, store: &SchemaStore) -> Self {
        Self {
            contract,
            era,
            limits: store.compiler().bounds().instance,
            checkers: Mutex::default(),
        }
    }

    fn arguments(&self, py: Python<'_>, arguments: Option<&Bound<'_, PyAny>>) -> PyResult<Outcome> {
        let Some(arguments) = arguments else {
            let decision = self.with(|checker| checker.check_arguments_view(&self.contract, None));
            return Ok(Outcome::of(decision, false));
        };
        match value::json_text(arguments, &self.limits) {
            Ok(text) => self.argument_text(py, text.as_bytes(), false),
            Err(refusal) => self.unread(py, Part::Arguments, refusal.into(), false),
        }
    }

    fn argument_text(&self, py: Python<'_>, text: &[u8], is_given: bool) -> PyResult<Outcome> {
        self.judge(
            py,
            Part::Arguments,
            text.to_vec(),
            is_given,
            |checker, root| checker.check_arguments_view(&self.contract, Some(root)),
        )
    }

    fn result(&self, py: Python<'_>, result: &Bound<'_, PyAny>) -> PyResult<Outcome> {
        match value::json_text(result, &self.limits) {
            Ok(text) => self.result_text(py, text.into_bytes(), false),
            Err(refusal) => self.unread(py, Part::Result, refusal.into(), false),
        }
    }

    fn result_text(&self, py: Python<'_>, text: Vec<u8>, is_given: bool) -> PyResult<Outcome> {
        self.judge(py, Part::Result, text, is_given, |checker, root| {
            checker.check_result(&self.contract, self.era, root)
        })
    }

    /// `is_given` says whether the caller gave the text, which offsets are about then.
    fn judge(
        &self,
        py: Python<'_>,
        part: Part,
        text: Vec<u8>,
        is_given: bool,
        check: impl Fn(&mut Checker, View<'_>) -> Decision + Send + Sync,
    ) -> PyResult<Outcome> {
        let decision = detached(py, text.len(), || {
            let document = OwnedDocument::read(text, &self.limits)?;
            let root = document.document().root();
            Ok(self.with(|checker| check(checker, root)))
        });
        match decision {
            Ok(decision) => Ok(Outcome::of(decision, is_given)),
            Err(error) => {
                let error: ReadError = error;
                self.unread(py, part, error.into(), is_given)
            }
        }
    }

    fn unread(&self, py: Python<'_>, part: Part, why: Unread, is_text: bool) -> PyResult<Outcome> {
        Outcome::unread(py, self.contract.name(), part, why, is_text)
    }

    fn input(&self) -> PyResult<Schema> {
        let input = self.contract.input();
        input.map_err(|why| PyValueError::new_err(why.to_string()))
    }

    fn output(&self) -> PyResult<Schema> {
        let output = self.contract.output();
        let output = output.map_err(|why| PyValueError::new_err(why.to_string()))?;
        // Only a tool with an output schema has findings about a result.
        output.map_or_else(|| self.input(), Ok)
    }

    fn argument_subject(
        &self,
        py: Python<'_>,
        arguments: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Subject> {
        let value = match arguments {
            Some(arguments) => arguments.clone(),
            None => PyDict::new(py).into_any(),
        };
        Ok(Subject {
            schema: self.input()?,
            value: value.unbind(),
            is_text: false,
            is_masked: false,
            member: None,
        })
    }

    fn result_subject(&self, py: Python<'_>, result: &Bound<'_, PyAny>) -> PyResult<Subject> {
        let structured = result.cast::<PyDict>().ok();
        let structured = structured.and_then(|result| result.get_item("structuredContent").ok());
        Ok(Subject {
            schema: self.output()?,
            value: structured
                .flatten()
                .map_or_else(|| py.None(), Bound::unbind),
            is_text: false,
            is_masked: false,
            member: None,
        })
    }

    fn text_subject(
        &self,
        schema: Schema,
        given: &Bound<'_, PyAny>,
        text: &[u8],
        member: Option<&'static str>,
    ) -> PyResult<Subject> {
        Ok(Subject {
            schema,
            value: kept(given, text).unbind(),
            is_text: true,
            is_masked: false,
            member,
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Checker) -> T) -> T {
        let pool = || self.checkers.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = pool().pop();
        let mut checker = taken.unwrap_or_else(|| Checker::new().limits(self.limits));
        let done = work(&mut checker);
        pool().push(checker);
        done
    }
}

/// A tool with a schema that does not compile.
pub(crate) fn uncompilable(py: Python<'_>, name: &str, why: &UncompilableTool) -> PyErr {
    let path = format!("/{}{}", why.part.member(), why.error.pointer());
    let limit = why.error.limit();
    let members = Members::new(py)
        .with("code", why.error.code())
        .with("schema_path", path)
        .with("tool", name)
        .with("setting", limit.map(|limit| limit.name.setting()));
    errors::contract(py, &why.to_string(), members)
}

/// The version of MCP with a name.
pub(crate) fn era(protocol_version: &str) -> PyResult<Era> {
    Era::from_version(protocol_version).ok_or_else(|| {
        let known: Vec<&str> = Era::ALL.iter().map(|era| era.version()).collect();
        PyValueError::new_err(format!(
            "unknown protocol version `{}`; there are {}",
            toolsure_json::quote(protocol_version, VERSION),
            known.join(", ")
        ))
    })
}

/// The compiler of contracts, which is lenient unless the caller says otherwise.
pub(crate) fn contract_compiler(options: Option<&Bound<'_, PyDict>>) -> PyResult<Compiler> {
    let lenient = Compiler::new().strictness(Strictness::Lenient);
    let options = Options::read(lenient, options)?;
    match options.mask {
        None => Ok(options.compiler),
        Some(_) => Err(PyTypeError::new_err("unknown option `mask`")),
    }
}

/// The protocol version if the option is missing.
const NEWEST: &str = Era::NEWEST.version();
/// The number of bytes of compiled schemas that a contract keeps.
const STORE: usize = 16 << 20;
/// Characters of a name that the `repr` shows.
const SHOWN: usize = 80;
/// Characters of an unknown version that an error shows.
const VERSION: usize = 40;
