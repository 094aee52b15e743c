//! Checks of a schema that need no compilation, for hosts that use their own engine and want its
//! input checked first.

use toolsure_json::View;

use toolsure_syntax::{CompileError, uri};

use crate::compiler::Compiler;
use crate::limits::Limits;

/// Whether a schema is safe to give to a validator: its dialect is known, every keyword has a value
/// that its dialect allows, every reference leads to an available subschema, no references form a
/// cycle, and no limit in [`Limits`] is exceeded. [`Compiler::compile`] makes the same checks
/// before it builds a program; it additionally checks [`Limits::plan_nodes`] and cycles through
/// dynamic references.
///
/// ```
/// use toolsure_schema::{Limits, ModelLimits, assert_schema_safe_to_compile};
///
/// let limits = Limits::default();
/// assert!(assert_schema_safe_to_compile(br#"{"type": "object"}"#, &limits).is_ok());
///
/// let external = br#"{"properties": {"a": {"$ref": "https://example.com/a.json"}}}"#;
/// let error = assert_schema_safe_to_compile(external, &limits).unwrap_err();
/// assert_eq!((error.code(), error.pointer()), ("ref-denied", "/properties/a/$ref"));
///
/// let unknown = br#"{"$schema": "https://example.com/dialect"}"#;
/// let error = assert_schema_safe_to_compile(unknown, &limits).unwrap_err();
/// assert_eq!(error.code(), "unsupported-dialect");
///
/// let model = ModelLimits { subschemas: 2, ..ModelLimits::default() };
/// let few = Limits { model, ..limits };
/// let error = assert_schema_safe_to_compile(br#"{"not": {"not": {}}}"#, &few).unwrap_err();
/// assert_eq!(error.limit().map(|limit| limit.name.setting()), Some("limits.subschemas"));
/// ```
///
/// # Errors
///
/// The error that [`Compiler::compile`] would return for the schema.
pub fn assert_schema_safe_to_compile(schema: &[u8], limits: &Limits) -> Result<(), CompileError> {
    Compiler::new().limits(limits.clone()).assert_safe(schema)
}

/// The same for a schema inside a document that has been read, such as a tool's `inputSchema`.
/// Locations in an error are relative to the schema's own text.
///
/// ```
/// use toolsure_schema::{Limits, Node as _, OwnedDocument, ReadLimits, assert_view_safe_to_compile};
///
/// let tool = r##"{"name": "t", "inputSchema": {"$ref": "#/$defs/absent"}}"##;
/// let tool = OwnedDocument::read(tool, &ReadLimits::default())?;
/// let schema = tool.document().root().member("inputSchema").expect("a schema");
/// let error = assert_view_safe_to_compile(schema, &Limits::default()).unwrap_err();
/// assert_eq!(error.pointer(), "/$ref");
/// # Ok::<(), toolsure_schema::ReadError>(())
/// ```
///
/// # Errors
///
/// As [`assert_schema_safe_to_compile`].
pub fn assert_view_safe_to_compile(schema: View<'_>, limits: &Limits) -> Result<(), CompileError> {
    assert_schema_safe_to_compile(schema.raw().as_bytes(), limits)
}

/// Whether a reference stays in its own document: it is empty or only a fragment. Any other
/// reference (`other.json`, `https://…`, `urn:…`) needs a resource with that URI, which may be
/// embedded with an `$id`; without such a resource it is denied.
///
/// ```
/// use toolsure_schema::is_same_document_ref;
///
/// assert!(is_same_document_ref("#/$defs/a"));
/// assert!(is_same_document_ref("#anchor"));
/// assert!(is_same_document_ref(""));
/// assert!(!is_same_document_ref("other.json#/a"));
/// assert!(!is_same_document_ref("//example.com"));
/// assert!(!is_same_document_ref("?#/a"));
/// ```
#[must_use]
pub fn is_same_document_ref(reference: &str) -> bool {
    uri::Parts::split(reference).is_same_document()
}

impl Compiler {
    /// [`assert_schema_safe_to_compile`] with this compiler's options and registered documents.
    ///
    /// ```
    /// let compiler = toolsure_schema::Compiler::new();
    /// assert!(compiler.assert_safe(br#"{"type": "object"}"#).is_ok());
    /// assert!(compiler.assert_safe(br#"{"$ref": "https://example.com/a"}"#).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// The error that [`compile`](Self::compile) would return for the schema.
    pub fn assert_safe(&self, schema: &[u8]) -> Result<(), CompileError> {
        let document = self.parser().read(schema)?;
        self.parser().parse_assertions(document).map(drop)
    }
}
