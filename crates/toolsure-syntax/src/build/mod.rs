//! Builds the model of a schema: finds its subschemas and decodes their keywords.
//!
//! Walks schema positions only (never into `const`, `enum`, `default`, `examples` or unknown
//! keywords), iteratively, and decodes every keyword on the way: dialect, bounds, the shape of each
//! value. Reports what a metaschema would report, without running one.

mod children;
mod identify;
mod nodes;
mod reader;
mod value;

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};
use toolsure_json::{Key as _, Kind, Node as _, NodeId, OwnedDocument, View};
use toolsure_pattern::{Pattern, PatternErrorKind, PatternLimit};

use reader::Reader;

use crate::dialect::{Dialect, DialectRules, Keyword};
use crate::error::{CompileError, CompileErrorKind, SchemaLocation, describe};
use crate::limits::{Limit, LimitName};
use crate::model::{
    self, Dangling, DocumentId, Entry, Form, PatternId, ReferenceId, Resource, ResourceId,
    SchemaDocument, Shape, Subschema, SubschemaId,
};
use crate::options::{Options, Strictness, Warning};
use crate::part::NeededPart;
use crate::reference::hides_siblings;
use toolsure_json::int::{to_u32, to_usize};

/// Finds the rules of a custom metaschema by its URI, among registered documents.
pub(crate) type MetaschemaLookup<'t> = dyn Fn(&str) -> Option<Result<DialectRules, String>> + 't;

/// What is known of a schema that was parsed before, and what is wanted of it.
#[derive(Clone, Copy)]
pub(crate) struct Again<'t> {
    /// The patterns of an earlier model of the same schema.
    pub(crate) patterns: &'t [Arc<Pattern>],
    /// What to decode of it; `None` for all.
    pub(crate) part: Option<&'t NeededPart>,
}

/// A reference that has been read but not yet resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PendingReference {
    /// The subschema that holds it.
    pub(crate) sub: SubschemaId,
    pub(crate) keyword: Keyword,
    /// The node of its string.
    pub(crate) value: NodeId,
}

/// What lenient parsing left out of a subschema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeftOut {
    pub(crate) sub: SubschemaId,
    /// The keyword; `None` if the value is not a schema, so that everything in it is left out.
    pub(crate) keyword: Option<Keyword>,
}

/// A model under construction, with the queue of subschemas still to decode.
pub(crate) struct ModelBuilder<'t> {
    options: &'t Options,
    /// Whether keywords that assert nothing are kept.
    annotations: bool,
    pub(crate) metaschemas: &'t MetaschemaLookup<'t>,
    pub(crate) docs: Vec<SchemaDocument>,
    /// For each document, the subschema at each of its nodes; empty until a pointer needs it.
    positions: Vec<Vec<Option<SubschemaId>>>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) resource_of_uri: HashMap<String, ResourceId>,
    pub(crate) subs: Vec<Subschema>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) patterns: Vec<Arc<Pattern>>,
    pattern_of_text: HashMap<String, PatternId>,
    patterns_size: usize,
    pub(crate) again: Option<Again<'t>>,
    /// Which subschemas are not decoded until a reference leads to them; short if none is.
    omitted: Vec<bool>,
    /// Shared by all undecoded subschemas if there are no references.
    stand_in: Option<SubschemaId>,
    pub(crate) refs: Vec<PendingReference>,
    pub(crate) warnings: Vec<Warning>,
    /// What lenient parsing left out, in whole or in part.
    pub(crate) left_out: Vec<LeftOut>,
    /// The depth of each subschema; the first `opened` of them are decoded.
    depths: Vec<u32>,
    opened: usize,
}

impl<'t> ModelBuilder<'t> {
    pub(crate) fn new(
        options: &'t Options,
        annotations: bool,
        again: Option<Again<'t>>,
        metaschemas: &'t MetaschemaLookup<'t>,
    ) -> Self {
        Self {
            options,
            annotations,
            metaschemas,
            docs: Vec::new(),
            positions: Vec::new(),
            resources: Vec::new(),
            resource_of_uri: HashMap::new(),
            subs: Vec::new(),
            entries: Vec::new(),
            patterns: Vec::new(),
            pattern_of_text: HashMap::new(),
            patterns_size: 0,
            again,
            omitted: Vec::new(),
            stand_in: None,
            refs: Vec::new(),
            warnings: Vec::new(),
            left_out: Vec::new(),
            depths: Vec::new(),
            opened: 0,
        }
    }

    /// Adds a document found under `uri` and walks it from its root.
    ///
    /// # Errors
    ///
    /// What is wrong with the document as a schema.
    pub(crate) fn add_document(
        &mut self,
        uri: &str,
        text: OwnedDocument,
        rules: DialectRules,
    ) -> Result<ResourceId, CompileError> {
        let doc = DocumentId::new(self.docs.len());
        let (root, nodes) = (text.document().root().id(), text.document().len());
        self.docs.push(SchemaDocument {
            uri: uri.to_owned(),
            text,
        });
        if !self.positions.is_empty() {
            self.positions.push(vec![None; nodes]);
        }
        self.entries
            .reserve((nodes / NODES_PER_ENTRY).min(MOST_RESERVED));
        let subs = (nodes / NODES_PER_SUBSCHEMA + 1).min(MOST_RESERVED);
        self.subs.reserve(subs);
        self.depths.reserve(subs);
        // The document that is compiled has no URI except the one that the caller sets.
        let base = match (uri, &self.options.base_uri) {
            ("", Some(base)) => base.clone(),
            _ => uri.to_owned(),
        };
        let resource = self.add_resource(base, SubschemaId::new(self.subs.len()));
        let root = self.push(doc, root, resource, rules, 0)?;
        self.walk()?;
        let root = self.subs.get(root.index()).ok_or(Dangling)?;
        Ok(root.resource)
    }

    pub(crate) fn place(&self, doc: DocumentId, node: NodeId) -> SchemaLocation {
        model::place(&self.docs, doc, node)
    }

    fn add_resource(&mut self, uri: String, root: SubschemaId) -> ResourceId {
        let id = ResourceId::new(self.resources.len());
        if !uri.is_empty() {
            // The first resource with a URI keeps it.
            self.resource_of_uri.entry(uri.clone()).or_insert(id);
        }
        self.resources.push(Resource {
            uri,
            root,
            anchors: Default::default(),
            recursive: false,
            scope: Vec::new(),
        });
        id
    }

    /// Registers a subschema, to be decoded later.
    fn push(
        &mut self,
        doc: DocumentId,
        node: NodeId,
        resource: ResourceId,
        rules: DialectRules,
        depth: usize,
    ) -> Result<SubschemaId, CompileError> {
        let limits = &self.options.limits;
        for (name, reached, allowed) in [
            (LimitName::Depth, depth, limits.depth),
            (
                LimitName::Subschemas,
                self.subs.len() + 1,
                limits.subschemas,
            ),
        ] {
            if reached > allowed {
                return Err(CompileError::limit_reached(
                    name,
                    allowed,
                    self.place(doc, node),
                ));
            }
        }
        let id = SubschemaId::new(self.subs.len());
        self.subs.push(Subschema {
            doc,
            node,
            resource,
            rules,
            shape: Shape::UNDECODED,
        });
        let positions = self.positions.get_mut(doc.index());
        if let Some(place) = positions.and_then(|places| places.get_mut(node.index())) {
            *place = Some(id);
        }
        self.depths.push(to_u32(depth));
        Ok(id)
    }

    fn walk(&mut self) -> Result<(), CompileError> {
        let mut current: Option<(DocumentId, OwnedDocument)> = None;
        while let Some(doc) = self.subs.get(self.opened).map(|sub| sub.doc) {
            let id = SubschemaId::new(self.opened);
            self.opened += 1;
            if self.omitted.get(id.index()) == Some(&true) {
                continue;
            }
            if current.as_ref().is_none_or(|(known, _)| *known != doc) {
                let document = self.docs.get(doc.index());
                current = document.map(|document| (doc, document.text.clone()));
            }
            let (_, text) = current.as_ref().ok_or(Dangling)?;
            self.decode(id, text)?;
        }
        Ok(())
    }

    /// Decodes one subschema of a document.
    fn decode(&mut self, id: SubschemaId, text: &OwnedDocument) -> Result<(), CompileError> {
        let sub = *self.subs.get(id.index()).ok_or(Dangling)?;
        let depth = to_usize(*self.depths.get(id.index()).ok_or(Dangling)?);
        let view = text.document().get(sub.node).ok_or(Dangling)?;
        let shape = match view.kind() {
            Kind::Boolean => {
                if depth == 0 && sub.rules.dialect == Dialect::Draft4 {
                    self.refuse(sub, view, "a schema", "an object (draft 4)", None)?;
                }
                Shape::Always(view.boolean())
            }
            Kind::Object => self.open(id, sub, depth, view)?,
            // The keyword that holds it has already reported this.
            _ if depth > 0 => {
                self.left_out.push(LeftOut {
                    sub: id,
                    keyword: None,
                });
                Shape::Always(true)
            }
            _ => {
                self.refuse(sub, view, "a schema", "an object or a boolean", None)?;
                Shape::Always(true)
            }
        };
        let decoded = self.subs.get_mut(id.index()).ok_or(Dangling)?;
        decoded.shape = shape;
        Ok(())
    }

    /// Decodes the keywords of one subschema.
    fn open(
        &mut self,
        id: SubschemaId,
        sub: Subschema,
        depth: usize,
        view: View<'_>,
    ) -> Result<Shape, CompileError> {
        let (identified, refers) = special_keys(view);
        let sub = match identified {
            true => self.identify(id, sub, depth, view)?,
            false => sub,
        };
        let hidden = refers && view.len() > 1 && hides_siblings(view, sub.rules.dialect);
        // Decoding a keyword decodes no other subschema, so these entries are consecutive.
        let start = to_u32(self.entries.len());
        let mut reader = Reader {
            sub,
            id,
            depth,
            keyword: Keyword::Unknown,
            name: "",
            view,
        };
        for (key, value) in view.members() {
            let name = key.text();
            let keyword = sub.rules.keyword(name).unwrap_or(Keyword::Unknown);
            if hidden && !matches!(keyword, Keyword::Ref | Keyword::Definitions) {
                continue;
            }
            (reader.keyword, reader.name) = (keyword, name);
            let warnings = self.warnings.len();
            let form = self.form(&reader, value)?;
            if self.warnings.len() > warnings {
                let keyword = Some(keyword);
                self.left_out.push(LeftOut { sub: id, keyword });
            }
            if let Some(form) = form
                && (self.annotations || !matches!(form, Form::Annotation))
            {
                self.entries.push(Entry {
                    keyword,
                    name: key.view().id(),
                    value: value.id(),
                    form,
                });
            }
        }
        Ok(Shape::Entries {
            start,
            end: to_u32(self.entries.len()),
        })
    }

    /// Records a reference for `resolve`.
    fn add_ref(&mut self, sub: SubschemaId, keyword: Keyword, value: NodeId) -> ReferenceId {
        let id = ReferenceId::new(self.refs.len());
        self.refs.push(PendingReference {
            sub,
            keyword,
            value,
        });
        id
    }

    /// Compiles a regular expression, once for each distinct source.
    fn pattern(
        &mut self,
        sub: Subschema,
        text: View<'_>,
        name: &str,
    ) -> Result<PatternId, CompileError> {
        if let Some(id) = self.pattern_of_text.get(name) {
            return Ok(*id);
        }
        let limits = &self.options.limits;
        let place = || self.place(sub.doc, text.id());
        let refuse = |limit, allowed| Err(CompileError::limit_reached(limit, allowed, place()));
        let bounds = toolsure_pattern::Limits {
            length: limits.pattern_bytes,
            depth: limits.pattern_depth,
            size: limits.pattern_size,
        };
        let compiled = self.again.map_or(&[][..], |again| again.patterns);
        let in_turn = compiled.get(self.patterns.len());
        let in_turn = in_turn.filter(|compiled| compiled.as_str() == name);
        let mut some = compiled.iter().take(SOUGHT);
        let compiled = in_turn.or_else(|| some.find(|compiled| compiled.as_str() == name));
        let compile = || Pattern::new(name, &bounds).map(Arc::new);
        let pattern = compiled.cloned().map_or_else(compile, Ok);
        let pattern = pattern.map_err(|error| {
            let kind = match (error.kind(), error.limit()) {
                (PatternErrorKind::Internal, _) => CompileErrorKind::Internal,
                (_, Some((limit, allowed))) => CompileErrorKind::Limit(Limit {
                    name: match limit {
                        PatternLimit::Length => LimitName::PatternBytes,
                        PatternLimit::Depth => LimitName::PatternDepth,
                        PatternLimit::Size => LimitName::PatternSize,
                    },
                    allowed,
                }),
                (_, None) => CompileErrorKind::Pattern {
                    message: error.to_string(),
                    place: error.span(),
                },
            };
            CompileError::new(kind, place())
        })?;
        let size = self.patterns_size.saturating_add(pattern.size());
        if size > limits.patterns_size {
            return refuse(LimitName::PatternsSize, limits.patterns_size);
        }
        self.patterns_size = size;
        let id = PatternId::new(self.patterns.len());
        self.patterns.push(pattern);
        self.pattern_of_text.insert(name.to_owned(), id);
        Ok(id)
    }

    /// The error for a keyword whose value its dialect does not allow.
    fn invalid(
        &self,
        sub: Subschema,
        value: View<'_>,
        keyword: &str,
        expected: &str,
        closest: Option<&str>,
    ) -> CompileError {
        let kind = CompileErrorKind::InvalidSchema {
            keyword: keyword.to_owned(),
            expected: expected.to_owned(),
            found: describe(value),
            closest: closest.map(str::to_owned),
        };
        CompileError::new(kind, self.place(sub.doc, value.id()))
    }

    /// Reports a keyword whose value its dialect does not allow: with an error or, in lenient mode,
    /// a warning.
    fn refuse(
        &mut self,
        sub: Subschema,
        value: View<'_>,
        keyword: &str,
        expected: &str,
        closest: Option<&str>,
    ) -> Result<(), CompileError> {
        let error = self.invalid(sub, value, keyword, expected, closest);
        match self.options.strictness {
            Strictness::Strict => Err(error),
            Strictness::Lenient => {
                self.warnings.push(Warning::new(error));
                Ok(())
            }
        }
    }
}

/// Whether a subschema may have a dialect, an id or an anchor, and whether it may have a reference.
fn special_keys(view: View<'_>) -> (bool, bool) {
    let old = Keyword::OldId.name().as_bytes();
    let (mut identified, mut refers) = (false, false);
    for (key, _) in view.members() {
        match key.bytes() {
            b"$ref" => refers = true,
            key => identified |= key.first() == Some(&b'$') || key == old,
        }
    }
    (identified, refers)
}

/// How many patterns of an earlier model are searched for one.
const SOUGHT: usize = 64;
/// About how many keys and values of a document there are for each keyword and subschema; real
/// schemas then fit without growing the tables.
const NODES_PER_ENTRY: usize = 3;
const NODES_PER_SUBSCHEMA: usize = 6;
/// The most entries that are reserved at once, since most of a large document may be data.
const MOST_RESERVED: usize = 2048;
