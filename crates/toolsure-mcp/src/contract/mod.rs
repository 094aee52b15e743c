//! The contract of one tool: its name, its schemas, and what can be derived from them.

mod definition;
mod headers;
mod malformed;
mod object_root;
mod schema_part;
mod store;
mod validator;

use std::fmt;
use std::sync::{Arc, OnceLock};

use toolsure_analysis::tool::HEADER;
use toolsure_json::{Node as _, OwnedDocument, ReadLimits, Span, View};
use toolsure_schema::{CompileError, CompileErrorKind, Schema};

use crate::argument::{ArgumentSchema, SchemaError, in_place};
use crate::message::Edits;

pub(crate) use definition::{Definition, ToolSpans, member};
pub(crate) use headers::parameters as header_parameters;
pub use headers::{HeaderFault, HeaderParameter};
pub use malformed::{Isolated, MalformedTool};
use object_root::{accepts_only_objects, constrains_only_objects};
pub use schema_part::SchemaPart;
pub use store::SchemaStore;
pub use toolsure_analysis::tool::{HeaderFaultKind, HeaderKind, NameFault};
pub use validator::{Engine, HostSchema, HostVerdict, Validator};

use store::Slot;

/// A tool as its server describes it, against which calls and results are checked.
///
/// Reads the tool's JSON without compiling anything: a schema is compiled when it is first needed,
/// through a [`SchemaStore`] that shares it with every tool whose schema has the same text. The
/// text is kept as written.
///
/// ```
/// use toolsure_mcp::contract::{NameFault, OutputShape, SchemaStore, ToolContract};
///
/// let text = r#"{"name": "find it", "inputSchema": {"type": "object"}, "outputSchema": {"type": "array"}}"#;
/// let tool = ToolContract::read(text.as_bytes(), &SchemaStore::new())?;
/// assert_eq!((tool.name(), &*tool.shared_name()), ("find it", "find it"));
/// assert_eq!(tool.name_fault(), Some(NameFault::Character(' ')));
/// assert_eq!((tool.text(), tool.input_text()), (text, r#"{"type": "object"}"#));
/// assert_eq!(tool.output_text(), Some(r#"{"type": "array"}"#));
/// assert!(tool.output().is_ok_and(|schema| schema.is_some()));
/// assert_eq!(tool.output_shape(), OutputShape::Other);
/// assert!(tool.argument_schema().is_none());
/// assert!(tool.headers().is_ok_and(|headers| headers.is_empty()));
/// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
/// ```
pub struct ToolContract {
    name: Arc<str>,
    page: Arc<str>,
    span: Span,
    input: Part,
    output: Option<Part>,
    store: SchemaStore,
    headers: OnceLock<Result<Box<[HeaderParameter]>, HeaderFault>>,
    shape: OnceLock<OutputShape>,
    sound: OnceLock<Result<(), UncompilableTool>>,
    argument: OnceLock<Option<Result<ArgumentSchema, Arc<SchemaError>>>>,
    /// The definition as the server wrote it, if its input schema was replaced.
    listed: Option<Arc<str>>,
}

struct Part {
    span: Span,
    slot: Slot,
    /// Whether a host's engine may compile it.
    for_host: OnceLock<Result<(), UncompilableTool>>,
}

/// How eras that support only objects can express a tool's output schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a projection has a case for each and must have one for a new one"
)]
pub enum OutputShape {
    /// There is no output schema.
    None,
    /// The root says `"type": "object"` itself.
    Object,
    /// The root allows only objects, but by reference or composition.
    ObjectWithoutType,
    /// The root has no `type`, and its keywords apply only to objects. Other values are allowed,
    /// but hardly intended.
    ObjectByKeywords,
    /// Other values are allowed.
    Other,
}

/// A tool's schema that does not compile.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UncompilableTool {
    /// Which schema.
    pub part: SchemaPart,
    /// Why.
    pub error: Arc<CompileError>,
}

impl fmt::Display for UncompilableTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid {}: {}", self.part.member(), self.error)?;
        if !self.error.pointer().is_empty() {
            write!(
                f,
                " (at {})",
                toolsure_json::quote(self.error.pointer(), PLACE)
            )?;
        }
        if let Some(help) = self.error.help() {
            write!(f, "; {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UncompilableTool {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.error.as_ref())
    }
}

impl ToolContract {
    /// Reads one tool's definition, an object from `tools/list`. An `inputSchema` that is an
    /// argument schema is replaced by the equivalent JSON Schema ([`in_place`]).
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let store = SchemaStore::new();
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// let contract = ToolContract::read(tool, &store)?;
    /// assert_eq!(contract.name(), "find");
    /// assert_eq!(contract.output_text(), None);
    /// assert!(ToolContract::read(br#"{"name": "find"}"#, &store).is_err());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It is not JSON, or the protocol does not allow it as a tool. Its schemas are compiled only
    /// when they are needed.
    pub fn read(tool: &[u8], store: &SchemaStore) -> Result<Self, MalformedTool> {
        let read = |tool: &[u8]| OwnedDocument::read(tool, &definition_limits());
        let mut document = read(tool).map_err(MalformedTool::Json)?;
        let mut listed = None;
        let input = document.document().root().member("inputSchema");
        if let Some(found) = input.and_then(in_place)
            && let (Ok(schema), Some(input)) = (found.json_schema(), input)
        {
            let source = document.document().source();
            let mut edits = Edits::new();
            edits.replace(input, schema);
            let text = edits.apply(source);
            listed = Some(Arc::from(source));
            document = read(text.as_bytes()).map_err(MalformedTool::Json)?;
        }
        let definition = Definition::read(document.document().root())?;
        let page = Arc::from(document.document().source());
        Ok(Self::new(&definition.spans(), &page, store).replacing(listed.as_ref()))
    }

    pub(crate) fn new(tool: &ToolSpans<'_>, page: &Arc<str>, store: &SchemaStore) -> Self {
        let part = |span: Span| Part {
            span,
            slot: Slot::default(),
            for_host: OnceLock::new(),
        };
        Self {
            name: Arc::from(tool.name),
            page: Arc::clone(page),
            span: tool.span,
            input: part(tool.input),
            output: tool.output.map(part),
            store: store.clone(),
            headers: OnceLock::new(),
            shape: OnceLock::new(),
            sound: OnceLock::new(),
            argument: OnceLock::new(),
            listed: None,
        }
    }

    /// With the definition that the server wrote, of which this one is a rewritten form.
    pub(crate) fn replacing(mut self, listed: Option<&Arc<str>>) -> Self {
        self.listed = listed.cloned();
        self
    }

    /// The tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name, shared so that others keep it without a copy.
    #[must_use]
    pub fn shared_name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    /// How the name breaks the protocol's recommendation.
    #[must_use]
    pub fn name_fault(&self) -> Option<NameFault> {
        NameFault::of(&self.name)
    }

    /// The whole definition, as written, except for an argument schema that was converted.
    #[must_use]
    pub fn text(&self) -> &str {
        self.slice(self.span)
    }

    /// The whole definition as the server wrote it.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let text = r#"{"name": "find", "inputSchema": {"q": {"type": "string", "isArray": true}}}"#;
    /// let tool = ToolContract::read(text.as_bytes(), &SchemaStore::new())?;
    /// assert_eq!(tool.listed_text(), text);
    /// assert!(tool.text().contains(r#""items":{"type":"string"}"#));
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    #[must_use]
    pub fn listed_text(&self) -> &str {
        self.listed.as_deref().unwrap_or_else(|| self.text())
    }

    /// `inputSchema` as written, or converted from an argument schema.
    #[must_use]
    pub fn input_text(&self) -> &str {
        self.slice(self.input.span)
    }

    /// `outputSchema` as written.
    #[must_use]
    pub fn output_text(&self) -> Option<&str> {
        self.output.as_ref().map(|part| self.slice(part.span))
    }

    /// The input schema, compiled now if it is not compiled yet.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "required": 1}}"#;
    /// let contract = ToolContract::read(tool, &SchemaStore::new())?;
    /// assert!(contract.input().is_err());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It does not compile.
    pub fn input(&self) -> Result<Schema, UncompilableTool> {
        self.compiled(&self.input, SchemaPart::Input)
    }

    /// The output schema, if the tool has one, compiled now if it is not compiled yet.
    ///
    /// # Errors
    ///
    /// It does not compile.
    pub fn output(&self) -> Result<Option<Schema>, UncompilableTool> {
        let part = self.output.as_ref();
        part.map(|part| self.compiled(part, SchemaPart::Output))
            .transpose()
    }

    /// Checks that both schemas compile; compiles them on the first call.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br##"{"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {"$ref": "#/no"}}"##;
    /// let contract = ToolContract::read(tool, &SchemaStore::new())?;
    /// assert!(contract.input().is_ok());
    /// assert!(contract.verify().is_err());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first schema that does not compile.
    pub fn verify(&self) -> Result<(), UncompilableTool> {
        let sound = self.sound.get_or_init(|| {
            self.input()?;
            self.output()?;
            Ok(())
        });
        sound.clone()
    }

    /// Checks that a host's own engine may compile both schemas. A schema of a dialect that this crate
    /// does not know is the host's to decide on, if it is within the limits and refers to no other
    /// document
    /// ([`Compiler::assert_safe_in_unknown_dialect`](toolsure_schema::Compiler::assert_safe_in_unknown_dialect));
    /// any other schema must compile.
    ///
    /// ```
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object",
    ///     "$schema": "http://json-schema.org/draft-03/schema#"}}"#;
    /// let contract = ToolContract::read(tool, &SchemaStore::new())?;
    /// assert!(contract.verify().is_err());
    /// assert!(contract.verify_for_host().is_ok());
    /// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first schema that a host's engine must not get.
    pub fn verify_for_host(&self) -> Result<(), UncompilableTool> {
        self.verify_part_for_host(SchemaPart::Input)?;
        self.verify_part_for_host(SchemaPart::Output)
    }

    /// The same for one schema.
    pub(crate) fn verify_part_for_host(&self, which: SchemaPart) -> Result<(), UncompilableTool> {
        let part = match which {
            SchemaPart::Input => Some(&self.input),
            SchemaPart::Output => self.output.as_ref(),
        };
        let Some(part) = part else { return Ok(()) };
        let safe = part.for_host.get_or_init(|| {
            let made = self.compiled(part, which).map(drop);
            made.or_else(|why| {
                if !matches!(
                    why.error.kind(),
                    CompileErrorKind::UnsupportedDialect { .. }
                ) {
                    return Err(why);
                }
                let text = self.slice(part.span).as_bytes();
                let safe = self.store.compiler().assert_safe_in_unknown_dialect(text);
                safe.map_err(|error| UncompilableTool {
                    part: which,
                    error: Arc::new(error),
                })
            })
        });
        safe.clone()
    }

    /// The argument schema that the definition publishes beside its input schema, in its `_meta`
    /// under [`ARGUMENT_SCHEMA`]. The caller decides whether to use it: anybody can write one into
    /// a definition.
    ///
    /// # Errors
    ///
    /// There is one, and it is invalid.
    pub fn argument_schema(&self) -> Option<Result<&ArgumentSchema, &Arc<SchemaError>>> {
        let found = self.argument.get_or_init(|| {
            if !self.text().contains(ARGUMENT_SCHEMA) {
                return None;
            }
            let tool = match OwnedDocument::read(self.text(), &definition_limits()) {
                Ok(tool) => tool,
                // Its page was read with larger limits.
                Err(error) => return Some(Err(Arc::new(SchemaError::unreadable(error)))),
            };
            let root = tool.document().root();
            let meta = root.member("_meta")?;
            let schema = meta.member(ARGUMENT_SCHEMA)?;
            Some(ArgumentSchema::read(schema.raw().as_bytes()).map_err(Arc::new))
        });
        found.as_ref().map(Result::as_ref)
    }

    /// The parameters that are also sent as HTTP headers (2026-07-28), in order.
    ///
    /// # Errors
    ///
    /// An annotation breaks the rules: a client on HTTP must drop the tool.
    pub fn headers(&self) -> Result<&[HeaderParameter], &HeaderFault> {
        let found = self.headers.get_or_init(|| {
            if !may_have_headers(self.input_text()) {
                return Ok(Box::default());
            }
            match OwnedDocument::read(self.input_text(), &definition_limits()) {
                Ok(schema) => {
                    headers::parameters(schema.document().root()).map(Vec::into_boxed_slice)
                }
                // Its page was read with larger limits.
                Err(error) => Err(HeaderFault {
                    pointer: String::new(),
                    kind: HeaderFaultKind::Unreadable(error),
                }),
            }
        });
        found.as_ref().map(|parameters| &**parameters)
    }

    /// How eras that support only objects can express the output schema.
    #[must_use]
    pub fn output_shape(&self) -> OutputShape {
        *self.shape.get_or_init(|| {
            let schema = self
                .output_text()
                .map(|text| OwnedDocument::read(text, &definition_limits()));
            match schema {
                Some(Ok(schema)) => OutputShape::of(Some(schema.document().root())),
                Some(Err(_)) => OutputShape::Other,
                None => OutputShape::None,
            }
        })
    }

    fn compiled(&self, part: &Part, which: SchemaPart) -> Result<Schema, UncompilableTool> {
        let text = self.slice(part.span);
        let schema = self.store.slotted(&part.slot, &self.name, which, text);
        schema.map_err(|error| UncompilableTool { part: which, error })
    }

    fn slice(&self, span: Span) -> &str {
        self.page.get(span.start..span.end).unwrap_or_default()
    }
}

impl OutputShape {
    /// The shape of an output schema.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::contract::OutputShape;
    ///
    /// let schema = OwnedDocument::read(r#"{"properties": {}}"#, &ReadLimits::default())?;
    /// let shape = OutputShape::of(Some(schema.document().root()));
    /// assert_eq!(shape, OutputShape::ObjectByKeywords);
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn of(schema: Option<View<'_>>) -> Self {
        let Some(schema) = schema else {
            return Self::None;
        };
        let says = schema.member("type");
        if says.is_some_and(|kind| kind.string() == "object") {
            Self::Object
        } else if accepts_only_objects(schema) {
            Self::ObjectWithoutType
        } else if says.is_none() && constrains_only_objects(schema) {
            Self::ObjectByKeywords
        } else {
            Self::Other
        }
    }
}

impl fmt::Debug for ToolContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ToolContract({})",
            toolsure_json::quote(&self.name, PLACE)
        )
    }
}

/// Whether an annotation may be in the text, written plainly or with escapes.
pub(crate) fn may_have_headers(schema: &str) -> bool {
    schema.contains(HEADER) || schema.contains("\\u")
}

/// The limits for reading definitions: deeper than any schema may be, so that a tool that is too
/// deep fails alone when it is compiled, and not its whole page.
pub(crate) fn definition_limits() -> ReadLimits {
    ReadLimits {
        bytes: 64 << 20,
        depth: 16_384,
        nodes: 8_000_000,
        ..ReadLimits::default()
    }
}

/// The member of a tool's `_meta` that holds its argument schema.
pub const ARGUMENT_SCHEMA: &str = crate::argument::LISTED;

/// The maximum number of characters of a pointer in a message.
const PLACE: usize = 200;
