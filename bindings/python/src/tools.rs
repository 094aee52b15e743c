//! What is found in listings of tools, and instances of schemas, as JSON text for the dataclasses in Python; and tools
//! for providers.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use toolsure_bindings::generate::{self as instances, NoInstances};
use toolsure_bindings::listing::NoReport;
use toolsure_bindings::projection::Projection as Tools;
use toolsure_bindings::{argument, contract, listing};

use crate::decision::Outcome;
use crate::errors::{self, Definition};
use crate::finding::Subject;
use crate::options::{definition_text, plain};
use crate::text::{bytes, detached, is_text, loads};
use crate::value;

/// Lints a listing.
#[pyfunction]
pub(crate) fn lint(py: Python<'_>, tools: &Bound<'_, PyAny>, options: &str) -> PyResult<String> {
    let text = listing_text(tools)?;
    report(py, || listing::lint(&text, options.as_bytes()))
}

/// Reports whether each tool of a listing can be used.
#[pyfunction]
pub(crate) fn check(py: Python<'_>, tools: &Bound<'_, PyAny>, options: &str) -> PyResult<String> {
    let text = listing_text(tools)?;
    report(py, || listing::check(&text, options.as_bytes()))
}

/// Compares two listings.
#[pyfunction]
pub(crate) fn diff(
    py: Python<'_>,
    old: &Bound<'_, PyAny>,
    new: &Bound<'_, PyAny>,
    options: &str,
) -> PyResult<String> {
    let (old, new) = (listing_text(old)?, listing_text(new)?);
    report(py, || listing::diff(&old, &new, options.as_bytes()))
}

/// Converts an argument schema.
#[pyfunction]
pub(crate) fn argument_schema(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    options: &str,
) -> PyResult<String> {
    let text = listing_text(schema)?;
    report(py, || argument::convert(&text, options.as_bytes()))
}

/// Makes instances of a schema.
#[pyfunction]
pub(crate) fn generate(
    py: Python<'_>,
    schema: &Bound<'_, PyAny>,
    options: &str,
) -> PyResult<String> {
    let limits = instances::schema_limits(options.as_bytes());
    let text = definition_text(schema, &limits, Definition::Schema)?;
    let made = py.detach(|| instances::generate(&text, options.as_bytes()));
    made.map_err(|why| no_instances(py, why, is_text(schema)))
}

/// Makes the calls that test a tool.
#[pyfunction]
pub(crate) fn plan(py: Python<'_>, tool: &str, options: &str) -> PyResult<String> {
    let made = py.detach(|| instances::plan(tool.as_bytes(), options.as_bytes()));
    made.map_err(|why| no_instances(py, why, true))
}

/// Judges the answer to a call of [`plan`].
#[pyfunction]
pub(crate) fn judge(
    py: Python<'_>,
    tool: &str,
    version: &str,
    call: &str,
    answer: &str,
) -> PyResult<String> {
    let [tool, call, answer] = [tool, call, answer].map(str::as_bytes);
    let made = py.detach(|| instances::judge(tool, version, call, answer));
    made.map_err(|why| no_instances(py, why, true))
}

/// The tools of a listing as a provider gets them, and the way back.
#[pyclass(frozen, module = "toolsure", name = "ProjectedTools")]
pub(crate) struct ProjectedTools(Mutex<Tools>);

#[pymethods]
impl ProjectedTools {
    #[new]
    fn new(py: Python<'_>, tools: &Bound<'_, PyAny>, options: &str) -> PyResult<Self> {
        let text = listing_text(tools)?;
        let read = py.detach(|| Tools::read(&text, options.as_bytes()));
        let read = read.map(|tools| Self(Mutex::new(tools)));
        read.map_err(|why| no_report(py, why))
    }

    /// The report as JSON text.
    fn report(&self) -> String {
        let mut out = String::new();
        self.tools().write(&mut out);
        out
    }

    /// Maps a call back: the name, the arguments and the decision.
    fn call<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        arguments: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let limits = *self.tools().limits();
        let text = match is_text(arguments) {
            true => bytes(arguments)?,
            false => {
                let text = value::json_text(&plain(arguments)?, &limits);
                let unread = |refusal: value::Refusal| errors::unread(py, refusal.into());
                Cow::Owned(text.map_err(unread)?.into_bytes())
            }
        };
        // No code of Python's may run while the tools are locked.
        let (call, schema) = {
            let mut tools = self.tools();
            let call = tools.call(name, &text);
            (call, tools.tool(name).and_then(|tool| tool.input().ok()))
        };
        let call = call.map_err(|error| errors::unread(py, error.into()))?;
        let mapped = loads(py, call.arguments.as_bytes())?;
        let outcome = Outcome::of(call.decision, false);
        // There are no findings about a tool that is unknown, or does not compile.
        let no_schema = || PyValueError::new_err("the tool has no schema");
        let subject = || {
            Ok(Subject {
                schema: schema.ok_or_else(no_schema)?,
                value: mapped.clone().unbind(),
                is_text: false,
                is_masked: false,
                member: None,
            })
        };
        let decision = outcome.decide(py, contract::NEWEST, subject)?;
        let name = call.name.into_pyobject(py)?.into_any();
        PyTuple::new(py, [name, mapped, decision])
    }
}

impl ProjectedTools {
    fn tools(&self) -> std::sync::MutexGuard<'_, Tools> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn report(
    py: Python<'_>,
    make: impl FnOnce() -> Result<String, NoReport> + Send,
) -> PyResult<String> {
    detached(py, usize::MAX, make).map_err(|why| no_report(py, why))
}

fn no_report(py: Python<'_>, why: NoReport) -> PyErr {
    match why {
        NoReport::Unread(error) => errors::unread(py, error.into()),
        other => PyValueError::new_err(other.to_string()),
    }
}

fn no_instances(py: Python<'_>, why: NoInstances, from_text: bool) -> PyErr {
    match why {
        NoInstances::Report(why) => no_report(py, why),
        NoInstances::Schema(error) => errors::schema(py, &error, from_text),
        NoInstances::Unread(message) => PyValueError::new_err(message),
        other => {
            let mut out = String::new();
            other.write(&mut out);
            PyValueError::new_err(out)
        }
    }
}

/// The text of a listing; unchanged if the listing is text.
fn listing_text<'a>(listing: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if is_text(listing) {
        return bytes(listing);
    }
    let text = value::json_text(&plain_tools(listing)?, &listing::LIMITS);
    let refused = |refusal: value::Refusal| errors::unread(listing.py(), refusal.into());
    Ok(Cow::Owned(text.map_err(refused)?.into_bytes()))
}

/// A listing as plain data: it may be an object of an SDK, or a list of such objects.
fn plain_tools<'py>(listing: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if !listing.is_instance_of::<PyList>() && !listing.is_instance_of::<PyTuple>() {
        return plain(listing);
    }
    let tools = listing.try_iter()?.map(|tool| plain(&tool?));
    let tools = PyList::new(listing.py(), tools.collect::<PyResult<Vec<_>>>()?)?;
    Ok(tools.into_any())
}
