//! The outcome of a check: pass, or refuse with a reason.

use std::fmt;
use std::sync::Arc;

use toolsure_json::{ReadError, json_string};
use toolsure_schema::{Exhausted, Report};

use crate::contract::{Isolated, ToolContract, UncompilableTool};
use crate::era::Era;
use crate::message::write;
use crate::message::{
    INVALID_PARAMS, INVALID_REQUEST, INVALID_RESULT, MalformedResult, PARSE_ERROR,
};

/// Whether a call or a result may pass.
///
/// ```
/// use std::sync::Arc;
/// use toolsure_mcp::check::{Checker, Decision};
/// use toolsure_mcp::contract::{SchemaStore, ToolContract};
///
/// let tool = br#"{"name": "find", "inputSchema": {"type": "object"}}"#;
/// let tool = Arc::new(ToolContract::read(tool, &SchemaStore::new())?);
/// let decision = Checker::new().check_arguments_bytes(&tool, b"{}");
/// assert!(matches!(decision, Decision::Pass(_)) && decision.refusal().is_none());
/// # Ok::<(), toolsure_mcp::contract::MalformedTool>(())
/// ```
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a caller must pass or refuse; a third answer must break the build"
)]
#[must_use = "an unread decision stops nothing"]
pub enum Decision {
    /// It may.
    Pass(Pass),
    /// It may not.
    Refuse(Box<Refusal>),
}

/// Why a call or a result may pass.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Pass {
    /// The tool, as it was when the call was checked. Results must be checked against this one.
    pub tool: Option<Arc<ToolContract>>,
    /// What the check found.
    pub checked: Checked,
}

/// What a check found about a call or a result that may pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Checked {
    /// It matches its schema.
    Valid,
    /// A limit was reached before the answer was known, and the policy lets it pass.
    Undecided(Exhausted),
    /// The host's engine gave up, and the policy lets it pass.
    HostUndecided,
    /// The tool has no output schema.
    NoOutputSchema,
    /// A result with `isError: true`, to which no output schema applies.
    ErrorResult,
    /// A JSON-RPC error, to which no output schema applies.
    ErrorAnswer,
    /// The server requests more input first.
    InputRequired,
    /// The result comes later, through a task.
    TaskCreated,
    /// A message about a task that has no result (yet).
    TaskWithoutResult,
    /// The server's era has no structured output, and there is none.
    EraWithoutOutput,
}

/// Why a call or a result is refused, and how to say so.
///
/// ```
/// use toolsure_mcp::check::Refusal;
/// use toolsure_mcp::era::Era;
///
/// let why = Refusal::of_arguments("find", "`q` is missing".to_owned());
/// assert_eq!(why.text(), "`q` is missing");
/// assert!(why.is_result_in(Era::V2025_11_25) && !why.is_result_in(Era::V2025_06_18));
/// assert!(why.answer(Era::V2025_06_18, "7").contains("-32602"));
/// assert!(why.error_answer("7").contains("-32602"));
/// assert!(why.error_result(Era::V2025_11_25).contains(r#""isError":true"#));
///
/// let unknown = Refusal::unknown_tool("find");
/// let unread = Refusal::unread_list("find", "the server did not answer");
/// assert_eq!((unknown.fault.kind(), unread.fault.kind()), ("tool", "schema"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// What is wrong.
    pub fault: Fault,
    /// The tool's name, if the message has one.
    pub tool: Option<String>,
    /// The findings, if a value did not match a schema.
    pub report: Option<Report>,
    pub(super) text: String,
}

/// What is wrong with a call or a result.
///
/// ```
/// use toolsure_mcp::check::Fault;
///
/// let fault = Fault::InvalidArguments;
/// assert_eq!((fault.code(), fault.kind()), ("arguments-invalid", "arguments"));
/// assert_eq!(fault.rpc_code(), -32602);
/// assert!(fault.is_of_arguments() && !fault.is_of_result());
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Fault {
    /// The message is not JSON, or exceeds a limit.
    Unreadable(ReadError),
    /// The message is not a JSON-RPC request or response of the expected kind.
    NotAMessage(String),
    /// The parameters are not a tool call.
    MalformedCall(String),
    /// There is no such tool.
    UnknownTool,
    /// The server's definition of the tool is malformed.
    MalformedTool(Isolated),
    /// The tool may be in a part of the server's list that could not be read, for this reason.
    UnreadList(String),
    /// A schema of the tool does not compile.
    Uncompilable(UncompilableTool),
    /// The argument schema in the tool's definition is invalid, for this reason.
    ArgumentSchema(String),
    /// A schema of the tool does not compile in the host's engine, for this
    /// reason.
    HostUncompilable(String),
    /// The arguments do not match the input schema.
    InvalidArguments,
    /// A limit was reached before the arguments were known to match.
    UndecidedArguments(Exhausted),
    /// The host's engine gave up on the arguments, for this reason.
    HostUndecidedArguments(String),
    /// The host's engine gave up on the result, for this reason.
    HostUndecidedResult(String),
    /// The result is not a tool result.
    MalformedResult(MalformedResult),
    /// The result has a `resultType` that no era defines.
    UnknownResultType,
    /// The tool has an output schema, but the result has no `structuredContent`.
    MissingStructured,
    /// `structuredContent` does not match the output schema.
    InvalidResult,
    /// A limit was reached before the result was known to match.
    UndecidedResult(Exhausted),
}

impl Fault {
    /// A stable code for machines and logs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable(_) => "message-json",
            Self::NotAMessage(_) => "message-malformed",
            Self::MalformedCall(_) => "call-malformed",
            Self::UnknownTool => "tool-unknown",
            Self::MalformedTool(_) => "tool-malformed",
            Self::UnreadList(_) => "tool-list-unread",
            Self::Uncompilable(_) => "tool-uncompilable",
            Self::ArgumentSchema(_) => "tool-argument-schema",
            Self::HostUncompilable(_) => "tool-uncompilable",
            Self::InvalidArguments => "arguments-invalid",
            Self::UndecidedArguments(_) | Self::HostUndecidedArguments(_) => "arguments-undecided",
            Self::MalformedResult(_) => "result-malformed",
            Self::UnknownResultType => "result-type-unknown",
            Self::MissingStructured => "result-missing",
            Self::InvalidResult => "result-invalid",
            Self::UndecidedResult(_) | Self::HostUndecidedResult(_) => "result-undecided",
        }
    }

    /// The code of the JSON-RPC error for this fault.
    #[must_use]
    pub fn rpc_code(&self) -> i64 {
        match self {
            Self::Unreadable(_) => PARSE_ERROR,
            Self::NotAMessage(_) => INVALID_REQUEST,
            _ if self.is_of_result() => INVALID_RESULT,
            _ => INVALID_PARAMS,
        }
    }

    /// What is at fault, in one word for programs: `arguments`, `result`, `schema` (the tool's
    /// definition), `tool` (there is none with this name) or `message`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unreadable(_) | Self::NotAMessage(_) => "message",
            Self::UnknownTool => "tool",
            Self::MalformedTool(_)
            | Self::UnreadList(_)
            | Self::Uncompilable(_)
            | Self::ArgumentSchema(_)
            | Self::HostUncompilable(_) => "schema",
            Self::MalformedCall(_)
            | Self::InvalidArguments
            | Self::UndecidedArguments(_)
            | Self::HostUndecidedArguments(_) => "arguments",
            Self::MalformedResult(_)
            | Self::UnknownResultType
            | Self::MissingStructured
            | Self::InvalidResult
            | Self::UndecidedResult(_)
            | Self::HostUndecidedResult(_) => "result",
        }
    }

    /// Whether the model can fix it: the arguments are at fault, not the message.
    #[must_use]
    pub fn is_of_arguments(&self) -> bool {
        matches!(
            self,
            Self::InvalidArguments | Self::UndecidedArguments(_) | Self::HostUndecidedArguments(_)
        )
    }

    /// Whether it concerns a result, which means that the call has happened.
    #[must_use]
    pub fn is_of_result(&self) -> bool {
        matches!(
            self,
            Self::MalformedResult(_)
                | Self::UnknownResultType
                | Self::MissingStructured
                | Self::InvalidResult
                | Self::UndecidedResult(_)
                | Self::HostUndecidedResult(_)
        )
    }
}

impl Refusal {
    /// Refuses arguments that break a contract other than the input schema, such as an argument
    /// schema, with that contract's error texts.
    #[must_use]
    pub fn of_arguments(tool: &str, text: String) -> Self {
        Self {
            fault: Fault::InvalidArguments,
            tool: Some(tool.to_owned()),
            report: None,
            text,
        }
    }

    /// The text for a model or a person; at most 2,048 bytes.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Replaces the text.
    pub fn set_text(&mut self, text: String) {
        self.text = text;
    }

    /// Whether the era reports it as a tool result with `isError`, not as an error.
    #[must_use]
    pub fn is_result_in(&self, era: Era) -> bool {
        self.fault.is_of_result()
            || (self.fault.is_of_arguments() && era.capabilities().errors_as_results)
    }

    /// The response to the request in the form of the era: invalid arguments are a tool result with
    /// `isError` since 2025-11-25 and an error before, invalid results are always such a result,
    /// everything else is an error. `id` is the request's id as JSON text (`null` if it could not
    /// be read).
    #[must_use]
    pub fn answer(&self, era: Era, id: &str) -> String {
        if self.is_result_in(era) {
            write::result(id, &self.error_result(era))
        } else {
            write::error(id, self.fault.rpc_code(), &self.text, None)
        }
    }

    /// The refusal as a JSON-RPC error, for a caller that stops its own request
    /// before it is sent.
    #[must_use]
    pub fn error_answer(&self, id: &str) -> String {
        write::error(id, self.fault.rpc_code(), &self.text, None)
    }

    /// The refusal as a tool result with `isError: true` and no structured
    /// content: JSON text of the `result` alone.
    #[must_use]
    pub fn error_result(&self, era: Era) -> String {
        let mut out = String::from("{");
        for (name, value) in era.result_members(false) {
            out.push_str(&format!("\"{name}\":{value},"));
        }
        out.push_str(r#""content":[{"type":"text","text":"#);
        out.push_str(&json_string(&self.text));
        out.push_str(r#"}],"isError":true}"#);
        out
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Refusal {}

impl Decision {
    /// The refusal, if it is one.
    #[must_use]
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Pass(_) => None,
            Self::Refuse(refusal) => Some(refusal),
        }
    }

    pub(super) fn pass(tool: Option<&Arc<ToolContract>>, checked: Checked) -> Self {
        Self::Pass(Pass {
            tool: tool.cloned(),
            checked,
        })
    }

    pub(crate) fn refuse(fault: Fault, tool: Option<&str>, text: String) -> Self {
        Self::Refuse(Box::new(Refusal {
            fault,
            tool: tool.map(str::to_owned),
            report: None,
            text: crate::refusal_text::cut(text),
        }))
    }

    pub(super) fn reported(self, report: Report) -> Self {
        match self {
            Self::Refuse(mut refusal) => {
                refusal.report = Some(report);
                Self::Refuse(refusal)
            }
            pass => pass,
        }
    }
}
