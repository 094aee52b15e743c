//! The properties of an argument schema, for programs that show or publish them.

use toolsure_json::{Node as _, OwnedDocument, ReadLimits};

use super::field::{ArgumentType, Field, Fields};

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
/// assert_eq!((tags.name(), tags.type_name()), ("tags", Some("array")));
/// assert_eq!(tags.element_type_name(), Some("string"));
/// assert!(tags.is_required() && !page.is_required());
/// assert_eq!(tags.description().as_deref(), Some("labels"));
/// assert_eq!((page.default(), page.is_deprecated()), (Some("1"), true));
/// assert_eq!(by.properties().len(), 1);
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

    /// The name of its type in the schema; `None` if it may be anything.
    pub fn type_name(self) -> Option<&'static str> {
        self.0.rule.kind.map(ArgumentType::name)
    }

    /// The type of the elements, if it is an array that declares one.
    pub fn element_type_name(self) -> Option<&'static str> {
        let list = self.0.rule.list.as_ref()?;
        list.element.kind.map(ArgumentType::name)
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

    /// The properties of a nested object (an extension).
    pub fn properties(self) -> impl ExactSizeIterator<Item = Property<'s>> {
        let list: &[Field] = self.0.rule.fields.as_ref().map_or(&[], Fields::as_slice);
        list.iter().map(Property)
    }
}
