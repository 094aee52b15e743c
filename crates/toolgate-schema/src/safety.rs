//! Questions about a schema that no compilation is needed for, for hosts that keep
//! their own engine and want its input checked first.

use toolgate_json::View;

use toolgate_syntax::{CompileError, uri};

use crate::compiler::Compiler;
use crate::limits::Limits;

/// Whether a schema may be given to a validator: its dialect is known, every keyword
/// has a value that its dialect allows, every reference leads to something in hand,
/// none in a ring, and no bound of [`Limits`] is passed. It is what
/// [`Compiler::compile`] asks of a schema before it makes a program of it; only
/// [`Limits::plan_nodes`] and rings through dynamic references are found there.
///
/// ```
/// use toolgate_schema::{Limits, ModelLimits, assert_schema_safe_to_compile};
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
/// What [`Compiler::compile`] would say of the schema.
pub fn assert_schema_safe_to_compile(schema: &[u8], limits: &Limits) -> Result<(), CompileError> {
    Compiler::new().limits(limits.clone()).assert_safe(schema)
}

/// The same of a schema inside a document that is read already, such as a tool's
/// `inputSchema`. Places in an error are those in the schema's own text.
///
/// # Errors
///
/// As [`assert_schema_safe_to_compile`].
pub fn assert_view_safe_to_compile(schema: View<'_>, limits: &Limits) -> Result<(), CompileError> {
    assert_schema_safe_to_compile(schema.raw().as_bytes(), limits)
}

/// Whether a reference stays in the document it is in: nothing but a fragment, or
/// nothing at all. Any other one (`other.json`, `https://…`, `urn:…`) needs a resource
/// with that URI, which an embedded `$id` may give it; what has none is denied.
///
/// ```
/// use toolgate_schema::is_same_document_ref;
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
    /// [`assert_schema_safe_to_compile`] under this compiler's options and with its
    /// registered documents.
    ///
    /// ```
    /// let compiler = toolgate_schema::Compiler::new();
    /// assert!(compiler.assert_safe(br#"{"type": "object"}"#).is_ok());
    /// assert!(compiler.assert_safe(br#"{"$ref": "https://example.com/a"}"#).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// What [`compile`](Self::compile) would say of the schema.
    pub fn assert_safe(&self, schema: &[u8]) -> Result<(), CompileError> {
        let document = self.parser().read(schema)?;
        self.parser().parse_assertions(document).map(drop)
    }
}
