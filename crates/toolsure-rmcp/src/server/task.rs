//! Checks the result of a task against the contract of the tool that created it.

use std::sync::Arc;

use rmcp::model::{CallToolResult, JsonObject, TaskPayload, TaskStatusNotificationParams};
use serde_json::Value;
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::Era;

use super::ServerLayer;

impl ServerLayer {
    /// Checks the result in a `notifications/tasks`, and projects it as in the answer to a call.
    /// The notification is unchanged if it has no result, or if this layer has not seen its task.
    ///
    /// A handler sends notifications itself, without the layer, and [`transport`](Self::transport)
    /// checks them on their way. Over HTTP a handler keeps a clone of the layer and sends the result of
    /// this method.
    ///
    /// ```
    /// use rmcp::model::{
    ///     DetailedTask, ServerNotification, TaskStatusNotification, TaskStatusNotificationParams,
    /// };
    /// use rmcp::service::{Peer, ServiceError};
    /// use rmcp::RoleServer;
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// async fn report(
    ///     layer: &ServerLayer,
    ///     task: DetailedTask,
    ///     client: &Peer<RoleServer>,
    /// ) -> Result<(), ServiceError> {
    ///     let status = layer.task_status(TaskStatusNotificationParams::new(task));
    ///     let status = TaskStatusNotification::new(status);
    ///     let status = ServerNotification::TaskStatusNotification(status);
    ///     client.send_notification(status).await
    /// }
    /// ```
    #[must_use]
    pub fn task_status(
        &self,
        mut status: TaskStatusNotificationParams,
    ) -> TaskStatusNotificationParams {
        let contract = self.tasks().tool(&status.task.task.task_id).cloned();
        if let (TaskPayload::Completed { result }, Some(contract)) =
            (&mut status.task.payload, contract)
        {
            // Only in this era do notifications have results.
            self.emit_task(&contract, result, Era::V2026_07_28);
        }
        status
    }

    /// Checks and projects the result in an answer to `tasks/get`.
    pub(super) fn emit_task(&self, tool: &Arc<ToolContract>, result: &mut JsonObject, era: Era) {
        // A value that is not a tool result has no structured content, which a tool with
        // an output schema must give. Without an output schema there is nothing to check.
        let read = serde_json::from_value(Value::Object(result.clone()));
        let read = match (read, tool.output_text()) {
            (Ok(read), _) => read,
            (Err(_), Some(_)) => CallToolResult::default(),
            (Err(_), None) => return,
        };
        let projected = self.emit_result(tool, read, era);
        // A result is strings and JSON values, whose serialisation cannot fail. If it
        // did, the result would not be sent.
        *result = match serde_json::to_value(projected) {
            Ok(Value::Object(object)) => object,
            _ => JsonObject::from_iter([("isError".to_owned(), Value::Bool(true))]),
        };
    }
}
