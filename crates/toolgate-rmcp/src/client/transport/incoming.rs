//! Messages of the server on their way to the client.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{
    ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
    ServerResult, TaskPayload,
};
use rmcp::transport::Transport;
use serde_json::Value;
use toolgate_mcp::contract::ToolContract;
use toolgate_mcp::era::Era;

use super::{Call, GatedTransport, Pending, Undelivered, meta_of, refused};
use crate::client::judge::Judged;

impl<T: Transport<RoleClient>> GatedTransport<T> {
    /// What the client gets for a message that came in.
    pub(super) fn incoming(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> Option<ServerJsonRpcMessage> {
        match message {
            JsonRpcMessage::Response(response) => self.answered(response.id, response.result),
            JsonRpcMessage::Error(error) => match error.id {
                Some(id) => self.failed(id, error.error),
                None => Some(JsonRpcMessage::error(error.error, None)),
            },
            JsonRpcMessage::Notification(mut notification) => {
                match &mut notification.notification {
                    ServerNotification::ToolListChangedNotification(_) => self.book.changed(),
                    ServerNotification::TaskStatusNotification(status) => {
                        let id = &status.params.task.task.task_id;
                        let tool = self.tasks.tool(id).cloned();
                        if let Some(tool) = tool {
                            let payload = &mut status.params.task.payload;
                            self.task_payload(&tool, Era::V2026_07_28, payload);
                        }
                    }
                    _ => {}
                }
                Some(JsonRpcMessage::Notification(notification))
            }
            request @ JsonRpcMessage::Request(_) => Some(request),
        }
    }

    fn answered(&mut self, id: RequestId, result: ServerResult) -> Option<ServerJsonRpcMessage> {
        match self.pending.remove(&id) {
            Some(Pending::Page { cursor, asked }) => {
                let result = self.listed(result, cursor.as_deref(), asked);
                Some(JsonRpcMessage::response(result, id))
            }
            Some(Pending::OwnPage {
                cursor,
                asked,
                meta,
            }) => {
                self.own_page(result, cursor, asked, meta);
                None
            }
            Some(Pending::Call { id, tool, era, .. }) => Some(self.called(id, tool, era, result)),
            Some(Pending::Task { tool, era }) => Some(self.task(id, &tool, era, result)),
            None => {
                if let ServerResult::InitializeResult(agreed) = &result {
                    self.version = Some(agreed.protocol_version.clone());
                }
                Some(JsonRpcMessage::response(result, id))
            }
        }
    }

    fn called(
        &mut self,
        id: RequestId,
        tool: Option<Arc<ToolContract>>,
        era: Era,
        result: ServerResult,
    ) -> ServerJsonRpcMessage {
        let Some(tool) = tool else {
            return JsonRpcMessage::response(result, id);
        };
        match self.gate.judge(&tool, era, result) {
            Judged::Received(result) => JsonRpcMessage::response(*result, id),
            Judged::Task(created) => {
                self.tasks.insert(&created.task.task_id, tool);
                JsonRpcMessage::response(ServerResult::CreateTaskResult(*created), id)
            }
            Judged::Refused(why) => refused(id, &why),
        }
    }

    fn task(
        &self,
        id: RequestId,
        tool: &Arc<ToolContract>,
        era: Era,
        result: ServerResult,
    ) -> ServerJsonRpcMessage {
        match result {
            ServerResult::GetTaskResult(task) => {
                match self.gate.judge_task(tool, era, &task.task.payload) {
                    Some(why) => refused(id, &why),
                    None => JsonRpcMessage::response(ServerResult::GetTaskResult(task), id),
                }
            }
            other => JsonRpcMessage::response(other, id),
        }
    }

    /// A notification has no answer that could be an error, so its result
    /// becomes one with `isError`.
    fn task_payload(&self, tool: &Arc<ToolContract>, era: Era, payload: &mut TaskPayload) {
        let Some(why) = self.gate.judge_task(tool, era, payload) else {
            return;
        };
        let told: Option<Value> = serde_json::from_str(&why.error_result(era)).ok();
        if let (TaskPayload::Completed { result }, Some(Value::Object(told))) = (payload, told) {
            *result = told;
        }
    }

    pub(super) fn failed(
        &mut self,
        id: RequestId,
        error: ErrorData,
    ) -> Option<ServerJsonRpcMessage> {
        match self.pending.remove(&id) {
            Some(Pending::OwnPage { .. }) => {
                // A server without the method will not have it at the next call.
                if error.code == ErrorCode::METHOD_NOT_FOUND {
                    self.book.settle();
                }
                self.give_up(&error.message);
                None
            }
            Some(Pending::Call {
                id,
                again: Some(request),
                ..
            }) if error.code == ErrorCode::HEADER_MISMATCH => {
                // The headers are made of the schema, so it must be another by now.
                self.book.changed();
                let meta = meta_of(&request.extensions);
                self.held.push(Call {
                    id,
                    request,
                    is_again: true,
                });
                self.read_list(meta);
                None
            }
            Some(Pending::Call { id, .. }) => Some(JsonRpcMessage::error(error, Some(id))),
            _ => Some(JsonRpcMessage::error(error, Some(id))),
        }
    }

    /// An own message did not go out: whoever waits for its answer hears it.
    pub(super) fn undelivered(&mut self, undelivered: Undelivered) {
        let Undelivered { id, reason } = undelivered;
        let error = ErrorData::internal_error(format!("not sent: {reason}"), None);
        if let Some(message) = self.failed(id, error) {
            self.ready.push_back(message);
        }
    }
}
