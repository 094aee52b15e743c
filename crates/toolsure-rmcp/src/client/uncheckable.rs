//! Results that are refused because they cannot be checked.

use rmcp::ErrorData;
use rmcp::model::JsonObject;
use serde_json::{Value, json};
use toolsure_json::quote;
use toolsure_mcp::era::Era;

use super::{ClientEvent, ClientLayer};

/// Why a result cannot be checked.
#[derive(Debug)]
pub(super) struct Uncheckable {
    /// The code for programs.
    code: &'static str,
    tool: Option<String>,
    text: String,
}

impl Uncheckable {
    /// The result of a task whose tool is not known.
    pub(super) fn unknown_task(task: &str) -> Self {
        let task = quote(task, SHOWN);
        Self {
            code: "task-unknown",
            tool: None,
            text: format!(
                "the result of task `{task}` cannot be checked: the tool that created the task is unknown"
            ),
        }
    }

    /// The result of a task that is not final.
    pub(super) fn not_final(tool: &str) -> Self {
        let shown = quote(tool, SHOWN);
        Self {
            code: "result-malformed",
            tool: Some(tool.to_owned()),
            text: format!("tool `{shown}` created a task whose result is not final"),
        }
    }

    /// An answer that rmcp has read as a kind of result which the protocol version does not have,
    /// and whose other members are lost.
    pub(super) fn other_era(tool: &str, era: Era, tag: &str) -> Self {
        let shown = quote(tool, SHOWN);
        Self {
            code: "result-malformed",
            tool: Some(tool.to_owned()),
            text: format!(
                "tool `{shown}` answered with `resultType` `{tag}`, which version {era} does not have"
            ),
        }
    }

    pub(super) fn event(&self) -> ClientEvent<'_> {
        ClientEvent::ResultUncheckable {
            tool: self.tool.as_deref(),
            reason: &self.text,
        }
    }

    /// The error for the calling program.
    pub(super) fn error(&self) -> ErrorData {
        let data = json!({
            "kind": "result",
            "code": self.code,
            "tool": self.tool,
            "sent": true,
        });
        ErrorData::new(ClientLayer::INVALID_RESULT, self.text.clone(), Some(data))
    }

    /// A tool result with `isError`, for a message that cannot be answered with an error.
    pub(super) fn error_result(&self) -> JsonObject {
        let content = json!([{"type": "text", "text": self.text}]);
        JsonObject::from_iter([
            ("resultType".to_owned(), Value::from("complete")),
            ("content".to_owned(), content),
            ("isError".to_owned(), Value::Bool(true)),
        ])
    }
}

/// The most characters of a server's text that a message shows.
const SHOWN: usize = 128;
