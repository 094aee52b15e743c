//! `Finding`: one violation, which `toolsure.ValidationError` shows. Its members become Python
//! objects when they are read.

use std::vec;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use toolsure_json::{Kind, Node as _, OwnedDocument};
use toolsure_schema::{Report, Schema};

use crate::errors::Class;
use crate::{errors, kinds, text};

static VALIDATION: Class = Class::new("toolsure._errors", "ValidationError");
static INCOMPLETE: Class = Class::new("toolsure._errors", "_Incomplete");

/// What findings are about: a schema, and a value or a text.
pub(crate) struct Subject {
    pub(crate) schema: Schema,
    /// The value; if it was read from text, the text.
    pub(crate) value: Py<PyAny>,
    pub(crate) is_text: bool,
    /// Whether another text replaced the values in messages.
    pub(crate) is_masked: bool,
    /// The member of the text's object that the findings are about, if they are not about the whole.
    pub(crate) member: Option<&'static str>,
}

impl Subject {
    pub(crate) fn finding<'py>(
        &self,
        py: Python<'py>,
        finding: toolsure_schema::Finding,
    ) -> PyResult<Bound<'py, Finding>> {
        let subject = Self {
            schema: self.schema.clone(),
            value: self.value.clone_ref(py),
            ..*self
        };
        Bound::new(py, Finding { finding, subject })
    }
}

/// One violation.
#[pyclass(frozen, module = "toolsure._toolsure", name = "Finding")]
pub(crate) struct Finding {
    finding: toolsure_schema::Finding,
    subject: Subject,
}

#[pymethods]
impl Finding {
    #[getter]
    fn message(&self) -> String {
        self.finding.to_string()
    }

    #[getter]
    fn instance_path(&self) -> &str {
        self.finding.instance_location()
    }

    #[getter]
    fn property_name(&self) -> Option<&str> {
        self.finding.property_name()
    }

    #[getter]
    fn schema_path(&self) -> &str {
        self.finding.keyword_location()
    }

    #[getter]
    fn absolute_schema_path(&self) -> &str {
        self.finding.absolute_keyword_location()
    }

    #[getter]
    fn keyword(&self) -> &str {
        self.finding.keyword()
    }

    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        kinds::kind(py, &self.finding.kind)
    }

    #[getter]
    fn start(&self) -> Option<usize> {
        self.finding.instance_span.as_ref().map(|span| span.start)
    }

    #[getter]
    fn end(&self) -> Option<usize> {
        self.finding.instance_span.as_ref().map(|span| span.end)
    }

    #[getter]
    fn is_masked(&self) -> bool {
        self.subject.is_masked
    }

    /// The value that violates the keyword; `None` if it is not there any more.
    #[getter]
    fn instance<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let value = self.subject.value.bind(py);
        if let (true, Some(span)) = (self.subject.is_text, &self.finding.instance_span) {
            let text = text::bytes(value)?;
            let part = text.get(span.clone()).unwrap_or_default();
            return text::loads(py, part).map(Some);
        }
        if let Some(name) = self.finding.property_name() {
            return Ok(Some(PyString::new(py, name).into_any()));
        }
        Ok(find(value, self.finding.instance_location()))
    }

    /// The steps from the root to the value: names and indices.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let pointer = self.finding.instance_location();
        let path = PyList::empty(py);
        let value = self.subject.value.bind(py);
        if self.subject.is_text {
            let text = text::bytes(value)?;
            // It was read before, under limits.
            let document = OwnedDocument::read(text, &text::UNLIMITED);
            let document = document.map_err(|error| errors::unread(py, error.into()))?;
            let root = document.document().root();
            let mut view = match self.subject.member {
                Some(member) => root.member(member),
                None => Some(root),
            };
            for token in toolsure_json::pointer::tokens(pointer) {
                let is_array = view.is_some_and(|view| view.kind() == Kind::Array);
                let index = toolsure_json::pointer::index(&token).filter(|_| is_array);
                view = match index {
                    Some(index) => view.and_then(|view| view.item(index)),
                    None => view.and_then(|view| view.member(&token)),
                };
                push(&path, index, &token)?;
            }
            return Ok(path);
        }
        let mut value = Some(value.clone());
        for token in toolsure_json::pointer::tokens(pointer) {
            let is_dict = value
                .as_ref()
                .is_some_and(|value| value.is_instance_of::<PyDict>());
            let index = toolsure_json::pointer::index(&token).filter(|_| !is_dict);
            value = value.and_then(|value| child(&value, &token));
            push(&path, index, &token)?;
        }
        Ok(path)
    }

    /// The keyword's value in the schema; `None` if another document has the keyword.
    #[getter]
    fn keyword_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let source = self.finding.source();
        if !source.document.is_empty() {
            return Ok(None);
        }
        let document = self.subject.schema.text().document();
        let part = document.source().get(source.span);
        let part = part.unwrap_or_else(|| document.root().string());
        text::loads(py, part.as_bytes()).map(Some)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.subject.value)
    }
}

fn push(path: &Bound<'_, PyList>, index: Option<usize>, token: &str) -> PyResult<()> {
    match index {
        Some(index) => path.append(index),
        None => path.append(token),
    }
}

/// The value at a JSON pointer.
fn find<'py>(value: &Bound<'py, PyAny>, pointer: &str) -> Option<Bound<'py, PyAny>> {
    let mut tokens = toolsure_json::pointer::tokens(pointer);
    tokens.try_fold(value.clone(), |value, token| child(&value, &token))
}

fn child<'py>(value: &Bound<'py, PyAny>, token: &str) -> Option<Bound<'py, PyAny>> {
    if let Ok(dict) = value.cast::<PyDict>() {
        return dict.get_item(token).ok().flatten();
    }
    let index = toolsure_json::pointer::index(token)?;
    match value.cast::<PyList>() {
        Ok(list) => list.get_item(index).ok(),
        Err(_) => value.cast::<PyTuple>().ok()?.get_item(index).ok(),
    }
}

/// The text that findings keep: the object that was given, unless it may change.
pub(crate) fn kept<'py>(given: &Bound<'py, PyAny>, text: &[u8]) -> Bound<'py, PyAny> {
    match given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyString>() {
        true => given.clone(),
        false => PyBytes::new(given.py(), text).into_any(),
    }
}

/// The errors of a value, made as they are asked for.
#[pyclass(module = "toolsure._toolsure", name = "ErrorIterator")]
pub(crate) struct ErrorIterator {
    findings: vec::IntoIter<toolsure_schema::Finding>,
    /// `None` if there are no errors.
    subject: Option<Subject>,
    complete: bool,
    /// Whether the last item must still say that the list is not complete.
    warn: bool,
}

impl ErrorIterator {
    pub(crate) fn empty() -> Self {
        Self {
            findings: Vec::new().into_iter(),
            subject: None,
            complete: true,
            warn: false,
        }
    }

    pub(crate) fn new(report: Report, subject: Subject) -> Self {
        Self {
            findings: report.findings.into_iter(),
            complete: report.complete,
            warn: !report.complete,
            subject: Some(subject),
        }
    }
}

#[pymethods]
impl ErrorIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(finding) = self.findings.next() else {
            let warn = std::mem::take(&mut self.warn);
            return warn.then(|| incomplete(py)).transpose();
        };
        let Some(subject) = &self.subject else {
            return Ok(None);
        };
        validation(py, subject.finding(py, finding)?).map(Some)
    }

    fn __length_hint__(&self) -> usize {
        self.findings.len() + usize::from(self.warn)
    }

    /// Whether these are all errors; otherwise the last item says that the list ends before.
    #[getter]
    fn complete(&self) -> bool {
        self.complete
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &self.subject {
            Some(subject) => visit.call(&subject.value),
            None => Ok(()),
        }
    }
}

/// The exception for a finding, which is not raised.
pub(crate) fn validation<'py>(
    py: Python<'py>,
    finding: Bound<'py, Finding>,
) -> PyResult<Bound<'py, PyAny>> {
    VALIDATION.get(py)?.call1((finding,))
}

/// The last error of a list that is not complete.
pub(crate) fn incomplete(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    VALIDATION.get(py)?.call1((INCOMPLETE.get(py)?.call0()?,))
}

/// The errors of a report.
pub(crate) fn validations<'py>(
    py: Python<'py>,
    report: Report,
    subject: &Subject,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut all = Vec::with_capacity(report.findings.len());
    for finding in report.findings {
        all.push(validation(py, subject.finding(py, finding)?)?);
    }
    PyTuple::new(py, all)
}

/// The exception for a value that does not match: the first finding, which keeps the others.
pub(crate) fn invalid(py: Python<'_>, report: Report, subject: &Subject) -> PyErr {
    let made = || -> PyResult<Bound<'_, PyAny>> {
        let complete = report.complete;
        let mut findings = report.findings.into_iter();
        let Some(first) = findings.next() else {
            // A limit was reached before the reason was found.
            let none = INCOMPLETE.get(py)?.call0()?;
            return VALIDATION.get(py)?.call1((none, PyTuple::empty(py), false));
        };
        let first = subject.finding(py, first)?;
        let class = VALIDATION.get(py)?;
        if findings.len() == 0 && complete {
            return class.call1((first,));
        }
        let others = findings.map(|one| subject.finding(py, one));
        let others = PyTuple::new(py, others.collect::<PyResult<Vec<_>>>()?)?;
        class.call1((first, others, complete))
    };
    match made() {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
