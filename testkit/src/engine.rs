//! The interface of an engine under test: it compiles schemas and checks instances.

use std::fmt;

use crate::Dialect;

/// A JSON Schema engine under test.
pub trait Engine {
    /// A short name for tables and messages.
    fn name(&self) -> &'static str;

    /// Whether `serde_json` parses instances before the engine sees them, so that the engine cannot
    /// know of duplicate keys.
    fn sees_values(&self) -> bool {
        true
    }

    /// Compiles the schema of `setup`.
    ///
    /// # Errors
    ///
    /// The engine's refusal of the schema, with its code if it has one.
    fn compile(&self, setup: &Setup<'_>) -> Result<Box<dyn Compiled>, Refusal>;
}

/// A compiled schema.
pub trait Compiled {
    /// Checks one instance, given as JSON text.
    fn check(&mut self, instance: &str) -> Answer;

    /// The fuel that the last check used, for engines that meter their work.
    fn fuel_used(&self) -> Option<u64> {
        None
    }
}

/// Everything that compilation depends on.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The schema's text, exactly as in the test material.
    pub schema: &'a str,
    /// The dialect of a schema that does not declare one.
    pub dialect: Dialect,
    /// Whether `format` is an assertion.
    pub formats: bool,
    /// Whether the content keywords are assertions, if the dialect allows that.
    pub content: bool,
    /// Documents that references may resolve to.
    pub documents: &'a [Document],
    /// The fuel of each check; engines without a meter ignore it.
    pub fuel: Option<u64>,
}

impl<'a> Setup<'a> {
    /// A schema alone: no documents, `format` an annotation, default fuel.
    #[must_use]
    pub fn new(schema: &'a str, dialect: Dialect) -> Self {
        Self {
            schema,
            dialect,
            formats: false,
            content: false,
            documents: &[],
            fuel: None,
        }
    }
}

/// A schema document that a test registers under its retrieval URI.
#[derive(Clone, Debug)]
pub struct Document {
    /// The retrieval URI.
    pub uri: String,
    /// The JSON text.
    pub text: String,
}

/// The answer of an engine about an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The instance satisfies the schema.
    Valid,
    /// It does not.
    Invalid,
    /// The engine reached its limit before it had a verdict.
    Undecided,
    /// The instance itself was refused (not JSON, above a limit), with the reason.
    Unreadable(String),
}

impl Answer {
    /// `Some(true)` for valid, `Some(false)` for invalid, `None` otherwise.
    #[must_use]
    pub fn verdict(&self) -> Option<bool> {
        match self {
            Self::Valid => Some(true),
            Self::Invalid => Some(false),
            Self::Undecided | Self::Unreadable(_) => None,
        }
    }
}

impl From<bool> for Answer {
    fn from(valid: bool) -> Self {
        if valid { Self::Valid } else { Self::Invalid }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid => formatter.write_str("valid"),
            Self::Invalid => formatter.write_str("invalid"),
            Self::Undecided => formatter.write_str("undecided"),
            Self::Unreadable(reason) => write!(formatter, "unreadable: {reason}"),
        }
    }
}

/// Why an engine refused to compile a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The engine's stable code, or `""`.
    pub code: &'static str,
    /// The engine's message.
    pub message: String,
}

impl Refusal {
    /// A refusal without a code.
    #[must_use]
    pub fn message(message: impl fmt::Display) -> Self {
        Self {
            code: "",
            message: message.to_string(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.code.is_empty() {
            formatter.write_str(&self.message)
        } else {
            write!(formatter, "{}: {}", self.code, self.message)
        }
    }
}
