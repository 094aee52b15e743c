//! Diff: what changed between two listings, and whether it breaks callers.
//!
//! A call that the old input schema accepts must be accepted by the new one;
//! a result that the new output schema accepts must be one that the old one
//! promised. Both are questions of inclusion between schemas. Rules decide
//! what they can (`subset`); what they find narrowed is confirmed, and what
//! they cannot tell is tried, by instances generated from the one schema and
//! checked against the other (`witness`). One that passes the first and fails
//! the second proves the break and is shown.
//!
//! Callers send the members that they were told of: of an input, a member that no keyword names is
//! taken as absent (`declared`, `parameters`), unless [`Differ::open`] says otherwise.
//!
//! Everything is bounded by [`Limits`]: pairs of subschemas compared, instances
//! tried, fuel of all checks of a tool together. What a bound cuts short is
//! [`Class::Unknown`].

mod arrays;
mod declared;
mod evaluated;
mod facts;
pub(crate) mod inclusion;
mod leaf;
mod lookup;
mod objects;
mod parameters;
mod parts;
mod pool;
mod report;
mod sample;
mod subset;
mod text;
mod tool;
mod witness;
mod word_diff;
mod words;

use toolgate_schema::Compiler;

use crate::engine::Engine;
pub use report::{Aspect, Change, Class, Kind, Report, Side, ToolChange};
pub use word_diff::{Piece, word_diff};

/// What the diff of one tool may take; a whole listing may take fifty times that,
/// and what is beyond is [`Class::Unknown`].
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "built by struct update from the default"
)]
pub struct Limits {
    /// Pairs of subschemas that are compared. Default 20,000.
    pub pairs: usize,
    /// Instances that are generated and checked, in each direction. Default 300.
    pub instances: usize,
    /// Units of work of all checks together. Default 5,000,000, some 100 ms.
    pub fuel: u64,
}

/// Compares listings under one set of options.
///
/// ```
/// use toolgate_analysis::diff::{Class, Differ};
/// use toolgate_schema::{Compiler, Formats};
///
/// let old = r#"{"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}"#;
/// let new = r#"{"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"type": "string",
///     "format": "uuid"}}}}"#;
/// assert_eq!(Differ::new().diff([old], [new]).class(), Some(Class::Breaking));
/// let annotated = Differ::new().compiler(Compiler::new().formats(Formats::Annotate));
/// assert_eq!(annotated.diff([old], [new]).class(), Some(Class::Compatible));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Differ {
    limits: Limits,
    engine: Engine,
    open: bool,
}

impl Differ {
    /// The default limits, and formats asserted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the comparison may take.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Has schemas compiled as this compiler does: its limits, documents, dialects, formats and
    /// strictness. One check takes its fuel or a tenth of the default [`Limits::fuel`], whichever
    /// is less.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.engine = Engine::new(compiler);
        self
    }

    /// Whether callers may send members that no keyword of an input schema names. Off by default:
    /// callers send what they were told of, so a parameter that is new and optional is compatible,
    /// and one that is no longer declared is a [`Class::Warning`]. Where a schema says outright what
    /// other members there may be (`additionalProperties`), they are looked at either way.
    ///
    /// ```
    /// use toolgate_analysis::diff::{Class, Differ};
    ///
    /// let old = r#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// let new = r#"{"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}"#;
    /// assert_eq!(Differ::new().diff([old], [new]).class(), Some(Class::Compatible));
    /// assert_eq!(Differ::new().diff([new], [old]).class(), Some(Class::Warning));
    /// // A caller may have sent `{"q": 1}`, which was accepted.
    /// assert_eq!(Differ::new().open(true).diff([old], [new]).class(), Some(Class::Breaking));
    /// ```
    #[must_use]
    pub fn open(mut self, open: bool) -> Self {
        self.open = open;
        self
    }

    /// Compares two listings, given as the JSON texts of their tools.
    #[must_use]
    pub fn diff<'t>(
        &self,
        old: impl IntoIterator<Item = &'t str>,
        new: impl IntoIterator<Item = &'t str>,
    ) -> Report {
        tool::diff(old.into_iter().collect(), new.into_iter().collect(), self)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pairs: 20_000,
            instances: 300,
            fuel: 5_000_000,
        }
    }
}

/// Compares two listings with the default compiler of a [`Differ`].
///
/// ```
/// use toolgate_analysis::diff::{Class, Limits, diff};
///
/// let old = r#"{"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}"#;
/// let new = r#"{"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}},
///     "required": ["q"]}}"#;
/// let report = diff([old], [new], &Limits::default());
/// assert_eq!(report.class(), Some(Class::Breaking));
/// let change = &report.tools[0].changes[0];
/// assert_eq!(change.message, "`q` is now required");
/// assert_eq!(change.witness.as_deref(), Some("{}"));
/// ```
#[must_use]
pub fn diff<'t>(
    old: impl IntoIterator<Item = &'t str>,
    new: impl IntoIterator<Item = &'t str>,
    limits: &Limits,
) -> Report {
    Differ::new().limits(limits.clone()).diff(old, new)
}
