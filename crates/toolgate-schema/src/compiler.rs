//! The compiler: what the operator sets, and the way from bytes to a schema.

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_json::{Kind, Node as _, OwnedDocument, ReadErrorKind};

use crate::admit::{Admission, Terms};
use crate::dialect::{Dialect, Rules, Vocabulary, metaschemas};
use crate::error::{CompileError, CompileErrorKind, Place};
use crate::limits::{Limit, LimitName, Limits, schema_read_limits};
use crate::options::{Content, Formats, Strictness, Warning};
use crate::outline::Outline;
use crate::resolve::resolve;

/// Compiles schemas under one set of options.
///
/// Cheap to clone: clones share their options until one is changed.
///
/// # Example
///
/// ```
/// use toolgate_schema::{Compiler, Formats};
///
/// let compiler = Compiler::new().formats(Formats::Assert);
/// assert!(compiler.compile(br#"{"type": "string", "format": "date"}"#).is_ok());
///
/// let error = compiler.compile(br#"{"type": "strng"}"#).unwrap_err();
/// assert_eq!(error.code(), "invalid-schema");
/// assert_eq!(error.pointer(), "/type");
/// assert_eq!(error.help().as_deref(), Some("did you mean `string`?"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Compiler(Arc<Options>);

/// What the operator set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Options {
    pub(crate) limits: Limits,
    pub(crate) formats: Formats,
    pub(crate) content: Content,
    pub(crate) strictness: Strictness,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) default_dialect: Option<Dialect>,
    documents: HashMap<String, OwnedDocument>,
}

impl Compiler {
    /// A compiler with the default limits, formats as annotations, strict.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the bounds of compilation and of each check.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options().limits = limits;
        self
    }

    /// Sets what `format` does.
    #[must_use]
    pub fn formats(mut self, formats: Formats) -> Self {
        self.options().formats = formats;
        self
    }

    /// Sets what `contentEncoding` and `contentMediaType` do.
    #[must_use]
    pub fn content(mut self, content: Content) -> Self {
        self.options().content = content;
        self
    }

    /// Sets what happens to keywords that their dialect forbids.
    #[must_use]
    pub fn strictness(mut self, strictness: Strictness) -> Self {
        self.options().strictness = strictness;
        self
    }

    /// Sets the dialect of every schema, whatever its `$schema` says.
    #[must_use]
    pub fn dialect(mut self, dialect: Dialect) -> Self {
        self.options().dialect = Some(dialect);
        self
    }

    /// Takes [`dialect`](Self::dialect) back: the dialect is that which a schema declares.
    #[must_use]
    pub fn declared_dialect(mut self) -> Self {
        self.options().dialect = None;
        self
    }

    /// Sets the dialect of schemas that declare none (2020-12 unless set).
    #[must_use]
    pub fn default_dialect(mut self, dialect: Dialect) -> Self {
        self.options().default_dialect = Some(dialect);
        self
    }

    /// Hands in a document that references may lead to. `uri` is its absolute
    /// URI; a fragment is ignored. A later document of the same URI replaces it.
    ///
    /// # Errors
    ///
    /// The document is not JSON, or one too many. Whether it is a valid schema
    /// is found out when a reference leads to it.
    pub fn register(mut self, uri: &str, document: &[u8]) -> Result<Self, CompileError> {
        let uri = uri.split('#').next().unwrap_or(uri);
        let place = || Place {
            document: uri.to_owned(),
            ..Place::default()
        };
        let allowed = self.0.limits.registrations;
        if self.0.documents.len() >= allowed && !self.0.documents.contains_key(uri) {
            return Err(CompileError::limit_reached(
                LimitName::Registrations,
                allowed,
                place(),
            ));
        }
        let document = read(document, &self.0.limits, place())?;
        self.options().documents.insert(uri.to_owned(), document);
        Ok(self)
    }

    fn options(&mut self) -> &mut Options {
        Arc::make_mut(&mut self.0)
    }

    /// The bounds this compiler works under.
    #[must_use]
    pub fn bounds(&self) -> &Limits {
        &self.0.limits
    }

    /// The URIs of the registered documents, in no particular order.
    pub fn registered(&self) -> impl Iterator<Item = &str> {
        self.0.documents.keys().map(String::as_str)
    }

    /// What the operator set.
    pub(crate) fn set(&self) -> &Options {
        &self.0
    }

    /// Admits and resolves a schema; with keywords that assert nothing if
    /// `annotations` are wanted.
    pub(crate) fn outline(
        &self,
        text: OwnedDocument,
        annotations: bool,
    ) -> Result<(Outline, Vec<Warning>), CompileError> {
        let terms = Terms {
            limits: &self.0.limits,
            strictness: self.0.strictness,
            formats: self.0.formats,
            content: self.0.content,
            dialect: self.0.dialect,
            annotations,
        };
        let metaschemas = |uri: &str| self.custom_rules(uri, 0);
        let mut admission = Admission::new(terms, &metaschemas);
        let rules = Rules::all(
            self.0
                .dialect
                .or(self.0.default_dialect)
                .unwrap_or_default(),
        );
        let root = admission.admit_document("", text, rules)?;
        resolve(admission, root, &|uri| self.find(uri))
    }

    /// A document in hand: a registered one, or a bundled metaschema.
    fn find(&self, uri: &str) -> Option<Result<OwnedDocument, CompileError>> {
        if let Some(document) = self.0.documents.get(uri) {
            return Some(Ok(document.clone()));
        }
        let text = metaschemas::bundled(uri)?;
        let place = Place {
            document: uri.to_owned(),
            ..Place::default()
        };
        Some(read(text.as_bytes(), &Limits::default(), place))
    }

    /// The rules that a registered metaschema sets by its `$vocabulary`
    /// (2020-12, core §8.1.2), or why they cannot be followed.
    fn custom_rules(&self, uri: &str, depth: usize) -> Option<Result<Rules, String>> {
        let document = self.0.documents.get(uri.split('#').next().unwrap_or(uri))?;
        let root = document.document().root();
        let declared = root.member("$schema").map_or("", |uri| uri.string());
        let base = match Dialect::from_uri(declared) {
            Some(dialect) => Rules::all(dialect),
            None if depth < METASCHEMA_CHAIN => match self.custom_rules(declared, depth + 1) {
                Some(Ok(rules)) => rules,
                Some(error) => return Some(error),
                None => Rules::DEFAULT,
            },
            None => return Some(Err("its chain of metaschemas is too long".to_owned())),
        };
        let Some(vocabulary) = root.member("$vocabulary") else {
            return Some(Ok(base));
        };
        if vocabulary.kind() != Kind::Object {
            return Some(Err("its `$vocabulary` is not an object".to_owned()));
        }
        let mut rules = Rules::core(base.dialect);
        for (name, required) in vocabulary.members() {
            let name = toolgate_json::Key::text(name);
            match Vocabulary::from_uri(name) {
                Some(known) => rules = rules.with(known),
                None if required.boolean() => {
                    let name = toolgate_json::quote(name, 200);
                    return Some(Err(format!("it requires the unknown vocabulary `{name}`")));
                }
                None => {}
            }
        }
        Some(Ok(rules))
    }
}

/// Reads a schema document.
pub(crate) fn read(
    text: &[u8],
    limits: &Limits,
    place: Place,
) -> Result<OwnedDocument, CompileError> {
    OwnedDocument::read(text, &schema_read_limits(limits)).map_err(|error| {
        let kind = match (error.kind(), error.limit()) {
            (kind, Some((_, allowed))) => CompileErrorKind::Limit(Limit {
                name: match kind {
                    ReadErrorKind::TooDeep => LimitName::SchemaNesting,
                    ReadErrorKind::TooManyNodes => LimitName::SchemaNodes,
                    ReadErrorKind::TooManyDigits => LimitName::SchemaDigits,
                    _ => LimitName::SchemaBytes,
                },
                allowed,
            }),
            _ => CompileErrorKind::Json {
                message: error.to_string(),
                other: error.other(),
            },
        };
        let at = error.at();
        CompileError::new(
            kind,
            Place {
                span: Some(at..at),
                ..place
            },
        )
    })
}

/// How many custom metaschemas may describe each other in a row.
const METASCHEMA_CHAIN: usize = 8;
