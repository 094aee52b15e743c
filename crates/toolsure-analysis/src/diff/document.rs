//! A schema document, its keywords and its references.

use std::cell::RefCell;
use std::rc::Rc;

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_syntax::model::TypeSet;
use toolsure_syntax::positions::SubschemaLayout;
use toolsure_syntax::reference::{self, Fragment};
use toolsure_syntax::{Dialect, Keyword, uri};

use super::declared::Declared;
use super::evaluated::EvaluatedBy;
use super::lookup::Lookup;
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
    /// What keywords evaluate, as far as it was asked for.
    pub(super) evaluated: Rc<RefCell<EvaluatedBy<'a>>>,
    /// The declared members, if undeclared ones are taken as absent.
    pub(super) declared: Option<Rc<Declared<'a>>>,
    /// Whether its values are the arguments of calls, which are objects.
    pub(super) is_of_arguments: bool,
    /// Whether integers that a double does not hold exactly are taken as absent.
    pub(super) safe_integers: bool,
    /// Whether a `type` names `integer`, or data looks like that.
    pub(super) names_integers: bool,
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
            evaluated: Rc::default(),
            declared: None,
            is_of_arguments: false,
            safe_integers: false,
            names_integers: false,
        };
        let mut todo = vec![root];
        while let Some(view) = todo.pop() {
            for (key, value) in view.members() {
                doc.names_integers |= key.text() == "type" && value.raw().contains("integer");
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
                } else if uri::split_scheme(value).is_some() {
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

    /// The subschemas that a keyword of a schema holds, if the dialect has the keyword.
    pub(super) fn subschemas(&self, schema: View<'a>, keyword: Keyword) -> Vec<View<'a>> {
        let Some(value) = self.keyword(schema, keyword.name()) else {
            return Vec::new();
        };
        match (keyword.layout(), value.kind()) {
            (None, _) => Vec::new(),
            (Some(SubschemaLayout::Map), _) => value.members().map(|(_, one)| one).collect(),
            (Some(SubschemaLayout::Schemas), Kind::Array) => value.items().collect(),
            (Some(SubschemaLayout::Schemas), _) => vec![value],
        }
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
