//! Maps values of a published schema to values of the original, and back.

use std::collections::HashMap;
use std::rc::Rc;

use toolsure_json::{Key as _, Kind, Node as _, OwnedDocument, ReadLimits, View, push_json_string};
use toolsure_syntax::model::TypeSet;

use super::reference::follow;
use super::tree::{Form, Json, Members};

/// Maps the arguments that a model writes for a published schema to arguments of the original tool, and
/// back.
///
/// Made by a [`Projector`](super::Projector). Values that do not match the published schema are mapped as
/// far as possible; the caller must check the result against the original schema.
///
/// ```
/// use toolsure_analysis::readers::reader;
/// use toolsure_analysis::project::Projector;
/// use toolsure_json::{OwnedDocument, ReadLimits};
///
/// let schema = r#"{"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
///     "required": ["q"], "additionalProperties": false}"#;
/// let projector = Projector::new(reader("openai-strict").unwrap());
/// let mapping = projector.project_schema(schema)?.mapping;
/// assert!(!mapping.is_plain());
/// // The mode requires every property, so an absent one is null.
/// let written = OwnedDocument::read(r#"{"q":"a","n":null}"#, &ReadLimits::default())?;
/// assert_eq!(mapping.back(written.document().root()).as_deref(), Some(r#"{"q":"a"}"#));
/// let original = OwnedDocument::read(r#"{"q":"a"}"#, &ReadLimits::default())?;
/// assert_eq!(mapping.forward(original.document().root()).as_deref(), Some(r#"{"q":"a","n":null}"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Mapping {
    published: Json,
    plain: bool,
}

/// The form of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Published,
    Original,
}

/// The schemas that a value must match.
type Nodes<'m> = Vec<&'m Members>;

impl Mapping {
    pub(super) fn new(published: Json, plain: bool) -> Self {
        Self { published, plain }
    }

    /// Whether values stay as they are.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.plain
    }

    /// The arguments for the original tool, as JSON text. `None` if it takes too many steps to find out
    /// which branches of unions apply.
    #[must_use]
    pub fn back(&self, arguments: View<'_>) -> Option<String> {
        self.map(arguments, Side::Published)
    }

    /// The arguments for the published tool, as JSON text: the inverse of [`back`](Self::back).
    #[must_use]
    pub fn forward(&self, arguments: View<'_>) -> Option<String> {
        self.map(arguments, Side::Original)
    }

    fn map(&self, value: View<'_>, side: Side) -> Option<String> {
        if self.plain {
            return Some(value.raw().to_owned());
        }
        let mut walk = Walk {
            root: &self.published,
            side,
            left: STEPS,
            parsed: HashMap::new(),
            out: String::new(),
        };
        let nodes = walk.nodes(&[&self.published], value);
        walk.value(&nodes, value, 0);
        (walk.left > 0).then_some(walk.out)
    }
}

struct Walk<'m> {
    root: &'m Json,
    side: Side,
    left: usize,
    /// The parsed JSON strings, by position, because many branches may request the same one.
    parsed: HashMap<usize, Option<Rc<OwnedDocument>>>,
    out: String,
}

impl<'m> Walk<'m> {
    fn pay(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// A string parsed as JSON, once.
    fn parse(&mut self, text: View<'_>) -> Option<Rc<OwnedDocument>> {
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
                        branch.is_some_and(|own| matches!(own.coding.form, Form::JsonText(_)))
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
                Form::JsonText(_) => self.json_text(value),
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
                for (at, item) in value.items().enumerate() {
                    self.out.push_str(if at == 0 { "" } else { "," });
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
                }
                self.out.push(']');
            }
            _ => self.out.push_str(value.raw()),
        }
    }

    fn object(&mut self, nodes: &Nodes<'m>, value: View<'_>, depth: usize) {
        self.out.push('{');
        let mut first = true;
        for (key, member) in value.members() {
            let name = key.text();
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
                continue;
            }
            let written = match self.side {
                Side::Published => original,
                Side::Original => published,
            };
            self.name(&mut first, written);
            let schemas: Vec<&'m Json> = nodes
                .iter()
                .filter_map(|node| declared(node, published))
                .collect();
            let below = self.nodes(&schemas, member);
            self.value(&below, member, depth + 1);
        }
        if self.side == Side::Original {
            for node in nodes {
                for name in &node.coding.absent {
                    if value.member(name).is_none() {
                        self.name(&mut first, node.coding.published(name));
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
                Some(document) => self.out.push_str(document.document().root().raw()),
                None => return false,
            },
            Side::Published => return false,
        }
        true
    }

    fn entries(&mut self, node: &'m Members, value: View<'_>, depth: usize) -> bool {
        let each = node.get("items").and_then(Json::as_object);
        let each = each.and_then(|each| declared(each, "value"));
        let schemas: Vec<&'m Json> = each.into_iter().collect();
        match (self.side, value.kind()) {
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
                let mut known = std::collections::HashSet::new();
                // If a key occurs twice the last counts, as for readers of objects.
                let entries: Vec<View<'_>> = value.items().collect();
                let mut kept: Vec<View<'_>> = Vec::new();
                for entry in entries.into_iter().rev() {
                    if known.insert(entry.member("key").map_or("", |key| key.string())) {
                        kept.push(entry);
                    }
                }
                self.out.push('{');
                let mut first = true;
                for entry in kept.into_iter().rev() {
                    if let (Some(key), Some(member)) = (entry.member("key"), entry.member("value"))
                    {
                        self.name(&mut first, key.string());
                        let below = self.nodes(&schemas, member);
                        self.value(&below, member, depth + 1);
                    }
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
                row.is_some_and(|(_, original)| {
                    original.push(&mut self.out);
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

    /// Whether a value can match a schema, by its shape: types, listed values, names.
    fn fits(&mut self, schema: &'m Json, value: View<'_>, depth: usize) -> bool {
        if !self.pay() || depth > DEEPEST {
            return true;
        }
        let members = match schema {
            Json::Bool(accepts) => return *accepts,
            Json::Object(members) => members,
            _ => return true,
        };
        let published = self.side == Side::Published;
        match &members.coding.form {
            Form::Plain => {}
            Form::JsonText(types) => {
                return match (published, value.kind()) {
                    (false, kind) => types.admits(value, kind),
                    (true, Kind::String) => self.parse(value).is_some_and(|document| {
                        let root = document.document().root();
                        types.admits(root, root.kind())
                    }),
                    (true, _) => false,
                };
            }
            Form::Entries => {
                let kind = if published { Kind::Array } else { Kind::Object };
                return value.kind() == kind;
            }
            Form::Words(table) => {
                if published {
                    let is_text = value.kind() == Kind::String;
                    return is_text && table.iter().any(|(word, _)| word == value.string());
                }
                let own = Json::of(value);
                return table.iter().any(|(_, original)| original.equals(&own));
            }
        }
        if members.get("nullable").is_some() && value.kind() == Kind::Null {
            return true;
        }
        if let Some(reference) = members.text("$ref")
            && let Some(target) = follow(self.root, reference)
            && !self.fits(target, value, depth + 1)
        {
            return false;
        }
        let mut types = Members::default();
        if let Some(own) = members.get("type") {
            types.set("type", own.clone());
        }
        if !types
            .types()
            .intersection(TypeSet::ALL)
            .admits(value, value.kind())
        {
            return false;
        }
        if members.has("enum") || members.has("const") {
            let mut listed = members.schemas("enum").iter().chain(members.get("const"));
            let is_listed = match value.kind() {
                Kind::String => listed.any(|one| one.as_text() == Some(value.string())),
                _ => {
                    let own = Json::of(value);
                    listed.any(|one| one.equals(&own))
                }
            };
            if !is_listed {
                return false;
            }
        }
        self.parts_fit(members, value, depth) && self.unions_fit(members, value, depth)
    }

    fn unions_fit(&mut self, members: &'m Members, value: View<'_>, depth: usize) -> bool {
        for keyword in ["anyOf", "oneOf"] {
            let branches = members.schemas(keyword);
            if !branches.is_empty() && !branches.iter().any(|one| self.fits(one, value, depth + 1))
            {
                return false;
            }
        }
        let all = members.schemas("allOf");
        all.iter().all(|one| self.fits(one, value, depth + 1))
    }

    fn parts_fit(&mut self, members: &'m Members, value: View<'_>, depth: usize) -> bool {
        match value.kind() {
            Kind::Object => {
                for name in members.get("required").into_iter().flat_map(Json::texts) {
                    let original = members.coding.original(name);
                    let (own, may_lack) = match self.side {
                        Side::Published => (name, false),
                        Side::Original => (
                            original,
                            members.coding.absent.iter().any(|one| one == original),
                        ),
                    };
                    if !may_lack && value.member(own).is_none() {
                        return false;
                    }
                }
                let closed = matches!(members.get("additionalProperties"), Some(Json::Bool(false)));
                for (key, member) in value.members() {
                    let name = match self.side {
                        Side::Published => key.text(),
                        Side::Original => members.coding.published(key.text()),
                    };
                    match declared(members, name) {
                        None if closed => return false,
                        Some(below) if !self.fits(below, member, depth + 1) => return false,
                        _ => {}
                    }
                }
                true
            }
            Kind::Array => value.items().take(LOOKED_AT).enumerate().all(|(at, item)| {
                let each = members
                    .schemas("prefixItems")
                    .get(at)
                    .or_else(|| members.get("items"));
                each.is_none_or(|each| self.fits(each, item, depth + 1))
            }),
            _ => true,
        }
    }
}

/// The schema of a member.
fn declared<'m>(node: &'m Members, name: &str) -> Option<&'m Json> {
    let mut own = node.map("properties").iter();
    let own = own.find(|(own, _)| own == name).map(|(_, schema)| schema);
    own.or_else(|| {
        node.get("additionalProperties")
            .filter(|one| one.as_object().is_some())
    })
}

/// Schemas that are visited for one value.
const STEPS: usize = 1_000_000;
/// Levels of a value.
const DEEPEST: usize = 256;
/// Items of an array that are examined to choose a branch.
const LOOKED_AT: usize = 100;
