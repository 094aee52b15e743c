//! Represents a schema as a conjunction of plain nodes.

use std::cell::OnceCell;
use std::rc::Rc;

use toolsure_json::{Kind, Node as _, View, quote};
use toolsure_syntax::model::TypeSet;

use super::collect_evaluated::evaluated;
use super::declared::Group;
use super::document::Doc;
use super::evaluated::{Evaluated, Reach};
use super::tuple::tuple_length;

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
                let evaluated = evaluated(&self.doc, *node, Reach::Possibly);
                let declares = |keyword: &str, name: &str| {
                    let mut all = self.all(keyword).into_iter();
                    all.any(|one| lookup.member(one, name).is_some())
                };
                let judges_others = if of_items {
                    !evaluated.all_items && evaluated.items <= self.longest_tuple()
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
        self.group().filter(|group| group.is_closed())
    }

    /// The group of the schemas that apply here, if undeclared members may be taken as absent.
    pub(super) fn group(&self) -> Option<&Group<'a>> {
        let declared = self.doc.declared.as_deref()?;
        // All schemas of one location are in one group, but a list of names, for example, is not a
        // location.
        let mut groups = self.nodes.iter().map(|node| declared.group(*node));
        let first = groups.next()??;
        (!self.opaque && groups.all(|group| group.is_some())).then_some(first)
    }

    /// The types that all nodes allow.
    pub(super) fn types(&self) -> TypeSet {
        self.nodes.iter().fold(TypeSet::ALL, |types, node| {
            types.intersection(types_of(*node))
        })
    }

    /// The types that values may have.
    pub(super) fn possible_types(&self) -> TypeSet {
        let declared = self.types();
        match self.values() {
            Some(values) => {
                let of = |types: TypeSet, value: &View<'_>| types.union(self.doc.type_of(*value));
                values.iter().fold(TypeSet::NONE, of).intersection(declared)
            }
            None => declared,
        }
    }

    /// How many items have a schema of their own.
    pub(super) fn longest_tuple(&self) -> usize {
        let lengths = self.nodes.iter();
        lengths
            .map(|one| tuple_length(&self.doc, *one))
            .max()
            .unwrap_or(0)
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

/// The types of one set that another does not have.
pub(super) fn without(types: TypeSet, others: TypeSet) -> TypeSet {
    let all = [
        TypeSet::NULL,
        TypeSet::BOOLEAN,
        TypeSet::INTEGER,
        TypeSet::FRACTION,
        TypeSet::STRING,
        TypeSet::ARRAY,
        TypeSet::OBJECT,
    ];
    let lost = all
        .into_iter()
        .filter(|one| types.contains(*one) && !others.contains(*one));
    lost.fold(TypeSet::NONE, TypeSet::union)
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

/// A few values for a message, and the number of the others.
pub(super) fn listed(values: &[View<'_>]) -> String {
    let shown = values.iter().take(SHOWN);
    let shown: Vec<String> = shown
        .map(|value| format!("`{}`", quote(value.raw(), 40)))
        .collect();
    match values.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Values that a message names.
const SHOWN: usize = 6;
/// Nodes in one conjunction.
const MOST_NODES: usize = 64;
