//! A JSON Schema engine of the host's own, under our contracts.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A JSON Schema engine that a host brings.
///
/// Contracts stay what they are: what is checked when, what a refusal says to
/// whom, what an undecided check means. Only whether a value matches a schema
/// is asked of the host's engine. A schema that this crate's own engine refuses
/// (a reference that leads out of it, more than the bounds allow) never reaches
/// the host's: see [`Checker::engine`](crate::check::Checker::engine).
pub trait Validator: Send + Sync {
    /// Compiles a schema, given as its tool's author wrote it.
    ///
    /// # Errors
    ///
    /// Why it does not compile, in one line. Calls of its tool are refused.
    fn compile(&self, schema: &str) -> Result<Box<dyn HostSchema>, String>;
}

/// A schema that a host's engine compiled.
pub trait HostSchema: Send + Sync {
    /// Checks a value, given as JSON text.
    fn check(&self, instance: &str) -> HostVerdict;
}

/// What a host's engine says of a value. There are three answers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a fourth answer must break the build of those who check"
)]
pub enum HostVerdict {
    /// It matches.
    Valid,
    /// It does not, for these reasons, the most useful first. Each names the
    /// place in the value.
    Invalid(Vec<String>),
    /// The engine gave up, for this reason.
    Undecided(String),
}

/// A host's engine with the schemas that it compiled. A handle: clones share
/// them, so that all checkers of a program compile a schema once.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    validator: Box<dyn Validator>,
    compiled: Mutex<HashMap<Arc<str>, Compiled>>,
}

/// A compiled schema, or why it does not compile.
type Compiled = Result<Arc<dyn HostSchema>, Arc<str>>;

impl Engine {
    /// Compiled schemas that are kept. Of more, all are compiled again.
    pub const SCHEMAS: usize = 4_096;

    /// An engine that has compiled nothing yet.
    #[must_use]
    pub fn new(validator: impl Validator + 'static) -> Self {
        Self(Arc::new(Inner {
            validator: Box::new(validator),
            compiled: Mutex::default(),
        }))
    }

    /// The schema with this text, compiled now if it is not yet.
    ///
    /// # Errors
    ///
    /// Why it does not compile.
    pub fn schema(&self, text: &str) -> Result<Arc<dyn HostSchema>, Arc<str>> {
        let compiled = || {
            let compiled = self.0.compiled.lock();
            compiled.unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = compiled().get(text) {
            return known.clone();
        }
        // No caller waits for an engine that has not answered yet.
        let made = self.0.validator.compile(text);
        let made: Compiled = made.map(Arc::from).map_err(Arc::from);
        let mut compiled = compiled();
        if compiled.len() >= Self::SCHEMAS {
            compiled.clear();
        }
        compiled.insert(Arc::from(text), made.clone());
        made
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").finish_non_exhaustive()
    }
}
