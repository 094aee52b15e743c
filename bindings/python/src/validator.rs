//! `toolsure.Validator`: a compiled schema and its checks.

use std::cell::RefCell;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use toolsure_json::{ReadError, ReadLimits, Reader};
use toolsure_schema::{Annotations, Compiler, Exhausted, Report, Schema, Verdict};

use crate::ask::{Annotate, Ask, Check, Explain, Output};
use crate::errors::{self, Class, Definition, Members, Unread};
use crate::finding::{self, ErrorIterator, Subject, kept};
use crate::options::{Options, definition_limits, definition_text};
use crate::text::{bytes, detached, is_text, loads};
use crate::workspace::with;
use crate::{kinds, value};

thread_local! {
    /// The memory that reading the text of a Python value reuses.
    static READER: RefCell<Reader> = RefCell::new(Reader::new());
}

static RESULT: Class = Class::new("toolsure._result", "Result");
static ANNOTATION: Class = Class::new("toolsure._result", "Annotation");

/// A compiled schema. Threads can share one.
#[pyclass(frozen, module = "toolsure", name = "Validator")]
pub(crate) struct Validator {
    schema: Schema,
    options: Options,
}

#[pymethods]
impl Validator {
    #[new]
    #[pyo3(
        signature = (schema, **options),
        text_signature = "(schema, *, formats=None, content=None, strictness=None, dialect=None, default_dialect=None, limits=None, documents=None, mask=None)"
    )]
    fn new(
        py: Python<'_>,
        schema: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = Options::read(Compiler::new(), options)?;
        let limits = definition_limits(&options.compiler);
        let text = definition_text(schema, &limits, Definition::Schema)?;
        let compiled = detached(py, text.len(), || options.compiler.compile(&text));
        let refused = |error| errors::schema(py, &error, is_text(schema));
        Ok(Self {
            schema: compiled.map_err(refused)?,
            options,
        })
    }

    /// The verdict on a Python value, as data.
    #[pyo3(signature = (instance, *, max_errors=100))]
    fn check<'py>(
        &self,
        instance: &Bound<'py, PyAny>,
        max_errors: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = self.explain(instance, max_errors);
        self.result(instance.py(), answer, || self.subject(instance))
    }

    /// The verdict on JSON text, as data.
    #[pyo3(signature = (text, *, max_errors=100))]
    fn check_json<'py>(
        &self,
        text: &Bound<'py, PyAny>,
        max_errors: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let read = bytes(text)?;
        let answer = self.explain_text(text.py(), &read, max_errors);
        self.result(text.py(), answer, || self.subject_text(text, &read))
    }

    /// Whether a Python value matches the schema.
    fn is_valid(&self, py: Python<'_>, instance: &Bound<'_, PyAny>) -> PyResult<bool> {
        decided(py, self.verdict(instance))
    }

    /// Whether JSON text matches the schema.
    fn is_valid_json(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<bool> {
        decided(py, self.text(py, &Check, &bytes(text)?))
    }

    /// Raises `ValidationError` if a Python value does not match the schema.
    #[pyo3(signature = (instance, *, max_errors=100))]
    fn validate(
        &self,
        py: Python<'_>,
        instance: &Bound<'_, PyAny>,
        max_errors: usize,
    ) -> PyResult<()> {
        match invalid(py, self.explain(instance, max_errors))? {
            Some(report) => Err(finding::invalid(py, report, &self.subject(instance))),
            None => Ok(()),
        }
    }

    /// Raises `ValidationError` if JSON text does not match the schema.
    #[pyo3(signature = (text, *, max_errors=100))]
    fn validate_json(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        max_errors: usize,
    ) -> PyResult<()> {
        let read = bytes(text)?;
        match invalid(py, self.explain_text(py, &read, max_errors))? {
            Some(report) => Err(finding::invalid(
                py,
                report,
                &self.subject_text(text, &read),
            )),
            None => Ok(()),
        }
    }

    /// Yields an error for each way in which a Python value does not match the schema.
    #[pyo3(signature = (instance, *, max_errors=100))]
    fn iter_errors(
        &self,
        py: Python<'_>,
        instance: &Bound<'_, PyAny>,
        max_errors: usize,
    ) -> PyResult<ErrorIterator> {
        Ok(match invalid(py, self.explain(instance, max_errors))? {
            Some(report) => ErrorIterator::new(report, self.subject(instance)),
            None => ErrorIterator::empty(),
        })
    }

    /// Yields an error for each way in which JSON text does not match the schema.
    #[pyo3(signature = (text, *, max_errors=100))]
    fn iter_errors_json(
        &self,
        py: Python<'_>,
        text: &Bound<'_, PyAny>,
        max_errors: usize,
    ) -> PyResult<ErrorIterator> {
        let read = bytes(text)?;
        Ok(
            match invalid(py, self.explain_text(py, &read, max_errors))? {
                Some(report) => ErrorIterator::new(report, self.subject_text(text, &read)),
                None => ErrorIterator::empty(),
            },
        )
    }

    /// The result for a Python value in a standard output format.
    #[pyo3(signature = (instance, output="basic"))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        instance: &Bound<'py, PyAny>,
        output: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let output = self.output_format(output)?;
        // The formats have no third verdict.
        decided(py, self.verdict(instance))?;
        output.read(py, self.whole(&output, instance))
    }

    /// The result for JSON text in a standard output format.
    #[pyo3(signature = (text, output="basic"))]
    fn evaluate_json<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
        output: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (output, text) = (self.output_format(output)?, bytes(text)?);
        decided(py, self.text(py, &Check, &text))?;
        output.read(py, self.text(py, &output, &text))
    }

    /// What the schema says about a Python value that matches it.
    fn annotations<'py>(
        &self,
        py: Python<'py>,
        instance: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        match decided(py, self.verdict(instance))? {
            true => annotations(py, self.whole(&Annotate, instance)),
            false => Ok(PyTuple::empty(py)),
        }
    }

    /// What the schema says about JSON text that matches it.
    fn annotations_json<'py>(
        &self,
        py: Python<'py>,
        text: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let text = bytes(text)?;
        match decided(py, self.text(py, &Check, &text))? {
            true => annotations(py, self.text(py, &Annotate, &text)),
            false => Ok(PyTuple::empty(py)),
        }
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
    /// Whether a value matches; reads only the parts that the schema looks at, if possible.
    fn verdict(&self, instance: &Bound<'_, PyAny>) -> Result<Verdict, Unread> {
        let verdict = value::check(&self.schema, instance, self.limits());
        verdict.map_err(Unread::from)
    }

    /// Asks about a value that is read as a whole.
    fn whole<A: Ask>(&self, ask: &A, instance: &Bound<'_, PyAny>) -> Result<A::Answer, Unread> {
        let text = value::json_text(instance, self.limits())?;
        let limits = ReadLimits {
            // The value's own text may be longer.
            bytes: usize::MAX,
            ..*self.limits()
        };
        let answer = detached(instance.py(), text.len(), || {
            READER.with_borrow_mut(|reader| {
                let document = reader.read(text.as_bytes(), &limits)?;
                Ok(with(|workspace| {
                    ask.ask(&self.schema, workspace, document.root())
                }))
            })
        });
        answer.map_err(|error: ReadError| error.into())
    }

    fn limits(&self) -> &ReadLimits {
        &self.options.compiler.bounds().instance
    }

    fn text<A: Ask>(&self, py: Python<'_>, ask: &A, text: &[u8]) -> Result<A::Answer, Unread> {
        let answer: Result<A::Answer, ReadError> = detached(py, text.len(), || {
            with(|workspace| ask.ask(&self.schema, workspace, text))
        });
        answer.map_err(Unread::from)
    }

    /// A standard output format. They have values of the instance, which a mask hides.
    fn output_format(&self, name: &str) -> PyResult<Output> {
        match self.options.mask {
            None => Output::named(name),
            Some(_) => Err(PyValueError::new_err(
                "a validator with `mask` has no output formats, which have the values",
            )),
        }
    }

    fn subject(&self, instance: &Bound<'_, PyAny>) -> Subject {
        Subject {
            schema: self.schema.clone(),
            value: instance.clone().unbind(),
            is_text: false,
            is_masked: self.options.mask.is_some(),
            member: None,
        }
    }

    fn subject_text(&self, text: &Bound<'_, PyAny>, read: &[u8]) -> Subject {
        Subject {
            value: kept(text, read).unbind(),
            is_text: true,
            ..self.subject(text)
        }
    }

    /// The verdict on a value, and why it does not match.
    fn explain(&self, instance: &Bound<'_, PyAny>, most: usize) -> Result<Answer, Unread> {
        match self.verdict(instance)? {
            Verdict::Valid => Ok(Answer::Valid),
            Verdict::Undecided(why) => Ok(Answer::Undecided(why)),
            Verdict::Invalid => {
                let mut report = self.whole(&Explain(most), instance)?;
                for finding in &mut report.findings {
                    // The caller does not know the text.
                    finding.instance_span = None;
                }
                Ok(self.invalid(report))
            }
        }
    }

    /// The verdict on a text, and why it does not match.
    fn explain_text(&self, py: Python<'_>, text: &[u8], most: usize) -> Result<Answer, Unread> {
        match self.text(py, &Check, text)? {
            Verdict::Valid => Ok(Answer::Valid),
            Verdict::Undecided(why) => Ok(Answer::Undecided(why)),
            Verdict::Invalid => Ok(self.invalid(self.text(py, &Explain(most), text)?)),
        }
    }

    /// The answer with a report, whose messages show no values if the caller wants that.
    fn invalid(&self, mut report: Report) -> Answer {
        if let Some(mask) = &self.options.mask {
            for finding in &mut report.findings {
                kinds::mask(&mut finding.kind, mask);
            }
        }
        Answer::Invalid(report)
    }

    /// The answer of `check`.
    fn result<'py>(
        &self,
        py: Python<'py>,
        answer: Result<Answer, Unread>,
        subject: impl FnOnce() -> Subject,
    ) -> PyResult<Bound<'py, PyAny>> {
        static VALID: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let undecided = |message: &str, setting: Option<&str>| {
            let members = Members::new(py)
                .with("verdict", "undecided")
                .with("complete", false)
                .with("message", message)
                .with("setting", setting);
            RESULT.get(py)?.call((), Some(&members.done()?))
        };
        match answer {
            Err(Unread::Limit { message, setting }) => undecided(&message, setting),
            Err(not_json) => Err(errors::unread(py, not_json)),
            Ok(Answer::Undecided(why)) => undecided(&why.to_string(), why.setting()),
            Ok(Answer::Valid) => {
                let valid = VALID.get_or_try_init(py, || {
                    let members = Members::new(py).with("verdict", "valid").done()?;
                    RESULT.get(py)?.call((), Some(&members)).map(Bound::unbind)
                });
                valid.map(|valid| valid.bind(py).clone())
            }
            Ok(Answer::Invalid(report)) => {
                let subject = subject();
                let members = Members::new(py)
                    .with("verdict", "invalid")
                    .with("complete", report.complete)
                    .with("message", report.summary().to_string())
                    .with("errors", finding::validations(py, report, &subject)?);
                RESULT.get(py)?.call((), Some(&members.done()?))
            }
        }
    }
}

/// The answer to the question whether and why a value does not match.
enum Answer {
    Valid,
    Invalid(Report),
    Undecided(Exhausted),
}

/// The report on a value that does not match; `None` if it matches.
fn invalid(py: Python<'_>, answer: Result<Answer, Unread>) -> PyResult<Option<Report>> {
    match answer.map_err(|why| errors::unread(py, why))? {
        Answer::Valid => Ok(None),
        Answer::Invalid(report) => Ok(Some(report)),
        Answer::Undecided(why) => Err(errors::exhausted(py, why)),
    }
}

fn decided(py: Python<'_>, verdict: Result<Verdict, Unread>) -> PyResult<bool> {
    match verdict.map_err(|why| errors::unread(py, why))? {
        Verdict::Valid => Ok(true),
        Verdict::Invalid => Ok(false),
        Verdict::Undecided(why) => Err(errors::exhausted(py, why)),
    }
}

/// Annotations as Python data.
fn annotations(py: Python<'_>, found: Result<Annotations, Unread>) -> PyResult<Bound<'_, PyTuple>> {
    let found = found.map_err(|why| errors::unread(py, why))?;
    if !found.complete {
        let message = "undecided: a limit was reached before all annotations were collected";
        return Err(errors::undecided(py, message, Some("limits.fuel")));
    }
    let mut all = Vec::with_capacity(found.list.len());
    for one in found.list {
        let value = loads(py, one.value.as_bytes())?;
        let members = (
            one.instance_location,
            one.keyword,
            one.schema_location,
            value,
        );
        all.push(ANNOTATION.get(py)?.call1(members)?);
    }
    PyTuple::new(py, all)
}

// The number of errors that signatures show is the engine's.
const _: () = assert!(Report::FINDINGS == 100);
/// Characters of a schema that its `repr` shows.
const SHOWN: usize = 80;
