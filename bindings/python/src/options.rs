//! The options of `Validator` and `ToolContract`: keyword arguments as a compiler.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyString};
use toolsure_json::ReadLimits;
use toolsure_schema::{Compiler, settings};

use crate::errors::{self, Definition};
use crate::text::{bytes, has_half_pair, is_text};
use crate::value::{self, Refusal};

/// The options of a schema.
pub(crate) struct Options {
    pub(crate) compiler: Compiler,
    /// The text that replaces values in messages.
    pub(crate) mask: Option<String>,
}

impl Options {
    /// Reads keyword arguments. `None` is the default of each.
    pub(crate) fn read(
        mut compiler: Compiler,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut mask = None;
        let mut documents = None;
        for (name, value) in options.into_iter().flatten() {
            let name = name.extract::<String>()?;
            if value.is_none() {
                continue;
            }
            match name.as_str() {
                "formats" => compiler = set(compiler, "formats", &format_word(&value)?)?,
                "content" | "strictness" | "dialect" | "default_dialect" => {
                    compiler = set(compiler, &name, &word(&name, &value)?)?;
                }
                "limits" => compiler = limits(compiler, "limits", dict(&name, &value)?, 0)?,
                "mask" => mask = Some(word(&name, &value)?),
                // Read last, under the limits.
                "documents" => documents = Some(dict(&name, &value)?.clone()),
                _ => {
                    let name = toolsure_json::quote(&name, NAME);
                    return Err(PyTypeError::new_err(format!("unknown option `{name}`")));
                }
            }
        }
        for (uri, document) in documents.into_iter().flatten() {
            let uri = word("the URI of a document", &uri)?;
            let limits = definition_limits(&compiler);
            let text = definition_text(&document, &limits, Definition::Schema)?.into_owned();
            let registered = compiler.register(&uri, &text);
            let refused = |error| errors::schema(document.py(), &error, is_text(&document));
            compiler = registered.map_err(refused)?;
        }
        Ok(Self { compiler, mask })
    }
}

fn format_word(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyBool>() {
        Ok(assert) if assert.is_true() => Ok("assert".to_owned()),
        Ok(_) => Ok("annotate".to_owned()),
        Err(_) => word("formats", value),
    }
}

fn word(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.is_instance_of::<PyString>() {
        true => value.extract(),
        false => Err(of_other_type(name, "a `str`", value)),
    }
}

fn dict<'a, 'py>(name: &str, value: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyDict>> {
    let dict = value.cast::<PyDict>();
    dict.map_err(|_| of_other_type(name, "a `dict`", value))
}

/// The error for an option with a value of another type, which names the option.
fn of_other_type(name: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    match value.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("{name} must be {expected}, not `{found}`")),
        Err(error) => error,
    }
}

/// Limits, nested (`{"instance": {"bytes": 1}}`) or with dots (`{"instance.bytes": 1}`).
fn limits(
    mut compiler: Compiler,
    prefix: &str,
    limits: &Bound<'_, PyDict>,
    level: usize,
) -> PyResult<Compiler> {
    for (name, value) in limits {
        let name = format!("{prefix}.{}", word("the name of a limit", &name)?);
        compiler = match value.cast::<PyDict>() {
            Ok(nested) if level == 0 => self::limits(compiler, &name, nested, level + 1)?,
            _ => set(compiler, &name, &value.str()?.to_cow()?)?,
        };
    }
    Ok(compiler)
}

fn set(compiler: Compiler, name: &str, word: &str) -> PyResult<Compiler> {
    let refused = |error: settings::SettingError| PyValueError::new_err(error.to_string());
    let setting = settings::find(name).map_err(refused)?;
    setting.apply(compiler, word).map_err(refused)
}

/// A schema, a document or a tool as JSON text. Text is taken as it is.
pub(crate) fn definition_text<'a>(
    value: &'a Bound<'_, PyAny>,
    limits: &ReadLimits,
    of: Definition,
) -> PyResult<Cow<'a, [u8]>> {
    let refused = |refusal| errors::definition(value.py(), refusal, of);
    if is_text(value) {
        return match has_half_pair(value) {
            true => Err(refused(Refusal::half_pair())),
            false => bytes(value),
        };
    }
    let text = value::json_text(&plain(value)?, limits);
    text.map(|text| Cow::Owned(text.into_bytes()))
        .map_err(refused)
}

/// The limits on a definition that is given as a value: those on its text.
pub(crate) fn definition_limits(compiler: &Compiler) -> ReadLimits {
    let bounds = compiler.bounds();
    ReadLimits {
        duplicate_keys: bounds.instance.duplicate_keys,
        ..ReadLimits::from(&bounds.model)
    }
}

/// A value as plain data: an object of an SDK (`mcp.types.Tool`) as it goes over the wire.
pub(crate) fn plain<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    static WIRE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PyBool>()
        || value.is_instance_of::<PyString>()
        || !value.hasattr("model_dump")?
    {
        return Ok(value.clone());
    }
    let py = value.py();
    WIRE.import(py, "toolsure._wire", "wire")?.call1((value,))
}

/// A value as JSON text, under the default limits on schemas.
#[pyfunction]
pub(crate) fn json_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let limits = definition_limits(&Compiler::new());
    let text = value::json_text(&plain(value)?, &limits);
    text.map_err(|refusal| errors::unread(value.py(), refusal.into()))
}

/// Characters of an unknown name that an error shows.
const NAME: usize = 40;
