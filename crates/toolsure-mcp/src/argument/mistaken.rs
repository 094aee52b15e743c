//! Recognises what is given in place of an argument schema by mistake.

use std::fmt;

use toolsure_json::{Kind, Node as _, View};

/// What was given in place of an argument schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mistaken {
    /// A tool, which has its schema in `inputSchema`.
    Tool,
    /// A listing of tools.
    Listing,
    /// A JSON Schema.
    JsonSchema,
}

impl fmt::Display for Mistaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tool => "this is a tool, not an argument schema: its schema is its `inputSchema`",
            Self::Listing => {
                "this is a listing of tools, not an argument schema: \
                 the schemas are their `inputSchema` members"
            }
            Self::JsonSchema => {
                "this is a JSON Schema, of which argument schemas enforce only a part: \
                 use it as JSON Schema"
            }
        })
    }
}

/// What a text is that would be read as a direct map, or is not an object, but has members that no
/// direct map has. `None` if it may be an argument schema.
pub(super) fn mistaken(root: View<'_>) -> Option<Mistaken> {
    let has = |view: View<'_>, name: &str, kind: Kind| {
        view.member(name).is_some_and(|value| value.kind() == kind)
    };
    let is_tool =
        |view: View<'_>| has(view, "name", Kind::String) && has(view, "inputSchema", Kind::Object);
    if is_tool(root) {
        return Some(Mistaken::Tool);
    }
    let result = root.member("result").unwrap_or(root);
    if has(root, "tools", Kind::Array)
        || has(result, "tools", Kind::Array)
        || root.items().next().is_some_and(is_tool)
    {
        return Some(Mistaken::Listing);
    }
    let keyword = [
        ("$schema", Kind::String),
        ("$id", Kind::String),
        ("$ref", Kind::String),
        ("type", Kind::String),
        ("type", Kind::Array),
        ("allOf", Kind::Array),
        ("anyOf", Kind::Array),
        ("oneOf", Kind::Array),
        ("enum", Kind::Array),
    ];
    let is_schema = keyword.iter().any(|(name, kind)| has(root, name, *kind));
    is_schema.then_some(Mistaken::JsonSchema)
}
