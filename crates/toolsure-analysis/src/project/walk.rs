//! Walks a value along the published schema and writes what it stands for.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use toolsure_json::{
    Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View, pointer, push_json_string,
};

use super::conversions::Conversion;
use super::reference::follow;
use super::report::StepKind;
use super::tree::{Form, Json, Members, WRAPPED};

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Published,
    Original,
}

/// The schemas that a value must match.
type Nodes<'m> = Vec<&'m Members>;

pub(super) struct Walk<'m> {
    pub(super) root: &'m Json,
    pub(super) side: Side,
    /// Whether values stay those of the original, and only nulls that are defaults are added.
    completes: bool,
    pub(super) left: usize,
    /// The parsed JSON strings, by position, because many branches may request the same one.
    parsed: HashMap<usize, Option<Rc<OwnedDocument>>>,
    pub(super) out: String,
    /// The location in the value, as it was given.
    pointer: String,
    pub(super) conversions: Vec<Conversion>,
    pub(super) more_conversions: usize,
    /// An entry whose key an earlier one has, and the key.
    pub(super) repeated: Option<(String, String)>,
}

impl<'m> Walk<'m> {
    pub(super) fn new(root: &'m Json, side: Side, completes: bool) -> Self {
        Self {
            root,
            side,
            completes,
            left: STEPS,
            parsed: HashMap::new(),
            out: String::new(),
            pointer: String::new(),
            conversions: Vec::new(),
            more_conversions: 0,
            repeated: None,
        }
    }

    /// Maps a whole value.
    pub(super) fn all(&mut self, value: View<'_>) {
        let nodes = self.nodes(&[self.root], value);
        self.value(&nodes, value, 0);
    }

    /// Records a conversion of the value at the current location, on the way back.
    fn record(&mut self, kind: StepKind) {
        if self.side != Side::Published {
            return;
        }
        if self.conversions.len() >= CONVERSIONS {
            self.more_conversions = self.more_conversions.saturating_add(1);
            return;
        }
        let pointer = self.pointer.clone();
        self.conversions.push(Conversion { kind, pointer });
    }

    pub(super) fn pay(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// A string parsed as JSON, once.
    pub(super) fn parse(&mut self, text: View<'_>) -> Option<Rc<OwnedDocument>> {
        let place = text.span().start;
        let read = || {
            let document = OwnedDocument::read(text.string(), &ReadLimits::default());
            document.ok().map(Rc::new)
        };
        self.parsed.entry(place).or_insert_with(read).clone()
    }

    /// The schemas that a value must match: follows references and `allOf`; of a union, takes the first
    /// branch that the value fits.
    fn nodes(&mut self, schemas: &[&'m Json], value: View<'_>) -> Nodes<'m> {
        let mut found: Nodes<'m> = Vec::new();
        let mut todo: Vec<&'m Json> = schemas.to_vec();
        while let Some(schema) = todo.pop() {
            let Some(members) = schema.as_object().filter(|_| self.pay()) else {
                continue;
            };
            if found.iter().any(|known| std::ptr::eq(*known, members)) {
                continue;
            }
            found.push(members);
            if !matches!(members.coding.form, Form::Plain) {
                continue;
            }
            if let Some(reference) = members.text("$ref") {
                todo.extend(follow(self.root, reference));
            }
            todo.extend(members.schemas("allOf"));
            for keyword in ["anyOf", "oneOf"] {
                // A string of JSON text is interpreted as JSON before it is interpreted as a string.
                let (texts, others): (Vec<&'m Json>, Vec<&'m Json>) =
                    members.schemas(keyword).iter().partition(|branch| {
                        let branch = branch.as_object();
                        branch.is_some_and(|own| own.coding.form.is_text())
                    });
                let mut branches = texts.into_iter().chain(others);
                let fits = branches.find(|branch| self.fits(branch, value, 0));
                todo.extend(fits);
            }
        }
        found
    }

    fn value(&mut self, nodes: &Nodes<'m>, value: View<'_>, depth: usize) {
        if !self.pay() || depth > DEEPEST {
            self.left = 0;
            return;
        }
        for node in nodes {
            let done = match &node.coding.form {
                Form::Plain => false,
                Form::JsonText(_) | Form::Wrapped(_) | Form::Words(_) if self.completes => {
                    self.out.push_str(value.raw());
                    true
                }
                Form::JsonText(_) => self.json_text(value),
                Form::Wrapped(_) => self.wrapped(value),
                Form::Entries => self.entries(node, value, depth),
                Form::Words(table) => self.word(table, value),
            };
            if done {
                return;
            }
        }
        match value.kind() {
            Kind::Object => self.object(nodes, value, depth),
            Kind::Array => {
                self.out.push('[');
                let length = self.pointer.len();
                for (at, item) in value.items().enumerate() {
                    self.out.push_str(if at == 0 { "" } else { "," });
                    pointer::push_index(&mut self.pointer, at);
                    let schemas: Vec<&'m Json> = nodes
                        .iter()
                        .filter_map(|node| {
                            node.schemas("prefixItems")
                                .get(at)
                                .or_else(|| node.get("items"))
                        })
                        .collect();
                    let below = self.nodes(&schemas, item);
                    self.value(&below, item, depth + 1);
                    self.pointer.truncate(length);
                }
                self.out.push(']');
            }
            _ => self.out.push_str(value.raw()),
        }
    }

    fn object(&mut self, nodes: &Nodes<'m>, value: View<'_>, depth: usize) {
        self.out.push('{');
        let mut first = true;
        let length = self.pointer.len();
        for (key, member) in value.members() {
            self.pointer.truncate(length);
            let name = key.text();
            pointer::push(&mut self.pointer, name);
            // The names of the member on both sides.
            let (mut original, mut published) = (name, name);
            for node in nodes {
                match self.side {
                    Side::Published => original = node.coding.original(original),
                    Side::Original => published = node.coding.published(published),
                }
            }
            let absent = |node: &&Members| node.coding.absent.iter().any(|one| one == original);
            if self.side == Side::Published
                && member.kind() == Kind::Null
                && nodes.iter().any(absent)
            {
                self.record(StepKind::RequireAll);
                continue;
            }
            let written = match self.side {
                Side::Original if !self.completes => published,
                _ => original,
            };
            if original != published && original != name {
                self.record(StepKind::RenameProperty);
            }
            self.name(&mut first, written);
            let schemas: Vec<&'m Json> = nodes
                .iter()
                .filter_map(|node| declared(node, published))
                .collect();
            let below = self.nodes(&schemas, member);
            self.value(&below, member, depth + 1);
        }
        self.pointer.truncate(length);
        if self.side == Side::Original {
            for node in nodes {
                let absent = node.coding.absent.iter().filter(|_| !self.completes);
                let absent: Vec<&String> = absent.chain(&node.coding.nulls).collect();
                for name in absent {
                    if value.member(name).is_none() {
                        let published = node.coding.published(name);
                        self.name(&mut first, if self.completes { name } else { published });
                        self.out.push_str("null");
                    }
                }
            }
        }
        self.out.push('}');
    }

    fn name(&mut self, first: &mut bool, name: &str) {
        self.out.push_str(if *first { "" } else { "," });
        *first = false;
        push_json_string(&mut self.out, name);
        self.out.push(':');
    }

    fn json_text(&mut self, value: View<'_>) -> bool {
        match self.side {
            Side::Original => push_json_string(&mut self.out, value.raw()),
            Side::Published if value.kind() == Kind::String => match self.parse(value) {
                Some(document) => {
                    self.out.push_str(document.document().root().raw());
                    self.record(StepKind::JsonText);
                }
                None => return false,
            },
            Side::Published => return false,
        }
        true
    }

    fn wrapped(&mut self, value: View<'_>) -> bool {
        if self.side == Side::Original {
            self.out.push('{');
            self.name(&mut true, WRAPPED);
            push_json_string(&mut self.out, value.raw());
            self.out.push('}');
            return true;
        }
        let text = unwrap(value).and_then(|text| self.parse(text));
        if let Some(document) = &text {
            self.out.push_str(document.document().root().raw());
            self.record(StepKind::Wrap);
        }
        text.is_some()
    }

    fn entries(&mut self, node: &'m Members, value: View<'_>, depth: usize) -> bool {
        let each = node.get("items").and_then(Json::as_object);
        let each = each.and_then(|each| declared(each, "value"));
        let schemas: Vec<&'m Json> = each.into_iter().collect();
        match (self.side, value.kind()) {
            (Side::Original, Kind::Object) if self.completes => {
                self.out.push('{');
                let mut first = true;
                for (key, member) in value.members() {
                    self.name(&mut first, key.text());
                    let below = self.nodes(&schemas, member);
                    self.value(&below, member, depth + 1);
                }
                self.out.push('}');
                true
            }
            (Side::Original, Kind::Object) => {
                self.out.push('[');
                for (at, (key, member)) in value.members().enumerate() {
                    self.out
                        .push_str(if at == 0 { "{\"key\":" } else { ",{\"key\":" });
                    push_json_string(&mut self.out, key.text());
                    self.out.push_str(",\"value\":");
                    let below = self.nodes(&schemas, member);
                    self.value(&below, member, depth + 1);
                    self.out.push('}');
                }
                self.out.push(']');
                true
            }
            (Side::Published, Kind::Array) => {
                let key = |entry: View<'_>| {
                    entry
                        .member("key")
                        .filter(|key| key.kind() == Kind::String)
                        .is_some()
                };
                if !value
                    .items()
                    .all(|entry| key(entry) && entry.member("value").is_some())
                {
                    return false;
                }
                self.record(StepKind::Entries);
                let mut known = HashSet::new();
                self.out.push('{');
                let mut first = true;
                let length = self.pointer.len();
                for (at, entry) in value.items().enumerate() {
                    let (Some(key), Some(member)) = (entry.member("key"), entry.member("value"))
                    else {
                        continue;
                    };
                    pointer::push_index(&mut self.pointer, at);
                    if !known.insert(key.string()) && self.repeated.is_none() {
                        self.repeated = Some((self.pointer.clone(), key.string().to_owned()));
                    }
                    pointer::push(&mut self.pointer, "value");
                    self.name(&mut first, key.string());
                    let below = self.nodes(&schemas, member);
                    self.value(&below, member, depth + 1);
                    self.pointer.truncate(length);
                }
                self.out.push('}');
                true
            }
            _ => false,
        }
    }

    fn word(&mut self, table: &[(String, Json)], value: View<'_>) -> bool {
        match self.side {
            Side::Published if value.kind() == Kind::String => {
                let mut rows = table.iter();
                let row = rows.find(|(word, _)| word == value.string());
                row.is_some_and(|(word, original)| {
                    original.push(&mut self.out);
                    if original.as_text() != Some(word) {
                        self.record(StepKind::Words);
                    }
                    true
                })
            }
            Side::Published => false,
            Side::Original => {
                let own = Json::of(value);
                let mut rows = table.iter();
                let row = rows.find(|(_, original)| original.equals(&own));
                row.is_some_and(|(word, _)| {
                    push_json_string(&mut self.out, word);
                    true
                })
            }
        }
    }
}

/// The text of a wrapped value.
pub(super) fn unwrap(value: View<'_>) -> Option<View<'_>> {
    let text = value
        .member(WRAPPED)
        .filter(|text| text.kind() == Kind::String);
    text.filter(|_| value.kind() == Kind::Object && value.len() == 1)
}

/// The schema of a member.
pub(super) fn declared<'m>(node: &'m Members, name: &str) -> Option<&'m Json> {
    let mut own = node.map("properties").iter();
    let own = own.find(|(own, _)| own == name).map(|(_, schema)| schema);
    own.or_else(|| {
        // A name that a pattern may match is not surely additional; values of such names travel as they are.
        node.get("additionalProperties")
            .filter(|one| one.as_object().is_some() && !node.has("patternProperties"))
    })
}

/// Conversions that are listed.
const CONVERSIONS: usize = 100;
/// Schemas that are visited for one value.
const STEPS: usize = 1_000_000;
/// Levels of a value.
pub(super) const DEEPEST: usize = 256;
