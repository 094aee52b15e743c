//! The exceptions of `toolsure._errors`, with their members.

use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use toolsure_json::{ReadError, ReadErrorKind};
use toolsure_schema::{CompileError, Exhausted, settings};

use crate::value::{Refusal, ValueLimit};

/// A class of the package, looked up once.
pub(crate) struct Class {
    module: &'static str,
    name: &'static str,
    found: PyOnceLock<Py<PyType>>,
}

impl Class {
    pub(crate) const fn new(module: &'static str, name: &'static str) -> Self {
        Self {
            module,
            name,
            found: PyOnceLock::new(),
        }
    }

    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyType>> {
        self.found.import(py, self.module, self.name)
    }

    /// An exception with a message and members.
    fn raise<'py>(&self, py: Python<'py>, message: &str, members: Members<'py>) -> PyErr {
        let made = || -> PyResult<PyErr> {
            let members = members.0?;
            let made = self.get(py)?.call((message,), Some(&members))?;
            Ok(PyErr::from_value(made))
        };
        made().unwrap_or_else(|error| error)
    }
}

/// Keyword arguments of a class.
pub(crate) struct Members<'py>(PyResult<Bound<'py, PyDict>>);

impl<'py> Members<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self(Ok(PyDict::new(py)))
    }

    pub(crate) fn with(self, name: &str, value: impl IntoPyObject<'py>) -> Self {
        Self(self.0.and_then(|members| {
            let value = value.into_bound_py_any(members.py())?;
            members.set_item(name, value)?;
            Ok(members)
        }))
    }

    pub(crate) fn done(self) -> PyResult<Bound<'py, PyDict>> {
        self.0
    }
}

static SCHEMA: Class = Class::new("toolsure._errors", "SchemaError");
static UNDECIDED: Class = Class::new("toolsure._errors", "UndecidedError");
static NOT_JSON: Class = Class::new("toolsure._errors", "NotJsonError");
static CONTRACT: Class = Class::new("toolsure._errors", "ContractError");

/// A schema that does not compile. `from_text` says whether the caller gave it as text, which
/// offsets are about.
pub(crate) fn schema(py: Python<'_>, error: &CompileError, from_text: bool) -> PyErr {
    let offset = error.span().map(|span| span.start);
    let limit = error.limit();
    let members = Members::new(py)
        .with("code", error.code())
        .with("schema_path", error.pointer())
        .with("document", error.document())
        .with("offset", offset.filter(|_| from_text))
        .with("help", error.help())
        .with("setting", limit.map(|limit| limit.name.setting()))
        .with("denied_uri", error.denied_uri());
    SCHEMA.raise(py, &error.to_string(), members)
}

/// What a definition is of. It decides the exception if the definition cannot be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Definition {
    Schema,
    Tool,
}

/// A definition that is not JSON, or exceeds a limit on schemas. Text is refused by the compiler, in
/// the same words.
pub(crate) fn definition(py: Python<'_>, refusal: Refusal, of: Definition) -> PyErr {
    let members = Members::new(py);
    let (limit, allowed) = match refusal {
        Refusal::NotJson { pointer, message } => {
            return match of {
                Definition::Schema => {
                    let members = members.with("code", "json").with("schema_path", pointer);
                    SCHEMA.raise(py, &message, members)
                }
                Definition::Tool => {
                    let place = match pointer.as_str() {
                        "" => String::new(),
                        pointer => format!(" (at {pointer})"),
                    };
                    let message = format!("the definition is not JSON: {message}{place}");
                    let members = members
                        .with("code", "tool-json")
                        .with("schema_path", pointer);
                    CONTRACT.raise(py, &message, members)
                }
            };
        }
        Refusal::PythonDigits => {
            let message = format!("an integer has {PYTHON_DIGITS}");
            let class = match of {
                Definition::Schema => &SCHEMA,
                Definition::Tool => &CONTRACT,
            };
            return class.raise(py, &message, members.with("code", "limit"));
        }
        Refusal::Limit { limit, allowed } => (limit, allowed),
    };
    let (setting, what) = match limit {
        ValueLimit::Depth => ("limits.schema_nesting", "nesting"),
        ValueLimit::Nodes => ("limits.schema_nodes", "values"),
        ValueLimit::Digits => ("limits.schema_digits", "digits in a number"),
    };
    let members = members.with("code", "limit").with("setting", setting);
    let message = format!("more schema {what} than the {allowed} allowed");
    let help = format!("the setting `{setting}` raises this limit");
    match of {
        Definition::Schema => SCHEMA.raise(py, &message, members.with("help", help)),
        Definition::Tool => CONTRACT.raise(py, &format!("{message}; {help}"), members),
    }
}

/// A check that reached a limit.
pub(crate) fn undecided(py: Python<'_>, message: &str, setting: Option<&str>) -> PyErr {
    UNDECIDED.raise(py, message, Members::new(py).with("setting", setting))
}

/// The same, for the reason that the engine gives.
pub(crate) fn exhausted(py: Python<'_>, why: Exhausted) -> PyErr {
    undecided(py, &why.to_string(), why.setting())
}

/// Why a value or a text was not read.
pub(crate) enum Unread {
    /// It exceeds a limit.
    Limit {
        message: String,
        setting: Option<&'static str>,
    },
    /// It is not JSON: the location in a value, or the offset in a text.
    NotJson {
        message: String,
        pointer: Option<String>,
        offset: Option<usize>,
    },
}

impl From<Refusal> for Unread {
    fn from(refusal: Refusal) -> Self {
        let (limit, allowed) = match refusal {
            Refusal::NotJson { pointer, message } => {
                return Self::NotJson {
                    message,
                    pointer: Some(pointer),
                    offset: None,
                };
            }
            Refusal::PythonDigits => {
                return Self::Limit {
                    message: format!("undecided: an integer has {PYTHON_DIGITS}"),
                    setting: None,
                };
            }
            Refusal::Limit { limit, allowed } => (limit, allowed),
        };
        let setting = match limit {
            ValueLimit::Depth => "limits.instance.depth",
            ValueLimit::Nodes => "limits.instance.nodes",
            ValueLimit::Digits => "limits.instance.digits",
        };
        Self::Limit {
            message: format!("undecided: the value is over the limit `{setting}` of {allowed}"),
            setting: Some(setting),
        }
    }
}

impl From<ReadError> for Unread {
    fn from(error: ReadError) -> Self {
        let over = [
            ReadErrorKind::TooLong,
            ReadErrorKind::TooDeep,
            ReadErrorKind::TooManyNodes,
            ReadErrorKind::TooManyDigits,
        ];
        if over.contains(&error.kind()) {
            return Self::Limit {
                message: format!("undecided: {error}"),
                setting: settings::of_read_error(&error),
            };
        }
        Self::NotJson {
            message: error.to_string(),
            pointer: None,
            offset: Some(error.at()),
        }
    }
}

/// A value or a text that was not read.
pub(crate) fn unread(py: Python<'_>, why: Unread) -> PyErr {
    match why {
        Unread::Limit { message, setting } => undecided(py, &message, setting),
        Unread::NotJson {
            message,
            pointer,
            offset,
        } => {
            let members = Members::new(py)
                .with("instance_path", pointer)
                .with("offset", offset);
            NOT_JSON.raise(py, &message, members)
        }
    }
}

/// A malformed definition, or a call or a result that violates its tool's contract.
pub(crate) fn contract<'py>(py: Python<'py>, message: &str, members: Members<'py>) -> PyErr {
    CONTRACT.raise(py, message, members)
}

/// Why Python does not write an integer.
const PYTHON_DIGITS: &str = "more digits than `sys.set_int_max_str_digits` allows";
