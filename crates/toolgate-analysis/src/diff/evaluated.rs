//! Which members and items the keywords of a schema evaluate, for `unevaluatedProperties` and
//! `unevaluatedItems` beside them.
//!
//! This depends on the instance. A comparison needs two bounds: what is surely evaluated if the instance is
//! valid, and what is possibly evaluated in some instance.

use std::collections::HashSet;

use toolgate_json::{Key as _, Kind, Node as _, View};
use toolgate_syntax::Keyword;

use super::facts::Doc;
use super::keywords::subschemas;
use super::parts;

/// The bound that is requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Reach {
    /// What is evaluated in every valid instance.
    Surely,
    /// What is evaluated in some instance.
    Possibly,
}

impl Reach {
    /// Whether what the subschemas of a keyword evaluate counts.
    fn follows(self, keyword: Keyword) -> bool {
        match self {
            Self::Surely => keyword == Keyword::AllOf,
            Self::Possibly => keyword.passes_annotations_on(),
        }
    }
}

/// Members and items, as the keywords name them.
#[derive(Debug, Default)]
pub(super) struct Evaluated<'a> {
    pub(super) names: HashSet<&'a str>,
    pub(super) patterns: HashSet<&'a str>,
    pub(super) all_names: bool,
    /// The number of items evaluated, from the first.
    pub(super) items: usize,
    pub(super) all_items: bool,
}

impl<'a> Evaluated<'a> {
    /// What the keywords beside `unevaluated…` in `schema` evaluate.
    pub(super) fn of(doc: &Doc<'a>, schema: View<'a>, reach: Reach) -> Self {
        let mut found = Self::default();
        let mut seen: HashSet<usize> = HashSet::new();
        let mut todo = vec![schema];
        while let Some(one) = todo.pop() {
            if one.kind() != Kind::Object || !seen.insert(one.id().index()) {
                continue;
            }
            if seen.len() > MOST_SCHEMAS {
                found.stop(reach);
                return found;
            }
            found.own_keywords(doc, one, one.id() == schema.id(), reach);
            for keyword in Keyword::ALL
                .iter()
                .filter(|keyword| reach.follows(**keyword))
            {
                todo.extend(subschemas(doc, one, *keyword));
            }
            if let Some(reference) = doc.keyword(one, "$ref") {
                match doc.resolve(reference.string()) {
                    Some(target) => todo.push(target),
                    None => found.stop(reach),
                }
            }
            let dynamic = |keyword| doc.keyword(one, keyword).is_some();
            if dynamic("$dynamicRef") || dynamic("$recursiveRef") {
                found.stop(reach);
            }
        }
        found
    }

    /// Where evaluation cannot be followed, it covers possibly everything and surely nothing.
    fn stop(&mut self, reach: Reach) {
        self.all_names |= reach == Reach::Possibly;
        self.all_items |= reach == Reach::Possibly;
    }

    fn own_keywords(&mut self, doc: &Doc<'a>, schema: View<'a>, outermost: bool, reach: Reach) {
        let members = |keyword| {
            let all = doc.keyword(schema, keyword).into_iter();
            all.flat_map(View::members).map(|(key, _)| key.text())
        };
        let has = |keyword| doc.keyword(schema, keyword).is_some();
        self.names.extend(members("properties"));
        self.patterns.extend(members("patternProperties"));
        self.all_names |= has("additionalProperties");
        self.items = self.items.max(parts::tuple_length(doc, schema));
        self.all_items |= parts::rest(doc, schema).is_some();
        // `contains` evaluates items only since 2020-12, and only those that match.
        self.all_items |= reach == Reach::Possibly && has("contains");
        if !outermost {
            self.all_names |= has("unevaluatedProperties");
            self.all_items |= has("unevaluatedItems");
        }
    }

    /// Whether a member with this name is evaluated; `None` if unknown.
    pub(super) fn has_name(&self, doc: &Doc<'a>, name: &str) -> Option<bool> {
        if self.all_names || self.names.contains(name) {
            return Some(true);
        }
        let mut answer = Some(false);
        for pattern in &self.patterns {
            match doc.lookup.matches(pattern, name) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => answer = None,
            }
            if doc.lookup.patterns_used_up() {
                return None;
            }
        }
        answer
    }

    /// Whether every member that `other` evaluates is evaluated here too.
    pub(super) fn holds_names_of(&self, doc: &Doc<'a>, other: &Evaluated<'_>) -> bool {
        let name = |name: &&str| self.has_name(doc, name) == Some(true);
        let pattern = |pattern: &&str| self.patterns.contains(pattern);
        self.all_names
            || (!other.all_names
                && other.patterns.iter().all(pattern)
                && other.names.iter().all(name))
    }

    /// Whether every item that `other` evaluates is evaluated here too.
    pub(super) fn holds_items_of(&self, other: &Evaluated<'_>) -> bool {
        self.all_items || (!other.all_items && other.items <= self.items)
    }
}

/// Schemas that are visited for one `unevaluated…`.
const MOST_SCHEMAS: usize = 256;
