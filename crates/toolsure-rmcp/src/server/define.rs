//! Tool definitions as rmcp's `Tool`.

use rmcp::model::Tool;
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::publish::{Refused, RefusedTool, ToolDefinition};

/// Builds a tool for rmcp's `ToolRoute::new` or a hand-written `list_tools` from a
/// definition in JSON text or Rust types.
///
/// The handler of such a route may take and return all that rmcp's handlers may:
/// `Parameters<T>`, `JsonObject`, `Json<Vec<T>>`, `CallToolResult`.
///
/// ```
/// use toolsure_rmcp::ToolDefinition;
///
/// let hours = toolsure_rmcp::tool(
///     ToolDefinition::new("list-forecasts")
///         .description("the next hours' weather")
///         .output(r#"{"type": "array", "items": {"type": "string"}}"#),
/// )?;
/// assert!(hours.output_schema.is_some());
///
/// let never = toolsure_rmcp::tool(ToolDefinition::new("broken").input(r##"{"type": "object", "$ref": "#/$defs/a"}"##));
/// assert!(never.is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The tool can never work: its text is not JSON or not a tool, its name breaks the
/// protocol's rules, a schema does not compile, or a Rust type cannot be an input.
pub fn tool(definition: ToolDefinition) -> Result<Tool, RefusedTool> {
    let contract = definition.build(&SchemaStore::new())?;
    serde_json::from_str(contract.text()).map_err(|error| {
        // `ToolDefinition::member` may have set a member to a value that rmcp's `Tool` cannot hold,
        // such as an annotation of the wrong type.
        RefusedTool::new(contract.name(), Refused::Unrepresentable(error.to_string()))
    })
}
