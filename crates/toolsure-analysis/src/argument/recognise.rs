//! Recognises argument schemas where JSON Schema was expected.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};

use super::version::Version;

/// The sign that a text is an argument schema and not JSON Schema.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_analysis::argument::recognise;
///
/// let schema = OwnedDocument::read(r#"{"q": {"isArray": true}}"#, &ReadLimits::default())?;
/// let sign = recognise(schema.document().root()).ok_or("an argument schema")?;
/// assert_eq!((sign.pointer(), sign.what()), ("/q/isArray", "`isArray`"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sign {
    pointer: String,
    what: String,
}

impl Sign {
    /// The location, as a JSON pointer into the schema.
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// A description, in one line; foreign text is escaped: "`isArray`", "a map of properties
    /// without `properties`".
    #[must_use]
    pub fn what(&self) -> &str {
        &self.what
    }

    /// Makes the location relative to the schema at this one.
    #[must_use]
    pub fn relative_to(mut self, schema: &str) -> Self {
        if let Some(rest) = self.pointer.strip_prefix(schema) {
            self.pointer = rest.to_owned();
        }
        self
    }
}

/// Whether a JSON text may have an argument schema with the type `object` in it. Quick, and never
/// wrongly false: it looks for the signs that [`recognise`] knows, and for letters that are escaped.
#[must_use]
pub fn may_be_in(text: &str) -> bool {
    let after = |name: &str, fits: fn(&str) -> bool| {
        let mut rest = text.match_indices(name);
        rest.any(|(at, _)| {
            let rest = text.get(at + name.len()..).unwrap_or_default();
            fits(rest.trim_start())
        })
    };
    let is_value = |rest: &str| !rest.starts_with(':');
    let is_flag = |rest: &str| {
        let value = rest.strip_prefix(':').map(str::trim_start);
        value.is_some_and(|value| value.starts_with(['t', 'f']))
    };
    let is_letter = |rest: &str| rest.starts_with(['4', '5', '6', '7']);
    text.contains("\"isArray\"")
        || text.contains("\"schemaVersion\"")
        || after("\"float\"", is_value)
        || after("\"enum\"", is_value)
        || after("\"required\"", is_flag)
        || after("\\u00", is_letter)
}

/// The first sign that a schema is an argument schema: something that JSON Schema does not have
/// (`schemaVersion`, `isArray`, `required` as a boolean, the types `enum` and `float`), or a map of
/// properties without `properties` around it. `None` if it may be JSON Schema.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_analysis::argument::recognise;
///
/// let text = br#"{"q": {"type": "string", "required": true}}"#;
/// let schema = OwnedDocument::read(text, &ReadLimits::default())?;
/// let sign = recognise(schema.document().root()).ok_or("an argument schema")?;
/// assert_eq!((sign.pointer(), sign.what()), ("/q/required", "`required: true` in a property"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn recognise(schema: View<'_>) -> Option<Sign> {
    if schema.kind() != Kind::Object {
        return None;
    }
    let version = schema.member("schemaVersion");
    if let Some(version) = version.filter(|value| Version::from_date(value.string()).is_some()) {
        return Some(sign(version, "`schemaVersion`".to_owned()));
    }
    let map = schema
        .member("properties")
        .filter(|map| map.kind() == Kind::Object);
    let direct = map.is_none() && !has_keyword(schema);
    let properties = if direct { schema } else { map? };
    let found = properties
        .members()
        .find_map(|(_, property)| of_property(property));
    found.or_else(|| {
        let all = properties
            .members()
            .all(|(_, property)| is_property(property));
        let whole = direct && !schema.is_empty() && all;
        whole.then(|| {
            sign(
                schema,
                "a map of properties without `properties`".to_owned(),
            )
        })
    })
}

fn of_property(property: View<'_>) -> Option<Sign> {
    let flag = |name: &str| {
        property
            .member(name)
            .filter(|value| value.kind() == Kind::Boolean)
    };
    // `false` means what JSON Schema means without it.
    if let Some(value) = flag("isArray").filter(|value| value.boolean()) {
        return Some(sign(value, "`isArray`".to_owned()));
    }
    if let Some(value) = flag("required") {
        return Some(sign(
            value,
            format!("`required: {}` in a property", value.boolean()),
        ));
    }
    let kind = property.member("type")?;
    let foreign = kind.kind() == Kind::String && matches!(kind.string(), "enum" | "float");
    foreign.then(|| sign(kind, format!("the type `{}`", quote(kind.string(), SHOWN))))
}

/// Whether a value can be a property's schema in a direct map.
fn is_property(value: View<'_>) -> bool {
    value.kind() == Kind::Object
        && value.member("type").is_some_and(|kind| {
            matches!(
                kind.string(),
                "string" | "integer" | "float" | "number" | "boolean" | "enum" | "array" | "object"
            )
        })
}

/// Whether a member can only be a keyword of JSON Schema.
fn has_keyword(schema: View<'_>) -> bool {
    schema.members().any(|(key, value)| {
        let keyword = key.text();
        keyword.starts_with('$')
            || (keyword == "type" && value.kind() != Kind::Object)
            || (matches!(keyword, "allOf" | "anyOf" | "oneOf" | "required" | "enum")
                && value.kind() == Kind::Array)
    })
}

fn sign(value: View<'_>, what: String) -> Sign {
    Sign {
        pointer: value.document().pointer(value.id()),
        what,
    }
}

/// The maximum number of characters of foreign text in a description.
const SHOWN: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    #[test]
    fn argument_schemas_are_told_from_json_schema() {
        for (schema, pointer) in [
            (
                r#"{"q": {"type": "string", "required": true}}"#,
                Some("/q/required"),
            ),
            (
                r#"{"q": {"type": "string"}, "n": {"type": "integer"}}"#,
                Some(""),
            ),
            (
                r#"{"properties": {"t": {"type": "string", "isArray": true}}}"#,
                Some("/properties/t/isArray"),
            ),
            (
                r#"{"type": "object", "properties": {"t": {"type": "enum", "enum": [1]}}}"#,
                Some("/properties/t/type"),
            ),
            (
                r#"{"type": "object", "properties": {"t": {"type": "float"}}}"#,
                Some("/properties/t/type"),
            ),
            (
                r#"{"schemaVersion": "2025-10-09", "properties": {}}"#,
                Some("/schemaVersion"),
            ),
            (
                r#"{"type": "object", "properties": {"t": {"type": "string"}}, "required": ["t"]}"#,
                None,
            ),
            (
                r#"{"properties": {"isArray": {"type": "string"}, "required": {"type": "boolean"}}}"#,
                None,
            ),
            (
                r#"{"type": "object", "properties": {"t": {"type": "string", "isArray": false}}}"#,
                None,
            ),
            (r#"{"type": "object"}"#, None),
            (
                r##"{"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}"##,
                None,
            ),
            (r#"{"anyOf": [{"type": "string"}]}"#, None),
            (r#"{"items": {"minLength": 3}}"#, None),
            ("{}", None),
            ("true", None),
        ] {
            let document = OwnedDocument::read(schema, &ReadLimits::default()).unwrap();
            let sign = recognise(document.document().root());
            assert_eq!(sign.as_ref().map(Sign::pointer), pointer, "{schema}");
        }
    }
}
