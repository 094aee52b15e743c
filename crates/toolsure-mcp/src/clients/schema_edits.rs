//! Changes to a schema that make it accept at least as much.
//!
//! Keywords above a subschema without an assertion that may accept less because of it are removed
//! or replaced, too ([`toolsure_syntax::loosening`]).

use std::collections::{BTreeMap, HashSet};

use toolsure_json::{Key as _, Kind, Node as _, NodeId, View, json_string};
use toolsure_schema::Schema;
use toolsure_syntax::loosening::{Consequence, Parents, UNEVALUATED, consequence};
use toolsure_syntax::positions::{SubschemaLayout, each_subschema, layout};
use toolsure_syntax::reference::Resources;
use toolsure_syntax::{Dialect, Keyword};

use crate::message::Edits;

/// A schema and the changes to it.
pub(super) struct SchemaEdits<'a> {
    pub(super) root: View<'a>,
    /// Every subschema that is an object.
    pub(super) subs: Vec<View<'a>>,
    known: HashSet<NodeId>,
    resources: Resources<'a>,
    changes: BTreeMap<NodeId, Changes<'a>>,
    cut: HashSet<NodeId>,
    loosened: HashSet<NodeId>,
    /// Descriptions of the changes, for people.
    pub(super) notes: Vec<String>,
}

struct Changes<'a> {
    object: View<'a>,
    removed: HashSet<&'a str>,
    /// New texts of values and keys.
    texts: Vec<(View<'a>, String)>,
    appended: Vec<String>,
}

impl<'a> SchemaEdits<'a> {
    pub(super) fn of(schema: &'a Schema) -> Self {
        let root = schema.text().document().root();
        let mut schema_edits = Self {
            root,
            subs: Vec::new(),
            known: HashSet::new(),
            resources: schema.resources(),
            changes: BTreeMap::new(),
            cut: HashSet::new(),
            loosened: HashSet::new(),
            notes: Vec::new(),
        };
        let mut waiting = vec![root];
        while let Some(schema) = waiting.pop() {
            if schema.kind() != Kind::Object || !schema_edits.known.insert(schema.id()) {
                continue;
            }
            schema_edits.subs.push(schema);
            each_subschema(schema, |_, inner| waiting.push(inner));
            // A reference may lead to a location that is not searched for subschemas.
            waiting.extend(schema_edits.targets(schema));
        }
        schema_edits
    }

    /// The dialect of the root. An unknown one is treated as the newest.
    pub(super) fn dialect(&self) -> Dialect {
        let dialect = self.resources.dialect(0);
        dialect.unwrap_or(Dialect::Draft202012)
    }

    pub(super) fn is_unchanged(&self) -> bool {
        self.changes.is_empty() && self.cut.is_empty()
    }

    /// The schemas in the document that a schema refers to.
    fn targets(&mut self, schema: View<'a>) -> Vec<View<'a>> {
        let references = ["$ref", "$dynamicRef", "$recursiveRef"].into_iter();
        let references = references.filter_map(|keyword| text(schema, keyword));
        let targets = references.filter_map(|to| self.resources.resolve(schema, to).schema());
        targets.collect()
    }

    /// Leaves out a keyword that asserts nothing, or that the guard does not check.
    pub(super) fn remove(&mut self, schema: View<'a>, keyword: &'a str) {
        if schema.member(keyword).is_some() {
            self.change(schema).removed.insert(keyword);
        }
    }

    /// Leaves out an assertion.
    pub(super) fn loosen(&mut self, schema: View<'a>, keyword: &'a str) {
        self.remove(schema, keyword);
        self.loosened.insert(schema.id());
    }

    /// Replaces a value or a key of a schema with text.
    pub(super) fn replace(&mut self, schema: View<'a>, part: View<'a>, text: String) {
        self.change(schema).texts.push((part, text));
    }

    pub(super) fn append(&mut self, schema: View<'a>, member: String) {
        self.change(schema).appended.push(member);
    }

    /// Removes everything but `type` from a subschema.
    pub(super) fn cut(&mut self, schema: View<'a>) {
        self.cut.insert(schema.id());
        self.loosened.insert(schema.id());
    }

    pub(super) fn note(&mut self, schema: View<'a>, what: &str) {
        if self.notes.len() < NOTES {
            let place = schema.document().pointer(schema.id());
            self.notes.push(format!("{what} (at `{place}`)"));
        } else if self.notes.len() == NOTES {
            self.notes.push("and more".to_owned());
        }
    }

    fn change(&mut self, object: View<'a>) -> &mut Changes<'a> {
        self.changes.entry(object.id()).or_insert_with(|| Changes {
            object,
            removed: HashSet::new(),
            texts: Vec::new(),
            appended: Vec::new(),
        })
    }

    /// The text of the schema with all changes.
    pub(super) fn apply(mut self, source: &str) -> (String, Vec<String>) {
        self.spread();
        let mut edits = Edits::new();
        for schema in &self.subs {
            if self.cut.contains(&schema.id()) {
                // A `type` beside a reference may be ignored.
                let kind = schema
                    .member("type")
                    .filter(|_| schema.member("$ref").is_none());
                let kind = kind.map(|kind| kind.raw());
                let rest =
                    kind.map_or_else(|| "{}".to_owned(), |kind| format!("{{\"type\":{kind}}}"));
                edits.replace(*schema, rest);
            }
        }
        for changes in self.changes.values() {
            if self.cut.contains(&changes.object.id()) {
                continue;
            }
            let removed = |_, value: View<'_>| {
                value
                    .name()
                    .is_some_and(|name| changes.removed.contains(name.string()))
            };
            edits.reshape(changes.object, removed, &changes.appended);
            for (part, text) in &changes.texts {
                edits.replace(*part, text.clone());
            }
        }
        let span = self.root.span();
        (edits.apply_within(source, span.start, span.end), self.notes)
    }

    /// Removes or replaces the keywords that may accept less because a subschema was loosened.
    fn spread(&mut self) {
        if self.loosened.is_empty() {
            return;
        }
        let subs = self.subs.clone();
        for schema in &subs {
            // They may depend on any keyword that was removed.
            for keyword in UNEVALUATED.iter().map(|keyword| keyword.name()) {
                if schema.member(keyword).is_some() {
                    self.loosen(*schema, keyword);
                }
            }
        }
        let affected = self.parents(&subs).above(self.loosened.iter().copied());
        for schema in &subs {
            let mut names = Vec::new();
            each_subschema(*schema, |name, inner| {
                if affected.contains(&inner.id()) {
                    names.push(name);
                }
            });
            names.dedup();
            for name in names {
                self.loosen_above(*schema, name);
            }
        }
    }

    /// Removes or replaces a keyword with a subschema that accepts more than before.
    fn loosen_above(&mut self, schema: View<'a>, name: &'a str) {
        let keyword = Keyword::from_name(name).unwrap_or(Keyword::Unknown);
        let has = |other: Keyword| schema.member(other.name()).is_some();
        match consequence(keyword, has) {
            Consequence::Stays => {}
            Consequence::LeftOut { without_effect } => {
                self.remove(schema, name);
                for other in without_effect {
                    self.remove(schema, other.name());
                }
            }
            Consequence::AnyOf => {
                if let Some(key) = schema.member(name).and_then(View::name) {
                    self.replace(schema, key, "\"anyOf\"".to_owned());
                }
            }
        }
    }

    /// The schemas that contain each subschema or refer to it.
    fn parents(&mut self, subs: &[View<'a>]) -> Parents<NodeId> {
        let mut parents = Parents::default();
        for schema in subs {
            let mut add = |child: View<'a>| parents.add(child.id(), schema.id());
            each_subschema(*schema, |_, inner| add(inner));
            self.targets(*schema).into_iter().for_each(add);
        }
        parents
    }

    /// Leaves out the keyword that contains a location, as lenient compilation does.
    pub(super) fn ignore(&mut self, place: View<'a>) {
        let mut at = place;
        while let Some(above) = at.parent() {
            if self.known.contains(&above.id()) && above.kind() == Kind::Object {
                let Some(name) = at.name() else { return };
                if at.id() == place.id() {
                    self.remove(above, name.string());
                } else {
                    // The rest of what the keyword asserts still counts.
                    self.loosen(above, name.string());
                }
                return;
            }
            // One of the named schemas that a keyword holds.
            let is_entry = above.name().is_some_and(|name| {
                layout(name.string()) == Some(SubschemaLayout::Map)
                    && above
                        .parent()
                        .is_some_and(|outer| self.known.contains(&outer.id()))
            });
            if is_entry && at.kind() != Kind::Object {
                let Some(outer) = above.parent() else { return };
                return self.replace(outer, at, "{}".to_owned());
            }
            at = above;
        }
    }
}

/// A member that is a string.
pub(super) fn text<'a>(schema: View<'a>, name: &str) -> Option<&'a str> {
    let member = schema.member(name)?;
    (member.kind() == Kind::String).then(|| member.string())
}

/// The names and values of a schema's members.
pub(super) fn members<'a>(schema: View<'a>) -> impl Iterator<Item = (&'a str, View<'a>)> {
    schema.members().map(|(key, value)| (key.text(), value))
}

/// A member as JSON text, its name escaped.
pub(super) fn member(name: &str, value: &str) -> String {
    format!("{}:{value}", json_string(name))
}

/// The number of changes that are listed one by one.
const NOTES: usize = 4;
