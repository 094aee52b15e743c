//! The typed model of a schema: every subschema with its keywords decoded and its
//! references resolved.
//!
//! A [`Parser`](crate::Parser) builds it. Compilers and analyses read it: tables of documents,
//! resources, subschemas and keywords, and typed indexes into them.

mod entry;
mod id;
mod reach;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use toolsure_json::{NodeId, OwnedDocument, View};
use toolsure_pattern::Pattern;

pub use entry::{ContentUse, Dependency, Entry, Form, FormatUse};
pub use id::{DocumentId, PatternId, ReferenceId, ResourceId, ScopeName, SubschemaId};
pub use types::TypeSet;

use crate::dialect::{DialectRules, Keyword};
use crate::error::{CompileError, CompileErrorKind, SchemaLocation};
use crate::options::Warning;
use toolsure_json::int::to_usize;

/// A whole schema, resolved, and the documents that its references lead to.
///
/// ```
/// use toolsure_syntax::model::Form;
/// use toolsure_syntax::{Keyword, Parser};
///
/// let model = Parser::default().parse(br#"{"properties": {"a": {"minLength": 2}}}"#)?;
/// let root = model.sub(model.root)?;
/// let Some(Form::Map(properties)) = model.entry(root, Keyword::Properties)?.map(|e| &e.form) else {
///     panic!("`properties` is a map of subschemas");
/// };
/// let (name, id) = properties[0];
/// assert_eq!(model.view(root.doc, name).map(|name| name.raw()), Some("\"a\""));
/// let [entry] = model.entries(model.sub(id)?)? else { panic!("one keyword") };
/// assert!(matches!((entry.keyword, &entry.form), (Keyword::MinLength, Form::Count(2))));
/// # Ok::<(), toolsure_syntax::CompileError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Model {
    /// The documents, by [`DocumentId`]: the schema itself, then those that its references lead to.
    pub docs: Vec<SchemaDocument>,
    /// The schema resources (core §4.3.5), by [`ResourceId`].
    pub resources: Vec<Resource>,
    /// The subschemas, by [`SubschemaId`]; those of a document are in breadth-first order.
    pub subs: Vec<Subschema>,
    /// The keywords of all subschemas; those of one subschema are consecutive.
    pub entries: Vec<Entry>,
    /// The distinct regular expressions, by [`PatternId`].
    pub patterns: Vec<Arc<Pattern>>,
    /// Where each reference leads, by [`ReferenceId`].
    pub targets: Vec<ReferenceTarget>,
    /// How many [`ScopeName`]s there are.
    pub scope_names: usize,
    /// Where evaluation begins.
    pub root: SubschemaId,
    /// What was left out: values that a dialect forbids (lenient parsing), and unresolved
    /// references that no evaluation can reach.
    pub warnings: Vec<Warning>,
}

/// One document: its text and the subschemas found in it.
#[derive(Debug)]
#[non_exhaustive]
pub struct SchemaDocument {
    /// The URI it was found under; empty for the schema itself.
    pub uri: String,
    /// Its source text and its values.
    pub text: OwnedDocument,
}

/// A schema resource.
#[derive(Debug)]
#[non_exhaustive]
pub struct Resource {
    /// Its base URI without fragment; empty if it has none.
    pub uri: String,
    /// Its root subschema.
    pub root: SubschemaId,
    /// Its anchors, each marked if it is dynamic.
    pub anchors: HashMap<String, Anchor>,
    /// `$recursiveAnchor: true` at its root (2019-09).
    pub recursive: bool,
    /// The names that it binds in the dynamic scope when it is entered.
    pub scope: Vec<(ScopeName, SubschemaId)>,
}

/// A named subschema.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Anchor {
    /// The subschema.
    pub sub: SubschemaId,
    /// Whether `$dynamicAnchor` names it.
    pub dynamic: bool,
}

/// One subschema.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Subschema {
    /// The document that it is in.
    pub doc: DocumentId,
    /// Its value in that document.
    pub node: NodeId,
    /// The schema resource that it belongs to.
    pub resource: ResourceId,
    /// The dialect rules that it follows.
    pub rules: DialectRules,
    /// Its contents.
    pub shape: Shape,
}

/// The contents of a subschema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every user of a model must decide what a new shape means to it"
)]
pub enum Shape {
    /// A boolean schema.
    Always(bool),
    /// A range of [`Model::entries`].
    Entries {
        /// Index of the first.
        start: u32,
        /// Index after the last.
        end: u32,
    },
}

/// Where a reference leads.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every user of a model must decide what a new target means to it"
)]
pub enum ReferenceTarget {
    /// Always to the same subschema.
    Static(SubschemaId),
    /// To the outermost resource of the dynamic scope that binds the name.
    Dynamic {
        /// The target if nothing binds the name.
        initial: SubschemaId,
        /// The name that is looked up.
        name: ScopeName,
    },
}

impl Shape {
    /// The shape of a subschema that is not decoded, which only a
    /// [partial](crate::Parser::parse_part) model has. Its range is invalid, so that it cannot be
    /// mistaken for a schema that accepts or rejects.
    pub const UNDECODED: Self = Self::Entries {
        start: u32::MAX,
        end: u32::MAX,
    };
}

impl ReferenceTarget {
    /// The target if nothing in the dynamic scope binds the name.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default()
    ///     .parse(br##"{"$ref": "#/$defs/a", "$defs": {"a": true}}"##)?;
    /// let target = model.sub(model.targets[0].initial())?;
    /// assert_eq!(model.pointer(target)?, "/$defs/a");
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    #[must_use]
    pub fn initial(self) -> SubschemaId {
        match self {
            Self::Static(sub) | Self::Dynamic { initial: sub, .. } => sub,
        }
    }
}

/// An id or an index that does not exist in the model it is used with: it belongs to another model,
/// or the model's tables were changed.
///
/// Nothing can be said about the schema then, neither that it accepts nor that it rejects. A
/// compiler reports [`CompileErrorKind::Internal`].
///
/// ```
/// use toolsure_syntax::model::{Dangling, SubschemaId};
/// use toolsure_syntax::{CompileError, Parser};
///
/// let model = Parser::default().parse(b"true")?;
/// let foreign = model.sub(SubschemaId::new(7));
/// assert_eq!(foreign.err(), Some(Dangling));
/// assert_eq!(CompileError::from(Dangling).code(), "internal");
/// # Ok::<(), CompileError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "that an id leads nowhere is all there is to say"
)]
pub struct Dangling;

impl std::fmt::Display for Dangling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an id leads nowhere in its model")
    }
}

impl std::error::Error for Dangling {}

impl From<Dangling> for CompileError {
    fn from(Dangling: Dangling) -> Self {
        Self::new(CompileErrorKind::Internal, SchemaLocation::default())
    }
}

impl Model {
    /// The subschema with that id.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br#"{"minimum": 1}"#)?;
    /// assert_eq!(model.sub(model.root)?.rules.dialect, toolsure_syntax::Dialect::Draft202012);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The id belongs to another model.
    #[inline]
    pub fn sub(&self, id: SubschemaId) -> Result<Subschema, Dangling> {
        self.subs.get(id.index()).copied().ok_or(Dangling)
    }

    /// The keywords of a subschema, in source order.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br#"{"minimum": 1}"#)?;
    /// assert_eq!(model.entries(model.sub(model.root)?)?.len(), 1);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The subschema belongs to another model.
    pub fn entries(&self, sub: Subschema) -> Result<&[Entry], Dangling> {
        match sub.shape {
            Shape::Always(_) => Ok(&[]),
            Shape::Entries { start, end } => {
                let own = self.entries.get(to_usize(start)..to_usize(end));
                own.ok_or(Dangling)
            }
        }
    }

    /// One keyword of a subschema, if it has it.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br#"{"minimum": 1}"#)?;
    /// let minimum = model.entry(model.sub(model.root)?, toolsure_syntax::Keyword::Minimum)?;
    /// assert!(minimum.is_some());
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The subschema belongs to another model.
    pub fn entry(&self, sub: Subschema, keyword: Keyword) -> Result<Option<&Entry>, Dangling> {
        Ok(Entry::find(self.entries(sub)?, keyword))
    }

    /// Where a reference leads.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br##"{"items": {"$ref": "#"}}"##)?;
    /// let items = model.subs[1];
    /// let reference = model.entries(items)?[0].reference().unwrap();
    /// assert_eq!(model.target(reference)?.initial(), model.root);
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The reference belongs to another model.
    pub fn target(&self, id: ReferenceId) -> Result<ReferenceTarget, Dangling> {
        self.targets.get(id.index()).copied().ok_or(Dangling)
    }

    /// Turns a reference into an annotation. Returns whether the subschema had it.
    pub(crate) fn drop_reference(&mut self, sub: SubschemaId, reference: ReferenceId) -> bool {
        let shape = self.subs.get(sub.index()).map(|sub| sub.shape);
        let Some(Shape::Entries { start, end }) = shape else {
            return false;
        };
        let own = self.entries.get_mut(to_usize(start)..to_usize(end));
        let mut own = own.into_iter().flatten();
        let entry = own.find(|entry| matches!(entry.form, Form::Reference(id) if id == reference));
        match entry {
            Some(entry) => {
                entry.form = Form::Annotation;
                true
            }
            None => false,
        }
    }

    /// A value in one of the documents; `None` if the id belongs to another model.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br#"{"minimum": 1}"#)?;
    /// let root = model.sub(model.root)?;
    /// let value = model.entries(root)?[0].value;
    /// assert_eq!(model.view(root.doc, value).map(|value| value.raw()), Some("1"));
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    #[must_use]
    pub fn view(&self, doc: DocumentId, node: NodeId) -> Option<View<'_>> {
        self.docs.get(doc.index())?.text.document().get(node)
    }

    /// The location of a subschema, as a JSON pointer (RFC 6901) into its document.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br#"{"anyOf": [true]}"#)?;
    /// assert_eq!(model.pointer(model.subs[1])?, "/anyOf/0");
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The subschema belongs to another model.
    pub fn pointer(&self, sub: Subschema) -> Result<String, Dangling> {
        let document = self.docs.get(sub.doc.index()).ok_or(Dangling)?;
        Ok(document.text.document().pointer(sub.node))
    }

    /// The location of a subschema, for an error; empty if the id belongs to another model.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br#"{"not": {}}"#)?;
    /// let inner = toolsure_syntax::model::SubschemaId::new(1);
    /// assert_eq!(model.location(inner).pointer, "/not");
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    #[must_use]
    pub fn location(&self, id: SubschemaId) -> SchemaLocation {
        match self.sub(id) {
            Ok(sub) => self.place(sub.doc, sub.node),
            Err(Dangling) => SchemaLocation::default(),
        }
    }

    /// A location in a document, for an error.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default().parse(br#"{"minimum": 1}"#)?;
    /// let root = model.sub(model.root)?;
    /// let place = model.place(root.doc, model.entries(root)?[0].value);
    /// assert_eq!((place.pointer.as_str(), place.span), ("/minimum", Some(12..13)));
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    #[must_use]
    pub fn place(&self, doc: DocumentId, node: NodeId) -> SchemaLocation {
        place(&self.docs, doc, node)
    }

    /// Every subschema that `sub` applies to the instance itself ("in place"). A dynamic reference
    /// counts as its target if nothing is bound.
    ///
    /// ```
    /// let model = toolsure_syntax::Parser::default()
    ///     .parse(br##"{"allOf": [{"$ref": "#/$defs/a"}], "items": {}, "$defs": {"a": {}}}"##)?;
    /// assert_eq!(model.in_place(model.sub(model.root)?)?.len(), 1); // `allOf`, not `items`
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The subschema belongs to another model.
    pub fn in_place(&self, sub: Subschema) -> Result<Vec<SubschemaId>, Dangling> {
        let mut found = Vec::new();
        self.each_in_place(sub, true, |one| found.push(one))?;
        Ok(found)
    }

    /// Calls `meet` for each subschema that `sub` applies to the instance itself; with `dynamic`
    /// also for the targets of dynamic references.
    pub(crate) fn each_in_place(
        &self,
        sub: Subschema,
        dynamic: bool,
        mut meet: impl FnMut(SubschemaId),
    ) -> Result<(), Dangling> {
        let entries = self.entries(sub)?;
        for entry in entries {
            let in_place = match entry.keyword {
                // Without `if` they are never evaluated (2020-12 core §10.2.2).
                Keyword::Then | Keyword::Else if Entry::find(entries, Keyword::If).is_none() => {
                    false
                }
                keyword => keyword.is_in_place(),
            };
            let left_out = match &entry.form {
                Form::Reference(id) => {
                    !dynamic && matches!(self.target(*id)?, ReferenceTarget::Dynamic { .. })
                }
                _ => false,
            };
            if in_place && !left_out {
                self.each_applied(entry, &mut meet)?;
            }
        }
        Ok(())
    }
}

/// A location in a document, for an error.
pub(crate) fn place(docs: &[SchemaDocument], doc: DocumentId, node: NodeId) -> SchemaLocation {
    let Some(doc) = docs.get(doc.index()) else {
        return SchemaLocation::default();
    };
    let document = doc.text.document();
    SchemaLocation {
        pointer: document.pointer(node),
        span: document
            .get(node)
            .map(|view| view.span().start..view.span().end),
        document: doc.uri.clone(),
    }
}
