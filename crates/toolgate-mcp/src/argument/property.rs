//! The properties of an argument schema, for programs that show or publish them.

use toolgate_json::{Node as _, OwnedDocument, ReadLimits};

use super::field::{ArgumentType, Field, Fields};

/// One property, as the schema declares it.
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
