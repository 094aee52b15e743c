//! A compiled schema and its methods.

mod check;
pub(crate) mod instance;
mod verdict;
mod workspace;

use std::fmt;
use std::sync::{Arc, OnceLock};

use toolsure_json::{OwnedDocument, contradictions, note_contradiction};
use toolsure_syntax::NeededPart;
use toolsure_syntax::reference::Resources;

use crate::compiler::Compiler;
use crate::error::{CompileError, CompileErrorKind, Place};
use crate::explain::Program;
use crate::int::{to_u32, to_usize};
use crate::lower::{PartSupport, lower, plain};
use crate::model::Model;
use crate::options::Warning;
use crate::plan::{Plan, shared};
pub use verdict::Verdict;
pub use workspace::Workspace;

/// A compiled schema: shared by cloning, `Send` and `Sync`.
///
/// # Example
///
/// ```
/// use toolsure_schema::{Schema, Verdict, Workspace};
///
/// let schema = Schema::compile(br#"{"type": "integer", "minimum": 3}"#)?;
/// let mut workspace = Workspace::new();
/// assert_eq!(schema.check(&mut workspace, b"5")?, Verdict::Valid);
/// assert_eq!(schema.check(&mut workspace, b"1")?, Verdict::Invalid);
/// assert!(schema.check(&mut workspace, b"{").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Schema(Held);

/// A plan is beside the rest, so that a check of a schema that is in no cache waits for few
/// addresses; or it is one that schemas share.
#[derive(Clone)]
enum Held {
    Own(Arc<Inner<Plan>>),
    Shared(Arc<Inner<&'static Plan>>),
}

struct Inner<P> {
    plan: P,
    rest: Rest,
}

/// What a schema holds besides its plan.
struct Rest {
    source: Box<str>,
    compiler: Compiler,
    later: OnceLock<Box<Later>>,
    /// The size of the model in bytes; it is built again from the text to explain a failure.
    model: u32,
    parts: PartSupport,
}

/// Data that few schemas have, or that is built on request.
#[derive(Default)]
struct Later {
    warnings: Box<[Warning]>,
    /// Parsed again on request.
    text: OnceLock<OwnedDocument>,
    /// Whether a failure was explained.
    explained: OnceLock<()>,
    /// Built from the text to explain failures after the first.
    plain: OnceLock<Result<Program, CompileError>>,
    /// The same with the keywords that assert nothing.
    annotated: OnceLock<Result<Program, CompileError>>,
}

impl Schema {
    fn new(
        plan: Plan,
        (model, parts): (usize, PartSupport),
        source: String,
        compiler: Compiler,
        warnings: Vec<Warning>,
    ) -> Self {
        let later = OnceLock::new();
        if !warnings.is_empty() {
            later.get_or_init(|| {
                Box::new(Later {
                    warnings: warnings.into(),
                    ..Later::default()
                })
            });
        }
        let rest = Rest {
            source: source.into(),
            compiler,
            later,
            model: to_u32(model),
            parts,
        };
        Self(match shared(&plan) {
            Some(plan) => Held::Shared(Arc::new(Inner { plan, rest })),
            None => Held::Own(Arc::new(Inner { plan, rest })),
        })
    }

    #[inline]
    fn parts(&self) -> (&Plan, &Rest) {
        match &self.0 {
            Held::Own(inner) => (&inner.plan, &inner.rest),
            Held::Shared(inner) => (inner.plan, &inner.rest),
        }
    }

    fn plan(&self) -> &Plan {
        self.parts().0
    }

    fn rest(&self) -> &Rest {
        self.parts().1
    }

    fn later(&self) -> &Later {
        self.rest().later.get_or_init(Box::default)
    }

    /// Compiles a schema with the default options; see [`Compiler`] for others.
    ///
    /// ```
    /// use toolsure_schema::Schema;
    ///
    /// assert!(Schema::compile(br#"{"minimum": 1}"#).is_ok());
    /// let error = Schema::compile(br#"{"minimum": "1"}"#).unwrap_err();
    /// assert_eq!(error.pointer(), "/minimum");
    /// ```
    ///
    /// # Errors
    ///
    /// [`CompileError`] says why the schema is refused.
    pub fn compile(schema: &[u8]) -> Result<Self, CompileError> {
        Compiler::new().compile(schema)
    }

    /// The schema as it was given. A compiled schema keeps only the bytes; the first call parses
    /// them again, and the document is kept from then on.
    ///
    /// ```
    /// let schema = toolsure_schema::Schema::compile(br#"{"type": "null"}"#)?;
    /// assert_eq!(schema.text().document().source(), r#"{"type": "null"}"#);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn text(&self) -> &OwnedDocument {
        self.document()
    }

    /// The resources of the schema's text: what its references lead to, for programs that read the
    /// text.
    ///
    /// ```
    /// use toolsure_schema::{Schema, Target};
    ///
    /// let schema = Schema::compile(br##"{"$ref": "#a", "$defs": {"b": {"$anchor": "a"}}}"##)?;
    /// let root = schema.text().document().root();
    /// assert!(matches!(schema.resources().resolve(root, "#a"), Target::Schema(_)));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn resources(&self) -> Resources<'_> {
        let root = self.document().document().root();
        self.rest().compiler.parser().resources(root)
    }

    fn document(&self) -> &OwnedDocument {
        self.later().text.get_or_init(|| {
            let source: &str = &self.rest().source;
            let read = self.rest().compiler.parser().read(source.as_bytes());
            // It was parsed before, under the same limits. If that fails now, nothing is explained:
            // `null` is not a schema, so no model can be built from it.
            debug_assert!(read.is_ok(), "a compiled schema's text is read again");
            read.unwrap_or_else(|_| {
                note_contradiction();
                OwnedDocument::null()
            })
        })
    }

    /// The approximate maximum size in bytes: its text and tables, what its patterns allocate
    /// during matching, and what explaining and [`text`](Self::text) add later.
    /// [`annotations`](Self::annotations) and [`output`](Self::output) add as much as explaining
    /// once more.
    ///
    /// ```
    /// use toolsure_schema::Schema;
    ///
    /// let small = Schema::compile(br#"{"maximum": 3}"#)?;
    /// let large = Schema::compile(br#"{"enum": ["a", "b", "c", "d", "e", "f", "g"]}"#)?;
    /// assert!(small.memory() < large.memory());
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn memory(&self) -> usize {
        let Rest { source, model, .. } = self.rest();
        let own = match &self.0 {
            Held::Own(inner) => size_of_val(&**inner) + inner.plan.memory(),
            Held::Shared(inner) => size_of_val(&**inner),
        };
        let warnings = self.warnings().iter();
        let warnings = warnings.map(|warning| WARNING + warning.error().pointer().len());
        // The text is parsed again, and the plain program has its own tables.
        let explained = source.len() + self.plan().memory() + to_usize(*model);
        own + source.len() + explained + warnings.sum::<usize>()
    }

    /// The warnings: keywords that lenient compilation ignored because their dialect forbids them,
    /// and references without a target that no evaluation can reach.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Strictness};
    ///
    /// let lenient = Compiler::new().strictness(Strictness::Lenient);
    /// let schema = lenient.compile(br#"{"minLength": "3"}"#)?;
    /// assert_eq!(schema.warnings().len(), 1);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn warnings(&self) -> &[Warning] {
        let later = self.rest().later.get();
        later.map_or(&[], |later| &later.warnings)
    }

    /// The compiled form as a listing for people: its nodes, their types and operations. The format
    /// is stable within a release, not across releases.
    ///
    /// ```
    /// let schema = toolsure_schema::Schema::compile(br#"{"type": "string", "minLength": 2}"#)?;
    /// assert!(schema.listing().contains("length >= 2"));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn listing(&self) -> String {
        self.plan().to_string()
    }

    /// An empty [`NeededPart`], if the next explanation may use one: only the first may.
    pub(crate) fn first_part(&self) -> Option<NeededPart> {
        let later = self.later();
        let parts = self.rest().parts;
        (parts != PartSupport::None
            && later.plain.get().is_none()
            && later.explained.set(()).is_ok())
        .then(|| NeededPart::new(parts == PartSupport::Referring))
    }

    /// The part of the plain program that explains an instance with certain names of members, of which
    /// no object has more than `widest`; `None` if that needs more of the schema.
    pub(crate) fn plain_part(&self, part: &NeededPart, widest: usize) -> Option<Program> {
        let (plan, rest) = self.parts();
        let before = contradictions();
        let parser = rest.compiler.parser();
        let text = match self.later().text.get() {
            Some(text) => text.clone(),
            None => parser.read_part(&rest.source, part)?,
        };
        let model = parser.parse_part(text, &plan.patterns, part).ok()?;
        // A reference without a target, which may be in what was not read.
        if !model.warnings.is_empty() {
            return None;
        }
        let plain = plain(&model, rest.compiler.bounds(), Some(widest)).ok()?;
        consistent(before).ok()?;
        Some(Program::part(model, plain))
    }

    /// The plain program, which explains failures keyword by keyword.
    pub(crate) fn plain(&self) -> Result<&Program, &CompileError> {
        let made = self.later().plain.get_or_init(|| self.program(false));
        made.as_ref()
    }

    /// The plain program with all keywords, also those that assert nothing.
    pub(crate) fn plain_with_annotations(&self) -> Result<&Program, &CompileError> {
        let made = self.later().annotated.get_or_init(|| self.program(true));
        made.as_ref()
    }

    fn program(&self, annotations: bool) -> Result<Program, CompileError> {
        let text = self.document().clone();
        let (plan, rest) = self.parts();
        let compiler = &rest.compiler;
        let before = contradictions();
        let model = compiler
            .parser()
            .parse_again(text, annotations, &plan.patterns)?;
        let plain = plain(&model, compiler.bounds(), None)?;
        consistent(before)?;
        Ok(Program::new(model, plain))
    }

    pub(crate) fn compiler(&self) -> &Compiler {
        &self.rest().compiler
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema")
            .field("nodes", &self.plan().nodes.len())
            .finish_non_exhaustive()
    }
}

impl Compiler {
    /// Compiles a schema given as JSON text.
    ///
    /// ```
    /// let compiler = toolsure_schema::Compiler::new();
    /// assert!(compiler.compile(br#"{"minLength": 3}"#).is_ok());
    /// assert_eq!(compiler.compile(b"{").unwrap_err().code(), "json");
    /// ```
    ///
    /// # Errors
    ///
    /// [`CompileError`] says why the schema is refused.
    pub fn compile(&self, schema: &[u8]) -> Result<Schema, CompileError> {
        let before = contradictions();
        let text = self.parser().read(schema)?;
        let mut model = self.parser().parse_assertions(text.clone())?;
        let warnings = std::mem::take(&mut model.warnings);
        let parts = match warnings.is_empty() {
            true => PartSupport::of(&model, self.bounds()),
            false => PartSupport::None,
        };
        let memory = explained_memory(&model);
        let plan = lower(model, self.bounds())?;
        consistent(before)?;
        Ok(Schema::new(
            plan,
            (memory, parts),
            text.into_source(),
            self.clone(),
            warnings,
        ))
    }

    /// Compiles a schema given as a `serde_json` value.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Verdict, Workspace};
    ///
    /// let schema = Compiler::new().compile_value(&serde_json::json!({"minLength": 3}))?;
    /// assert_eq!(schema.check(&mut Workspace::new(), &serde_json::json!("ab")), Verdict::Invalid);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`compile`](Self::compile); locations are those in the value's compact text.
    #[cfg(feature = "serde_json")]
    pub fn compile_value(&self, schema: &serde_json::Value) -> Result<Schema, CompileError> {
        self.compile(schema.to_string().as_bytes())
    }
}

/// The approximate maximum size in bytes of the model of a text and its values, when it is built
/// again to explain a failure; `model` only contains assertions.
fn explained_memory(model: &Model) -> usize {
    let nodes = model.docs.first();
    let nodes = nodes.map_or(0, |doc| doc.text.document().len());
    EXPLAINED
        + nodes * NODE
        + model.subs.len() * SUBSCHEMA
        + model.entries.len() * KEYWORD
        + model.patterns.len() * PATTERN
}

/// Fails if its input contradicted itself while it was being compiled.
fn consistent(before: u64) -> Result<(), CompileError> {
    match contradictions() == before {
        true => Ok(()),
        false => Err(CompileError::new(
            CompileErrorKind::Internal,
            Place::default(),
        )),
    }
}

/// The fixed size of an explanation of any schema.
const EXPLAINED: usize = 1 << 10;
/// The size of a value in the schema's text: a value of a document, and its share of a keyword.
const NODE: usize = 48;
/// The size of a subschema and of a keyword, in a model and its plain program.
const SUBSCHEMA: usize = 260;
const KEYWORD: usize = 100;
/// The size of a pattern in addition to its [size](toolsure_pattern::Pattern::size).
const PATTERN: usize = 1 << 10;
/// The size of a warning in addition to its strings.
const WARNING: usize = 512;

#[cfg(test)]
mod damage;
