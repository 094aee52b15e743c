//! Checks the answer to a call against the contract that the call was checked with.

use std::sync::Arc;

use rmcp::model::{CallToolResult, CreateTaskResult, ServerResult, TaskPayload};
use serde_json::Value;
use toolsure_mcp::check::{Checked, Decision, OnUndecided, Refusal};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::{Era, Structured};

use super::uncheckable::Uncheckable;
use super::{ClientEvent, ClientLayer, decode};

/// The outcome of checking the answer to a call.
pub(super) enum CheckedAnswer {
    /// It is passed to the client.
    Received(Box<ServerResult>),
    /// It is passed to the client; the final result will come as the result of this task.
    Task(Box<CreateTaskResult>),
    /// It violates its contract.
    Refused(Box<Refusal>, Box<ServerResult>),
    /// It cannot be checked.
    Uncheckable(Box<Uncheckable>),
}

/// Why the result of a task must not be passed on.
pub(super) enum RefusedTask {
    /// It violates its contract.
    Contract(Box<Refusal>),
    /// It cannot be checked.
    Uncheckable(Box<Uncheckable>),
}

impl ClientLayer {
    /// Checks the answer of a server of `era` to a call of `tool`.
    pub(super) fn judge(
        &self,
        tool: &Arc<ToolContract>,
        era: Era,
        result: ServerResult,
    ) -> CheckedAnswer {
        match result {
            ServerResult::CallToolResult(result) => match self.judge_final(tool, era, &result) {
                Some(why) => {
                    CheckedAnswer::Refused(why, Box::new(ServerResult::CallToolResult(result)))
                }
                None => CheckedAnswer::Received(Box::new(ServerResult::CallToolResult(result))),
            },
            ServerResult::GetTaskResult(task) => {
                match self.judge_task(tool, era, &task.task.payload) {
                    Some(RefusedTask::Contract(why)) => {
                        CheckedAnswer::Refused(why, Box::new(ServerResult::GetTaskResult(task)))
                    }
                    Some(RefusedTask::Uncheckable(why)) => CheckedAnswer::Uncheckable(why),
                    None => CheckedAnswer::Received(Box::new(ServerResult::GetTaskResult(task))),
                }
            }
            ServerResult::CreateTaskResult(created) if era.has_result_types() => {
                CheckedAnswer::Task(Box::new(created))
            }
            ServerResult::InputRequiredResult(asks) if era.has_result_types() => {
                CheckedAnswer::Received(Box::new(ServerResult::InputRequiredResult(asks)))
            }
            // rmcp has dropped the members that would be the result.
            ServerResult::CreateTaskResult(_) => other_era(tool, era, "task"),
            ServerResult::InputRequiredResult(_) => other_era(tool, era, "input_required"),
            // rmcp guessed another kind of result from the members, or none. The value is read as
            // the answer to a call, and passed on as one if it is one.
            other => self.judge_other(tool, era, other),
        }
    }

    /// Why a final result must not be passed on; `None` if it may.
    fn judge_final(
        &self,
        tool: &Arc<ToolContract>,
        era: Era,
        result: &CallToolResult,
    ) -> Option<Box<Refusal>> {
        if result.is_error == Some(true) {
            return None;
        }
        let structured = result.structured_content.as_ref();
        // Structured content is unknown to these versions: it is checked if present, and never
        // required.
        if era.structured() == Structured::None && structured.is_none() {
            return None;
        }
        let decision = self
            .checkers
            .with(|checker| checker.check_structured_value(tool, structured));
        self.refusal(tool, decision)
    }

    /// Why the result in an answer or a notification about a task must not be passed on; `None` if
    /// it may.
    pub(super) fn judge_task(
        &self,
        tool: &Arc<ToolContract>,
        era: Era,
        payload: &TaskPayload,
    ) -> Option<RefusedTask> {
        let TaskPayload::Completed { result } = payload else {
            return None;
        };
        match self.decide_value(tool, era, &Value::Object(result.clone())) {
            // A task has one result, so nothing would check the one that these announce.
            Decision::Pass(pass)
                if matches!(pass.checked, Checked::TaskCreated | Checked::InputRequired) =>
            {
                let why = Uncheckable::not_final(tool.name());
                Some(RefusedTask::Uncheckable(Box::new(why)))
            }
            decision => self.refusal(tool, decision).map(RefusedTask::Contract),
        }
    }

    /// Why the result in an answer or a notification about a task of an unknown tool must not be
    /// passed on; `None` if it may.
    pub(super) fn judge_unknown_task(
        &self,
        task: &str,
        payload: &TaskPayload,
    ) -> Option<Box<Uncheckable>> {
        if !matches!(payload, TaskPayload::Completed { .. }) {
            return None;
        }
        match self.options.check.on_undecided {
            OnUndecided::Refuse => Some(Box::new(Uncheckable::unknown_task(task))),
            OnUndecided::Pass => {
                self.emit_event(&ClientEvent::TaskUnchecked { task });
                None
            }
        }
    }

    fn judge_other(
        &self,
        tool: &Arc<ToolContract>,
        era: Era,
        other: ServerResult,
    ) -> CheckedAnswer {
        // A value that cannot be serialised cannot be checked, so it is refused.
        let value = serde_json::to_value(&other).unwrap_or_default();
        if let Some(why) = self.judge_value(tool, era, &value) {
            return CheckedAnswer::Refused(why, Box::new(other));
        }
        match decode::final_result(value, era) {
            Ok(result) => CheckedAnswer::Received(Box::new(ServerResult::CallToolResult(result))),
            Err(_) => CheckedAnswer::Received(Box::new(other)),
        }
    }

    fn judge_value(
        &self,
        tool: &Arc<ToolContract>,
        era: Era,
        value: &Value,
    ) -> Option<Box<Refusal>> {
        let decision = self.decide_value(tool, era, value);
        self.refusal(tool, decision)
    }

    fn decide_value(&self, tool: &Arc<ToolContract>, era: Era, value: &Value) -> Decision {
        let message = format!(r#"{{"jsonrpc":"2.0","id":0,"result":{value}}}"#);
        self.checkers
            .with(|checker| checker.check_result_message(tool, era, message.as_bytes()))
    }

    fn refusal(&self, tool: &ToolContract, decision: Decision) -> Option<Box<Refusal>> {
        match decision {
            Decision::Pass(pass) => {
                self.passed(tool, pass.checked);
                None
            }
            // The caller emits the event, because a newer contract may allow the result.
            Decision::Refuse(why) => Some(why),
        }
    }

    /// Emits an event if a check passed undecided.
    pub(super) fn passed(&self, tool: &ToolContract, checked: Checked) {
        let tool = tool.name();
        match checked {
            Checked::Undecided(bound) => self.emit_event(&ClientEvent::Undecided { tool, bound }),
            Checked::HostUndecided => self.emit_event(&ClientEvent::UndecidedByHost { tool }),
            _ => {}
        }
    }
}

fn other_era(tool: &ToolContract, era: Era, tag: &str) -> CheckedAnswer {
    CheckedAnswer::Uncheckable(Box::new(Uncheckable::other_era(tool.name(), era, tag)))
}
