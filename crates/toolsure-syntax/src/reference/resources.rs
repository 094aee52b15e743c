//! The resources of a document, and where the references in it lead.

use std::collections::{HashMap, VecDeque};

use toolsure_json::{Kind, Node as _, NodeId, View, pointer};

use super::{Fragment, Identity, PointerIndex, hides_siblings};
use crate::dialect::{Dialect, Keyword};
use crate::positions::each_subschema_in;
use crate::uri;

/// The schemas of a document, the resource that each belongs to, and where references lead.
///
/// For programs that rewrite or inspect a schema that may be invalid. References lead where a
/// [`Parser`](crate::Parser) would resolve them, in a schema that it accepts; get one from
/// [`Parser::resources`](crate::Parser::resources). Takes time and memory in proportion to the
/// document.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_syntax::Parser;
/// use toolsure_syntax::reference::Target;
///
/// let text = r##"{"$ref": "part#b", "$defs": {"p": {"$id": "part", "not": {"$anchor": "b"}}}}"##;
/// let document = OwnedDocument::read(text, &ReadLimits::default())?;
/// let root = document.document().root();
/// let mut resources = Parser::default().resources(root);
/// let Target::Schema(found) = resources.resolve(root, "part#b") else {
///     unreachable!("it is in the document");
/// };
/// assert_eq!(document.document().pointer(found.id()), "/$defs/p/not");
/// assert!(matches!(resources.resolve(found, "other"), Target::External(uri) if uri == "other"));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug)]
pub struct Resources<'a> {
    root: View<'a>,
    /// The dialect of every schema, whatever it declares.
    forced: Option<Dialect>,
    schemas: Vec<Known>,
    of_node: HashMap<NodeId, usize>,
    resources: Vec<Resource<'a>>,
    /// The first resource with a URI keeps it.
    of_uri: HashMap<String, usize>,
    /// How many resources bind a dynamic anchor of this name.
    bindings: HashMap<&'a str, usize>,
    index: PointerIndex,
}

/// A schema that was found.
#[derive(Debug, Clone, Copy)]
struct Known {
    node: NodeId,
    resource: usize,
    dialect: Dialect,
    /// It, or a schema around it, declares a dialect that is not known.
    is_foreign: bool,
}

/// A part of the document with its own base URI.
#[derive(Debug)]
struct Resource<'a> {
    uri: String,
    root: NodeId,
    anchors: HashMap<&'a str, Anchor>,
    /// `$recursiveAnchor: true` at its root.
    recursive: bool,
}

#[derive(Debug, Clone, Copy)]
struct Anchor {
    schema: NodeId,
    dynamic: bool,
}

/// Where a reference leads.
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a reference leads into the document, out of it, or nowhere"
)]
pub enum Target<'a> {
    /// To a schema of the document.
    Schema(View<'a>),
    /// Out of the document: the absolute URI, with its fragment. With no base URI it is as relative
    /// as the reference.
    External(String),
    /// Nowhere: the fragment is invalid, or names nothing that could be a schema.
    Nowhere,
}

impl<'a> Target<'a> {
    /// The schema in the document, if it is there.
    ///
    /// ```
    /// use toolsure_syntax::reference::Target;
    ///
    /// assert!(Target::External("urn:other".into()).schema().is_none());
    /// ```
    #[must_use]
    pub fn schema(&self) -> Option<View<'a>> {
        match self {
            Self::Schema(found) => Some(*found),
            Self::External(_) | Self::Nowhere => None,
        }
    }
}

impl<'a> Resources<'a> {
    /// The resources of a schema whose dialect is the one that it declares, or 2020-12, and which
    /// has no base URI.
    #[must_use]
    pub fn of(root: View<'a>) -> Self {
        Self::new(root, "", Dialect::default(), None)
    }

    /// Finds the schemas below `root`, which references call `#`. `base` is its base URI, or empty.
    /// `default` is the dialect of a root that declares none, `forced` that of every schema.
    pub(crate) fn new(
        root: View<'a>,
        base: &str,
        default: Dialect,
        forced: Option<Dialect>,
    ) -> Self {
        let mut resources = Self {
            root,
            forced,
            schemas: Vec::new(),
            of_node: HashMap::new(),
            resources: Vec::new(),
            of_uri: HashMap::new(),
            bindings: HashMap::new(),
            index: PointerIndex::new(),
        };
        resources.add_resource(base.to_owned(), root.id());
        resources.discover(Known {
            node: root.id(),
            resource: 0,
            dialect: forced.unwrap_or(default),
            is_foreign: false,
        });
        resources
    }

    /// The number of schemas found so far. [`resolve`](Self::resolve) may find more: a pointer may
    /// lead to a place where no keyword holds a schema.
    #[must_use]
    pub fn count(&self) -> usize {
        self.schemas.len()
    }

    /// The schema at a position in the order in which they were found; the root is the first.
    #[must_use]
    pub fn schema(&self, position: usize) -> Option<View<'a>> {
        let known = self.schemas.get(position)?;
        Some(self.root.document().view(known.node))
    }

    /// The position of a schema in the order in which they were found.
    #[must_use]
    pub fn position(&self, schema: View<'_>) -> Option<usize> {
        self.of_node.get(&schema.id()).copied()
    }

    /// The dialect of the schema at a position; `None` if it, or a schema around it, declares one
    /// that is not known.
    #[must_use]
    pub fn dialect(&self, position: usize) -> Option<Dialect> {
        let known = self.schemas.get(position)?;
        (!known.is_foreign).then_some(known.dialect)
    }

    /// Where a reference in the schema `holder` leads, without regard to the dynamic scope.
    pub fn resolve(&mut self, holder: View<'a>, reference: &str) -> Target<'a> {
        let (resource, fragment) = match self.resource(holder, reference) {
            Ok(found) => found,
            Err(uri) => return Target::External(uri),
        };
        let found = Fragment::parse(fragment).and_then(|fragment| match fragment {
            Fragment::Root => self.resources.get(resource).map(|found| found.root),
            Fragment::Anchor(name) => self.anchor(resource, &name).map(|found| found.schema),
            Fragment::Pointer(pointer) => self.at_pointer(resource, &pointer),
        });
        match found {
            Some(node) => Target::Schema(self.root.document().view(node)),
            None => Target::Nowhere,
        }
    }

    /// Whether a `$dynamicRef` or `$recursiveRef` in the schema `holder` may lead elsewhere than
    /// [`resolve`](Self::resolve) says: another resource binds the same name.
    #[must_use]
    pub fn is_dynamic(&self, holder: View<'_>, keyword: Keyword, reference: &str) -> bool {
        let Ok((resource, fragment)) = self.resource(holder, reference) else {
            return false;
        };
        match (keyword, Fragment::parse(fragment)) {
            (Keyword::RecursiveRef, Some(Fragment::Root)) => {
                let found = self.resources.get(resource);
                let recursive = self.resources.iter().filter(|one| one.recursive);
                found.is_some_and(|found| found.recursive) && recursive.count() > 1
            }
            (Keyword::DynamicRef, Some(Fragment::Anchor(name))) => {
                let found = self.anchor(resource, &name);
                let bindings = self.bindings.get(name.as_ref());
                found.is_some_and(|found| found.dynamic) && bindings.is_some_and(|count| *count > 1)
            }
            _ => false,
        }
    }

    /// The resource that a reference names, and the fragment.
    ///
    /// # Errors
    ///
    /// The absolute URI, if it is not in the document.
    fn resource<'r>(
        &self,
        holder: View<'_>,
        reference: &'r str,
    ) -> Result<(usize, &'r str), String> {
        let own = self.around(holder).map_or(0, |known| known.resource);
        let parts = uri::Parts::split(reference);
        if parts.is_same_document() {
            return Ok((own, parts.fragment.unwrap_or("")));
        }
        let base = self.resources.get(own).map_or("", |base| &base.uri);
        let mut uri = uri::resolve(base, reference);
        if let Some(found) = self.of_uri.get(&uri) {
            return Ok((*found, parts.fragment.unwrap_or("")));
        }
        if let Some(fragment) = parts.fragment {
            uri.push('#');
            uri.push_str(fragment);
        }
        Err(uri)
    }

    /// The innermost known schema that is a value or around it.
    fn around(&self, view: View<'_>) -> Option<Known> {
        let mut at = Some(view);
        while let Some(view) = at {
            if let Some(position) = self.of_node.get(&view.id()) {
                return self.schemas.get(*position).copied();
            }
            at = view.parent();
        }
        None
    }

    fn anchor(&self, resource: usize, name: &str) -> Option<Anchor> {
        self.resources.get(resource)?.anchors.get(name).copied()
    }

    /// The schema that a JSON pointer identifies in a resource.
    fn at_pointer(&mut self, resource: usize, pointer: &str) -> Option<NodeId> {
        let mut view = self
            .root
            .document()
            .view(self.resources.get(resource)?.root);
        let mut around = self.around(view)?;
        for token in pointer::tokens(pointer) {
            view = self.index.step(0, view, &token)?;
            let known = self.of_node.get(&view.id());
            around = known
                .and_then(|at| self.schemas.get(*at).copied())
                .unwrap_or(around);
        }
        if !matches!(view.kind(), Kind::Object | Kind::Boolean) {
            return None;
        }
        self.discover(Known {
            node: view.id(),
            ..around
        });
        Some(view.id())
    }

    /// Finds a schema and all schemas inside it, level by level, as the parser does: the first of
    /// several equal names counts.
    fn discover(&mut self, first: Known) {
        let mut open = VecDeque::from([first]);
        while let Some(known) = open.pop_front() {
            if self.of_node.contains_key(&known.node) {
                continue;
            }
            let view = self.root.document().view(known.node);
            self.of_node.insert(known.node, self.schemas.len());
            let known = self.identify(view, known);
            self.schemas.push(known);
            let hidden = hides_siblings(view, known.dialect);
            each_subschema_in(known.dialect, view, |keyword, child| {
                if !hidden || keyword == Keyword::Definitions.name() {
                    open.push_back(Known {
                        node: child.id(),
                        ..known
                    });
                }
            });
        }
    }

    /// Reads the dialect, the id and the anchors of a schema.
    fn identify(&mut self, view: View<'a>, mut known: Known) -> Known {
        let is_root = view.id() == self.root.id();
        if self.forced.is_none() {
            match Dialect::of_schema(view, is_root, known.dialect) {
                Some(dialect) => known.dialect = dialect,
                None => known.is_foreign = true,
            }
        }
        let identity = Identity::of(view, known.dialect);
        if let Some(id) = identity.uri {
            let base = self.resources.get(known.resource);
            let uri = uri::resolve(base.map_or("", |base| &base.uri), id);
            if is_root {
                if let Some(root) = self.resources.first_mut() {
                    root.uri.clone_from(&uri);
                }
                self.of_uri.entry(uri).or_insert(0);
            } else {
                known.resource = self.add_resource(uri, view.id());
            }
        }
        let Some(resource) = self.resources.get_mut(known.resource) else {
            return known;
        };
        for (name, dynamic) in identity.anchors() {
            let schema = view.id();
            resource.anchors.entry(name).or_insert_with(|| {
                if dynamic {
                    let bindings = self.bindings.entry(name).or_default();
                    *bindings = bindings.saturating_add(1);
                }
                Anchor { schema, dynamic }
            });
        }
        resource.recursive |= identity.recursive_anchor && resource.root == view.id();
        known
    }

    fn add_resource(&mut self, uri: String, root: NodeId) -> usize {
        let number = self.resources.len();
        if !uri.is_empty() {
            self.of_uri.entry(uri.clone()).or_insert(number);
        }
        self.resources.push(Resource {
            uri,
            root,
            anchors: HashMap::new(),
            recursive: false,
        });
        number
    }
}
