//! The common form that both shapes of an argument schema are read into.

use toolsure_json::{Key as _, Kind, Node, Number};
use toolsure_pattern::Pattern;

/// The properties of an object, in the order they were declared.
#[derive(Debug, Default)]
pub(super) struct Fields {
    list: Vec<Field>,
    /// Indexes into `list`, sorted by name.
    by_name: Vec<usize>,
}

/// One property.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) required: bool,
    /// The JSON text of a string.
    pub(super) description: Option<String>,
    /// JSON text.
    pub(super) default: Option<String>,
    pub(super) deprecated: bool,
    pub(super) rule: Rule,
}

/// What a value must be. A bound applies only to values of its own type.
#[derive(Debug, Default)]
pub(super) struct Rule {
    pub(super) kind: Option<ArgumentType>,
    pub(super) length: Length,
    pub(super) value: Range,
    pub(super) choices: Option<Choices>,
    pub(super) patterns: Vec<Pattern>,
    /// For arrays: their constraints besides the type.
    pub(super) list: Option<Box<List>>,
    /// For objects: their properties.
    pub(super) fields: Option<Fields>,
}

/// What an array must be.
#[derive(Debug, Default)]
pub(super) struct List {
    pub(super) count: Length,
    pub(super) element: Rule,
}

/// A minimum and a maximum count.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) least: Option<u64>,
    pub(super) most: Option<u64>,
}

/// A minimum and a maximum number, as canonical JSON text.
#[derive(Debug, Default, Clone)]
pub(super) struct Range {
    pub(super) least: Option<String>,
    pub(super) most: Option<String>,
}

/// The string forms that an `enum` allows, sorted and without duplicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Choices {
    forms: Vec<String>,
}

/// The values of `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ArgumentType {
    String,
    Integer,
    Float,
    Number,
    Boolean,
    Enum,
    Array,
    /// An extension.
    Object,
}

impl Fields {
    pub(super) fn new(list: Vec<Field>) -> Self {
        let mut by_name: Vec<usize> = (0..list.len()).collect();
        by_name.sort_by(|left, right| {
            let name = |index: &usize| list.get(*index).map(|field| field.name.as_str());
            name(left).cmp(&name(right))
        });
        Self { list, by_name }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Field> {
        self.list.iter()
    }

    pub(super) fn as_slice(&self) -> &[Field] {
        &self.list
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The index of the property with this name.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let at = self
            .by_name
            .binary_search_by(|index| {
                let field = self.list.get(*index).map_or("", |field| &field.name);
                field.cmp(name)
            })
            .ok()?;
        self.by_name.get(at).copied()
    }

    /// The value of each property in `object`, found in one pass over the members.
    pub(super) fn values<'i, N: Node<'i>>(&self, object: N) -> Vec<Option<N>> {
        let mut values = vec![None; self.len()];
        for (key, value) in object.members() {
            let slot = self.find(key.text()).and_then(|at| values.get_mut(at));
            if let Some(slot) = slot {
                *slot = Some(value);
            }
        }
        values
    }
}

impl Rule {
    /// Whether bounds on the length of strings apply.
    pub(super) fn takes_text(&self) -> bool {
        matches!(self.kind, None | Some(ArgumentType::String))
    }

    /// Whether bounds on numbers apply.
    pub(super) fn takes_numbers(&self) -> bool {
        self.kind.is_none_or(ArgumentType::is_numeric)
    }
}

impl Length {
    pub(super) fn both(self, other: Self) -> Self {
        Self {
            least: self.least.max(other.least),
            most: match (self.most, other.most) {
                (Some(one), Some(two)) => Some(one.min(two)),
                (one, two) => one.or(two),
            },
        }
    }
}

impl Choices {
    pub(super) fn new(mut forms: Vec<String>) -> Self {
        forms.sort_unstable();
        forms.dedup();
        Self { forms }
    }

    pub(super) fn forms(&self) -> &[String] {
        &self.forms
    }

    pub(super) fn has(&self, form: &str) -> bool {
        self.forms
            .binary_search_by(|known| known.as_str().cmp(form))
            .is_ok()
    }

    /// What both allow.
    pub(super) fn both(mut self, other: &Self) -> Self {
        self.forms.retain(|form| other.has(form));
        self
    }
}

impl ArgumentType {
    pub(super) const ALL: [Self; 8] = [
        Self::String,
        Self::Integer,
        Self::Float,
        Self::Number,
        Self::Boolean,
        Self::Enum,
        Self::Array,
        Self::Object,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Enum => "enum",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    pub(super) fn from_name(name: &str, extensions: bool) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == name && (extensions || *kind != Self::Object))
    }

    pub(super) fn is_numeric(self) -> bool {
        matches!(self, Self::Integer | Self::Float | Self::Number)
    }

    /// Whether a value is of the type. An `integer` is a whole number in any notation: JSON texts
    /// that decode to the same float are not distinguished.
    pub(super) fn holds<'i, N: Node<'i>>(self, value: N) -> bool {
        match self {
            Self::String => value.kind() == Kind::String,
            Self::Integer => value.kind() == Kind::Number && value.number().is_integer(),
            Self::Float | Self::Number => value.kind() == Kind::Number,
            Self::Boolean => value.kind() == Kind::Boolean,
            Self::Array => value.kind() == Kind::Array,
            Self::Object => value.kind() == Kind::Object,
            Self::Enum => true,
        }
    }
}

/// Whether a string form is also the form of a number.
pub(super) fn is_number_form(form: &str) -> bool {
    form.len() <= NUMBER_CHARS
        && Number::parse(form).is_some_and(|number| number.to_string() == form)
}

/// The form that `enum` compares: the form of a string is the string itself, other scalars have
/// their canonical JSON text; arrays, objects and numbers over 1,024 characters have none.
pub(super) fn string_form<'i, N: Node<'i>>(value: N) -> Option<String> {
    match value.kind() {
        Kind::String => Some(value.string().to_owned()),
        Kind::Number => Some(value.number().to_string()).filter(|form| form.len() <= NUMBER_CHARS),
        Kind::Boolean => Some(value.boolean().to_string()),
        Kind::Null => Some("null".to_owned()),
        Kind::Array | Kind::Object => None,
    }
}

/// The longest number that `enum` can contain: any reader of schemas must accept its published
/// form.
const NUMBER_CHARS: usize = 1_024;
