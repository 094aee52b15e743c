//! What lint and diff know of each keyword: its dialects, the values it looks at, its own shape.

use toolgate_json::Kind;
use toolgate_schema::Dialect::{self, Draft4, Draft6, Draft7, Draft201909, Draft202012};

/// A keyword of JSON Schema.
pub(crate) struct Keyword {
    pub(crate) name: &'static str,
    /// The first dialect that has it.
    pub(crate) first: Dialect,
    /// The last dialect that has it.
    pub(crate) last: Dialect,
    /// The instances it looks at; all others it lets pass.
    pub(crate) about: About,
    /// What its value looks like.
    pub(crate) shape: Shape,
}

/// The instances that a keyword looks at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum About {
    Any,
    Numbers,
    Strings,
    Arrays,
    Objects,
}

impl About {
    /// The types of `type` that it is about.
    pub(crate) fn types(self) -> &'static [&'static str] {
        match self {
            Self::Any => &[],
            Self::Numbers => &["number", "integer"],
            Self::Strings => &["string"],
            Self::Arrays => &["array"],
            Self::Objects => &["object"],
        }
    }
}

/// The shape of a keyword's value, as far as it tells a misspelling from a name of one's own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Any,
    Text,
    Flag,
    Number,
    /// A number, or a boolean in draft 4.
    Bound,
    List,
    /// An object or a boolean.
    Schema,
    /// The same, or a list of them.
    Schemas,
    Map,
    /// A string or a list of strings.
    Names,
}

impl Shape {
    pub(crate) fn fits(self, kind: Kind) -> bool {
        match self {
            Self::Any => true,
            Self::Text => kind == Kind::String,
            Self::Flag => kind == Kind::Boolean,
            Self::Number => kind == Kind::Number,
            Self::Bound => matches!(kind, Kind::Number | Kind::Boolean),
            Self::List => kind == Kind::Array,
            Self::Schema => matches!(kind, Kind::Object | Kind::Boolean),
            Self::Schemas => matches!(kind, Kind::Object | Kind::Boolean | Kind::Array),
            Self::Map => kind == Kind::Object,
            Self::Names => matches!(kind, Kind::String | Kind::Array),
        }
    }
}

/// The keyword of this name, in any dialect.
pub(crate) fn keyword(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| keyword.name == name)
}

macro_rules! keywords {
    ($($name:literal $first:ident $last:ident $about:ident $shape:ident;)*) => {
        &[$(Keyword {
            name: $name, first: $first, last: $last, about: About::$about, shape: Shape::$shape,
        }),*]
    };
}

/// All keywords of all dialects.
pub(crate) static KEYWORDS: &[Keyword] = keywords! {
    "$schema" Draft4 Draft202012 Any Text;
    "id" Draft4 Draft4 Any Text;
    "$id" Draft6 Draft202012 Any Text;
    "$ref" Draft4 Draft202012 Any Text;
    "$anchor" Draft201909 Draft202012 Any Text;
    "$recursiveRef" Draft201909 Draft201909 Any Text;
    "$recursiveAnchor" Draft201909 Draft201909 Any Flag;
    "$dynamicRef" Draft202012 Draft202012 Any Text;
    "$dynamicAnchor" Draft202012 Draft202012 Any Text;
    "$vocabulary" Draft201909 Draft202012 Any Map;
    "$comment" Draft7 Draft202012 Any Text;
    "$defs" Draft201909 Draft202012 Any Map;
    "definitions" Draft4 Draft202012 Any Map;
    "type" Draft4 Draft202012 Any Names;
    "enum" Draft4 Draft202012 Any List;
    "const" Draft6 Draft202012 Any Any;
    "multipleOf" Draft4 Draft202012 Numbers Number;
    "maximum" Draft4 Draft202012 Numbers Number;
    "exclusiveMaximum" Draft4 Draft202012 Numbers Bound;
    "minimum" Draft4 Draft202012 Numbers Number;
    "exclusiveMinimum" Draft4 Draft202012 Numbers Bound;
    "maxLength" Draft4 Draft202012 Strings Number;
    "minLength" Draft4 Draft202012 Strings Number;
    "pattern" Draft4 Draft202012 Strings Text;
    "maxItems" Draft4 Draft202012 Arrays Number;
    "minItems" Draft4 Draft202012 Arrays Number;
    "uniqueItems" Draft4 Draft202012 Arrays Flag;
    "maxContains" Draft201909 Draft202012 Arrays Number;
    "minContains" Draft201909 Draft202012 Arrays Number;
    "maxProperties" Draft4 Draft202012 Objects Number;
    "minProperties" Draft4 Draft202012 Objects Number;
    "required" Draft4 Draft202012 Objects List;
    "dependentRequired" Draft201909 Draft202012 Objects Map;
    "dependencies" Draft4 Draft7 Objects Map;
    "dependentSchemas" Draft201909 Draft202012 Objects Map;
    "prefixItems" Draft202012 Draft202012 Arrays List;
    "items" Draft4 Draft202012 Arrays Schemas;
    "additionalItems" Draft4 Draft201909 Arrays Schema;
    "contains" Draft6 Draft202012 Arrays Schema;
    "properties" Draft4 Draft202012 Objects Map;
    "patternProperties" Draft4 Draft202012 Objects Map;
    "additionalProperties" Draft4 Draft202012 Objects Schema;
    "propertyNames" Draft6 Draft202012 Objects Schema;
    "allOf" Draft4 Draft202012 Any List;
    "anyOf" Draft4 Draft202012 Any List;
    "oneOf" Draft4 Draft202012 Any List;
    "not" Draft4 Draft202012 Any Schema;
    "if" Draft7 Draft202012 Any Schema;
    "then" Draft7 Draft202012 Any Schema;
    "else" Draft7 Draft202012 Any Schema;
    "unevaluatedItems" Draft201909 Draft202012 Arrays Schema;
    "unevaluatedProperties" Draft201909 Draft202012 Objects Schema;
    "format" Draft4 Draft202012 Any Text;
    "contentEncoding" Draft7 Draft202012 Strings Text;
    "contentMediaType" Draft7 Draft202012 Strings Text;
    "contentSchema" Draft201909 Draft202012 Strings Schema;
    "title" Draft4 Draft202012 Any Text;
    "description" Draft4 Draft202012 Any Text;
    "default" Draft4 Draft202012 Any Any;
    "examples" Draft6 Draft202012 Any List;
    "deprecated" Draft201909 Draft202012 Any Flag;
    "readOnly" Draft7 Draft202012 Any Flag;
    "writeOnly" Draft7 Draft202012 Any Flag;
};

/// A dialect as people call it.
pub(crate) fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Draft4 => "draft 4",
        Draft6 => "draft 6",
        Draft7 => "draft 7",
        Draft201909 => "2019-09",
        Draft202012 => "2020-12",
    }
}
