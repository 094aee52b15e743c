//! Where in a schema other schemas stand.
//!
//! For code that rewrites or inspects a schema's text without compiling it.
//! Only these positions hold schemas; what is under `const`, `enum`, `default`,
//! `examples` and unknown keywords is data, and a property may have any name.
//! The union of all dialects: a keyword that a dialect lacks is data there, and
//! whoever looks at it anyway changes no verdict.

use toolgate_json::{Key as _, Kind, Node as _, View};

/// How a keyword holds subschemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// It is one, or an array of them.
    Schemas,
    /// An object whose values are.
    Map,
}

/// How a keyword holds subschemas, if it does.
pub fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "additionalItems"
        | "additionalProperties"
        | "allOf"
        | "anyOf"
        | "contains"
        | "contentSchema"
        | "else"
        | "if"
        | "items"
        | "not"
        | "oneOf"
        | "prefixItems"
        | "propertyNames"
        | "then"
        | "unevaluatedItems"
        | "unevaluatedProperties" => Holds::Schemas,
        "$defs" | "definitions" | "dependencies" | "dependentSchemas" | "patternProperties"
        | "properties" => Holds::Map,
        _ => return None,
    })
}

/// Hears of every subschema directly inside a schema, with the keyword that
/// holds it. Objects and booleans are subschemas.
pub fn each_subschema<'a>(schema: View<'a>, mut hear: impl FnMut(&'a str, View<'a>)) {
    for (key, value) in schema.members() {
        let keyword = key.text();
        let is_schema = |view: View<'_>| matches!(view.kind(), Kind::Object | Kind::Boolean);
        match holds(keyword) {
            None => {}
            Some(Holds::Map) => {
                let values = value.members().map(|(_, value)| value);
                values
                    .filter(|v| is_schema(*v))
                    .for_each(|v| hear(keyword, v));
            }
            Some(Holds::Schemas) if value.kind() == Kind::Array => {
                value
                    .items()
                    .filter(|v| is_schema(*v))
                    .for_each(|v| hear(keyword, v));
            }
            Some(Holds::Schemas) if is_schema(value) => hear(keyword, value),
            Some(Holds::Schemas) => {}
        }
    }
}
