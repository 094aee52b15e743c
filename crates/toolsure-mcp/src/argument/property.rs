//! The properties of an argument schema, for programs that show or publish them.

use toolsure_json::{Node as _, OwnedDocument, ReadLimits};

use super::check::values;
use super::field::{ArgumentType, Field, Fields, Length, Rule};
use super::limits::ArgumentLimits;
use super::text::push_string;

/// One property, as the schema declares it.
///
/// ```
/// use toolsure_mcp::argument::ArgumentSchema;
///
/// let schema = ArgumentSchema::read(br#"{"schemaVersion": "2026-11-21", "properties": {
///     "tags": {"type": "array", "items": {"type": "string"}, "required": true, "description": "labels"},
///     "page": {"type": "integer", "default": 1, "deprecated": true},
///     "by": {"type": "object", "properties": {"name": {"type": "string"}}}}}"#)?;
/// let properties: Vec<_> = schema.properties().collect();
/// let [tags, page, by] = properties[..] else { panic!("three") };
/// assert_eq!((tags.name(), tags.value().type_name()), ("tags", Some("array")));
/// assert!(tags.is_required() && !page.is_required());
/// assert_eq!(tags.description().as_deref(), Some("labels"));
/// assert_eq!((page.default(), page.is_deprecated()), (Some("1"), true));
/// assert_eq!(by.value().properties().len(), 1);
/// # Ok::<(), toolsure_mcp::argument::SchemaError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Property<'s>(&'s Field);

/// The properties of a schema or of an object in it, in the order they were declared.
pub(super) fn properties(fields: &Fields) -> impl ExactSizeIterator<Item = Property<'_>> {
    fields.iter().map(Property)
}

impl<'s> Property<'s> {
    /// Its name; foreign text, not escaped.
    pub fn name(self) -> &'s str {
        &self.0.name
    }

    /// Whether calls must include it.
    pub fn is_required(self) -> bool {
        self.0.required
    }

    /// Whether the schema marks it as deprecated (an extension).
    pub fn is_deprecated(self) -> bool {
        self.0.deprecated
    }

    /// What its value must be.
    pub fn value(self) -> ValueRule<'s> {
        ValueRule(&self.0.rule)
    }

    /// Its description.
    pub fn description(self) -> Option<String> {
        let text = self.0.description.as_deref()?;
        let document = OwnedDocument::read(text, &ReadLimits::default()).ok()?;
        Some(document.document().root().string().to_owned())
    }

    /// The JSON text of its `default` (an extension).
    pub fn default(self) -> Option<&'s str> {
        self.0.default.as_deref()
    }
}

/// What a value must be: that of a property, or each element of an array.
///
/// ```
/// use toolsure_mcp::argument::ArgumentSchema;
///
/// let schema = ArgumentSchema::read(
///     br#"{"tags": {"type": "string", "isArray": true, "minLength": 2, "items": {"enum": ["new"]}}}"#,
/// )?;
/// let tags = schema.properties().next().ok_or("one property")?.value();
/// assert_eq!((tags.type_name(), tags.limits().len()), (Some("array"), 0));
/// let element = tags.items().ok_or("an array")?;
/// assert_eq!(element.type_name(), Some("string"));
/// assert_eq!(element.limits(), [("minLength", "2".to_owned())]);
/// assert_eq!(element.choices().as_deref(), Some(&[r#""new""#.to_owned()][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ValueRule<'s>(&'s Rule);

impl<'s> ValueRule<'s> {
    /// The name of its type in the schema; `None` if it may be anything.
    pub fn type_name(self) -> Option<&'static str> {
        self.0.kind.map(ArgumentType::name)
    }

    /// The limits that apply, each with its name in the schema and its JSON text.
    pub fn limits(self) -> Vec<(&'static str, String)> {
        let rule = self.0;
        let count = |bound: Option<u64>| bound.map(|bound| bound.to_string());
        let length = match rule.takes_text() {
            true => rule.length,
            false => Length::default(),
        };
        let items = rule
            .list
            .as_ref()
            .map(|list| list.count)
            .unwrap_or_default();
        let range = Some(&rule.value).filter(|_| rule.takes_numbers());
        let bounds = [
            ("minLength", count(length.least)),
            ("maxLength", count(length.most)),
            ("minimum", range.and_then(|range| range.least.clone())),
            ("maximum", range.and_then(|range| range.most.clone())),
            ("minItems", count(items.least)),
            ("maxItems", count(items.most)),
        ];
        let patterns = rule.patterns.iter().filter(|_| rule.takes_text());
        bounds
            .into_iter()
            .filter_map(|(name, bound)| Some((name, bound?)))
            .chain(patterns.map(|pattern| ("pattern", json_string(pattern.as_str()))))
            .collect()
    }

    /// The JSON texts of the allowed values, if there is an `enum`: strings, or other types only if
    /// strings are refused. Values that no argument can have are left out.
    pub fn choices(self) -> Option<Vec<String>> {
        let mut fuel = ArgumentLimits::default().fuel;
        let forms = self.0.choices.as_ref()?.forms().iter();
        Some(
            forms
                .filter_map(|form| values(self.0, form, &mut fuel).into_iter().next())
                .collect(),
        )
    }

    /// What each element must be, if it is an array.
    pub fn items(self) -> Option<Self> {
        self.0.list.as_ref().map(|list| Self(&list.element))
    }

    /// The properties, if it is an object (an extension).
    pub fn properties(self) -> impl ExactSizeIterator<Item = Property<'s>> {
        let list: &[Field] = self.0.fields.as_ref().map_or(&[], Fields::as_slice);
        list.iter().map(Property)
    }
}

fn json_string(text: &str) -> String {
    let mut out = String::new();
    push_string(&mut out, text);
    out
}
