//! What there is to say about an argument schema, as data.

use std::fmt;

use toolsure_json::{OwnedDocument, View};

use super::error::{SchemaError, SchemaErrorKind};

/// How much a [`Diagnosis`] matters, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every way to print diagnoses must say what each of the three looks like"
)]
pub enum Severity {
    /// The schema could be better, or has a member that only describes and is not converted.
    Note,
    /// A part is not enforced, or cannot be satisfied.
    Warning,
    /// The schema is refused.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One thing to say about an argument schema: how much it matters, where it is, and what it is.
///
/// `Display` is one line of bounded length with the place, [`SchemaErrorKind`]'s is without.
///
/// ```
/// use toolsure_mcp::argument::{ArgumentLimits, Severity, diagnose};
///
/// let schema = br#"{"q": {"type": "string", "minLenght": 3, "description": "Search words."}}"#;
/// let found = diagnose(schema, None, &ArgumentLimits::default());
/// let [diagnosis] = &found[..] else { panic!("one diagnosis") };
/// assert_eq!(diagnosis.severity(), Severity::Warning);
/// assert_eq!(diagnosis.pointer(), "/q/minLenght");
/// assert_eq!(diagnosis.code(), "unknown-member");
/// assert!(diagnosis.kind().to_string().ends_with("did you mean `minLength`?"));
/// ```
#[derive(Debug, Clone)]
pub struct Diagnosis {
    pub(super) severity: Severity,
    pub(super) problem: SchemaError,
}

impl Diagnosis {
    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// The location, as a JSON pointer (RFC 6901) into the schema.
    pub fn pointer(&self) -> &str {
        self.problem.pointer()
    }

    /// What it is; `to_string` of it is the text without the place.
    pub fn kind(&self) -> &SchemaErrorKind {
        self.problem.kind()
    }

    /// A name for programs: [`SchemaErrorKind::code`].
    pub fn code(&self) -> &'static str {
        self.problem.kind().code()
    }
}

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

/// Collects diagnoses, at most [`MOST_DIAGNOSES`] of each severity.
#[derive(Debug, Default)]
pub(super) struct Diagnoses(Vec<Diagnosis>);

impl Diagnoses {
    pub(super) fn push(&mut self, severity: Severity, problem: SchemaError) {
        self.0.push(Diagnosis { severity, problem });
    }

    /// Adds one unless there are enough; only then is its text made.
    pub(super) fn tell(
        &mut self,
        severity: Severity,
        at: View<'_>,
        kind: impl FnOnce() -> SchemaErrorKind,
    ) {
        let alike = self.0.iter().filter(|known| known.severity == severity);
        if alike.count() < MOST_DIAGNOSES {
            let pointer = at.document().pointer(at.id());
            self.push(severity, SchemaError::new(pointer, kind()));
        }
    }

    /// All of them in the order of the text, each once.
    pub(super) fn sorted(mut self, document: Option<&OwnedDocument>) -> Vec<Diagnosis> {
        self.0.sort_by_cached_key(|diagnosis| {
            let at = document?.document().at_pointer(diagnosis.pointer())?;
            Some(at.span().start)
        });
        let key = |one: &Diagnosis| (one.pointer().to_owned(), one.kind().to_string());
        self.0.dedup_by(|one, two| key(one) == key(two));
        self.0
    }
}

/// The maximum number of diagnoses of each severity that one reading keeps.
pub const MOST_DIAGNOSES: usize = 100;
