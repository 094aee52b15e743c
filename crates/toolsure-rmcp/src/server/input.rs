//! Rust enums as the input of tools.

use std::borrow::Cow;

use rmcp::schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};
use toolsure_mcp::publish::allows_objects_only;

/// Lets an enum be a tool's input, in rmcp's `Parameters`.
///
/// rmcp stops the program at start-up if the schema of an input has no
/// `"type": "object"` at its root, and the schema of an enum has none. `Union` adds it
/// beside the `oneOf`. That changes no verdict if every variant is an object; a
/// type that allows other values is still refused.
///
/// ```
/// use rmcp::handler::server::wrapper::{Json, Parameters};
/// use rmcp::{schemars::JsonSchema, tool, tool_router};
/// use serde::Deserialize;
/// use toolsure_rmcp::Union;
///
/// #[derive(Deserialize, JsonSchema)]
/// #[serde(tag = "shape", rename_all = "lowercase")]
/// enum Shape {
///     Circle { radius: f64 },
///     Square { side: f64 },
/// }
///
/// struct Areas;
///
/// #[tool_router]
/// impl Areas {
///     #[tool(description = "the area of a shape")]
///     fn area(&self, Parameters(Union(shape)): Parameters<Union<Shape>>) -> Json<f64> {
///         Json(match shape {
///             Shape::Circle { radius } => radius * radius * std::f64::consts::PI,
///             Shape::Square { side } => side * side,
///         })
///     }
/// }
///
/// let schema = Areas::area_tool_attr().input_schema;
/// assert_eq!(schema.get("type").and_then(|kind| kind.as_str()), Some("object"));
/// assert!(schema.contains_key("oneOf"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a wrapper that is taken apart where it is used"
)]
pub struct Union<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Union<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Union<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("Union<{}>", T::schema_id()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        if let Some(members) = schema.as_object_mut()
            && !members.contains_key("type")
            && allows_objects_only::<T>()
        {
            let rest = std::mem::take(members);
            members.insert("type".to_owned(), "object".into());
            members.extend(rest);
        }
        schema
    }
}
