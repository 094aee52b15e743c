//! A schema as a conjunction of plain nodes, and where its references lead.

use toolgate_json::{Kind, Node as _, View};
use toolgate_schema::Dialect;

/// A document of schemas.
#[derive(Clone, Copy)]
pub(super) struct Doc<'a> {
    pub(super) root: View<'a>,
    pub(super) dialect: Dialect,
    /// Whether references in it are all of the form `#/…`, with nothing that renames places.
    pub(super) plain: bool,
}

impl<'a> Doc<'a> {
    pub(super) fn new(root: View<'a>) -> Self {
        let declared = root.member("$schema").map_or("", |uri| uri.string());
        let text = root.raw();
        let renames = [
            "\"$id\"",
            "\"id\"",
            "\"$anchor\"",
            "\"$dynamicRef\"",
            "\"$recursiveRef\"",
        ];
        // `id` is also a frequent property; only draft 4 has it as a keyword.
        let dialect = Dialect::from_uri(declared).unwrap_or(Dialect::Draft202012);
        let plain = !renames.iter().any(|name| {
            text.contains(name)
                && (*name != "\"id\"" || dialect == Dialect::Draft4)
                && (*name != "\"$id\"" || nested_id(root))
        });
        Self {
            root,
            dialect,
            plain,
        }
    }

    /// Where a reference leads.
    pub(super) fn resolve(&self, reference: &str) -> Option<View<'a>> {
        let fragment = reference.strip_prefix('#').filter(|_| self.plain)?;
        if fragment.is_empty() {
            return Some(self.root);
        }
        if fragment.contains('%') {
            return None;
        }
        // Pointers are into the schema, which may be a part of its document.
        let mut view = self.root;
        for token in toolgate_json::pointer::tokens(fragment) {
            view = match view.kind() {
                Kind::Array => view.item(toolgate_json::pointer::index(&token)?)?,
                _ => view.member(&token)?,
            };
        }
        Some(view)
    }

    fn hides_siblings(&self) -> bool {
        self.dialect <= Dialect::Draft7
    }
}

/// Whether `$id` stands anywhere but at the root, as a rough count of its text.
fn nested_id(root: View<'_>) -> bool {
    let own = usize::from(root.member("$id").is_some());
    root.raw().matches("\"$id\"").count() > own
}

/// The plain schemas that must all hold, references and `allOf` followed.
#[derive(Clone, Default)]
pub(super) struct Facts<'a> {
    pub(super) nodes: Vec<View<'a>>,
    /// Some reference could not be followed, or there were too many.
    pub(super) opaque: bool,
    /// Nothing fits.
    pub(super) never: bool,
}

impl<'a> Facts<'a> {
    pub(super) fn of(doc: &Doc<'a>, schemas: &[View<'a>]) -> Self {
        let mut facts = Self::default();
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
                        return facts;
                    }
                    let reference = schema.member("$ref").filter(|r| r.kind() == Kind::String);
                    if let Some(reference) = reference {
                        match doc.resolve(reference.string()) {
                            Some(target) => todo.push(target),
                            None => facts.opaque = true,
                        }
                    }
                    // A node with a hidden sibling is only its reference.
                    if reference.is_some() && doc.hides_siblings() {
                        continue;
                    }
                    facts.opaque |= ["$dynamicRef", "$recursiveRef"]
                        .iter()
                        .any(|keyword| schema.member(keyword).is_some());
                    facts.nodes.push(schema);
                    let all = schema.member("allOf").into_iter().flat_map(View::items);
                    todo.extend(all);
                }
                _ => facts.opaque = true,
            }
        }
        facts
    }

    /// The values of a keyword, of all nodes that have it.
    pub(super) fn all(&self, keyword: &str) -> Vec<View<'a>> {
        self.nodes
            .iter()
            .filter_map(|node| node.member(keyword))
            .collect()
    }

    /// The types that all nodes allow, one bit each; see [`TYPES`].
    pub(super) fn types(&self) -> u8 {
        self.nodes
            .iter()
            .fold(ANY, |types, node| types & types_of(*node))
    }

    /// The values of the shortest `enum` or of a `const`.
    pub(super) fn values(&self) -> Option<Vec<View<'a>>> {
        let constant = self
            .all("const")
            .into_iter()
            .next()
            .map(|value| vec![value]);
        let list = self.all("enum").into_iter().min_by_key(|list| list.len());
        constant.or_else(|| list.map(|list| list.items().collect()))
    }
}

/// The types of a value, by bit: integers have two.
pub(super) const TYPES: [(&str, u8); 7] = [
    ("null", 1),
    ("boolean", 2),
    ("string", 4),
    ("array", 8),
    ("object", 16),
    ("integer", 32),
    ("number", 32 | 64),
];
/// Every type.
pub(super) const ANY: u8 = 127;
pub(super) const STRING: u8 = 4;
pub(super) const ARRAY: u8 = 8;
pub(super) const OBJECT: u8 = 16;
pub(super) const NUMBER: u8 = 96;

/// The types that a node's own `type` allows.
fn types_of(node: View<'_>) -> u8 {
    let Some(value) = node.member("type") else {
        return ANY;
    };
    let one = |name: &str| {
        TYPES
            .iter()
            .find(|(known, _)| *known == name)
            .map_or(0, |(_, bits)| *bits)
    };
    match value.kind() {
        Kind::String => one(value.string()),
        _ => value
            .items()
            .fold(0, |bits, name| bits | one(name.string())),
    }
}

/// The bits of a value's type.
pub(super) fn type_of(value: View<'_>) -> u8 {
    match value.kind() {
        Kind::Null => 1,
        Kind::Boolean => 2,
        Kind::String => STRING,
        Kind::Array => ARRAY,
        Kind::Object => OBJECT,
        Kind::Number if value.number().is_integer() => 32,
        Kind::Number => 64,
    }
}

/// The names of types in a message.
pub(super) fn type_names(bits: u8) -> String {
    if bits & ANY == ANY {
        return "anything".to_owned();
    }
    let whole = bits & 96 == 96;
    let names: Vec<&str> = TYPES
        .iter()
        .filter(|(name, own)| match *name {
            "integer" => bits & 32 != 0 && !whole,
            "number" => whole || bits & 96 == 64,
            _ => bits & own != 0,
        })
        .map(|(name, _)| *name)
        .collect();
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.join(" or ")
}

/// Nodes of one conjunction.
const MOST_NODES: usize = 64;
