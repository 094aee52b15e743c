//! Tasks of a checked server: results that come later, in answers and in notifications.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests say what they expect by stopping"
)]

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CreateTaskResult, DetailedTask, GetTaskParams,
    GetTaskResult, ServerCapabilities, ServerConfig, ServerNotification, Task, TaskPayload,
    TaskStatus, TaskStatusNotification, TaskStatusNotificationParams, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use toolsure_rmcp::ServerLayer;

use crate::support::Wire;

/// Creates a task for every call. When asked for the task, it notifies the client and then answers,
/// both with the same payload.
struct Later {
    layer: ServerLayer,
    payload: TaskPayload,
}

impl Later {
    fn task(&self, id: &str) -> DetailedTask {
        let time = "2026-01-01T00:00:00Z";
        let task = Task::new(id, TaskStatus::Working, time, time);
        DetailedTask::new(task, self.payload.clone())
    }
}

impl ServerHandler for Later {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_tasks();
        ServerConfig::new(capabilities.build())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tool = json!({"name": name, "inputSchema": {"type": "object"},
            "outputSchema": {"type": "integer"}});
        serde_json::from_value(tool).ok()
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut task = self.task("7").task;
        task.status = TaskStatus::Working;
        Ok(CreateTaskResult::new(task).into())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = self.task(&request.task_id);
        let status = TaskStatusNotificationParams::new(task.clone());
        let status = TaskStatusNotification::new(self.layer.task_status(status));
        let status = ServerNotification::TaskStatusNotification(status);
        context.peer.send_notification(status).await.unwrap();
        Ok(GetTaskResult::new(task))
    }
}

/// The notification and the answer about task `id`. The layer has seen only task 7.
async fn status_messages(payload: TaskPayload, id: &str) -> [Value; 2] {
    let layer = ServerLayer::new();
    let handler = Later {
        layer: layer.clone(),
        payload,
    };
    let mut wire = Wire::modern(layer.wrap(handler));
    assert_eq!(wire.call("t", json!({})).await["taskId"], "7");
    let asked = wire.send("tasks/get", json!({"taskId": id})).await;
    let (mut notified, mut answered) = (Value::Null, Value::Null);
    while notified.is_null() || answered.is_null() {
        let mut message: Value = serde_json::from_str(&wire.read_line().await).unwrap();
        if message["method"] == "notifications/tasks" {
            notified = message["params"].take();
        } else if message["id"] == asked {
            answered = message["result"].take();
        }
    }
    [notified, answered]
}

fn completed(structured: &Value) -> TaskPayload {
    let result = json!({"resultType": "complete", "content": [], "structuredContent": structured});
    TaskPayload::Completed {
        result: result.as_object().cloned().unwrap(),
    }
}

/// The result of a task is checked against the contract of its tool, in answers and notifications.
#[tokio::test]
async fn results_that_come_later() {
    for (value, is_good) in [(json!(1), true), (json!("x"), false)] {
        for message in status_messages(completed(&value), "7").await {
            let result = &message["result"];
            assert_eq!(result["isError"] == true, !is_good, "{message}");
            assert_eq!(
                result.get("structuredContent").is_some(),
                is_good,
                "{message}"
            );
            assert!(!result["content"][0]["text"].is_null(), "{message}");
        }
    }
}

/// Messages without a result, and messages about tasks that the layer has not seen, stay unchanged.
#[tokio::test]
async fn other_tasks_pass() {
    for message in status_messages(TaskPayload::Working, "7").await {
        assert_eq!(message["status"], "working");
        assert!(message.get("result").is_none(), "{message}");
    }
    for message in status_messages(completed(&json!("x")), "8").await {
        assert_eq!(message["result"]["structuredContent"], "x", "{message}");
    }
}
