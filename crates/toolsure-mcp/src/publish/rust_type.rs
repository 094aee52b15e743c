//! Schemas from Rust types, by `schemars`.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use toolsure_json::{Node as _, OwnedDocument, ReadLimits};

use super::{Refused, ToolDefinition};
use crate::contract::OutputShape;
use crate::message::Edits;

impl ToolDefinition {
    /// Sets the input schema to that of a Rust type in its deserialised form.
    ///
    /// An enum with data is an `oneOf` of objects without a `type` at the root; since all its
    /// variants are objects, `"type": "object"` is added before it, which changes no verdict.
    /// [`build`](Self::build) refuses a type that allows values other than objects (a unit variant
    /// is a string).
    ///
    /// ```
    /// use schemars::JsonSchema;
    /// use toolsure_mcp::contract::SchemaStore;
    /// use toolsure_mcp::publish::ToolDefinition;
    ///
    /// #[derive(JsonSchema)]
    /// struct Query {
    ///     text: String,
    /// }
    ///
    /// let tool = ToolDefinition::new("find").input_type::<Query>().build(&SchemaStore::new())?;
    /// assert!(tool.input_text().contains(r#""required":["text"]"#));
    /// assert!(ToolDefinition::new("find").input_type::<String>().build(&SchemaStore::new()).is_err());
    /// # let _ = Query { text: String::new() }.text;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn input_type<T: JsonSchema>(self) -> Self {
        let text = input_schema::<T>();
        let rooted = rooted(&text).ok_or(Refused::InputType(std::any::type_name::<T>()));
        self.with_input(rooted)
    }

    /// Sets the output schema to that of a Rust type in its serialised form. Any type can be an
    /// output; readers of older eras get a projection.
    ///
    /// ```
    /// use toolsure_mcp::contract::SchemaStore;
    /// use toolsure_mcp::publish::ToolDefinition;
    ///
    /// let tool = ToolDefinition::new("count").output_type::<Vec<u8>>().build(&SchemaStore::new())?;
    /// assert!(tool.output_text().is_some_and(|schema| schema.contains(r#""type":"array""#)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn output_type<T: JsonSchema>(self) -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<T>();
        let text = schema.as_value().to_string();
        // A type without a schema of its own (`true`) allows everything.
        self.output(if text == "true" {
            "{}".to_owned()
        } else {
            text
        })
    }
}

/// Whether a Rust type, in its deserialised form, allows only objects, by its root, by reference or
/// by composition.
///
/// ```
/// use std::collections::BTreeMap;
/// use toolsure_mcp::publish::allows_objects_only;
///
/// assert!(allows_objects_only::<BTreeMap<String, u8>>());
/// assert!(!allows_objects_only::<Vec<u8>>());
/// ```
#[must_use]
pub fn allows_objects_only<T: JsonSchema>() -> bool {
    rooted(&input_schema::<T>()).is_some()
}

fn input_schema<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().for_deserialize();
    let schema = settings.into_generator().into_root_schema_for::<T>();
    schema.as_value().to_string()
}

/// The schema with `"type": "object"` at its root; `None` if it allows other values.
fn rooted(schema: &str) -> Option<String> {
    let document = OwnedDocument::read(schema, &ReadLimits::default()).ok()?;
    let root = document.document().root();
    match OutputShape::of(Some(root)) {
        OutputShape::Object => Some(schema.to_owned()),
        OutputShape::ObjectWithoutType if root.member("type").is_none() => {
            let mut edits = Edits::new();
            edits.prepend_member(root, r#""type":"object""#);
            Some(edits.apply(schema))
        }
        _ => None,
    }
}
