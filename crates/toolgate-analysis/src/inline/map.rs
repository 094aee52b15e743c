//! The location of every schema in a document, and what it refers to.

use std::collections::{HashMap, HashSet};

use toolgate_json::{Key as _, Kind, Node as _, NodeId, View};
use toolgate_syntax::positions::{SubschemaLayout, layout_in};
use toolgate_syntax::reference::{Identity, hides_siblings};
use toolgate_syntax::{Dialect, Keyword, uri};

use super::report::{InlineLimits, Untouched};

/// A document with its schemas found and its references resolved.
pub(super) struct Map<'a> {
    pub(super) root: View<'a>,
    pub(super) dialect: Dialect,
    pub(super) places: Vec<Place>,
    pub(super) resources: Vec<Resource>,
    pub(super) of_node: HashMap<NodeId, usize>,
    /// How many resources bind a dynamic anchor of this name.
    pub(super) binding: HashMap<String, usize>,
}

/// The location of a schema.
pub(super) struct Place {
    pub(super) node: NodeId,
    pub(super) resource: usize,
    /// The direct child schemas, except those under `$defs` and `definitions`, in source order.
    pub(super) children: Vec<Child>,
    pub(super) references: Vec<Reference>,
}

/// A schema inside another: its range in the source, and its place.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) place: usize,
}

/// A `$ref`, `$dynamicRef` or `$recursiveRef`.
pub(super) struct Reference {
    /// The keyword's value.
    pub(super) node: NodeId,
    pub(super) target: Target,
}

/// Where a reference leads.
pub(super) enum Target {
    /// Not resolved yet.
    Pending,
    /// To a place in the document.
    Place(usize),
    /// Out of the document; the absolute URI.
    External(String),
    /// Nowhere.
    Nowhere,
}

/// A part of the document with its own base URI.
pub(super) struct Resource {
    pub(super) uri: String,
    pub(super) root: usize,
    pub(super) anchors: HashMap<String, usize>,
    pub(super) dynamic_anchors: HashSet<String>,
    /// `$recursiveAnchor: true` at its root.
    pub(super) recursive: bool,
}

impl<'a> Map<'a> {
    /// Finds all schemas and resolves all references.
    pub(super) fn new(root: View<'a>, limits: &InlineLimits) -> Result<Self, Untouched> {
        let dialect = Dialect::declared(root).ok_or(Untouched::Dialect)?;
        let mut map = Self {
            root,
            dialect,
            places: Vec::new(),
            resources: vec![Resource::new(String::new(), 0)],
            of_node: HashMap::new(),
            binding: HashMap::new(),
        };
        map.discover(root, 0, limits)?;
        map.follow_all(limits)?;
        Ok(map)
    }

    pub(super) fn view(&self, place: usize) -> View<'a> {
        let node = self.places.get(place).map(|place| place.node);
        node.map_or(self.root, |node| self.root.document().view(node))
    }

    /// Finds the schema at `view` and all schemas inside it.
    pub(super) fn discover(
        &mut self,
        view: View<'a>,
        resource: usize,
        limits: &InlineLimits,
    ) -> Result<(), Untouched> {
        let first = self.places.len();
        let mut open = vec![(view, resource)];
        while let Some((view, resource)) = open.pop() {
            if self.of_node.contains_key(&view.id()) {
                continue;
            }
            // why: twice the number of subschemas that a schema may have to compile, and enough for small
            // limits.
            if self.places.len() > limits.subschemas.max(10_000).saturating_mul(2) {
                return Err(Untouched::TooLarge);
            }
            let place = self.places.len();
            self.of_node.insert(view.id(), place);
            self.places.push(Place {
                node: view.id(),
                resource,
                children: Vec::new(),
                references: Vec::new(),
            });
            let resource = self.identify(view, place, resource)?;
            let references = self.references(view);
            if let Some(place) = self.places.get_mut(place) {
                place.resource = resource;
                place.references = references;
            }
            if !self.is_hidden(view) {
                self.each_child(view, |child, _| open.push((child, resource)));
            }
        }
        self.connect(first);
        Ok(())
    }

    /// The reference that makes up the whole schema: nothing else in the schema stays.
    pub(super) fn pure_reference(&self, place: usize) -> Option<&Reference> {
        let [reference] = self.places.get(place)?.references.as_slice() else {
            return None;
        };
        let view = self.view(place);
        let hidden = self.is_hidden(view);
        let alone = view.members().all(|(key, value)| {
            value.id() == reference.node || self.goes(key.text(), value, place == 0, hidden)
        });
        alone.then_some(reference)
    }

    /// Whether a member has no use in the output: definitions, names that are no longer looked up, and what
    /// a `$ref` hides.
    pub(super) fn goes(&self, name: &str, value: View<'_>, at_root: bool, hidden: bool) -> bool {
        match name {
            "$schema" => !at_root,
            "title" | "description" if hidden => value.kind() != Kind::String,
            _ if hidden => true,
            "$defs" | "definitions" => true,
            "$anchor" | "$recursiveAnchor" => self.dialect >= Dialect::Draft201909,
            "$dynamicAnchor" => self.dialect == Dialect::Draft202012,
            "$id" => !at_root && self.dialect >= Dialect::Draft6,
            "id" => !at_root && self.dialect == Dialect::Draft4 && value.kind() == Kind::String,
            _ => false,
        }
    }

    /// Whether keywords beside `$ref` are ignored here.
    pub(super) fn is_hidden(&self, view: View<'_>) -> bool {
        hides_siblings(view, self.dialect)
    }

    /// Calls `visit` for each direct child schema, with whether it is a definition.
    fn each_child(&self, view: View<'a>, mut visit: impl FnMut(View<'a>, bool)) {
        for (key, value) in view.members() {
            let Some(held) = layout_in(self.dialect, key.text()) else {
                continue;
            };
            let definition = matches!(key.text(), "$defs" | "definitions");
            let mut child = |child: View<'a>| {
                if matches!(child.kind(), Kind::Object | Kind::Boolean) {
                    visit(child, definition);
                }
            };
            match held {
                SubschemaLayout::Map => value.members().for_each(|(_, value)| child(value)),
                SubschemaLayout::Schemas if value.kind() == Kind::Array => {
                    value.items().for_each(child)
                }
                SubschemaLayout::Schemas => child(value),
            }
        }
    }

    /// The references of a schema, not resolved yet.
    fn references(&self, view: View<'a>) -> Vec<Reference> {
        let keywords = [Keyword::Ref, Keyword::RecursiveRef, Keyword::DynamicRef];
        let values = keywords.into_iter().filter_map(|keyword| {
            let value = view.member(keyword.name())?;
            (value.kind() == Kind::String && keyword.is_in(self.dialect)).then_some(value)
        });
        values
            .map(|value| Reference {
                node: value.id(),
                target: Target::Pending,
            })
            .collect()
    }

    /// Reads ids and anchors; returns the resource that the schema belongs to.
    fn identify(
        &mut self,
        view: View<'a>,
        place: usize,
        resource: usize,
    ) -> Result<usize, Untouched> {
        if view.kind() != Kind::Object {
            return Ok(resource);
        }
        if place > 0
            && (view.member("$id").is_some() || view.member("id").is_some())
            && let Some(declared) = view.member("$schema").filter(|v| v.kind() == Kind::String)
            && Dialect::from_uri(declared.string()) != Some(self.dialect)
        {
            return Err(Untouched::MixedDialects);
        }
        let identity = Identity::of(view, self.dialect);
        let mut own = resource;
        if let Some(id) = identity.uri {
            let base = self.resources.get(resource).map_or("", |base| &base.uri);
            let uri = uri::resolve(base, id);
            if place == 0 {
                if let Some(root) = self.resources.first_mut() {
                    root.uri = uri;
                }
            } else {
                own = self.resources.len();
                self.resources.push(Resource::new(uri, place));
            }
        }
        for (name, dynamic) in identity.anchors() {
            self.anchor(own, name, place);
            if dynamic
                && let Some(resource) = self.resources.get_mut(own)
                && resource.dynamic_anchors.insert(name.to_owned())
            {
                let count = self.binding.entry(name.to_owned()).or_default();
                *count = count.saturating_add(1);
            }
        }
        if identity.recursive_anchor
            && let Some(resource) = self.resources.get_mut(own)
            && resource.root == place
        {
            resource.recursive = true;
        }
        Ok(own)
    }

    fn anchor(&mut self, resource: usize, name: &str, place: usize) {
        if let Some(resource) = self.resources.get_mut(resource) {
            resource.anchors.entry(name.to_owned()).or_insert(place);
        }
    }

    /// Records the direct children of each place from `first` on.
    fn connect(&mut self, first: usize) {
        for index in first..self.places.len() {
            let view = self.view(index);
            if self.is_hidden(view) {
                continue;
            }
            let mut children = Vec::new();
            self.each_child(view, |child, definition| {
                if let Some(place) = self.of_node.get(&child.id()).filter(|_| !definition) {
                    children.push(Child {
                        start: child.span().start,
                        end: child.span().end,
                        place: *place,
                    });
                }
            });
            if let Some(place) = self.places.get_mut(index) {
                place.children = children;
            }
        }
    }
}

impl Resource {
    fn new(uri: String, root: usize) -> Self {
        Self {
            uri,
            root,
            anchors: HashMap::new(),
            dynamic_anchors: HashSet::new(),
            recursive: false,
        }
    }
}
