//! Messages from the server to the client.

use std::sync::Arc;

use rmcp::RoleClient;
use rmcp::model::{
    ErrorCode, ErrorData, JsonObject, JsonRpcMessage, RequestId, RequestMetaObject,
    ServerJsonRpcMessage, ServerNotification, ServerResult, TaskPayload,
};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use toolsure_mcp::check::Refusal;
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::Era;

use super::{Call, Called, CheckedTransport, Doubted, Pending, Undelivered, is_own, meta_of};
use crate::client::ClientEvent;
use crate::client::check::{CheckedAnswer, RefusedTask};
use crate::client::uncheckable::Uncheckable;
use crate::convert;

impl<T: Transport<RoleClient>> CheckedTransport<T> {
    /// Turns a message of the server into the message for the client, if there is one.
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
                        let task = &mut status.params.task;
                        self.task_payload(&task.task.task_id, &mut task.payload);
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
            Some(Pending::Initialize) => {
                if let ServerResult::InitializeResult(agreed) = &result {
                    self.version = Some(agreed.protocol_version.clone());
                }
                Some(JsonRpcMessage::response(result, id))
            }
            Some(Pending::Page { cursor, asked }) => {
                Some(self.listed(id, result, cursor.as_deref(), asked))
            }
            Some(Pending::OwnPage {
                cursor,
                asked,
                meta,
            }) => {
                self.own_page(result, cursor, asked, meta);
                None
            }
            Some(Pending::Call {
                id,
                tool,
                era,
                meta,
                ..
            }) => match tool {
                Called::Checked(tool) => self.judged_result(id, tool, era, meta, result),
                Called::Unlisted(name) => {
                    if let ServerResult::CreateTaskResult(created) = &result {
                        self.unlisted_task(&created.task.task_id, &name);
                    }
                    Some(JsonRpcMessage::response(result, id))
                }
            },
            Some(Pending::Task { task, era, meta }) => {
                self.task_answer(id, &task, era, meta, result)
            }
            // An answer that came too late, or the answer to a cancelled call.
            None if is_own(&id) => None,
            None => Some(JsonRpcMessage::response(result, id)),
        }
    }

    /// The answer to `tasks/get`.
    fn task_answer(
        &mut self,
        id: RequestId,
        task: &str,
        era: Era,
        meta: RequestMetaObject,
        result: ServerResult,
    ) -> Option<ServerJsonRpcMessage> {
        let ServerResult::GetTaskResult(answer) = &result else {
            return Some(JsonRpcMessage::response(result, id));
        };
        if let Some(tool) = self.tasks.tool(task).cloned() {
            return self.judged_result(id, tool, era, meta, result);
        }
        match self.layer.judge_unknown_task(task, &answer.task.payload) {
            Some(why) => Some(self.uncheckable_result(id, &why)),
            None => Some(JsonRpcMessage::response(result, id)),
        }
    }

    /// Records a task of a tool that is not listed: its result passes, unless a listed tool claims
    /// the same task.
    fn unlisted_task(&mut self, task: &str, tool: &str) {
        let definition = json!({"name": tool, "inputSchema": {"type": "object"}}).to_string();
        // A task that is not recorded is unknown, and its result is refused.
        if let Ok(tool) = ToolContract::read(definition.as_bytes(), &self.layer.store) {
            self.tasks.insert(task, Arc::new(tool));
        }
    }

    /// The answer to a call of `tool`, or to `tasks/get` for its task. `None` if the answer waits
    /// for the list, because its contract may be out of date.
    fn judged_result(
        &mut self,
        id: RequestId,
        tool: Arc<ToolContract>,
        era: Era,
        meta: RequestMetaObject,
        result: ServerResult,
    ) -> Option<ServerJsonRpcMessage> {
        match self.layer.judge(&tool, era, result) {
            CheckedAnswer::Refused(why, result) if !self.book.is_vouched_for() => {
                self.doubted.push(Doubted {
                    id,
                    tool,
                    era,
                    result,
                    why,
                });
                self.read_list(meta);
                None
            }
            judged => Some(self.received(id, tool, judged)),
        }
    }

    /// Checks a result again that violated its contract, after the list was read.
    pub(super) fn judged_again(&mut self, doubted: Doubted) -> ServerJsonRpcMessage {
        let Doubted {
            id,
            tool,
            era,
            result,
            why,
        } = doubted;
        let newer = self.book.catalog().snapshot().tool(tool.name()).cloned();
        let newer = newer.filter(|newer| newer.output_text() != tool.output_text());
        let Some(newer) = newer else {
            return self.refused_result(id, &why);
        };
        let judged = self.layer.judge(&newer, era, *result);
        self.received(id, newer, judged)
    }

    fn received(
        &mut self,
        id: RequestId,
        tool: Arc<ToolContract>,
        judged: CheckedAnswer,
    ) -> ServerJsonRpcMessage {
        match judged {
            CheckedAnswer::Received(result) => JsonRpcMessage::response(*result, id),
            CheckedAnswer::Task(created) => {
                self.tasks.insert(&created.task.task_id, tool);
                JsonRpcMessage::response(ServerResult::CreateTaskResult(*created), id)
            }
            CheckedAnswer::Refused(why, _) => self.refused_result(id, &why),
            CheckedAnswer::Uncheckable(why) => self.uncheckable_result(id, &why),
        }
    }

    fn refused_result(&self, id: RequestId, why: &Refusal) -> ServerJsonRpcMessage {
        self.layer.emit_event(&ClientEvent::ResultRefused(why));
        JsonRpcMessage::error(convert::client_error(why, true), Some(id))
    }

    fn uncheckable_result(&self, id: RequestId, why: &Uncheckable) -> ServerJsonRpcMessage {
        self.layer.emit_event(&why.event());
        JsonRpcMessage::error(why.error(), Some(id))
    }

    /// Checks the result in a notification about a task. A notification cannot be answered with an
    /// error, so a bad result is replaced by one with `isError`.
    fn task_payload(&self, task: &str, payload: &mut TaskPayload) {
        let era = Era::V2026_07_28;
        let why = match self.tasks.tool(task) {
            Some(tool) => self.layer.judge_task(tool, era, payload),
            None => {
                let why = self.layer.judge_unknown_task(task, payload);
                why.map(RefusedTask::Uncheckable)
            }
        };
        let error = match why {
            None => return,
            Some(RefusedTask::Contract(why)) => {
                self.layer.emit_event(&ClientEvent::ResultRefused(&why));
                match serde_json::from_str(&why.error_result(era)) {
                    Ok(Value::Object(result)) => result,
                    _ => JsonObject::from_iter([("isError".to_owned(), Value::Bool(true))]),
                }
            }
            Some(RefusedTask::Uncheckable(why)) => {
                self.layer.emit_event(&why.event());
                why.error_result()
            }
        };
        if let TaskPayload::Completed { result } = payload {
            *result = error;
        }
    }

    pub(super) fn failed(
        &mut self,
        id: RequestId,
        error: ErrorData,
    ) -> Option<ServerJsonRpcMessage> {
        match self.pending.remove(&id) {
            Some(Pending::OwnPage { .. }) => {
                let reason = format!(
                    "`tools/list` was answered with error {}: {}",
                    error.code.0, error.message
                );
                self.give_up(&reason);
                None
            }
            Some(Pending::Call {
                id,
                again: Some(request),
                ..
            }) if error.code == ErrorCode::HEADER_MISMATCH => {
                // The headers are made from the schema, so the schema must have changed.
                self.book.changed();
                let meta = meta_of(&request.extensions);
                self.held.push(Call {
                    id,
                    request: *request,
                    is_again: true,
                });
                self.read_list(meta);
                None
            }
            Some(Pending::Call { id, .. }) => Some(JsonRpcMessage::error(error, Some(id))),
            None if is_own(&id) => None,
            _ => Some(JsonRpcMessage::error(error, Some(id))),
        }
    }

    /// A message of the layer's own could not be sent: its request fails with an error.
    pub(super) fn undelivered(&mut self, undelivered: Undelivered) {
        let Undelivered { id, reason } = undelivered;
        let error = ErrorData::internal_error(format!("not sent: {reason}"), None);
        if let Some(message) = self.failed(id, error) {
            self.ready.push_back(message);
        }
    }
}
