//! Projection: rewrites a listing into the form that a provider or client accepts, and maps arguments back.
//!
//! Model providers and clients accept only parts of JSON Schema. A [`Projector`] rewrites the input schemas
//! of a listing for one [`Reader`], and does not only delete: a constraint that the reader cannot express is expressed
//! otherwise, encoded in another form (null for an absent member, JSON text for a free object), or moved
//! into the description in words. For each tool it returns
//!
//! * every [`Step`]: what, where and why;
//! * how the projected schema relates to the original: [`Relation::Equal`], wider, narrower or
//!   both, with a witness, or undecided;
//! * the [`Mapping`] of arguments that a model writes for the projected schema to arguments of the original
//!   tool. Whatever the relation, check the mapped arguments against the original schema.
//!
//! The relation is about calls with declared arguments, unless [`Projector::open`] says otherwise: a member
//! that no keyword names is absent. An absent member and one that is null are the same if null is its
//! default. The relation is decided in three ways. The rules of [`diff`](crate::diff) prove inclusion. Instances of
//! either schema are mapped to the other and tried there; one that fails is the witness. If neither
//! decides, steps that by their kind add nothing or take nothing away do.
//!
//! Everything is bounded by [`Limits`].

mod abilities;
mod apart;
mod attempt;
mod branches;
mod budget;
mod by_name;
mod conversions;
mod crossing;
mod decide;
mod dialects;
mod draft7;
mod encode;
mod fits;
mod forms;
mod keywords;
mod limits;
mod mapping;
mod merge;
mod names;
mod normalise;
mod objects;
mod patterns;
mod reference;
mod relocate;
mod report;
mod rewrite;
mod sound;
mod tool;
mod tree;
mod unions;
mod unreachable;
mod unroll;
mod values;
mod walk;
mod words;

use toolsure_schema::Compiler;

use crate::engine::Engine;
use crate::lint::{Linter, profile};
use crate::readers::Reader;

pub use conversions::{Conversion, MappedArguments, UnmappedArguments};
pub use dialects::{as_2020_12, for_draft_7};
pub use forms::{ProviderForm, ProviderTool, read_provider_tools};
pub use limits::Limits;
pub use mapping::Mapping;
pub use report::{Refusal, Relation, Step, StepKind};
pub use tool::{Projected, Projection, RefusedTool, SchemaProjection};

use abilities::Abilities;
use limits::Spent;
use tool::ListingProjector;

/// Projects listings for one reader, of those that [are projected for](Reader::is_projected_for).
///
/// ```
/// use toolsure_analysis::readers::reader;
/// use toolsure_analysis::project::{Projector, Relation};
///
/// let tool = r#"{"name": "page", "inputSchema": {"type": "object", "additionalProperties": false,
///     "properties": {"number": {"type": "integer", "exclusiveMinimum": 0}, "size": {"const": 10}}}}"#;
/// let projector = Projector::new(reader("gemini").unwrap());
/// let projection = projector.project([tool]);
/// let page = projection.tools[0].as_ref().unwrap();
/// assert!(page.text.contains(r#""number":{"type":"integer","minimum":1}"#));
/// // Gemini has no `additionalProperties`. Models send declared members, so nothing changes for them.
/// assert!(matches!(page.input.relation, Relation::Equal));
/// ```
#[derive(Debug, Clone)]
pub struct Projector {
    reader: &'static Reader,
    limits: Limits,
    engine: Engine,
    /// The rules of the profile, if it has any.
    linter: Option<Linter>,
    server: Option<String>,
    prefix: usize,
    open: bool,
}

impl Projector {
    /// A projector for a reader, with the default limits and asserted formats.
    #[must_use]
    pub fn new(reader: &'static Reader) -> Self {
        Self {
            reader,
            limits: Limits::default(),
            engine: Engine::default(),
            linter: profile(reader.name).map(Linter::only),
            server: None,
            prefix: 0,
            open: false,
        }
    }

    /// The reader.
    #[must_use]
    pub fn reader(&self) -> &'static Reader {
        self.reader
    }

    /// Whether the profile is of a mode in which the provider holds the model to the schema, and so wants
    /// every object closed: what [`ProviderForm::write`] calls strict.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        Abilities::of(self.reader, None, 0).closed
    }

    /// Sets the limits of projecting one tool.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Compiles schemas as this compiler does: with its limits, documents, dialects and formats.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.linter = self.linter.map(|linter| linter.compiler(compiler.clone()));
        self.engine = Engine::new(compiler);
        self
    }

    /// Sets the name by which clients know the server, for readers that put it before the names of tools.
    #[must_use]
    pub fn server(mut self, name: impl Into<String>) -> Self {
        self.server = Some(name.into());
        self
    }

    /// Sets how many characters will be put before the names of tools. Published names are shortened so
    /// that they fit with them.
    ///
    /// ```
    /// use toolsure_analysis::readers::reader;
    /// use toolsure_analysis::project::Projector;
    ///
    /// let name = "n".repeat(60);
    /// let tool = format!(r#"{{"name": "{name}", "inputSchema": {{"type": "object"}}}}"#);
    /// let projector = Projector::new(reader("openai").unwrap()).prefix(10);
    /// let projection = projector.project([tool.as_str()]);
    /// assert!(projection.projected().all(|tool| tool.published.len() <= 54));
    /// ```
    #[must_use]
    pub fn prefix(mut self, characters: usize) -> Self {
        self.prefix = characters;
        self
    }

    /// Sets whether relations are about every call that a schema accepts. Off by default: as for
    /// [`Differ::open`](crate::diff::Differ::open), models send the arguments that they are told of, so to
    /// close an object that says nothing about other members takes no call away; and an absent argument is
    /// the same as null if null is its default.
    ///
    /// ```
    /// use toolsure_analysis::readers::reader;
    /// use toolsure_analysis::project::Projector;
    ///
    /// let schema = r#"{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}"#;
    /// let strict = Projector::new(reader("openai-strict").unwrap());
    /// assert_eq!(strict.project_schema(schema)?.relation.name(), "equal");
    /// assert_eq!(strict.open(true).project_schema(schema)?.relation.name(), "narrower");
    /// # Ok::<(), toolsure_analysis::project::Refusal>(())
    /// ```
    #[must_use]
    pub fn open(mut self, open: bool) -> Self {
        self.open = open;
        self
    }

    /// Projects the tools of one listing, each given as its JSON text.
    #[must_use]
    pub fn project<'t>(&self, tools: impl IntoIterator<Item = &'t str>) -> Projection {
        self.listing().project(tools.into_iter().collect())
    }

    /// Projects one input schema.
    ///
    /// ```
    /// use toolsure_analysis::readers::reader;
    /// use toolsure_analysis::project::Projector;
    ///
    /// let projector = Projector::new(reader("gemini").unwrap());
    /// assert_eq!(projector.reader().name, "gemini");
    /// let schema = projector.project_schema(r#"{"type": "object", "title": "Query"}"#)?;
    /// assert_eq!(schema.relation.name(), "equal");
    /// assert!(projector.project_schema(r##"{"$ref": "#/none"}"##).is_err());
    /// # Ok::<(), toolsure_analysis::project::Refusal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The schema does not compile, has a reference out of itself, or would exceed a limit.
    pub fn project_schema(&self, schema: &str) -> Result<SchemaProjection, Refusal> {
        self.listing().project_schema(schema)
    }

    fn listing(&self) -> ListingProjector<'_> {
        let abilities = Abilities::of(self.reader, self.server.as_deref(), self.prefix);
        ListingProjector {
            abilities,
            engine: &self.engine,
            limits: &self.limits,
            open: self.open,
            linter: self.linter.as_ref(),
            spent: Spent::new(&self.limits),
        }
    }
}
