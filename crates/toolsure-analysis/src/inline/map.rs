//! The location of every schema in a document, and what it refers to.

use toolsure_json::{Key as _, Kind, Node as _, NodeId, View};
use toolsure_syntax::positions::each_subschema_in;
use toolsure_syntax::reference::{self, Resources, hides_siblings};
use toolsure_syntax::{Dialect, Keyword, Parser};

use super::report::{InlineLimits, Untouched};

/// A document with its schemas found and its references resolved.
pub(super) struct Map<'a> {
    pub(super) root: View<'a>,
    pub(super) dialect: Dialect,
    /// The place of each schema, by its position in `resources`.
    pub(super) places: Vec<Place>,
    resources: Resources<'a>,
}

/// The location of a schema.
pub(super) struct Place {
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
    pub(super) keyword: Keyword,
    /// The keyword's value.
    pub(super) node: NodeId,
    pub(super) target: Target,
}

/// Where a reference leads.
pub(super) enum Target {
    /// To a place in the document.
    Place(usize),
    /// Out of the document; the absolute URI.
    External(String),
    /// Nowhere.
    Nowhere,
}

impl<'a> Map<'a> {
    /// Finds all schemas and resolves all references, as a parser would.
    pub(super) fn new(
        root: View<'a>,
        parser: &Parser,
        limits: &InlineLimits,
    ) -> Result<Self, Untouched> {
        let resources = parser.resources(root);
        let dialect = resources.dialect(0).ok_or(Untouched::Dialect)?;
        let mut map = Self {
            root,
            dialect,
            places: Vec::new(),
            resources,
        };
        // why: twice the number of subschemas that a schema may have to compile, and enough for small
        // limits.
        let most = limits.subschemas.max(10_000).saturating_mul(2);
        // Resolving a reference may find more schemas.
        while let Some(schema) = map.resources.schema(map.places.len()) {
            if map.resources.count() > most {
                return Err(Untouched::TooLarge);
            }
            if map.resources.dialect(map.places.len()) != Some(dialect) {
                return Err(Untouched::MixedDialects);
            }
            let references = map.references(schema);
            map.places.push(Place {
                children: Vec::new(),
                references,
            });
        }
        map.connect();
        match map.is_dynamic() {
            true => Err(Untouched::Dynamic),
            false => Ok(map),
        }
    }

    pub(super) fn view(&self, place: usize) -> View<'a> {
        self.resources.schema(place).unwrap_or(self.root)
    }

    /// Whether some reference depends on the dynamic scope.
    fn is_dynamic(&self) -> bool {
        let places = self.places.iter().enumerate();
        let mut references = places.flat_map(|(place, found)| {
            let references = found.references.iter();
            references.map(move |reference| (place, reference))
        });
        references.any(|(place, reference)| {
            let text = self.root.document().view(reference.node);
            let holder = self.view(place);
            self.resources
                .is_dynamic(holder, reference.keyword, text.string())
        })
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

    /// The references of a schema, and where they lead.
    fn references(&mut self, view: View<'a>) -> Vec<Reference> {
        let keywords = [Keyword::Ref, Keyword::RecursiveRef, Keyword::DynamicRef];
        let dialect = self.dialect;
        let values = keywords.into_iter().filter_map(|keyword| {
            let value = view.member(keyword.name())?;
            let is_reference = value.kind() == Kind::String && keyword.is_in(dialect);
            is_reference.then_some((keyword, value))
        });
        values
            .map(|(keyword, value)| Reference {
                keyword,
                node: value.id(),
                target: match self.resources.resolve(view, value.string()) {
                    reference::Target::Schema(found) => match self.resources.position(found) {
                        Some(place) => Target::Place(place),
                        None => Target::Nowhere,
                    },
                    reference::Target::External(uri) => Target::External(uri),
                    reference::Target::Nowhere => Target::Nowhere,
                },
            })
            .collect()
    }

    /// Records the direct children of each place.
    fn connect(&mut self) {
        for index in 0..self.places.len() {
            let view = self.view(index);
            if self.is_hidden(view) {
                continue;
            }
            let mut children = Vec::new();
            each_subschema_in(self.dialect, view, |keyword, child| {
                let is_definition = matches!(keyword, "$defs" | "definitions");
                if let Some(place) = self.resources.position(child).filter(|_| !is_definition) {
                    children.push(Child {
                        start: child.span().start,
                        end: child.span().end,
                        place,
                    });
                }
            });
            if let Some(place) = self.places.get_mut(index) {
                place.children = children;
            }
        }
    }
}
