//! The exceptions of `toolsure._errors`, with their attributes.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyTuple, PyType};
use toolsure_json::{ReadError, ReadErrorKind};
use toolsure_schema::{CompileError, Exhausted, Finding, Report, settings};

use crate::kinds;
use crate::tape::Refusal;

/// An exception class, looked up once.
struct Class {
    name: &'static str,
    found: PyOnceLock<Py<PyType>>,
}

impl Class {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            found: PyOnceLock::new(),
        }
    }

    fn make<'py>(
        &self,
        py: Python<'py>,
        arguments: impl pyo3::call::PyCallArgs<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let class = self.found.import(py, "toolsure._errors", self.name)?;
        class.call1(arguments)
    }

    fn raise<'py>(&self, py: Python<'py>, arguments: impl pyo3::call::PyCallArgs<'py>) -> PyErr {
        match self.make(py, arguments) {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    }
}

static SCHEMA: Class = Class::new("SchemaError");
static VALIDATION: Class = Class::new("ValidationError");
static UNDECIDED: Class = Class::new("Undecided");
static NOT_JSON: Class = Class::new("NotJson");
static CONTRACT: Class = Class::new("ContractError");

/// A schema that does not compile.
pub(crate) fn schema(py: Python<'_>, error: &CompileError) -> PyErr {
    SCHEMA.raise(
        py,
        (
            error.to_string(),
            error.code(),
            error.pointer(),
            error.document(),
            error.help(),
        ),
    )
}

/// A check that reached a limit.
pub(crate) fn undecided(py: Python<'_>, why: Exhausted) -> PyErr {
    UNDECIDED.raise(py, (why.to_string(), why.setting()))
}

/// A check that reached a limit, with the text of another crate.
pub(crate) fn undecided_because(py: Python<'_>, text: &str, why: Option<Exhausted>) -> PyErr {
    UNDECIDED.raise(py, (text, why.and_then(Exhausted::setting)))
}

/// A value that is not JSON, or that exceeds a limit.
pub(crate) fn refused(py: Python<'_>, refusal: Refusal) -> PyErr {
    match refusal {
        Refusal::NotJson { pointer, message } => NOT_JSON.raise(py, (message, pointer)),
        Refusal::Limit { setting, allowed } => {
            let message =
                format!("undecided: the value is over the limit `{setting}` of {allowed}");
            UNDECIDED.raise(py, (message, setting))
        }
    }
}

/// A text that is not JSON, or that exceeds a limit.
pub(crate) fn unreadable(py: Python<'_>, error: &ReadError) -> PyErr {
    let over = [
        ReadErrorKind::TooLong,
        ReadErrorKind::TooDeep,
        ReadErrorKind::TooManyNodes,
        ReadErrorKind::TooManyDigits,
    ];
    if over.contains(&error.kind()) {
        let setting = settings::of_read_error(error);
        return UNDECIDED.raise(py, (format!("undecided: {error}"), setting));
    }
    NOT_JSON.raise(py, (error.to_string(), py.None(), error.at()))
}

/// The findings of a report, as exceptions that are not raised.
pub(crate) fn findings<'py>(py: Python<'py>, report: &Report) -> PyResult<Vec<Bound<'py, PyAny>>> {
    report.findings.iter().map(|one| finding(py, one)).collect()
}

fn finding<'py>(py: Python<'py>, finding: &Finding) -> PyResult<Bound<'py, PyAny>> {
    VALIDATION.make(
        py,
        (
            finding.to_string(),
            PyString::new(py, &finding.instance_location),
            PyString::new(py, &finding.keyword_location),
            PyString::new(py, &finding.keyword),
            kinds::kind(py, &finding.kind)?,
            finding.absolute_keyword_location.as_str(),
            finding.property_name.as_deref(),
        ),
    )
}

/// The exception for a value that does not match: the first finding, with a list of all.
pub(crate) fn invalid(py: Python<'_>, report: &Report) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let all = findings(py, report)?;
        let Some(first) = all.first().cloned() else {
            // A limit was reached before the reason was found.
            let text =
                "the value does not match, but a limit was reached before the reason was found";
            let unknown = VALIDATION.make(py, (text, "", "", "", py.None(), "", py.None()))?;
            return Ok(PyErr::from_value(unknown));
        };
        first.setattr("errors", PyTuple::new(py, all)?)?;
        first.setattr("complete", report.complete)?;
        Ok(PyErr::from_value(first))
    };
    made().unwrap_or_else(|error| error)
}

/// A call or a result that violates its tool's contract.
pub(crate) fn contract(
    py: Python<'_>,
    text: &str,
    code: &str,
    tool: Option<&str>,
    report: Option<&Report>,
) -> PyErr {
    let errors = match report.map(|report| findings(py, report)).transpose() {
        Ok(errors) => errors.unwrap_or_default(),
        Err(error) => return error,
    };
    match PyTuple::new(py, errors) {
        Ok(errors) => CONTRACT.raise(py, (text, code, tool, errors)),
        Err(error) => error,
    }
}
