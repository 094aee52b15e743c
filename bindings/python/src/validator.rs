//! `toolsure.Validator`: a compiled schema and its checks.

use std::borrow::Cow;
use std::cell::RefCell;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyIterator, PyList, PyString};
use toolsure_json::ReadError;
use toolsure_schema::{AnyNode, Compiler, Report, Schema, Verdict, Workspace};

use crate::errors;
use crate::tape::{Tape, TapeNode};
use crate::walk::{self, Names};

thread_local! {
    /// The memory that checks reuse. Nothing here calls Python, so checks are never nested.
    static WORKSPACE: RefCell<Workspace> = RefCell::new(Workspace::new());
    /// The names that checks of Python values look up.
    static NAMES: Names = const { Names::new() };
}

/// A compiled schema. Threads can share one.
#[pyclass(frozen, module = "toolsure", name = "Validator")]
pub(crate) struct Validator {
    schema: Schema,
    compiler: Compiler,
}

#[pymethods]
impl Validator {
    #[new]
    #[pyo3(signature = (schema, *, formats=None, dialect=None, default_dialect=None, strictness=None, content=None, limits=None, documents=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword argument in Python"
    )]
    fn new(
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        formats: Option<&Bound<'_, PyAny>>,
        dialect: Option<&str>,
        default_dialect: Option<&str>,
        strictness: Option<&str>,
        content: Option<&str>,
        limits: Option<&Bound<'_, PyDict>>,
        documents: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let words = [
            ("dialect", dialect),
            ("default_dialect", default_dialect),
            ("strictness", strictness),
            ("content", content),
        ];
        let compiler = compiler(formats, &words, limits, documents)?;
        let text = json_text(schema, &compiler)?;
        let compiled = detached(py, text.len(), || compiler.compile(&text));
        let schema = compiled.map_err(|error| errors::schema(py, &error))?;
        Ok(Self { schema, compiler })
    }

    /// Whether a Python value matches the schema.
    fn is_valid(&self, py: Python<'_>, instance: &Bound<'_, PyAny>) -> PyResult<bool> {
        decided(py, self.verdict(instance)?)
    }

    /// Raises `ValidationError` if a Python value does not match the schema.
    fn validate(&self, py: Python<'_>, instance: &Bound<'_, PyAny>) -> PyResult<()> {
        match self.verdict(instance)? {
            Verdict::Valid => Ok(()),
            Verdict::Undecided(why) => Err(errors::undecided(py, why)),
            Verdict::Invalid => raise(py, &self.report(instance)?),
        }
    }

    /// Yields an error for each way in which a Python value does not match the schema.
    fn iter_errors<'py>(
        &self,
        py: Python<'py>,
        instance: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyIterator>> {
        iterate(py, &self.report(instance)?)
    }

    /// Whether JSON text matches the schema.
    fn is_valid_json(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<bool> {
        let text = bytes(text)?;
        let verdict = detached(py, text.len(), || {
            with(|workspace| self.schema.check(workspace, &*text))
        });
        decided(py, verdict.map_err(|error| errors::unreadable(py, &error))?)
    }

    /// Raises `ValidationError` if JSON text does not match the schema.
    fn validate_json(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<()> {
        raise(py, &self.report_json(py, text)?)
    }

    /// Yields an error for each way in which JSON text does not match the schema.
    fn iter_errors_json<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyIterator>> {
        iterate(py, &self.report_json(py, text)?)
    }

    /// The parts of the schema that lenient compilation ignored, one line for each.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.schema
            .warnings()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn __repr__(&self) -> String {
        let text = self.schema.text().document().source();
        format!("Validator({})", toolsure_json::quote(text, SHOWN))
    }
}

impl Validator {
    /// Checks a value, and if possible reads only the parts that the schema looks at.
    fn verdict(&self, instance: &Bound<'_, PyAny>) -> PyResult<Verdict> {
        let limits = &self.compiler.bounds().instance;
        let walked = NAMES.with(|names| {
            with(|workspace| walk::check(&self.schema, workspace, instance, limits, names))
        });
        if let Some(verdict) = walked {
            return Ok(verdict);
        }
        self.read(instance, |workspace, value| {
            self.schema.check(workspace, AnyNode(value))
        })
    }

    /// Reads the whole value, then passes it to `ask`.
    fn read<T>(
        &self,
        instance: &Bound<'_, PyAny>,
        ask: impl FnOnce(&mut Workspace, TapeNode<'_>) -> T,
    ) -> PyResult<T> {
        let refused = |refusal| errors::refused(instance.py(), refusal);
        let tape = Tape::read(instance, &self.compiler.bounds().instance).map_err(refused)?;
        let texts = tape.texts().map_err(refused)?;
        Ok(with(|workspace| ask(workspace, texts.root())))
    }

    fn report(&self, instance: &Bound<'_, PyAny>) -> PyResult<Report> {
        self.read(instance, |workspace, value| {
            self.schema.explain(workspace, AnyNode(value))
        })
    }

    fn report_json(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Report> {
        let text = bytes(text)?;
        let report: Result<Report, ReadError> = detached(py, text.len(), || {
            with(|workspace| self.schema.explain(workspace, &*text))
        });
        report.map_err(|error| errors::unreadable(py, &error))
    }
}

fn raise(py: Python<'_>, report: &Report) -> PyResult<()> {
    match report.verdict {
        Verdict::Valid => Ok(()),
        Verdict::Invalid => Err(errors::invalid(py, report)),
        Verdict::Undecided(why) => Err(errors::undecided(py, why)),
    }
}

fn iterate<'py>(py: Python<'py>, report: &Report) -> PyResult<Bound<'py, PyIterator>> {
    let all = match report.verdict {
        Verdict::Undecided(why) => return Err(errors::undecided(py, why)),
        // A limit was reached before the reason was found; one error says so.
        Verdict::Invalid if report.findings.is_empty() => {
            vec![
                errors::invalid(py, report)
                    .into_value(py)
                    .into_bound(py)
                    .into_any(),
            ]
        }
        Verdict::Valid | Verdict::Invalid => errors::findings(py, report)?,
    };
    PyList::new(py, all)?.try_iter()
}

fn decided(py: Python<'_>, verdict: Verdict) -> PyResult<bool> {
    match verdict {
        Verdict::Valid => Ok(true),
        Verdict::Invalid => Ok(false),
        Verdict::Undecided(why) => Err(errors::undecided(py, why)),
    }
}

/// Runs `work` with this thread's workspace.
pub(crate) fn with<T>(work: impl FnOnce(&mut Workspace) -> T) -> T {
    WORKSPACE.with_borrow_mut(work)
}

/// Runs work on a text. If the text is long, other threads may run meanwhile: releasing the
/// interpreter costs more than checking a short text.
pub(crate) fn detached<T: Send>(
    py: Python<'_>,
    bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> T {
    if bytes < SHORT {
        work()
    } else {
        py.detach(work)
    }
}

/// JSON text as bytes. A `bytearray` is copied, because it may change meanwhile.
pub(crate) fn bytes<'a>(text: &'a Bound<'_, PyAny>) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(bytes) = text.cast::<PyBytes>() {
        Ok(Cow::Borrowed(bytes.as_bytes()))
    } else if let Ok(text) = text.cast::<PyString>() {
        match text.to_str() {
            Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Err(_) => Err(errors::refused(
                text.py(),
                crate::tape::Refusal::NotJson {
                    pointer: String::new(),
                    message: "the text has half a surrogate pair".to_owned(),
                },
            )),
        }
    } else if let Ok(bytes) = text.cast::<PyByteArray>() {
        Ok(Cow::Owned(bytes.to_vec()))
    } else {
        Err(PyTypeError::new_err(
            "JSON text must be `bytes`, `bytearray` or `str`",
        ))
    }
}

/// A schema, a document or a tool as JSON text. `str` and `bytes` already are such text.
pub(crate) fn json_text<'a>(
    value: &'a Bound<'_, PyAny>,
    compiler: &Compiler,
) -> PyResult<Cow<'a, [u8]>> {
    if value.is_instance_of::<PyString>()
        || value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
    {
        return bytes(value);
    }
    let bounds = compiler.bounds();
    let limits = toolsure_json::ReadLimits {
        duplicate_keys: bounds.instance.duplicate_keys,
        ..toolsure_json::ReadLimits::from(&bounds.model)
    };
    written(value, &limits).map(|text| Cow::Owned(text.into_bytes()))
}

/// Writes a Python value as JSON text.
pub(crate) fn written(
    value: &Bound<'_, PyAny>,
    limits: &toolsure_json::ReadLimits,
) -> PyResult<String> {
    let refused = |refusal| errors::refused(value.py(), refusal);
    let tape = Tape::read(value, limits).map_err(refused)?;
    Ok(tape.texts().map_err(refused)?.json())
}

/// A compiler with the caller's settings.
pub(crate) fn compiler(
    formats: Option<&Bound<'_, PyAny>>,
    words: &[(&str, Option<&str>)],
    limits: Option<&Bound<'_, PyDict>>,
    documents: Option<&Bound<'_, PyDict>>,
) -> PyResult<Compiler> {
    let mut compiler = Compiler::new();
    if let Some(formats) = formats {
        let word = match formats.cast::<PyBool>() {
            Ok(assert) if assert.is_true() => "assert".to_owned(),
            Ok(_) => "annotate".to_owned(),
            Err(_) => formats.extract::<String>()?,
        };
        compiler = set(compiler, "formats", &word)?;
    }
    for (name, word) in words {
        if let Some(word) = word {
            compiler = set(compiler, name, word)?;
        }
    }
    if let Some(limits) = limits {
        for (name, value) in limits {
            let name = format!("limits.{}", name.extract::<String>()?);
            compiler = set(compiler, &name, &value.str()?.to_cow()?)?;
        }
    }
    if let Some(documents) = documents {
        for (uri, document) in documents {
            let uri = uri.extract::<String>()?;
            let text = json_text(&document, &compiler)?.into_owned();
            let registered = compiler.register(&uri, &text);
            compiler = registered.map_err(|error| errors::schema(document.py(), &error))?;
        }
    }
    Ok(compiler)
}

fn set(compiler: Compiler, name: &str, word: &str) -> PyResult<Compiler> {
    let refused = |error: toolsure_schema::settings::SettingError| {
        pyo3::exceptions::PyValueError::new_err(error.to_string())
    };
    let setting = toolsure_schema::settings::find(name).map_err(refused)?;
    setting.apply(compiler, word).map_err(refused)
}

/// Texts of fewer bytes are checked without letting other threads run.
const SHORT: usize = 1_024;
/// Characters of a schema that its `repr` shows.
const SHOWN: usize = 80;
