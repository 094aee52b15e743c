//! The result of a task, held to the contract of the tool that made it.

use std::sync::Arc;

use rmcp::model::{CallToolResult, JsonObject, TaskPayload, TaskStatusNotificationParams};
use serde_json::Value;
use toolgate_mcp::contract::ToolContract;
use toolgate_mcp::era::Era;

use super::ServerGate;

impl ServerGate {
    /// What may be sent of a `notifications/tasks`: one that brings the result
    /// of a tool's task with the result checked, and told as in an answer. Any
    /// other is unchanged, and so is one of a task that this gate has not seen.
    ///
    /// A handler sends notifications by itself, past the gate; it keeps a clone
    /// of the gate and sends what this returns.
    #[must_use]
    pub fn task_status(
        &self,
        mut status: TaskStatusNotificationParams,
    ) -> TaskStatusNotificationParams {
        let contract = self.tasks().tool(&status.task.task.task_id).cloned();
        if let (TaskPayload::Completed { result }, Some(contract)) =
            (&mut status.task.payload, contract)
        {
            // Only this era has results in notifications.
            self.emit_task(&contract, result, Era::V2026_07_28);
        }
        status
    }

    /// Checks and tells the result inside an answer to `tasks/get`.
    pub(super) fn emit_task(&self, tool: &Arc<ToolContract>, result: &mut JsonObject, era: Era) {
        // What is not a tool result has no structured content either: a tool with
        // an output schema owes some, of another nothing can be said.
        let read = serde_json::from_value(Value::Object(result.clone()));
        let read = match (read, tool.output_text()) {
            (Ok(read), _) => read,
            (Err(_), Some(_)) => CallToolResult::default(),
            (Err(_), None) => return,
        };
        let told = self.emit_result(tool, read, era);
        // A result is strings and JSON values, whose serialisation cannot fail; what was not
        // checked would not leave even then.
        *result = match serde_json::to_value(told) {
            Ok(Value::Object(object)) => object,
            _ => JsonObject::from_iter([("isError".to_owned(), Value::Bool(true))]),
        };
    }
}
