//! Lets a host use its own JSON Schema engine for our contracts.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A JSON Schema engine that the host provides.
///
/// Contracts do not change: they decide what is checked when, what a refusal says to whom, and what
/// an undecided check means. The host's engine only decides whether a value matches a schema. A
/// schema that this crate's own engine refuses (for example a reference to outside the schema, or
/// more than the limits allow) never reaches the host's, except one of a dialect that only the host
/// may know: see
/// [`Checker::engine`](crate::check::Checker::engine).
///
/// ```
/// use std::sync::Arc;
/// use toolsure_mcp::check::Checker;
/// use toolsure_mcp::contract::{Engine, HostSchema, HostVerdict, SchemaStore, ToolContract, Validator};
///
/// /// Accepts short texts.
/// struct Short;
///
/// impl Validator for Short {
///     fn compile(&self, _schema: &str) -> Result<Box<dyn HostSchema>, String> {
///         Ok(Box::new(Short))
///     }
/// }
///
/// impl HostSchema for Short {
///     fn check(&self, instance: &str) -> HostVerdict {
///         match instance.len() {
///             0..=20 => HostVerdict::Valid,
///             _ => HostVerdict::Invalid(vec!["too long".to_owned()]),
///         }
///     }
/// }
///
/// let engine = Engine::new(Short);
/// assert!(engine.schema("{}").is_ok_and(|schema| schema.check("5") == HostVerdict::Valid));
///
/// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}}"#;
/// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
/// let mut checker = Checker::new().engine(engine);
/// let decision = checker.check_arguments_bytes(&tool, br#"{"q": "a long question"}"#);
/// assert!(decision.refusal().is_some_and(|why| why.text().contains("too long")));
/// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
/// ```
pub trait Validator: Send + Sync {
    /// Compiles a schema, given as its tool's author wrote it.
    ///
    /// # Errors
    ///
    /// The reason why it does not compile, in one line. Calls of its tool are refused.
    fn compile(&self, schema: &str) -> Result<Box<dyn HostSchema>, String>;
}

/// A schema compiled by a host's engine.
pub trait HostSchema: Send + Sync {
    /// Checks a value, given as JSON text.
    fn check(&self, instance: &str) -> HostVerdict;
}

/// The verdict of a host's engine on a value. There are three.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a fourth answer must break the build of those who check"
)]
pub enum HostVerdict {
    /// It matches.
    Valid,
    /// It does not match, for these reasons, the most useful first. Each names the location in the
    /// value.
    Invalid(Vec<String>),
    /// The engine gave up, for this reason.
    Undecided(String),
}

/// A host's engine with its compiled schemas. A handle: clones share the schemas, so that all
/// checkers of a program compile a schema once.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    validator: Box<dyn Validator>,
    compiled: Mutex<HashMap<Arc<str>, Compiled>>,
}

/// A compiled schema, or why it does not compile.
type Compiled = Result<Arc<dyn HostSchema>, Arc<str>>;

impl Engine {
    /// The maximum number of compiled schemas. When it is reached, all are dropped and compiled
    /// again.
    pub const SCHEMAS: usize = 4_096;

    /// An engine that has compiled nothing yet.
    #[must_use]
    pub fn new(validator: impl Validator + 'static) -> Self {
        Self(Arc::new(Inner {
            validator: Box::new(validator),
            compiled: Mutex::default(),
        }))
    }

    /// The schema with this text, compiled now if it is not compiled yet.
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
        // The lock is not held here, so no caller waits for the engine.
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
