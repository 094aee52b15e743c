//! Projection: rewrites a listing into the form that a provider or client accepts, and maps arguments back.
//!
//! Model providers and clients accept only parts of JSON Schema. A [`Projector`] rewrites the input schemas
//! of a listing for one [`Profile`], and does not only delete: a constraint that the profile cannot express is expressed
//! otherwise, encoded in another form (null for an absent member, JSON text for a free object), or moved
//! into the description in words. For each tool it returns
//!
//! * every [`Step`]: what, where and why;
//! * how the projected schema relates to the original: [`Relation::Equal`], wider, narrower or
//!   both, with a witness, or undecided;
//! * the [`Mapping`] of arguments that a model writes for the projected schema to arguments of the original
//!   tool. Whatever the relation, check the mapped arguments against the original schema.
//!
//! The relation is decided in three ways. The rules of [`diff`](crate::diff) prove inclusion. Instances of
//! either schema are mapped to the other and tried there; one that fails is the witness. If neither
//! decides, steps that by their kind add nothing or take nothing away do.
//!
//! Everything is bounded by [`Limits`].

mod abilities;
mod decide;
mod encode;
mod keywords;
mod mapping;
mod merge;
mod names;
mod normalise;
mod objects;
mod report;
mod rewrite;
mod tool;
mod tree;
mod unions;
mod unroll;
mod words;

use toolgate_schema::Compiler;
use toolgate_syntax::reference::Fragment;

use crate::engine::Engine;
use crate::lint::Profile;

pub use mapping::Mapping;
pub use report::{Refusal, Relation, Step, StepKind};
pub use tool::{Projected, Projection, RefusedTool, SchemaProjection};

use abilities::Abilities;
use tree::Json;

/// The limits of projecting one tool.
///
/// | field | default | counts |
/// |---|---|---|
/// | `recursion` | 2 | how often a recursive schema is written out inside itself, for readers without recursion |
/// | `depth` | 64 | nested subschemas |
/// | `subschemas` | 10,000 | subschemas of the projected schema |
/// | `values` | 100,000 | JSON values of a schema whose references are written out, and one more for each 64 bytes of a string or name |
/// | `sentence` | 1,000 | characters of one sentence that goes into a description |
/// | `steps` | 200 | steps that are listed; more are counted |
/// | `pairs` | 20,000 | pairs of subschemas that the rules compare, in each direction |
/// | `instances` | 300 | instances that are tried, in each direction |
/// | `fuel` | 8,000,000 | units of work of all checks of instances, and 2 for each byte of an instance |
/// | `listing_values` | 1,000,000 | the same for all schemas of a listing, as they are while they are rewritten; tools beyond are refused |
/// | `listing_fuel` | 250,000,000 | `fuel` of all tools of a listing; relations beyond follow from the kinds of the steps, or are undecided |
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "built by struct update from the default"
)]
pub struct Limits {
    /// How often a recursive schema is written out inside itself.
    pub recursion: usize,
    /// Nested subschemas.
    pub depth: usize,
    /// Subschemas of the projected schema.
    pub subschemas: usize,
    /// JSON values of a schema whose references are written out, and one more for each 64 bytes of a
    /// string or name.
    pub values: usize,
    /// Characters of one sentence that goes into a description.
    pub sentence: usize,
    /// Steps that are listed.
    pub steps: usize,
    /// Pairs of subschemas that the rules compare, in each direction.
    pub pairs: usize,
    /// Instances that are tried, in each direction.
    pub instances: usize,
    /// Units of work of all checks of instances, and 2 for each byte of an instance.
    pub fuel: u64,
    /// The same for all schemas of a listing, with their references replaced. When they are used up, the
    /// remaining tools are refused: a listing of many small tools that each refer to a lot would exceed
    /// what the limits on one tool prevent.
    pub listing_values: usize,
    /// `fuel` of all tools of a listing. When it is used up, relations follow from the kinds of the steps
    /// or are undecided.
    pub listing_fuel: u64,
}

/// What the tools of one listing used so far.
#[derive(Debug, Default)]
struct Spent {
    values: usize,
    fuel: u64,
}

impl Limits {
    /// The default limits, without a search for how projected schemas relate to their originals: relations
    /// that do not follow from the kinds of the steps are undecided.
    #[must_use]
    pub fn without_relations() -> Self {
        Self {
            pairs: 0,
            instances: 0,
            ..Self::default()
        }
    }

    /// Whether relations may be searched for.
    fn has_search(&self) -> bool {
        self.pairs > 0 || self.instances > 0
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            recursion: 2,
            depth: 64,
            subschemas: 10_000,
            values: 100_000,
            sentence: 1_000,
            steps: 200,
            pairs: 20_000,
            instances: 300,
            fuel: 8_000_000,
            listing_values: 1_000_000,
            listing_fuel: 250_000_000,
        }
    }
}

/// Projects listings for one profile.
///
/// ```
/// use toolgate_analysis::lint::profile;
/// use toolgate_analysis::project::{Projector, Relation};
///
/// let tool = r#"{"name": "page", "inputSchema": {"type": "object", "additionalProperties": false,
///     "properties": {"number": {"type": "integer", "exclusiveMinimum": 0}, "size": {"const": 10}}}}"#;
/// let projector = Projector::new(profile("gemini").unwrap());
/// let projection = projector.project([tool]);
/// let page = projection.tools[0].as_ref().unwrap();
/// assert!(page.text.contains(r#""number":{"type":"integer","minimum":1}"#));
/// // Gemini has no `additionalProperties`: the projected schema says nothing about other members.
/// assert!(matches!(page.input.relation, Relation::Wider { .. }));
/// ```
#[derive(Debug, Clone)]
pub struct Projector {
    profile: &'static Profile,
    limits: Limits,
    engine: Engine,
    server: Option<String>,
    prefix: usize,
}

/// The names of the profiles that a listing can be projected for: those of one provider or client.
/// [`PROFILES`](crate::lint::PROFILES) also has others, which only lint uses.
pub const READERS: &[&str] = &[
    "openai",
    "openai-strict",
    "anthropic",
    "anthropic-strict",
    "gemini",
    "vscode",
    "cursor",
    "claude-code",
    "llama-cpp",
];

impl Projector {
    /// A projector for a profile, with the default limits and asserted formats.
    #[must_use]
    pub fn new(profile: &'static Profile) -> Self {
        Self {
            profile,
            limits: Limits::default(),
            engine: Engine::default(),
            server: None,
            prefix: 0,
        }
    }

    /// The profile.
    #[must_use]
    pub fn profile(&self) -> &'static Profile {
        self.profile
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
    #[must_use]
    pub fn prefix(mut self, characters: usize) -> Self {
        self.prefix = characters;
        self
    }

    /// Projects the tools of one listing, each given as its JSON text.
    #[must_use]
    pub fn project<'t>(&self, tools: impl IntoIterator<Item = &'t str>) -> Projection {
        tool::project(self, tools.into_iter().collect())
    }

    fn abilities(&self) -> Abilities {
        Abilities::of(self.profile, self.server.as_deref(), self.prefix)
    }

    /// Projects one input schema.
    ///
    /// # Errors
    ///
    /// The schema does not compile, has a reference out of itself, or would exceed a limit.
    pub fn project_schema(&self, schema: &str) -> Result<SchemaProjection, Refusal> {
        tool::schema(self, schema)
    }
}

/// The target of a reference within the same schema.
fn follow<'s>(root: &'s Json, reference: &str) -> Option<&'s Json> {
    match Fragment::parse(reference.strip_prefix('#')?)? {
        Fragment::Root => Some(root),
        Fragment::Anchor(_) => None,
        Fragment::Pointer(pointer) => {
            toolgate_json::pointer::tokens(&pointer).try_fold(root, |at, token| match at {
                Json::Object(members) => members.get(&token),
                Json::Array(items) => items.get(toolgate_json::pointer::index(&token)?),
                _ => None,
            })
        }
    }
}

/// Whether a schema contains a reference. Data that looks like one counts too.
fn has_reference(json: &Json) -> bool {
    match json {
        Json::Object(members) => members.list.iter().any(|(name, value)| {
            name == "$ref" && value.as_text().is_some() || has_reference(value)
        }),
        Json::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}
