//! What a test found.

use std::fmt;

/// What kind of fault it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The process ended, or the connection was lost, at a call.
    Crash,
    /// A call got no answer in time.
    Hang,
    /// Something on standard output is no JSON-RPC message, or an answer belongs to no request.
    BadOutput,
    /// A result breaks the protocol.
    ResultShape,
    /// `structuredContent` is missing or does not match the tool's `outputSchema`.
    ResultSchema,
    /// Arguments that the `inputSchema` refuses were answered with a successful result.
    AcceptsInvalid,
    /// Arguments that the `inputSchema` accepts were refused as arguments.
    RefusesValid,
    /// A call was answered with a JSON-RPC error of the server's own.
    InternalError,
    /// An error result has the text of an exception that nobody caught.
    UncaughtException,
    /// A member that the schema does not declare, but allows, was refused.
    UndeclaredMember,
    /// A call with a string that is not Unicode got no answer, or ended the connection.
    BadUnicode,
    /// Whether a call succeeds depends on the order of the arguments' members.
    MemberOrder,
    /// With two calls at once, an answer was lost or belongs to the other call.
    MixedAnswers,
    /// After a cancellation, the server answers nothing any more.
    AfterCancel,
    /// A call of a tool that does not exist was not answered with an error.
    UnknownTool,
    /// The tools that are listed are not the tools that can be called, or the list changed without a notification.
    StaleList,
    /// Pages of the list repeat a tool, or a wrong cursor is not answered with an error.
    Pagination,
    /// The server lists other tools to clients of an older protocol version.
    VersionsDiffer,
    /// `structuredContent` has no text block with the same JSON, which older clients read.
    TextBlock,
    /// An error result has no text that says what is wrong.
    ErrorWithoutText,
    /// A recorded call has another answer now.
    Changed,
}

impl Code {
    /// Every code, the worst first.
    pub const ALL: [Self; 21] = [
        Self::Crash,
        Self::Hang,
        Self::BadOutput,
        Self::ResultShape,
        Self::ResultSchema,
        Self::AcceptsInvalid,
        Self::RefusesValid,
        Self::InternalError,
        Self::MemberOrder,
        Self::MixedAnswers,
        Self::AfterCancel,
        Self::UnknownTool,
        Self::StaleList,
        Self::Pagination,
        Self::VersionsDiffer,
        Self::UncaughtException,
        Self::UndeclaredMember,
        Self::BadUnicode,
        Self::TextBlock,
        Self::ErrorWithoutText,
        Self::Changed,
    ];

    /// Its name in reports.
    ///
    /// ```
    /// assert_eq!(toolsure_mcp::testing::Code::ResultSchema.name(), "result-schema");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::BadOutput => "bad-output",
            Self::ResultShape => "result-shape",
            Self::ResultSchema => "result-schema",
            Self::AcceptsInvalid => "accepts-invalid",
            Self::RefusesValid => "refuses-valid",
            Self::InternalError => "internal-error",
            Self::UncaughtException => "uncaught-exception",
            Self::UndeclaredMember => "undeclared-member",
            Self::BadUnicode => "bad-unicode",
            Self::MemberOrder => "member-order",
            Self::MixedAnswers => "mixed-answers",
            Self::AfterCancel => "after-cancel",
            Self::UnknownTool => "unknown-tool",
            Self::StaleList => "stale-list",
            Self::Pagination => "pagination",
            Self::VersionsDiffer => "versions-differ",
            Self::TextBlock => "text-block",
            Self::ErrorWithoutText => "error-without-text",
            Self::Changed => "changed",
        }
    }

    /// How bad it is.
    ///
    /// ```
    /// use toolsure_mcp::testing::{Code, Severity};
    ///
    /// assert_eq!(Code::TextBlock.severity(), Severity::Warning);
    /// ```
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::TextBlock
            | Self::ErrorWithoutText
            | Self::VersionsDiffer
            | Self::BadOutput
            | Self::UncaughtException
            | Self::UndeclaredMember
            | Self::BadUnicode => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The kind in one line.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Self::Crash => "the process ended, or the connection was lost, at a call",
            Self::Hang => "a call got no answer in time",
            Self::BadOutput => {
                "standard output has something that is no JSON-RPC message, or an answer belongs to no request"
            }
            Self::ResultShape => "a result breaks the protocol",
            Self::ResultSchema => {
                "`structuredContent` is missing or does not match the `outputSchema`"
            }
            Self::AcceptsInvalid => {
                "arguments that the `inputSchema` refuses got a successful result"
            }
            Self::RefusesValid => {
                "arguments that the `inputSchema` accepts were refused as arguments"
            }
            Self::InternalError => "a call was answered with a JSON-RPC error of the server's own",
            Self::UncaughtException => "an error result has the text of an uncaught exception",
            Self::UndeclaredMember => {
                "a member that the schema does not declare, but allows, was refused"
            }
            Self::BadUnicode => "a call with a string that is not Unicode got no answer",
            Self::MemberOrder => "whether a call succeeds depends on the order of the members",
            Self::MixedAnswers => {
                "with two calls at once, an answer was lost or belongs to the other call"
            }
            Self::AfterCancel => "after a cancellation, the server answers nothing any more",
            Self::UnknownTool => "a call of an unknown tool was not answered with an error",
            Self::StaleList => {
                "the listed tools are not those that can be called, or the list changed without a notification"
            }
            Self::Pagination => {
                "pages of the list repeat a tool, or a wrong cursor is not answered with an error"
            }
            Self::VersionsDiffer => "clients of an older protocol version get other tools",
            Self::TextBlock => "`structuredContent` has no text block with the same JSON",
            Self::ErrorWithoutText => "an error result has no text",
            Self::Changed => "a recorded call has another answer now",
        }
    }
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// The protocol or the schema says SHOULD, or clients can live with it.
    Warning,
    /// The protocol or the schema says MUST.
    Error,
}

/// Something that a server did wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TestFinding {
    /// What kind of fault it is.
    pub code: Code,
    /// What happened, in one line; text of the server is quoted.
    pub message: String,
    /// Where in the result, as a JSON pointer; empty for the whole.
    pub pointer: String,
}

impl TestFinding {
    /// A finding about a whole answer.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            pointer: String::new(),
        }
    }
}

impl fmt::Display for TestFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.name(), self.message)
    }
}
