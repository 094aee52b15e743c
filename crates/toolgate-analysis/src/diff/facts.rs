//! Represents a schema as a conjunction of plain nodes, and resolves its references.

use std::cell::OnceCell;
use std::rc::Rc;

use toolgate_json::{Key as _, Kind, Node as _, View};
use toolgate_syntax::model::TypeSet;
use toolgate_syntax::reference::{self, Fragment};
use toolgate_syntax::{Dialect, Keyword};

use super::declared::{Declared, Group};
use super::evaluated::{Evaluated, Reach};
use super::lookup::Lookup;
use super::parts;
use crate::engine::{Asserts, Engine};

/// A schema document.
#[derive(Clone)]
pub(super) struct Doc<'a> {
    pub(super) root: View<'a>,
    pub(super) dialect: Dialect,
    /// Whether all references in it have the form `#/…`, and nothing names a place in it.
    plain: bool,
    /// Whether a document that it refers to may refer back to it.
    reachable: bool,
    /// Whether a reference is an absolute URI.
    absolute: bool,
    pub(super) references: References,
    /// Why the rules cannot compare it, in words.
    pub(super) beyond_rules: Option<&'static str>,
    /// What is asserted in it.
    pub(super) asserts: Asserts,
    pub(super) lookup: Rc<Lookup<'a>>,
    /// The declared members, if undeclared ones are taken as absent.
    pub(super) declared: Option<Rc<Declared<'a>>>,
}

/// What the references of a document depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum References {
    /// There are none.
    None,
    /// All are absolute URIs, and lead to documents that the operator registered.
    Registered,
    /// The others lead to `$defs` and `definitions` of the root.
    ToDefinitions,
    /// Some lead elsewhere, or depend on the dynamic scope.
    Elsewhere,
}

impl<'a> Doc<'a> {
    pub(super) fn new(root: View<'a>, engine: &Engine) -> Self {
        let foreign = engine.has_foreign_dialect(root);
        let mut doc = Self {
            root,
            dialect: engine.dialect(root, None),
            plain: true,
            reachable: false,
            absolute: false,
            references: References::None,
            beyond_rules: foreign.then_some("the schema declares a dialect of its own"),
            asserts: engine.asserts(),
            lookup: Rc::new(Lookup::new()),
            declared: None,
        };
        let mut todo = vec![root];
        while let Some(view) = todo.pop() {
            for (key, value) in view.members() {
                match value.kind() {
                    Kind::Array | Kind::Object => todo.push(value),
                    Kind::String => doc.note(key.text(), value.string(), view.id() == root.id()),
                    _ => {}
                }
            }
            let container = |item: &View<'_>| matches!(item.kind(), Kind::Array | Kind::Object);
            todo.extend(view.items().filter(container));
        }
        // An absolute reference may lead back to a schema with an identifier, and one to a registered
        // document may lead to a dynamic anchor of the schema that refers to it.
        let named = ["$id", "id", "$recursiveAnchor"];
        doc.reachable |= named.iter().any(|name| root.member(name).is_some());
        if (!doc.plain || (doc.reachable && doc.absolute)) && doc.references != References::None {
            doc.references = References::Elsewhere;
        }
        doc
    }

    /// Notes a keyword that declares an identifier or a reference. Data that looks like one counts too.
    fn note(&mut self, keyword: &str, value: &str, at_root: bool) {
        match keyword {
            "$schema" if !at_root => {
                self.beyond_rules = Some("a part of the schema declares a `$schema`");
            }
            "$id" => self.plain &= at_root && !value.starts_with('#'),
            // `id` is also a common property name; only draft 4 has it as a keyword.
            "id" => self.plain &= at_root || self.dialect != Dialect::Draft4,
            "$anchor" => self.plain = false,
            // A registered document may refer to it.
            "$dynamicAnchor" => self.reachable = true,
            "$dynamicRef" | "$recursiveRef" => {
                self.plain = false;
                self.references = References::Elsewhere;
            }
            "$ref" => {
                let defined = ["#/$defs/", "#/definitions/"];
                let to_definitions = defined.iter().any(|start| value.starts_with(start));
                self.references = self.references.max(if to_definitions {
                    References::ToDefinitions
                } else if is_absolute(value) {
                    self.absolute = true;
                    References::Registered
                } else {
                    References::Elsewhere
                });
            }
            _ => {}
        }
    }

    /// The value of a keyword, if the dialect has it.
    pub(super) fn keyword(&self, schema: View<'a>, keyword: &str) -> Option<View<'a>> {
        let is_in_dialect =
            Keyword::from_name(keyword).is_none_or(|known| known.is_in(self.dialect));
        is_in_dialect
            .then(|| self.lookup.member(schema, keyword))
            .flatten()
    }

    /// The target of a reference.
    pub(super) fn resolve(&self, reference: &str) -> Option<View<'a>> {
        let fragment = reference.strip_prefix('#').filter(|_| self.plain)?;
        // Pointers are relative to the schema, which may be a part of its document.
        match Fragment::parse(fragment)? {
            Fragment::Root => Some(self.root),
            Fragment::Anchor(_) => None,
            Fragment::Pointer(pointer) => reference::follow(self.root, &pointer, |view, token| {
                self.lookup.member(view, token)
            }),
        }
    }

    pub(super) fn hides_siblings(&self) -> bool {
        self.dialect.ref_hides_siblings()
    }

    /// The type of a value. In draft 4, `1` is an integer and `1.0` is not, although they are equal.
    pub(super) fn type_of(&self, value: View<'_>) -> TypeSet {
        match TypeSet::of(value) {
            TypeSet::INTEGER if self.dialect == Dialect::Draft4 => TypeSet::NUMBER,
            types => types,
        }
    }
}

/// Whether a reference begins with a scheme.
fn is_absolute(reference: &str) -> bool {
    reference.split_once(':').is_some_and(|(scheme, _)| {
        let mut letters = scheme.bytes();
        letters
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic())
            && letters.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// The plain schemas that must all hold, after references and `allOf` are resolved.
pub(super) struct Facts<'a> {
    pub(super) doc: Doc<'a>,
    pub(super) nodes: Vec<View<'a>>,
    /// Whether some reference could not be resolved, or there were too many nodes.
    pub(super) opaque: bool,
    /// Whether no value can match.
    pub(super) never: bool,
    /// The `unevaluatedProperties` and `unevaluatedItems` that restrict something.
    pub(super) unevaluated: Vec<Unevaluated<'a>>,
    values: OnceCell<Option<Rc<[View<'a>]>>>,
}

/// An `unevaluatedProperties` or `unevaluatedItems` among the facts.
pub(super) struct Unevaluated<'a> {
    pub(super) of_items: bool,
    pub(super) schema: View<'a>,
    /// What the keywords beside it may evaluate.
    pub(super) evaluated: Rc<Evaluated<'a>>,
    /// Whether it applies to every member whose name no node declares, or every item beyond all tuples.
    pub(super) judges_others: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of(doc: &Doc<'a>, schemas: &[View<'a>]) -> Self {
        let mut facts = Self {
            doc: doc.clone(),
            nodes: Vec::new(),
            opaque: false,
            never: false,
            unevaluated: Vec::new(),
            values: OnceCell::new(),
        };
        let mut todo: Vec<View<'a>> = schemas.to_vec();
        while let Some(schema) = todo.pop() {
            if facts.nodes.iter().any(|known| known.id() == schema.id()) {
                continue;
            }
            match schema.kind() {
                Kind::Boolean => facts.never |= !schema.boolean(),
                Kind::Object => {
                    if facts.nodes.len() >= MOST_NODES {
                        facts.opaque = true;
                        break;
                    }
                    let reference = doc
                        .keyword(schema, "$ref")
                        .filter(|r| r.kind() == Kind::String);
                    if let Some(reference) = reference {
                        match doc.resolve(reference.string()) {
                            Some(target) => todo.push(target),
                            None => facts.opaque = true,
                        }
                    }
                    // In a node whose siblings are hidden, only the reference counts.
                    if reference.is_some() && doc.hides_siblings() {
                        continue;
                    }
                    facts.opaque |= ["$dynamicRef", "$recursiveRef"]
                        .iter()
                        .any(|keyword| doc.keyword(schema, keyword).is_some());
                    facts.nodes.push(schema);
                    if let Some(all) = doc.keyword(schema, "allOf") {
                        facts.opaque |= all.len() > MOST_NODES;
                        todo.extend(all.items().take(MOST_NODES));
                    }
                }
                _ => facts.opaque = true,
            }
        }
        facts.find_unevaluated();
        facts
    }

    fn find_unevaluated(&mut self) {
        let mut found = Vec::new();
        for node in &self.nodes {
            for (keyword, of_items) in
                [("unevaluatedProperties", false), ("unevaluatedItems", true)]
            {
                let Some(schema) = self.doc.keyword(*node, keyword) else {
                    continue;
                };
                if schema.kind() == Kind::Boolean && schema.boolean() {
                    continue;
                }
                let lookup = &self.doc.lookup;
                let evaluated = lookup.evaluated(&self.doc, *node, Reach::Possibly);
                let declares = |keyword: &str, name: &str| {
                    let mut all = self.all(keyword).into_iter();
                    all.any(|one| lookup.member(one, name).is_some())
                };
                let judges_others = if of_items {
                    !evaluated.all_items && evaluated.items <= parts::longest_tuple(self)
                } else {
                    !evaluated.all_names
                        && evaluated
                            .names
                            .iter()
                            .all(|name| declares("properties", name))
                        && evaluated
                            .patterns
                            .iter()
                            .all(|name| declares("patternProperties", name))
                };
                found.push(Unevaluated {
                    of_items,
                    schema,
                    evaluated,
                    judges_others,
                });
            }
        }
        self.unevaluated = found;
    }

    /// The values of a keyword in all nodes that have it.
    pub(super) fn all(&self, keyword: &str) -> Vec<View<'a>> {
        self.nodes
            .iter()
            .filter_map(|node| self.doc.keyword(*node, keyword))
            .collect()
    }

    /// The members that objects declare here, if undeclared ones are taken as absent.
    pub(super) fn closed(&self) -> Option<&Group<'a>> {
        let declared = self.doc.declared.as_deref()?;
        // All schemas of one location are in one group, but a list of names, for example, is not a
        // location.
        let mut groups = self.nodes.iter().map(|node| declared.group(*node));
        let first = groups.next()??;
        (!self.opaque && first.is_closed() && groups.all(|group| group.is_some())).then_some(first)
    }

    /// The types that all nodes allow.
    pub(super) fn types(&self) -> TypeSet {
        self.nodes.iter().fold(TypeSet::ALL, |types, node| {
            types.intersection(types_of(*node))
        })
    }

    /// The values of the shortest `enum` or of a `const`.
    pub(super) fn values(&self) -> Option<&[View<'a>]> {
        let values = self.values.get_or_init(|| {
            let constant = self.all("const").into_iter().next();
            let list = self.all("enum").into_iter().min_by_key(|list| list.len());
            let constant = constant.map(|value| Rc::from([value]));
            constant.or_else(|| list.map(|list| list.items().collect()))
        });
        values.as_deref()
    }
}

/// The types by name, in the order in which their values are tried.
pub(super) const TYPES: [(&str, TypeSet); 7] = [
    ("null", TypeSet::NULL),
    ("boolean", TypeSet::BOOLEAN),
    ("string", TypeSet::STRING),
    ("array", TypeSet::ARRAY),
    ("object", TypeSet::OBJECT),
    ("integer", TypeSet::INTEGER),
    ("number", TypeSet::NUMBER),
];

/// The types that a node's own `type` allows.
pub(super) fn types_of(node: View<'_>) -> TypeSet {
    let Some(value) = node.member("type") else {
        return TypeSet::ALL;
    };
    let one = |name: View<'_>| TypeSet::from_name(name.string()).unwrap_or(TypeSet::NONE);
    match value.kind() {
        Kind::String => one(value),
        _ => value
            .items()
            .fold(TypeSet::NONE, |types, name| types.union(one(name))),
    }
}

/// The names of types, for a message.
pub(super) fn type_names(types: TypeSet) -> String {
    if types.is_all() {
        return "anything".to_owned();
    }
    if types.is_empty() {
        return "nothing".to_owned();
    }
    types.names().join(" or ")
}

/// Nodes in one conjunction.
const MOST_NODES: usize = 64;
