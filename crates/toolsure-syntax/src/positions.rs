//! Where in a schema its subschemas are.
//!
//! For code that rewrites or inspects a schema's text without compiling it. Only these positions
//! hold schemas; what is under `const`, `enum`, `default`, `examples` and unknown keywords is data,
//! and a property may have any name. Covers all dialects at once: in a dialect that lacks a keyword
//! its value is data, and a caller that looks at it anyway changes no verdict.

use toolsure_json::{Key as _, Kind, Node as _, View};

use crate::dialect::{Dialect, Keyword};

pub use crate::dialect::SubschemaLayout;

/// How a keyword holds subschemas, if it does.
///
/// ```
/// use toolsure_syntax::positions::{SubschemaLayout, layout};
///
/// assert_eq!(layout("anyOf"), Some(SubschemaLayout::Schemas));
/// assert_eq!(layout("$defs"), Some(SubschemaLayout::Map));
/// assert_eq!(layout("const"), None);
/// ```
#[must_use]
pub fn layout(keyword: &str) -> Option<SubschemaLayout> {
    Keyword::from_name(keyword)?.layout()
}

/// As [`layout`], in one dialect: `None` for a keyword that it lacks.
///
/// ```
/// use toolsure_syntax::Dialect;
/// use toolsure_syntax::positions::{SubschemaLayout, layout_in};
///
/// assert_eq!(layout_in(Dialect::Draft202012, "prefixItems"), Some(SubschemaLayout::Schemas));
/// assert_eq!(layout_in(Dialect::Draft7, "prefixItems"), None);
/// ```
#[must_use]
pub fn layout_in(dialect: Dialect, keyword: &str) -> Option<SubschemaLayout> {
    let keyword = Keyword::from_name(keyword)?;
    keyword.layout().filter(|_| keyword.is_in(dialect))
}

/// Calls `visit` for every subschema directly inside a schema, with the keyword that
/// holds it. Objects and booleans are subschemas.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_syntax::positions::each_subschema;
///
/// let text = r#"{"not": {}, "properties": {"const": true}, "const": {"not": {}}}"#;
/// let document = OwnedDocument::read(text, &ReadLimits::default())?;
/// let mut found = Vec::new();
/// each_subschema(document.document().root(), |keyword, _| found.push(keyword));
/// assert_eq!(found, ["not", "properties"]);
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
pub fn each_subschema<'a>(schema: View<'a>, visit: impl FnMut(&'a str, View<'a>)) {
    each(schema, layout, visit);
}

/// As [`each_subschema`], in one dialect: what a keyword holds that it lacks is data.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_syntax::Dialect;
/// use toolsure_syntax::positions::each_subschema_in;
///
/// let text = r#"{"not": {}, "prefixItems": [{}]}"#;
/// let document = OwnedDocument::read(text, &ReadLimits::default())?;
/// let mut found = Vec::new();
/// each_subschema_in(Dialect::Draft7, document.document().root(), |keyword, _| found.push(keyword));
/// assert_eq!(found, ["not"]);
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
pub fn each_subschema_in<'a>(
    dialect: Dialect,
    schema: View<'a>,
    visit: impl FnMut(&'a str, View<'a>),
) {
    each(schema, |keyword| layout_in(dialect, keyword), visit);
}

fn each<'a>(
    schema: View<'a>,
    layout: impl Fn(&str) -> Option<SubschemaLayout>,
    mut visit: impl FnMut(&'a str, View<'a>),
) {
    let is_schema = |view: View<'_>| matches!(view.kind(), Kind::Object | Kind::Boolean);
    for (key, value) in schema.members() {
        let keyword = key.text();
        let mut child = |view: View<'a>| {
            if is_schema(view) {
                visit(keyword, view);
            }
        };
        match layout(keyword) {
            None => {}
            Some(SubschemaLayout::Map) => value.members().for_each(|(_, value)| child(value)),
            Some(SubschemaLayout::Schemas) if value.kind() == Kind::Array => {
                value.items().for_each(child);
            }
            Some(SubschemaLayout::Schemas) => child(value),
        }
    }
}
