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

mod annotations;
mod arrays;
mod collect_declared;
mod collect_evaluated;
mod contract;
mod declared;
mod dependent;
mod dialects;
mod document;
mod evaluated;
mod execution;
mod facts;
pub(crate) mod inclusion;
mod keywords;
mod leaf;
mod limits;
mod listing;
mod locate;
mod lookup;
mod members;
mod mend;
mod new_texts;
mod objects;
mod only;
mod parameters;
mod parts;
mod reason;
mod renamed;
mod renamed_member;
mod report;
mod say;
mod sent;
mod step;
mod subset;
mod tag;
mod tool;
mod tuple;
mod unions;
mod witness;
mod word_diff;
mod words;

use toolsure_schema::Compiler;

use crate::engine::Engine;
pub use limits::Limits;
pub use new_texts::new_texts;
pub use report::{Aspect, Category, Change, Class, Kind, Report, Side, ToolChange};
pub use word_diff::{Piece, word_diff};

use tool::ListingDiffer;

/// Compares listings with one set of options.
///
/// ```
/// use toolsure_analysis::diff::{Class, Differ};
/// use toolsure_schema::{Compiler, Formats};
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
    partial: bool,
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
    /// use toolsure_analysis::diff::{Class, Differ};
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

    /// Sets whether the new listing may lack tools that the server has, such as one page of several. A tool
    /// that it does not have is then [`Class::Unknown`], and not reported as removed or renamed.
    ///
    /// ```
    /// use toolsure_analysis::diff::{Class, Differ, Kind};
    ///
    /// let old = r#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// let report = Differ::new().partial(true).diff([old], []);
    /// assert_eq!(report.class(), Some(Class::Unknown));
    /// assert_eq!(report.tools[0].changes[0].kind, Kind::ToolNotListed);
    /// ```
    #[must_use]
    pub fn partial(mut self, partial: bool) -> Self {
        self.partial = partial;
        self
    }

    /// Compares two listings, given as the JSON texts of their tools.
    #[must_use]
    pub fn diff<'t>(
        &self,
        old: impl IntoIterator<Item = &'t str>,
        new: impl IntoIterator<Item = &'t str>,
    ) -> Report {
        let differ = ListingDiffer::new(&self.limits, &self.engine, self.open, self.partial);
        differ.diff(old.into_iter().collect(), new.into_iter().collect())
    }
}

/// Compares two listings with the default compiler of a [`Differ`].
///
/// ```
/// use toolsure_analysis::diff::{Class, Limits, diff};
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
