//! Definitions of ours as tools of rmcp.

use rmcp::model::Tool;
use toolgate_mcp::contract::SchemaStore;
use toolgate_mcp::publish::{Refused, RefusedTool, ToolDefinition};

/// A tool for rmcp's `ToolRoute::new` or a hand-written `list_tools`, from a
/// definition by JSON text or Rust types.
///
/// A handler of such a route takes and returns whatever rmcp's handlers do:
/// `Parameters<T>`, `JsonObject`, `Json<Vec<T>>`, `CallToolResult`.
///
/// ```
/// use toolgate_rmcp::ToolDefinition;
///
/// let hours = toolgate_rmcp::tool(
///     ToolDefinition::new("list-forecasts")
///         .description("the next hours' weather")
///         .output(r#"{"type": "array", "items": {"type": "string"}}"#),
/// )?;
/// assert!(hours.output_schema.is_some());
///
/// let never = toolgate_rmcp::tool(ToolDefinition::new("broken").input(r##"{"type": "object", "$ref": "#/$defs/a"}"##));
/// assert!(never.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The tool can never work: its text is not JSON or no tool, the name breaks the
/// protocol's rules, a schema does not compile, a Rust type cannot be an input.
pub fn tool(definition: ToolDefinition) -> Result<Tool, RefusedTool> {
    let contract = definition.build(&SchemaStore::new())?;
    serde_json::from_str(contract.text()).map_err(|error| {
        // A member that the protocol types and `ToolDefinition::member` was given
        // otherwise, an unknown annotation type for instance.
        RefusedTool::new(contract.name(), Refused::Unrepresentable(error.to_string()))
    })
}
