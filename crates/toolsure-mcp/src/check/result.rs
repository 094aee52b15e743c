//! Checks the result of `tools/call` before it is accepted, or before it is sent.

use std::sync::Arc;

use toolsure_json::{Node, View};
use toolsure_schema::{AnyNode, Report, Schema, Verdict, Workspace};

use super::call::{not_a_message, uncompilable, unreadable};
use super::decision::{Checked, Decision, Fault};
use super::{Checker, OnUndecided};
use crate::contract::{SchemaPart, ToolContract};
use crate::era::{Era, Structured, ToolMethod};
use crate::message::{
    MalformedResult, Message, ResultKind, TaskAnswer, ToolResult, requested_task,
};
use crate::refusal_text;

/// What kind of call a result belongs to.
///
/// ```
/// use toolsure_mcp::check::ResultOf;
/// use toolsure_mcp::era::Era;
///
/// assert!(ResultOf::task(Era::V2025_11_25).as_task);
/// assert!(!ResultOf::from(Era::V2025_11_25).as_task);
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ResultOf {
    /// The era that the server speaks.
    pub era: Era,
    /// Whether the call asked for a task (`params.task`). It counts only in 2025-11-25, the one version
    /// that has tasks of this form.
    pub as_task: bool,
}

impl From<Era> for ResultOf {
    fn from(era: Era) -> Self {
        Self {
            era,
            as_task: false,
        }
    }
}

impl ResultOf {
    /// The response to a call that asked for a task.
    #[must_use]
    pub fn task(era: Era) -> Self {
        Self { era, as_task: true }
    }
}

impl Checker {
    /// Checks a whole JSON-RPC message that should be the response to a call of `tool`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::era::Era;
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let mut checker = Checker::new();
    /// let answer = br#"{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}"#;
    /// let decision = checker.check_result_message(&tool, Era::V2025_11_25, answer);
    /// assert!(decision.refusal().is_some()); // `structuredContent` is missing
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_result_message(
        &mut self,
        tool: &Arc<ToolContract>,
        of: impl Into<ResultOf>,
        message: &[u8],
    ) -> Decision {
        let of = of.into();
        let decision = self.reading(message, |checker, document| {
            match Message::decode(document.root()) {
                Ok(Message::Result(outcome)) => checker.check_result(tool, of, outcome.result),
                Ok(Message::Error(..)) => Decision::pass(Some(tool), Checked::ErrorAnswer),
                Ok(_) => not_a_message("the message is not an answer"),
                Err(error) => not_a_message(&error.to_string()),
            }
        });
        decision.unwrap_or_else(unreadable)
    }

    /// Checks the result of a call of `tool`.
    ///
    /// `structuredContent` is present if its key is. An output schema requires it and applies to
    /// it, except with `isError: true` and in a result that is not final.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::era::Era;
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let result = r#"{"content": [], "structuredContent": {}}"#;
    /// let result = OwnedDocument::read(result, &ReadLimits::default())?;
    /// let decision = Checker::new().check_result(&tool, Era::V2025_11_25, result.document().root());
    /// assert!(decision.refusal().is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_result(
        &mut self,
        tool: &Arc<ToolContract>,
        of: impl Into<ResultOf>,
        result: View<'_>,
    ) -> Decision {
        let of = of.into();
        // Clients that do not know tasks treat structured content beside a task as the result.
        let is_result = result.member("structuredContent").is_some();
        let may_be_task = of.as_task && of.era.has_tasks_on_request() && !is_result;
        if may_be_task && requested_task(result).is_some() {
            return Decision::pass(Some(tool), Checked::TaskCreated);
        }
        let result = match of.era.read_result(result) {
            Ok(result) => result,
            Err(error) => return not_a_result(tool, error),
        };
        match result.kind {
            ResultKind::Complete => self.check_complete(tool, of.era, &result),
            ResultKind::InputRequired => Decision::pass(Some(tool), Checked::InputRequired),
            ResultKind::Task => Decision::pass(Some(tool), Checked::TaskCreated),
            ResultKind::Unknown(tag) => {
                let text = refusal_text::about(
                    tool.name(),
                    format_args!(
                        "answered with the unknown `resultType` `{}`",
                        toolsure_json::quote(tag, TAG)
                    ),
                );
                Decision::refuse(Fault::UnknownResultType, Some(tool.name()), text)
            }
        }
    }

    /// Checks a result in a message about a task, against the tool that created the task: the
    /// `result` of a response to `method`, or the `params` of the notification `method`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    /// use toolsure_mcp::era::{Era, ToolMethod};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {"type": "string"}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let task = r#"{"taskId": "t", "status": "completed", "result": {"content": [], "structuredContent": 5}}"#;
    /// let task = OwnedDocument::read(task, &ReadLimits::default())?;
    /// let (era, body) = (Era::V2026_07_28, task.document().root());
    /// let decision = Checker::new().check_task_result(&tool, era, ToolMethod::TaskGet, body);
    /// assert_eq!(decision.refusal().map(|why| why.fault.code()), Some("result-invalid"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_task_result(
        &mut self,
        tool: &Arc<ToolContract>,
        era: Era,
        method: ToolMethod,
        body: View<'_>,
    ) -> Decision {
        match era.task_answer(method, body) {
            Some(TaskAnswer::Final(result)) => self.check_result(tool, era, result),
            Some(TaskAnswer::Malformed(error)) => not_a_result(tool, error),
            Some(TaskAnswer::Without) | None => {
                Decision::pass(Some(tool), Checked::TaskWithoutResult)
            }
        }
    }

    fn check_complete(
        &mut self,
        tool: &Arc<ToolContract>,
        era: Era,
        result: &ToolResult<'_>,
    ) -> Decision {
        if result.is_error {
            return Decision::pass(Some(tool), Checked::ErrorResult);
        }
        // Structured content is unknown to these versions: it is checked if present, and never
        // required.
        if era.structured() == Structured::None && result.structured.is_none() {
            return Decision::pass(Some(tool), Checked::EraWithoutOutput);
        }
        self.judge_output(tool, result.structured, |schema, workspace, value| {
            schema.explain_invalid(workspace, value)
        })
    }

    /// Checks a value as the structured content of a final result of `tool`, also for an error, which
    /// [`check_result`](Self::check_result) does not hold to the output schema, but some clients do.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_mcp::check::Checker;
    /// use toolsure_mcp::contract::{SchemaStore, ToolContract};
    ///
    /// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}, "outputSchema": {"type": "string"}}"#;
    /// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
    /// let value = OwnedDocument::read("5", &ReadLimits::default())?;
    /// let decision = Checker::new().check_structured(&tool, value.document().root());
    /// assert!(decision.refusal().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_structured(&mut self, tool: &Arc<ToolContract>, value: View<'_>) -> Decision {
        self.judge_output(tool, Some(value), |schema, workspace, value| {
            schema.explain_invalid(workspace, value)
        })
    }

    /// Checks the structured content of a final result that is not an error.
    pub(crate) fn judge_output<'i, N: Node<'i>>(
        &mut self,
        tool: &Arc<ToolContract>,
        structured: Option<N>,
        explain: impl FnOnce(&Schema, &mut Workspace, N) -> Report,
    ) -> Decision {
        let name = tool.name();
        if tool.output_text().is_none() {
            return Decision::pass(Some(tool), Checked::NoOutputSchema);
        }
        let engine = self.engine.clone();
        let schema = match &engine {
            Some(_) => tool.verify_part_for_host(SchemaPart::Output).map(|()| None),
            None => tool.output(),
        };
        let schema = match schema {
            Ok(schema) => schema,
            Err(why) => return uncompilable(name, why),
        };
        let Some(value) = structured else {
            let text = refusal_text::about(
                name,
                format_args!("has an output schema but its result has no `structuredContent`"),
            );
            return Decision::refuse(Fault::MissingStructured, Some(name), text);
        };
        let schema = match (engine, schema) {
            (Some(engine), _) => {
                return self.host_verdict(&engine, tool, SchemaPart::Output, value);
            }
            (None, Some(schema)) => schema,
            (None, None) => return Decision::pass(Some(tool), Checked::NoOutputSchema),
        };
        match schema.check(&mut self.workspace, AnyNode(value)) {
            Verdict::Valid => Decision::pass(Some(tool), Checked::Valid),
            Verdict::Invalid => {
                let report = explain(&schema, &mut self.workspace, value);
                let text = refusal_text::invalid(name, SchemaPart::Output, &schema, &report);
                Decision::refuse(Fault::InvalidResult, Some(name), text).reported(report)
            }
            Verdict::Undecided(why) => match self.on_undecided {
                OnUndecided::Pass => Decision::pass(Some(tool), Checked::Undecided(why)),
                OnUndecided::Refuse => {
                    let text = refusal_text::about(
                        name,
                        format_args!("was called, but its result is too costly to check ({why})"),
                    );
                    Decision::refuse(Fault::UndecidedResult(why), Some(name), text)
                }
            },
        }
    }
}

fn not_a_result(tool: &ToolContract, error: MalformedResult) -> Decision {
    let text = refusal_text::about(
        tool.name(),
        format_args!("did not answer with a result: {error}"),
    );
    Decision::refuse(Fault::MalformedResult(error), Some(tool.name()), text)
}

/// The maximum number of characters of an unknown tag in a message.
const TAG: usize = 64;
