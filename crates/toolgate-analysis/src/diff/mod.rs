//! Diff: what changed between two listings, and whether it breaks callers.
//!
//! The new input schema must accept every call that the old one accepts; the old output schema must accept
//! every result that the new one accepts. Both are questions of inclusion between schemas. Rules decide
//! what they can (`subset`); instances that are generated from one schema and checked against the other
//! confirm what the rules find narrowed, and try what the rules cannot decide (`witness`). An instance that
//! passes the first and fails the second proves the break and is shown.
//!
//! Callers send the members that they were told of: in an input, a member that no keyword names is taken as
//! absent (`declared`, `parameters`), unless [`Differ::open`] says otherwise.
//!
//! Everything is bounded by [`Limits`]: the pairs of subschemas compared, the instances tried, and the fuel
//! of all checks of a tool. What a limit cuts short is [`Class::Unknown`].

mod arrays;
mod declared;
mod evaluated;
mod facts;
pub(crate) mod inclusion;
mod keywords;
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

/// The limits of the diff of one tool; a whole listing may take fifty times as much, and anything beyond
/// that is [`Class::Unknown`].
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

/// Compares listings with one set of options.
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
    /// A differ with the default limits and asserted formats.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits of the comparison.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Compiles schemas as this compiler does: with its limits, documents, dialects, formats and
    /// strictness. One check takes its fuel or a tenth of the default [`Limits::fuel`], whichever is less.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.engine = Engine::new(compiler);
        self
    }

    /// Sets whether callers may send members that no keyword of an input schema names. Off by default:
    /// callers send what they were told of, so a new optional parameter is compatible, and one that is no
    /// longer declared is a [`Class::Warning`]. If a schema says explicitly which other members there may
    /// be (`additionalProperties`), they are compared in either case.
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
