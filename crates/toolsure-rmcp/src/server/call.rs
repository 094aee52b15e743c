//! One call: its arguments before the handler, its result after it, also when a task gives it.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
};
use serde_json::Value;
use toolsure_mcp::check::{Checked, Decision, Refusal};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::{Era, Structured};
use toolsure_mcp::project::{Lost, StructuredForm};

use super::ServerEvent;
use super::checks::Checks;
use crate::{convert, integers};

/// Marks a call that the handler's layer checks, so that the route's layer does not check it again.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedByHandlerLayer;

/// The answer to a call that does not reach its handler.
pub(super) type Answer = Result<CallToolResponse, ErrorData>;

impl Checks {
    /// Checks the arguments of a call.
    ///
    /// # Errors
    ///
    /// The answer, if the handler must not see them.
    pub(super) fn admit(
        &self,
        tool: &Arc<ToolContract>,
        arguments: &mut Option<JsonObject>,
        era: Era,
    ) -> Result<(), Box<Answer>> {
        let mut value = arguments.take().map(Value::Object);
        let decision = self
            .shared
            .checkers
            .with(|checker| checker.check_arguments_value(tool, value.as_ref()));
        // The schema accepts `1.0` as an integer, but serde does not.
        if let (Decision::Pass(_), Some(value)) = (&decision, &mut value)
            && tool.input_text().contains("integer")
        {
            integers::as_integers(value);
        }
        if let Some(Value::Object(object)) = value {
            *arguments = Some(object);
        }
        match decision {
            Decision::Pass(pass) => {
                self.passed(tool, pass.checked);
                Ok(())
            }
            Decision::Refuse(why) => {
                self.emit_event(&ServerEvent::CallRefused(&why));
                Err(Box::new(answer(&why, era)))
            }
        }
    }

    /// Checks a handler's response and projects it for a client of `era`.
    pub(super) fn emit(
        &self,
        tool: &Arc<ToolContract>,
        response: CallToolResponse,
        era: Era,
    ) -> CallToolResponse {
        match response {
            CallToolResponse::Complete(result) => self.emit_result(tool, result, era).into(),
            CallToolResponse::Task(created) => {
                self.tasks().insert(&created.task.task_id, Arc::clone(tool));
                CallToolResponse::Task(created)
            }
            // A request for input: the client's answer comes as another call.
            other => other,
        }
    }

    /// Checks and projects a final result.
    pub(super) fn emit_result(
        &self,
        tool: &Arc<ToolContract>,
        mut result: CallToolResult,
        era: Era,
    ) -> CallToolResult {
        if result.is_error != Some(true) {
            let structured = result.structured_content.as_ref();
            let decision = self
                .shared
                .checkers
                .with(|checker| checker.check_structured_value(tool, structured));
            match decision {
                Decision::Pass(pass) => self.passed(tool, pass.checked),
                Decision::Refuse(why) => {
                    self.emit_event(&ServerEvent::ResultRefused(&why));
                    return error_result(&why);
                }
            }
        }
        self.error_value(tool, &mut result, era);
        self.project(tool, &mut result, era);
        result
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

    /// Leaves out the structured content of an error that does not match the output schema, for clients
    /// that would report this instead of the error.
    fn error_value(&self, tool: &Arc<ToolContract>, result: &mut CallToolResult, era: Era) {
        let is_checked = era.structured() == Structured::Object && tool.output_text().is_some();
        if result.is_error != Some(true) || !is_checked {
            return;
        }
        let Some(value) = result.structured_content.take() else {
            return;
        };
        let checkers = &self.shared.checkers;
        let decision = checkers.with(|checker| checker.check_structured_value(tool, Some(&value)));
        if matches!(decision, Decision::Pass(_)) {
            result.structured_content = Some(value);
            return;
        }
        if !result.content.iter().any(|block| block.as_text().is_some()) {
            result.content.push(ContentBlock::text(value.to_string()));
        }
        self.emit_event(&ServerEvent::Lost {
            reader: era,
            tool: tool.name(),
            lost: &Lost::StructuredContent,
        });
    }

    fn project(&self, tool: &ToolContract, result: &mut CallToolResult, era: Era) {
        let Some(value) = result.structured_content.take() else {
            return;
        };
        let has_text = result.content.iter().any(|block| block.as_text().is_some());
        let mut form = self
            .projection(era)
            .content_form(Some(tool), value.is_object(), has_text);
        if result.is_error == Some(true) {
            form = form.of_error(has_text);
        }
        if form.text {
            result.content.push(ContentBlock::text(value.to_string()));
        }
        result.structured_content = match form.content {
            StructuredForm::Natural => Some(value),
            StructuredForm::Wrapped => Some(Value::Object(
                [("result".to_owned(), value)].into_iter().collect(),
            )),
            StructuredForm::LeftOut => None,
        };
        if let Some(lost) = &form.content.lost() {
            self.emit_event(&ServerEvent::Lost {
                reader: era,
                tool: tool.name(),
                lost,
            });
        }
    }

    fn passed(&self, tool: &ToolContract, checked: Checked) {
        let tool = tool.name();
        match checked {
            Checked::Undecided(bound) => self.emit_event(&ServerEvent::Undecided { tool, bound }),
            Checked::HostUndecided => self.emit_event(&ServerEvent::UndecidedByHost { tool }),
            _ => {}
        }
    }

    /// The answer to a call of an unknown tool.
    pub(super) fn unknown(&self, request: &CallToolRequestParams) -> ErrorData {
        let why = Refusal::unknown_tool(&request.name);
        self.emit_event(&ServerEvent::CallRefused(&why));
        convert::error(&why)
    }
}

/// A refused call in the form of the era.
fn answer(why: &Refusal, era: Era) -> Answer {
    if why.is_result_in(era) {
        Ok(error_result(why).into())
    } else {
        Err(convert::error(why))
    }
}

fn error_result(why: &Refusal) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(why.text())])
}
