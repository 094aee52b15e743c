//! A schema as a mutable tree, and how the values of the published schema differ from those of the original.

use std::cmp::Ordering;

use toolsure_json::{Key as _, Kind, Node as _, Number, View, pointer, push_json_string};
use toolsure_syntax::Dialect;
use toolsure_syntax::model::TypeSet;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

/// A mutable JSON value.
#[derive(Debug, Clone)]
pub(super) enum Json {
    Null,
    Bool(bool),
    /// As it was written.
    Number(String),
    Text(String),
    Array(Vec<Self>),
    Object(Members),
}

/// The members of an object, in order. For a schema it also says how values are encoded.
#[derive(Debug, Clone, Default)]
pub(super) struct Members {
    pub(super) list: Vec<(String, Json)>,
    pub(super) coding: Coding,
}

/// How a value that matches a published schema is encoded.
#[derive(Debug, Clone, Default)]
pub(super) struct Coding {
    /// Members, by their original names, whose absence is published as null.
    pub(super) absent: Vec<String>,
    /// Optional members, by their original names, that are published as null if absent: null is their default.
    pub(super) nulls: Vec<String>,
    /// Members that are published under another name.
    pub(super) renamed: Vec<Renamed>,
    pub(super) form: Form,
    /// Whether null is the default of the value.
    pub(super) null_default: bool,
    /// Whether a subschema has values in another form.
    pub(super) below: bool,
    /// Whether a branch judges such a value.
    pub(super) crossed: bool,
    /// Whether a keyword that evaluated members or items became words, here or in a branch.
    pub(super) evaluates_less: bool,
}

/// A member that is published under another name.
#[derive(Debug, Clone)]
pub(super) struct Renamed {
    pub(super) published: String,
    pub(super) original: String,
}

/// The form in which a value is published.
#[derive(Debug, Clone, Default)]
pub(super) enum Form {
    /// Unchanged.
    #[default]
    Plain,
    /// As a string that contains its JSON text; holds the types that the original allows.
    JsonText(TypeSet),
    /// As an object whose only member [`WRAPPED`] is that string, where strings travel as they are.
    Wrapped(TypeSet),
    /// An object as an array of objects with `key` and `value`; the values of the original follow the
    /// coding of the published `value`.
    Entries,
    /// As a string that represents it: the published string and the value.
    Words(Vec<(String, Json)>),
}

/// The keywords whose subschemas, as items of an array, apply to the same value.
pub(super) const IN_PLACE: [&str; 3] = ["anyOf", "oneOf", "allOf"];

/// Keywords whose subschemas evaluate members or items of the same value (core 2020-12 section 11).
pub(super) const EVALUATE: &[&str] = &[
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "patternProperties",
    "contains",
];

/// The member of a wrapped value.
pub(super) const WRAPPED: &str = "json";

/// How many values a text counts as, in addition to the one that has it.
pub(super) const fn size_of_text(text: &str) -> usize {
    text.len() / 64
}

impl Json {
    /// The value of a document. If two members have the same name the last counts.
    pub(super) fn of(view: View<'_>) -> Self {
        match view.kind() {
            Kind::Null => Self::Null,
            Kind::Boolean => Self::Bool(view.boolean()),
            Kind::Number => Self::Number(view.raw().to_owned()),
            Kind::String => Self::Text(view.string().to_owned()),
            Kind::Array => Self::Array(view.items().map(Self::of).collect()),
            Kind::Object => {
                let members = view.members();
                let list = members.map(|(key, value)| (key.text().to_owned(), Self::of(value)));
                Self::Object(Members::of(list.collect()))
            }
        }
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn strings<'s>(all: impl IntoIterator<Item = &'s str>) -> Self {
        Self::Array(all.into_iter().map(Self::text).collect())
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_object(&self) -> Option<&Members> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The items; empty if it is not an array.
    pub(super) fn items(&self) -> &[Self] {
        match self {
            Self::Array(items) => items,
            _ => &[],
        }
    }

    /// The strings among the items.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.items().iter().filter_map(Self::as_text)
    }

    pub(super) fn number(&self) -> Option<Number<'_>> {
        match self {
            Self::Number(text) => Number::parse(text),
            _ => None,
        }
    }

    pub(super) fn count(&self) -> Option<usize> {
        usize::try_from(self.number()?.as_u64()?).ok()
    }

    /// The instance types that the value has.
    pub(super) fn types(&self) -> TypeSet {
        match self {
            Self::Null => TypeSet::NULL,
            Self::Bool(_) => TypeSet::BOOLEAN,
            Self::Number(text) => match Number::parse(text) {
                Some(number) if number.is_integer() => TypeSet::INTEGER,
                _ => TypeSet::FRACTION,
            },
            Self::Text(_) => TypeSet::STRING,
            Self::Array(_) => TypeSet::ARRAY,
            Self::Object(_) => TypeSet::OBJECT,
        }
    }

    /// Whether two values are equal, as JSON Schema compares them.
    pub(super) fn equals(&self, other: &Self) -> bool {
        self.compare(other).is_eq()
    }

    /// An order of all values in which values that JSON Schema takes as equal are equal.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => match (Number::parse(a), Number::parse(b)) {
                (Some(a), Some(b)) => a.compare(&b),
                _ => a.cmp(b),
            },
            (Self::Array(a), Self::Array(b)) => {
                let pairs = a.iter().zip(b).map(|(a, b)| a.compare(b));
                a.len().cmp(&b.len()).then_with(|| first_difference(pairs))
            }
            (Self::Object(a), Self::Object(b)) => {
                let (a, b) = (a.sorted(), b.sorted());
                let pairs = a.iter().zip(&b);
                let pairs = pairs.map(|(a, b)| a.0.cmp(&b.0).then_with(|| a.1.compare(&b.1)));
                a.len().cmp(&b.len()).then_with(|| first_difference(pairs))
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    const fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Number(_) => 2,
            Self::Text(_) => 3,
            Self::Array(_) => 4,
            Self::Object(_) => 5,
        }
    }

    /// Whether, as a schema, it accepts everything and has no annotations.
    pub(super) fn is_empty_schema(&self) -> bool {
        match self {
            Self::Bool(all) => *all,
            Self::Object(members) => members.list.is_empty(),
            _ => false,
        }
    }

    /// The number of values in it, including itself, and one more for each 64 bytes of a string or
    /// name.
    pub(super) fn size(&self) -> usize {
        self.values() + self.size_of_texts()
    }

    fn values(&self) -> usize {
        match self {
            Self::Array(items) => items.iter().fold(1, |sum, one| sum + one.values()),
            Self::Object(members) => {
                let list = members.list.iter();
                list.fold(1, |sum, (_, value)| sum + value.values())
            }
            _ => 1,
        }
    }

    /// What its strings and names count as.
    pub(super) fn size_of_texts(&self) -> usize {
        match self {
            Self::Array(items) => items.iter().map(Self::size_of_texts).sum(),
            Self::Object(members) => {
                let list = members.list.iter();
                let sizes = list.map(|(name, value)| size_of_text(name) + value.size_of_texts());
                sizes.sum()
            }
            Self::Text(text) | Self::Number(text) => size_of_text(text),
            Self::Null | Self::Bool(_) => 0,
        }
    }

    pub(super) fn write(&self) -> String {
        let mut out = String::new();
        self.push(&mut out);
        out
    }

    pub(super) fn push(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
            Self::Number(text) => out.push_str(text),
            Self::Text(text) => push_json_string(out, text),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    item.push(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (at, (name, value)) in members.list.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    push_json_string(out, name);
                    out.push(':');
                    value.push(out);
                }
                out.push('}');
            }
        }
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    let first = orders.find(|order| order.is_ne());
    first.unwrap_or(Ordering::Equal)
}

impl Members {
    pub(super) fn of(list: Vec<(String, Json)>) -> Self {
        Self {
            list,
            coding: Coding::default(),
        }
    }

    /// The members, sorted by name.
    fn sorted(&self) -> Vec<&(String, Json)> {
        let mut all: Vec<_> = self.list.iter().collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// A schema with one keyword.
    pub(super) fn only(keyword: &str, value: Json) -> Self {
        Self::of(vec![(keyword.to_owned(), value)])
    }

    pub(super) fn get(&self, name: &str) -> Option<&Json> {
        let mut found = self.list.iter().filter(|(own, _)| own == name);
        found.next().map(|(_, value)| value)
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        let mut found = self.list.iter_mut().filter(|(own, _)| own == name);
        found.next().map(|(_, value)| value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn take(&mut self, name: &str) -> Option<Json> {
        let at = self.list.iter().position(|(own, _)| own == name)?;
        Some(self.list.remove(at).1)
    }

    /// Sets the value of a member, in its position or at the end.
    pub(super) fn set(&mut self, name: &str, value: Json) {
        match self.get_mut(name) {
            Some(own) => *own = value,
            None => self.list.push((name.to_owned(), value)),
        }
    }

    /// Replaces one member by another in the same position.
    pub(super) fn replace(&mut self, old: &str, new: &str, value: Json) {
        match self.list.iter_mut().find(|(own, _)| own == old) {
            Some(member) => *member = (new.to_owned(), value),
            None => self.set(new, value),
        }
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(Json::as_text)
    }

    /// The members of the object under a keyword, such as `properties`.
    pub(super) fn map(&self, keyword: &str) -> &[(String, Json)] {
        self.get(keyword)
            .and_then(Json::as_object)
            .map_or(&[], |map| map.list.as_slice())
    }

    /// The schemas under a keyword, such as `anyOf`.
    pub(super) fn schemas(&self, keyword: &str) -> &[Json] {
        self.get(keyword).map_or(&[], Json::items)
    }

    /// The schemas of [`IN_PLACE`] keywords.
    pub(super) fn in_place(&self) -> impl Iterator<Item = &Json> {
        IN_PLACE.iter().flat_map(|keyword| self.schemas(keyword))
    }

    /// The names under `required`.
    pub(super) fn required(&self) -> impl Iterator<Item = &str> {
        self.schemas("required").iter().filter_map(Json::as_text)
    }

    /// Whether the subschema under a keyword is `false`.
    pub(super) fn forbids(&self, keyword: &str) -> bool {
        matches!(self.get(keyword), Some(Json::Bool(false)))
    }

    /// The types that `type` allows.
    pub(super) fn stated_types(&self) -> TypeSet {
        let of = |name: &str| TypeSet::from_name(name).unwrap_or(TypeSet::NONE);
        match self.get("type") {
            Some(Json::Text(name)) => of(name),
            Some(names @ Json::Array(_)) => names
                .texts()
                .fold(TypeSet::NONE, |all, name| all.union(of(name))),
            _ => TypeSet::ALL,
        }
    }

    /// The types that `type`, `const` and `enum` allow.
    pub(super) fn types(&self) -> TypeSet {
        let mut types = self.stated_types();
        if let Some(value) = self.get("const") {
            types = types.intersection(value.types());
        }
        if let Some(values) = self.get("enum") {
            let all = values.items().iter();
            types = types.intersection(all.fold(TypeSet::NONE, |all, one| all.union(one.types())));
        }
        types
    }

    /// Sets `type` to these types.
    pub(super) fn set_types(&mut self, types: TypeSet) {
        let names = types.names();
        match &*names {
            _ if types.is_all() => {
                self.take("type");
            }
            [one] => self.set("type", Json::text(*one)),
            many => self.set("type", Json::strings(many.iter().copied())),
        }
    }
}

impl Form {
    /// Whether a value is published as its JSON text.
    pub(super) const fn is_text(&self) -> bool {
        matches!(self, Self::JsonText(_) | Self::Wrapped(_))
    }
}

impl Coding {
    /// Whether values are unchanged, as far as this schema is concerned.
    pub(super) fn is_plain(&self) -> bool {
        self.absent.is_empty()
            && self.nulls.is_empty()
            && self.renamed.is_empty()
            && matches!(self.form, Form::Plain)
    }

    /// Whether a required member, by its original name, may be absent in the original.
    pub(super) fn may_lack(&self, original: &str) -> bool {
        self.absent
            .iter()
            .chain(&self.nulls)
            .any(|one| one == original)
    }

    pub(super) fn original<'n>(&'n self, published: &'n str) -> &'n str {
        let mut renamed = self.renamed.iter();
        let found = renamed.find(|one| one.published == published);
        found.map_or(published, |one| &one.original)
    }

    pub(super) fn published<'n>(&'n self, original: &'n str) -> &'n str {
        let mut renamed = self.renamed.iter();
        let found = renamed.find(|one| one.original == original);
        found.map_or(original, |one| &one.published)
    }
}

/// Calls `act` for each schema of a tree, with its pointer and its level of properties.
///
/// The tree has been rewritten, so it is not deeper than a projection allows.
pub(super) fn visit(
    schema: &mut Json,
    at: &mut String,
    level: usize,
    act: &mut impl FnMut(&mut Members, &str, usize),
) {
    let Json::Object(members) = schema else {
        return;
    };
    act(members, at, level);
    if members.coding.form.is_text() {
        return;
    }
    let length = at.len();
    for (keyword, value) in &mut members.list {
        let Some(holds) = layout_in(Dialect::Draft202012, keyword) else {
            continue;
        };
        pointer::push(at, keyword);
        let inner = at.len();
        match (holds, value) {
            (SubschemaLayout::Map, Json::Object(map)) => {
                let level = level.saturating_add(usize::from(keyword == "properties"));
                for (name, one) in &mut map.list {
                    pointer::push(at, name);
                    visit(one, at, level, act);
                    at.truncate(inner);
                }
            }
            (SubschemaLayout::Schemas, Json::Array(list)) => {
                for (index, one) in list.iter_mut().enumerate() {
                    pointer::push(at, &index.to_string());
                    visit(one, at, level, act);
                    at.truncate(inner);
                }
            }
            (SubschemaLayout::Schemas, one) => visit(one, at, level, act),
            _ => {}
        }
        at.truncate(length);
    }
}
