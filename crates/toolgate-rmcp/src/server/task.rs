//! The result of a task, held to the contract of the tool that made it.

use std::sync::Arc;

use rmcp::model::{CallToolResult, JsonObject};
use serde_json::Value;
use toolgate_mcp::contract::ToolContract;
use toolgate_mcp::era::Era;

use super::ServerGate;

impl ServerGate {
    /// Checks and tells the result inside an answer to `tasks/get`.
    pub(super) fn emit_task(&self, tool: &Arc<ToolContract>, result: &mut JsonObject, era: Era) {
        // What is no tool result has no structured content either: a tool with
        // an output schema owes some, of another nothing can be said.
        let read = serde_json::from_value(Value::Object(result.clone()));
        let read = match (read, tool.output_text()) {
            (Ok(read), _) => read,
            (Err(_), Some(_)) => CallToolResult::default(),
            (Err(_), None) => return,
        };
        let told = self.emit_result(tool, read, era);
        if let Ok(Value::Object(object)) = serde_json::to_value(told) {
            *result = object;
        }
    }
}
