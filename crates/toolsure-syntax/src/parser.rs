//! The parser: applies the options and turns bytes into a model.

use std::collections::HashMap;
use std::sync::Arc;

use toolsure_json::{KeyView, Kind, Node as _, OwnedDocument, ReadErrorKind, ReadLimits, View};
use toolsure_pattern::Pattern;

use crate::build::{Again, ModelBuilder};
use crate::dialect::{Dialect, DialectRules, Vocabulary, metaschema};
use crate::error::{CompileError, CompileErrorKind, SchemaLocation};
use crate::limits::{Limit, LimitName, Limits};
use crate::model::Model;
use crate::options::Options;
use crate::part::{NeededPart, SCHEMA};
use crate::reference::Resources;
use crate::resolve::resolve;

/// Reads schemas into models, under one set of [`Options`].
///
/// Cheap to clone: clones share their options and documents until one is changed.
///
/// # Example
///
/// ```
/// use toolsure_syntax::{Dialect, Keyword, Options, Parser};
///
/// let mut options = Options::default();
/// options.default_dialect = Some(Dialect::Draft7);
/// let model = Parser::new(options).parse(br#"{"items": [{"type": "string"}]}"#)?;
/// let root = model.sub(model.root)?;
/// assert_eq!(root.rules.dialect, Dialect::Draft7);
/// assert!(model.entry(root, Keyword::Items)?.is_some());
/// # Ok::<(), toolsure_syntax::CompileError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Parser(Arc<Inner>);

#[derive(Debug, Clone, Default)]
struct Inner {
    options: Options,
    documents: HashMap<String, OwnedDocument>,
}

impl Parser {
    /// A parser with these options and no registered documents.
    ///
    /// ```
    /// use toolsure_syntax::{Options, Parser};
    ///
    /// let mut options = Options::default();
    /// options.limits.depth = 2;
    /// let error = Parser::new(options)
    ///     .parse(br#"{"not": {"not": {"not": {}}}}"#)
    ///     .unwrap_err();
    /// assert_eq!(error.code(), "limit");
    /// ```
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self(Arc::new(Inner {
            options,
            documents: HashMap::new(),
        }))
    }

    /// The options of this parser.
    ///
    /// ```
    /// let parser = toolsure_syntax::Parser::default();
    /// assert_eq!(parser.options().limits.depth, 64);
    /// ```
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// The options, for changing them. Registered documents stay.
    ///
    /// ```
    /// use toolsure_syntax::{Formats, Parser};
    ///
    /// let mut parser = Parser::default();
    /// parser.options_mut().formats = Formats::Assert;
    /// assert_eq!(parser.options().formats, Formats::Assert);
    /// ```
    pub fn options_mut(&mut self) -> &mut Options {
        &mut Arc::make_mut(&mut self.0).options
    }

    /// Registers a document that references may lead to. `uri` is its absolute URI; a fragment is
    /// ignored. A later document with the same URI replaces it.
    ///
    /// ```
    /// use toolsure_syntax::Parser;
    ///
    /// let mut parser = Parser::default();
    /// let schema = br#"{"$ref": "https://example.com/name"}"#;
    /// assert_eq!(parser.parse(schema).unwrap_err().code(), "ref-denied");
    /// parser.register("https://example.com/name", br#"{"type": "string"}"#)?;
    /// assert_eq!(parser.parse(schema)?.docs.len(), 2);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The document is not JSON (`json`), or there are already
    /// [`Limits::registrations`] others (`limit`). Whether it is a valid schema
    /// is checked when a reference leads to it.
    pub fn register(&mut self, uri: &str, document: &[u8]) -> Result<(), CompileError> {
        let uri = uri.split('#').next().unwrap_or(uri);
        let place = || SchemaLocation {
            document: uri.to_owned(),
            ..SchemaLocation::default()
        };
        let allowed = self.0.options.limits.registrations;
        if self.0.documents.len() >= allowed && !self.0.documents.contains_key(uri) {
            return Err(CompileError::limit_reached(
                LimitName::Registrations,
                allowed,
                place(),
            ));
        }
        let document = read(document, &self.0.options.limits, place())?;
        Arc::make_mut(&mut self.0)
            .documents
            .insert(uri.to_owned(), document);
        Ok(())
    }

    /// The URIs of the registered documents, in no particular order.
    ///
    /// ```
    /// let mut parser = toolsure_syntax::Parser::default();
    /// parser.register("https://example.com/a#", b"true")?;
    /// assert_eq!(parser.registered().collect::<Vec<_>>(), ["https://example.com/a"]);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    pub fn registered(&self) -> impl Iterator<Item = &str> {
        self.0.documents.keys().map(String::as_str)
    }

    /// Reads the text of a schema as a document, without looking at its keywords.
    ///
    /// ```
    /// let parser = toolsure_syntax::Parser::default();
    /// assert!(parser.read(br#"{"type": "unheard-of"}"#).is_ok());
    /// assert_eq!(parser.read(br#"{"type":"#).unwrap_err().code(), "json");
    /// ```
    ///
    /// # Errors
    ///
    /// The text is not JSON (`json`), or larger than the limits allow (`limit`).
    pub fn read(&self, schema: &[u8]) -> Result<OwnedDocument, CompileError> {
        read(schema, &self.0.options.limits, SchemaLocation::default())
    }

    /// Reads the text of a schema that was parsed before, for [`parse_part`](Self::parse_part), without what that
    /// does not decode; definitions are kept if the schema has references. If a reference leads to something left
    /// out, `parse_part` fails or warns.
    ///
    /// `None` if the text cannot be read.
    #[must_use]
    pub fn read_part(&self, schema: &str, part: &NeededPart) -> Option<OwnedDocument> {
        let limits = ReadLimits::from(&self.0.options.limits);
        let wants = |around, key: Option<KeyView<'_>>, kind| part.wants(around, key, kind);
        OwnedDocument::read_part(schema, &limits, SCHEMA, wants).ok()
    }

    /// Builds the model of a schema given as JSON text.
    ///
    /// ```
    /// let error = toolsure_syntax::Parser::default()
    ///     .parse(br#"{"type": "strng"}"#)
    ///     .unwrap_err();
    /// assert_eq!(error.code(), "invalid-schema");
    /// assert_eq!(error.pointer(), "/type");
    /// assert_eq!(error.span(), Some(9..16));
    /// assert_eq!(error.help().as_deref(), Some("did you mean `string`?"));
    /// ```
    ///
    /// # Errors
    ///
    /// [`CompileError`] says why the schema is refused.
    pub fn parse(&self, schema: &[u8]) -> Result<Model, CompileError> {
        self.parse_document(self.read(schema)?)
    }

    /// Builds the model of a schema that has already been read.
    ///
    /// ```
    /// let parser = toolsure_syntax::Parser::default();
    /// let document = parser.read(br#"{"title": "anything"}"#)?;
    /// assert_eq!(parser.parse_document(document)?.entries.len(), 1);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CompileError`] says why the schema is refused.
    pub fn parse_document(&self, schema: OwnedDocument) -> Result<Model, CompileError> {
        self.build(schema, true, None)
    }

    /// As [`parse_document`](Self::parse_document), but without the keywords that assert nothing
    /// (`title`, `default`, unknown ones): smaller, for a caller that needs only what can fail.
    ///
    /// ```
    /// let parser = toolsure_syntax::Parser::default();
    /// let document = parser.read(br#"{"title": "a number", "minimum": 3}"#)?;
    /// assert_eq!(parser.parse_assertions(document)?.entries.len(), 1);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CompileError`] says why the schema is refused.
    pub fn parse_assertions(&self, schema: OwnedDocument) -> Result<Model, CompileError> {
        self.build(schema, false, None)
    }

    /// As [`parse_document`](Self::parse_document), or without `annotations` as
    /// [`parse_assertions`](Self::parse_assertions), for a schema that was parsed before: `patterns` are
    /// those of the earlier model, which are not compiled again.
    ///
    /// ```
    /// let parser = toolsure_syntax::Parser::default();
    /// let document = parser.read(br#"{"pattern": "^a"}"#)?;
    /// let first = parser.parse_assertions(document.clone())?;
    /// let again = parser.parse_again(document, true, &first.patterns)?;
    /// assert!(std::sync::Arc::ptr_eq(&first.patterns[0], &again.patterns[0]));
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CompileError`] says why the schema is refused.
    pub fn parse_again(
        &self,
        schema: OwnedDocument,
        annotations: bool,
        patterns: &[Arc<Pattern>],
    ) -> Result<Model, CompileError> {
        let again = Again {
            patterns,
            part: None,
        };
        self.build(schema, annotations, Some(again))
    }

    /// As [`parse_again`](Self::parse_again) without annotations, but only a [`NeededPart`] of the schema:
    /// the rest is [not decoded](crate::model::Shape::UNDECODED). The schema must be one resource
    /// without anchors, of which nothing was left out.
    ///
    /// # Errors
    ///
    /// [`CompileError`] says why the schema is refused.
    pub fn parse_part(
        &self,
        schema: OwnedDocument,
        patterns: &[Arc<Pattern>],
        part: &NeededPart,
    ) -> Result<Model, CompileError> {
        let part = Some(part);
        self.build(schema, false, Some(Again { patterns, part }))
    }

    /// The resources of a schema that may be invalid, with the dialects and the base URI that
    /// [`parse`](Self::parse) would use. `#` in its references is `root`, which may be a part of a
    /// document.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    ///
    /// let text = r#"{"type": 5, "items": {"not": true}}"#;
    /// let document = OwnedDocument::read(text, &ReadLimits::default())?;
    /// let resources = toolsure_syntax::Parser::default().resources(document.document().root());
    /// assert_eq!(resources.count(), 3);
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn resources<'a>(&self, root: View<'a>) -> Resources<'a> {
        let options = &self.0.options;
        let base = options.base_uri.as_deref().unwrap_or("");
        let default = options.default_dialect.unwrap_or_default();
        Resources::new(root, base, default, options.dialect)
    }

    fn build(
        &self,
        schema: OwnedDocument,
        annotations: bool,
        again: Option<Again<'_>>,
    ) -> Result<Model, CompileError> {
        let options = &self.0.options;
        let metaschemas = |uri: &str| self.custom_rules(uri, 0);
        let mut builder = ModelBuilder::new(options, annotations, again, &metaschemas);
        let dialect = options.dialect.or(options.default_dialect);
        let rules = DialectRules::all(dialect.unwrap_or_default());
        let root = builder.add_document("", schema, rules)?;
        resolve(builder, root, &|uri| self.find(uri))
    }

    /// Finds a known document: a registered one, or a bundled metaschema.
    fn find(&self, uri: &str) -> Option<Result<OwnedDocument, CompileError>> {
        if let Some(document) = self.0.documents.get(uri) {
            return Some(Ok(document.clone()));
        }
        let text = metaschema(uri)?;
        let place = SchemaLocation {
            document: uri.to_owned(),
            ..SchemaLocation::default()
        };
        Some(read(text.as_bytes(), &Limits::default(), place))
    }

    /// The rules that a registered metaschema sets by its `$vocabulary`
    /// (2020-12, core §8.1.2), or why they cannot be followed.
    fn custom_rules(&self, uri: &str, depth: usize) -> Option<Result<DialectRules, String>> {
        let document = self.0.documents.get(uri.split('#').next().unwrap_or(uri))?;
        let root = document.document().root();
        let declared = root.member("$schema").map_or("", |uri| uri.string());
        let base = match Dialect::from_uri(declared) {
            Some(dialect) => DialectRules::all(dialect),
            None if depth < METASCHEMA_CHAIN => match self.custom_rules(declared, depth + 1) {
                Some(Ok(rules)) => rules,
                Some(error) => return Some(error),
                None => DialectRules::DEFAULT,
            },
            None => return Some(Err("its chain of metaschemas is too long".to_owned())),
        };
        let Some(vocabulary) = root.member("$vocabulary") else {
            return Some(Ok(base));
        };
        if vocabulary.kind() != Kind::Object {
            return Some(Err("its `$vocabulary` is not an object".to_owned()));
        }
        let mut rules = DialectRules::core(base.dialect);
        for (name, required) in vocabulary.members() {
            let name = toolsure_json::Key::text(name);
            match Vocabulary::from_uri(name) {
                Some(known) => rules = rules.with(known),
                None if required.boolean() => {
                    let name = toolsure_json::quote(name, 200);
                    return Some(Err(format!("it requires the unknown vocabulary `{name}`")));
                }
                None => {}
            }
        }
        Some(Ok(rules))
    }
}

/// Reads a schema document.
fn read(
    text: &[u8],
    limits: &Limits,
    place: SchemaLocation,
) -> Result<OwnedDocument, CompileError> {
    OwnedDocument::read(text, &ReadLimits::from(limits)).map_err(|error| {
        let kind = match (error.kind(), error.limit()) {
            (ReadErrorKind::Internal, _) => CompileErrorKind::Internal,
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
            SchemaLocation {
                span: Some(at..at),
                ..place
            },
        )
    })
}

/// How many custom metaschemas may describe each other in a row.
const METASCHEMA_CHAIN: usize = 8;
