//! Checks of a schema that need no compilation, for hosts that use their own engine and want its
//! input checked first.

use toolsure_json::{Kind, Node as _, View};

use toolsure_syntax::{
    CompileError, CompileErrorKind, Dialect, LimitName, Limits as ModelLimits, SchemaLocation,
    Strictness, uri,
};

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

    /// Whether a schema of a dialect that this compiler does not know is safe to give to an engine
    /// that knows it: no limit is exceeded if every object is a subschema, and every reference stays in
    /// the document. What its keywords mean is not checked.
    ///
    /// ```
    /// let compiler = toolsure_schema::Compiler::new();
    /// let safe = |schema: &str| compiler.assert_safe_in_unknown_dialect(schema.as_bytes());
    /// assert!(safe(r##"{"$schema": "urn:ours", "extends": {"$ref": "#/b"}, "required": true}"##).is_ok());
    /// let error = safe(r#"{"$schema": "urn:ours", "extends": {"$ref": "https://example.com/a"}}"#);
    /// assert_eq!(error.unwrap_err().pointer(), "/extends/$ref");
    /// ```
    ///
    /// # Errors
    ///
    /// `ref-denied`, `cyclic-ref`, `limit`, or another error that the dialect has no say in.
    pub fn assert_safe_in_unknown_dialect(&self, schema: &[u8]) -> Result<(), CompileError> {
        let document = self.parser().read(schema)?;
        let limits = &self.parser().options().limits;
        every_object_is_safe(document.document().root(), limits)?;
        let compiler = self.clone().dialect(Dialect::Draft202012);
        let compiler = compiler.strictness(Strictness::Lenient);
        match compiler.parser().parse_assertions(document) {
            // The names of anchors are another matter of the dialect.
            Err(error) if matches!(error.kind(), CompileErrorKind::UnresolvedRef { .. }) => Ok(()),
            parsed => parsed.map(drop),
        }
    }
}

/// Whether no object has a reference to another document, and the objects are within the limits of
/// subschemas: in an unknown dialect each of them may be one.
fn every_object_is_safe(root: View<'_>, limits: &ModelLimits) -> Result<(), CompileError> {
    let limit = |name, allowed, at| Err(CompileError::limit_reached(name, allowed, place(at)));
    let (mut waiting, mut objects) = (vec![(root, 1)], 0);
    while let Some((view, depth)) = waiting.pop() {
        if view.kind() == Kind::Object {
            objects += 1;
            if objects > limits.subschemas {
                return limit(LimitName::Subschemas, limits.subschemas, view);
            }
        }
        let children = view.members().map(|(_, value)| value).chain(view.items());
        for value in children {
            let name = value.name().map_or("", |name| name.string());
            let is_reference = matches!(name, "$ref" | "$dynamicRef" | "$recursiveRef");
            if is_reference && value.kind() == Kind::String && !is_same_document_ref(value.string())
            {
                return Err(denied(value));
            }
            let deeper = depth + usize::from(value.kind() == Kind::Object);
            if deeper > limits.depth {
                return limit(LimitName::Depth, limits.depth, value);
            }
            waiting.push((value, deeper));
        }
    }
    Ok(())
}

fn place(view: View<'_>) -> SchemaLocation {
    let span = view.span();
    SchemaLocation {
        pointer: view.document().pointer(view.id()),
        span: Some(span.start..span.end),
        ..SchemaLocation::default()
    }
}

/// The error for a reference to another document.
fn denied(reference: View<'_>) -> CompileError {
    let keyword = match reference.name().map_or("", |name| name.string()) {
        "$dynamicRef" => "$dynamicRef",
        "$recursiveRef" => "$recursiveRef",
        _ => "$ref",
    };
    let text = reference.string();
    let kind = CompileErrorKind::RefDenied {
        keyword,
        reference: text.chars().take(FOREIGN_TEXT).collect(),
        uri: text.split('#').next().unwrap_or_default().to_owned(),
    };
    CompileError::new(kind, place(reference))
}

/// The maximum number of characters of a reference that an error repeats.
const FOREIGN_TEXT: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    /// Each reason for which a schema must not reach a host's engine, at its bound where it has one.
    #[test]
    fn what_is_not_safe_to_compile_is_refused_with_its_reason() {
        let nested =
            |levels: usize| format!("{}{{}}{}", r#"{"not":"#.repeat(levels), "}".repeat(levels));
        let wide = |count: usize| format!(r#"{{"anyOf":[{}]}}"#, vec!["{}"; count - 1].join(","));
        for (schema, code) in [
            (nested(64), ""),
            (nested(65), "limit"),
            (wide(10_000), ""),
            (wide(10_001), "limit"),
            (
                r##"{"$ref":"#/$defs/a","$defs":{"a":{"$anchor":"b"},"c":{"$ref":"#b"}}}"##
                    .to_owned(),
                "",
            ),
            (r#"{"$ref":"https://a.test/"}"#.to_owned(), "ref-denied"),
            (
                r#"{"$dynamicRef":"https://a.test/#a"}"#.to_owned(),
                "ref-denied",
            ),
            (r#"{"$ref":"b.json"}"#.to_owned(), "ref-denied"),
            (r##"{"$ref":"#/$defs/a"}"##.to_owned(), "unresolved-ref"),
            (r##"{"$ref":"#"}"##.to_owned(), "cyclic-ref"),
            (
                r#"{"$schema":"https://a.test/"}"#.to_owned(),
                "unsupported-dialect",
            ),
            (r#"{"type":"text"}"#.to_owned(), "invalid-schema"),
            (r#"{"pattern":"("}"#.to_owned(), "pattern"),
            (r#"{"#.to_owned(), "json"),
        ] {
            let shown: String = schema.chars().take(80).collect();
            let limits = Limits::default();
            let found = assert_schema_safe_to_compile(schema.as_bytes(), &limits).err();
            assert_eq!(
                found.as_ref().map_or("", CompileError::code),
                code,
                "{shown}"
            );
            let compiled = Compiler::new().assert_safe(schema.as_bytes()).err();
            assert_eq!(compiled, found, "{shown}");
            if let Ok(document) = OwnedDocument::read(schema.as_str(), &ReadLimits::default()) {
                let root = document.document().root();
                assert_eq!(
                    assert_view_safe_to_compile(root, &limits).err(),
                    found,
                    "{shown}"
                );
            }
        }
        let mut few = Limits::default();
        few.model.depth = 1;
        let error = assert_schema_safe_to_compile(nested(2).as_bytes(), &few).unwrap_err();
        assert_eq!(error.limit().map(|limit| limit.allowed), Some(1));
    }

    #[test]
    fn only_a_fragment_stays_in_its_document() {
        for own in ["", "#", "#a", "#/$defs/a", "#%41", "#https://a.test/"] {
            assert!(is_same_document_ref(own), "{own}");
        }
        for other in [
            "a",
            "a#",
            "/a",
            "//a.test",
            "?",
            "?a#b",
            "https://a.test/",
            "file:///a",
            "data:,{}",
            "urn:a",
            "%23a",
            " #a",
            ".",
        ] {
            assert!(!is_same_document_ref(other), "{other}");
        }
    }
}
