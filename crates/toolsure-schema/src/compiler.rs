//! The compiler and its options.

use std::sync::{Arc, LazyLock};

use toolsure_syntax::{CompileError, Content, Dialect, Formats, Options, Parser, Strictness};

use crate::limits::Limits;

/// Compiles schemas with one set of options.
///
/// Cheap to clone: clones share their options until one is changed.
///
/// # Example
///
/// ```
/// use toolsure_schema::{Compiler, Formats};
///
/// let compiler = Compiler::new().formats(Formats::Assert);
/// assert!(compiler.compile(br#"{"type": "string", "format": "date"}"#).is_ok());
///
/// let error = compiler.compile(br#"{"type": "strng"}"#).unwrap_err();
/// assert_eq!(error.code(), "invalid-schema");
/// assert_eq!(error.pointer(), "/type");
/// assert_eq!(error.help().as_deref(), Some("did you mean `string`?"));
/// ```
#[derive(Debug, Clone)]
pub struct Compiler(Arc<Settings>);

/// The options of every compiler until one is set.
static DEFAULT: LazyLock<Compiler> = LazyLock::new(|| Compiler(Arc::default()));

impl Default for Compiler {
    fn default() -> Self {
        DEFAULT.clone()
    }
}

/// The options that were set.
#[derive(Debug, Clone, Default)]
struct Settings {
    limits: Limits,
    parser: Parser,
}

impl Compiler {
    /// A compiler with the default limits, `format` as an annotation, and strict checking.
    ///
    /// ```
    /// use toolsure_schema::Compiler;
    ///
    /// // A format is an annotation, and a value that its dialect forbids is refused.
    /// assert!(Compiler::new().compile(br#"{"format": "made-up"}"#).is_ok());
    /// assert!(Compiler::new().compile(br#"{"minLength": "3"}"#).is_err());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits of compilation and of each check.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Limits};
    ///
    /// let compiler = Compiler::new().limits(Limits { plan_nodes: 1, ..Limits::default() });
    /// assert!(compiler.compile(br#"{"items": {"minLength": 1}}"#).is_err());
    /// ```
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options().limits = limits.model.clone();
        self.settings().limits = limits;
        self
    }

    /// Sets whether `format` asserts.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Formats, Verdict, Workspace};
    ///
    /// let schema = Compiler::new().formats(Formats::Assert).compile(br#"{"format": "date"}"#)?;
    /// assert_eq!(schema.check(&mut Workspace::new(), r#""2026-02-30""#)?, Verdict::Invalid);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn formats(mut self, formats: Formats) -> Self {
        self.options().formats = formats;
        self
    }

    /// Sets whether `contentEncoding` and `contentMediaType` assert.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Content, Dialect, Verdict, Workspace};
    ///
    /// let compiler = Compiler::new().dialect(Dialect::Draft7).content(Content::Assert);
    /// let schema = compiler.compile(br#"{"contentMediaType": "application/json"}"#)?;
    /// assert_eq!(schema.check(&mut Workspace::new(), r#""{""#)?, Verdict::Invalid);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn content(mut self, content: Content) -> Self {
        self.options().content = content;
        self
    }

    /// Sets what happens to keywords that their dialect forbids.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Strictness};
    ///
    /// let schema = br#"{"type": "strng", "minLength": 1}"#;
    /// assert!(Compiler::new().compile(schema).is_err());
    /// let lenient = Compiler::new().strictness(Strictness::Lenient).compile(schema)?;
    /// assert_eq!(lenient.warnings().len(), 1);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn strictness(mut self, strictness: Strictness) -> Self {
        self.options().strictness = strictness;
        self
    }

    /// Sets the dialect of every schema, regardless of its `$schema`.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Dialect, Verdict, Workspace};
    ///
    /// // `const` is a keyword since draft 6.
    /// let schema = Compiler::new().dialect(Dialect::Draft4).compile(br#"{"const": 1}"#)?;
    /// assert_eq!(schema.check(&mut Workspace::new(), "2")?, Verdict::Valid);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.options().dialect = Some(dialect);
        self
    }

    /// Undoes [`dialect`](Self::dialect): each schema has the dialect it declares.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Dialect};
    ///
    /// let compiler = Compiler::new().dialect(Dialect::Draft4).declared_dialect();
    /// let tuple = br#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "items": [{}]}"#;
    /// assert!(compiler.compile(tuple).is_err()); // draft 4 allows it
    /// ```
    #[must_use]
    pub fn declared_dialect(mut self) -> Self {
        self.options().dialect = None;
        self
    }

    /// Sets the dialect of schemas that declare none (2020-12 unless set).
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Dialect};
    ///
    /// let compiler = Compiler::new().default_dialect(Dialect::Draft4);
    /// let tuple = br#"{"items": [{}]}"#;
    /// assert!(compiler.compile(tuple).is_ok());
    /// assert!(Compiler::new().compile(tuple).is_err()); // 2020-12 has `prefixItems`
    /// ```
    #[must_use]
    pub fn default_dialect(mut self, dialect: Dialect) -> Self {
        self.options().default_dialect = Some(dialect);
        self
    }

    /// Sets the absolute URI of every schema, against which its relative references are resolved
    /// unless it has an `$id` (none by default). Registered documents have their own.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Workspace};
    ///
    /// let schemas = Compiler::new().register("file:///schemas/name.json", br#"{"type": "string"}"#)?;
    /// let schemas = schemas.base_uri("file:///schemas/user.json");
    /// let schema = schemas.compile(br#"{"properties": {"name": {"$ref": "name.json"}}}"#)?;
    /// let verdict = schema.check(&mut Workspace::new(), br#"{"name": 1}"#.as_slice());
    /// assert!(verdict.is_ok_and(|verdict| !verdict.is_valid()));
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn base_uri(mut self, uri: &str) -> Self {
        self.options().base_uri = Some(uri.to_owned());
        self
    }

    /// Registers a document that references may lead to. `uri` is its absolute URI; a fragment is
    /// ignored. A later document with the same URI replaces it.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Verdict, Workspace};
    ///
    /// let compiler = Compiler::new().register("https://example.com/id", br#"{"minimum": 1}"#)?;
    /// let schema = compiler.compile(br#"{"$ref": "https://example.com/id"}"#)?;
    /// assert_eq!(schema.check(&mut Workspace::new(), "0")?, Verdict::Invalid);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The document is not JSON, or there are too many. Whether it is a valid schema is only
    /// checked when a reference leads to it.
    pub fn register(mut self, uri: &str, document: &[u8]) -> Result<Self, CompileError> {
        self.settings().parser.register(uri, document)?;
        Ok(self)
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.0)
    }

    fn options(&mut self) -> &mut Options {
        self.settings().parser.options_mut()
    }

    /// The limits of this compiler.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Limits};
    ///
    /// assert_eq!(Compiler::new().bounds().fuel, Limits::default().fuel);
    /// ```
    #[must_use]
    pub fn bounds(&self) -> &Limits {
        &self.0.limits
    }

    /// The URIs of the registered documents, in no particular order.
    ///
    /// ```
    /// use toolsure_schema::Compiler;
    ///
    /// let compiler = Compiler::new().register("https://example.com/id#", b"true")?;
    /// assert_eq!(compiler.registered().collect::<Vec<_>>(), ["https://example.com/id"]);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    pub fn registered(&self) -> impl Iterator<Item = &str> {
        self.0.parser.registered()
    }

    /// The parser that reads schemas for this compiler.
    ///
    /// ```
    /// use toolsure_schema::{Compiler, Formats};
    ///
    /// let compiler = Compiler::new().formats(Formats::Assert);
    /// assert_eq!(compiler.parser().options().formats, Formats::Assert);
    /// ```
    #[must_use]
    pub fn parser(&self) -> &Parser {
        &self.0.parser
    }
}
