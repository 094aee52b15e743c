//! The options of `Validator` and `ToolContract`: keyword arguments as a compiler.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyString};
use toolsure_schema::{Compiler, settings};

use crate::errors;
use crate::text::{bytes, is_text};
use crate::value;

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
                    compiler = set(compiler, &name, &value.extract::<String>()?)?;
                }
                "limits" => compiler = limits(compiler, "limits", value.cast::<PyDict>()?, 0)?,
                "mask" => mask = Some(value.extract::<String>()?),
                // Read last, under the limits.
                "documents" => documents = Some(value.cast_into::<PyDict>()?),
                _ => {
                    let name = toolsure_json::quote(&name, NAME);
                    return Err(PyTypeError::new_err(format!("unknown option `{name}`")));
                }
            }
        }
        for (uri, document) in documents.into_iter().flatten() {
            let uri = uri.extract::<String>()?;
            let text = schema_text(&document, &compiler)?.into_owned();
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
        Err(_) => value.extract::<String>(),
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
        let name = format!("{prefix}.{}", name.extract::<String>()?);
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
pub(crate) fn schema_text<'a>(
    value: &'a Bound<'_, PyAny>,
    compiler: &Compiler,
) -> PyResult<Cow<'a, [u8]>> {
    if is_text(value) {
        return bytes(value);
    }
    let bounds = compiler.bounds();
    let limits = toolsure_json::ReadLimits {
        duplicate_keys: bounds.instance.duplicate_keys,
        ..toolsure_json::ReadLimits::from(&bounds.model)
    };
    let text = value::json_text(&plain(value)?, &limits);
    let refused = |refusal| errors::schema_value(value.py(), refusal);
    text.map(|text| Cow::Owned(text.into_bytes()))
        .map_err(refused)
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

/// A schema as JSON text.
#[pyfunction]
pub(crate) fn json_text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = schema_text(value, &Compiler::new())?.into_owned();
    String::from_utf8(text).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Characters of an unknown name that an error shows.
const NAME: usize = 40;
